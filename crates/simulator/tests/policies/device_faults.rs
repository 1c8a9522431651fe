//! Plants faults of devices in the records of a schedule derived by hand; the audit finds each of
//! them.

use crate::classes::events;
use dfrsim_audit::{CheckedPolicy, audit, audit_policy};
use dfrsim_cluster::Options;
use dfrsim_model::batch::BatchPolicy;
use dfrsim_model::event::Record;
use dfrsim_model::platform::classes::{DEVICE_PART, Demands, PlatformFields, UnequalNodes};
use dfrsim_model::{Job, JobId, Share, SimSpan, SimTime};
use std::sync::Arc;

/// Two nodes with two groups of four GPUs, and one without any.
const PLATFORM: &str = "devices = 'gpu'
classes = [{ name = 'a', nodes = 2, cores = 16, memory_gb = 8, resources = { gpu = 8 }, device_groups = [4, 4] },
    { name = 'b', nodes = 1, cores = 16, memory_gb = 8 }]";

const POLICY: &str = "FIRSTFIT/NODES=SHARED";

/// Submission, tasks, GPUs of a task, and tenths of each of them. All jobs run for ten seconds.
///
/// | job | devices | reason |
/// |---|---|---|
/// | 0 | 0.0 | the first one |
/// | 1 | 0.0 | the fullest device with room |
/// | 2 | 0.1 | a device of its own |
/// | 3 | 0.4 to 0.7 | the only group that holds four |
/// | 4 | 0.2 and 0.3 | the rest of the first group |
/// | 5 | 1.0 to 1.4 | as few groups as possible, the first one of equal ones filled |
/// | 6 | 1.5 and 1.6 twice | parts of different devices in the second group |
/// | 7 | 1.7 | the last free device |
/// | 8 | 0.0 after ten seconds | no device is free before |
const JOBS: [(u64, u32, u32, u64); 9] = [
    (0, 1, 1, 5),
    (0, 1, 1, 5),
    (0, 1, 1, 6),
    (0, 1, 4, 10),
    (0, 2, 1, 10),
    (0, 1, 5, 10),
    (1, 2, 2, 4),
    (2, 1, 1, 10),
    (3, 1, 1, 10),
];

type Devices = [(u32, u32, u32)];

/// Devices of each job.
const EXPECTED: [&Devices; 9] = [
    &[(0, 0, 1)],
    &[(0, 0, 1)],
    &[(0, 1, 1)],
    &[(0, 4, 1), (0, 5, 1), (0, 6, 1), (0, 7, 1)],
    &[(0, 2, 1), (0, 3, 1)],
    &[(1, 0, 1), (1, 1, 1), (1, 2, 1), (1, 3, 1), (1, 4, 1)],
    &[(1, 5, 2), (1, 6, 2)],
    &[(1, 7, 1)],
    &[(0, 0, 1)],
];

/// Records of the schedule.
fn records() -> Vec<Record<'static>> {
    let jobs: Vec<Job> = JOBS
        .iter()
        .zip(0..)
        .map(|(&(submit, tasks, ..), id)| Job {
            id: JobId(id),
            submit: SimTime::from_secs(submit),
            tasks,
            cpu_need: Share::from_ratio(1, 16),
            run_time: SimSpan::from_secs(10),
            ..Job::default()
        })
        .collect();
    let mut demands = Demands::default();
    for (&(_, tasks, count, tenths), id) in JOBS.iter().zip(0..) {
        let mut ask = vec![("gpu".to_owned(), tasks * count)];
        if tenths < 10 {
            ask.push((DEVICE_PART.to_owned(), Share::from_ratio(tenths, 10).units()));
        }
        demands.given.insert(JobId(id), ask);
    }
    let classes = PlatformFields::parse("platform.toml", PLATFORM).unwrap().classes().unwrap();
    let options =
        Options { unequal: Some(Arc::new(UnequalNodes { classes, demands })), ..Options::default() };
    let text = events(POLICY.parse().unwrap(), 3, &options, &jobs);
    text.lines().map(|line| Record::from_json(line.as_bytes()).unwrap()).collect()
}

fn text(lines: &[Record<'_>]) -> String {
    lines.iter().map(|line| serde_json::to_string(line).unwrap() + "\n").collect()
}

#[test]
fn tasks_get_as_few_groups_as_possible() {
    let mut found = vec![Vec::new(); JOBS.len()];
    for line in records() {
        if let Record::Bind { job, devices, .. } = line {
            found[job as usize] = devices.into_owned();
        }
    }
    assert_eq!(found, EXPECTED.map(<[_]>::to_vec));
}

/// Returns the place of the first record of a kind for which this holds.
fn place(lines: &[Record<'_>], is_it: impl Fn(&Record<'_>) -> bool) -> usize {
    lines.iter().position(is_it).unwrap()
}

fn bind(lines: &[Record<'_>], number: u64) -> usize {
    place(lines, |line| matches!(line, Record::Bind { job, .. } if *job == number))
}

fn end(lines: &[Record<'_>], number: u64) -> usize {
    place(lines, |line| matches!(line, Record::Complete { job, .. } if *job == number))
}

/// Changes the devices of a job.
fn give(lines: &mut [Record<'static>], job: u64, to: &[(u32, u32, u32)]) {
    let place = bind(lines, job);
    let Record::Bind { devices, .. } = &mut lines[place] else { return };
    *devices = to.to_vec().into();
}

/// Changes the request of a job: its number of devices and their part.
fn ask(lines: &mut [Record<'static>], number: u64, to: (u32, u64)) {
    let place = place(lines, |line| matches!(line, Record::Ask { job, .. } if *job == number));
    let Record::Ask { resources, .. } = &mut lines[place] else { return };
    resources[0] = (to.0, Share::from_ratio(to.1, 10).units());
}

/// Changes the classes of nodes: the number of devices of the first one, and their groups.
fn nodes(lines: &mut [Record<'static>], count: u32, groups: &[u32]) {
    let place = place(lines, |line| matches!(line, Record::Classes { .. }));
    let Record::Classes { classes, .. } = &mut lines[place] else { return };
    (classes[0].resources[0], classes[0].device_groups) = (count, groups.to_vec());
}

/// Moves a record to another place.
fn put(lines: &mut Vec<Record<'static>>, from: usize, to: usize) {
    let record = lines.remove(from);
    lines.insert(to, record);
}

/// Name of a fault, and the change that makes it.
type Planted = (&'static str, fn(&mut Vec<Record<'static>>));

/// Faults of the records themselves: no policy has such schedules.
const INVALID: [Planted; 26] = [
    ("a device above 1 by a part", |lines| give(lines, 2, &[(0, 0, 1)])),
    ("a device above 1 by a whole one", |lines| give(lines, 7, &[(1, 4, 1)])),
    ("a device of a job of equal parts", |lines| give(lines, 7, &[(1, 5, 1)])),
    ("the device of a job that has not ended", |lines| give(lines, 8, &[(1, 6, 1)])),
    ("a device twice in one task", |lines| give(lines, 3, &[(0, 4, 2), (0, 5, 1), (0, 6, 1)])),
    ("three parts of two tasks on a device", |lines| give(lines, 6, &[(1, 5, 3), (1, 6, 1)])),
    ("a device in two entries", |lines| give(lines, 6, &[(1, 5, 1), (1, 5, 1), (1, 6, 2)])),
    ("a device less", |lines| give(lines, 3, &[(0, 4, 1), (0, 5, 1), (0, 6, 1)])),
    ("a device more", |lines| give(lines, 2, &[(0, 1, 1), (0, 2, 1)])),
    ("a task less", |lines| give(lines, 6, &[(1, 5, 2), (1, 6, 1)])),
    ("no devices", |lines| give(lines, 4, &[])),
    ("a device without tasks", |lines| give(lines, 4, &[(0, 2, 1), (0, 3, 1), (0, 4, 0)])),
    ("a device that the node does not have", |lines| give(lines, 7, &[(1, 8, 1)])),
    ("a node without devices", |lines| give(lines, 7, &[(2, 0, 1)])),
    ("a node on which the job has no task", |lines| give(lines, 7, &[(0, 7, 1)])),
    ("a node that does not exist", |lines| give(lines, 7, &[(3, 0, 1)])),
    ("devices of two nodes", |lines| give(lines, 4, &[(0, 2, 1), (1, 3, 1)])),
    ("descending order", |lines| give(lines, 4, &[(0, 3, 1), (0, 2, 1)])),
    ("no record", |lines| _ = lines.remove(bind(lines, 5))),
    ("a record twice", |lines| lines.insert(bind(lines, 5), lines[bind(lines, 5)].clone())),
    ("the devices of another job", |lines| {
        let place = bind(lines, 7);
        let Record::Bind { job, .. } = &mut lines[place] else { return };
        *job = 0;
    }),
    ("devices before the start", |lines| put(lines, bind(lines, 7), bind(lines, 7) - 1)),
    ("devices after the end", |lines| put(lines, bind(lines, 7), end(lines, 7))),
    ("the devices of a start that did not happen", |lines| _ = lines.remove(bind(lines, 7) - 1)),
    ("another node in the start than in the devices", |lines| {
        let place = bind(lines, 3) - 1;
        let Record::Start { on, .. } = &mut lines[place] else { return };
        *on = vec![(1, 1)].into();
    }),
    ("a request that is larger than the devices", |lines| ask(lines, 0, (2, 5))),
];

/// Faults of the choice: the records are a schedule, but not that of the policy on these nodes.
const OTHER: [Planted; 14] = [
    ("an idle device instead of a full one", |lines| give(lines, 1, &[(0, 2, 1)])),
    ("a higher number among equal devices", |lines| give(lines, 2, &[(0, 3, 1)])),
    ("groups that are split needlessly", |lines| {
        give(lines, 3, &[(0, 2, 1), (0, 3, 1), (0, 4, 1), (0, 5, 1)]);
        give(lines, 4, &[(0, 6, 1), (0, 7, 1)]);
    }),
    ("one device in another group", |lines| {
        give(lines, 3, &[(0, 3, 1), (0, 4, 1), (0, 5, 1), (0, 6, 1)]);
        give(lines, 4, &[(0, 2, 1), (0, 7, 1)]);
    }),
    ("a larger group than is needed", |lines| {
        give(lines, 4, &[(0, 4, 1), (0, 5, 1)]);
        give(lines, 3, &[(0, 2, 1), (0, 3, 1), (0, 6, 1), (0, 7, 1)]);
    }),
    ("two groups that are not filled one after the other", |lines| {
        give(lines, 5, &[(1, 0, 1), (1, 1, 1), (1, 2, 1), (1, 4, 1), (1, 5, 1)]);
        give(lines, 6, &[(1, 3, 2), (1, 6, 2)]);
    }),
    ("the second of equal groups filled first", |lines| {
        give(lines, 5, &[(1, 0, 1), (1, 4, 1), (1, 5, 1), (1, 6, 1), (1, 7, 1)]);
        give(lines, 6, &[(1, 1, 2), (1, 2, 2)]);
        give(lines, 7, &[(1, 3, 1)]);
    }),
    ("parts on more devices than needed", |lines| {
        give(lines, 6, &[(1, 5, 1), (1, 6, 1), (1, 7, 2)]);
    }),
    ("a device that is the last of equal ones", |lines| give(lines, 8, &[(0, 7, 1)])),
    ("nodes without groups", |lines| nodes(lines, 8, &[])),
    ("other groups", |lines| nodes(lines, 8, &[2, 6])),
    ("one group", |lines| nodes(lines, 8, &[8])),
    ("a request with which another job fits earlier", |lines| ask(lines, 8, (1, 4))),
    ("nodes with more devices, on which the last job fits earlier", |lines| nodes(lines, 9, &[4, 5])),
];

#[test]
fn all_planted_faults_of_devices_are_found() {
    let policy = || CheckedPolicy::Batch(BatchPolicy::parse(POLICY).unwrap());
    let lines = records();
    audit_policy(text(&lines).as_bytes(), policy()).unwrap();
    for (what, plant) in INVALID {
        let mut changed = lines.clone();
        plant(&mut changed);
        assert_ne!(changed, lines, "{what}");
        assert!(audit(text(&changed).as_bytes()).is_err(), "not found: {what}");
        assert!(audit_policy(text(&changed).as_bytes(), policy()).is_err(), "not found: {what}");
    }
    for (what, plant) in OTHER {
        let mut changed = lines.clone();
        plant(&mut changed);
        assert_ne!(changed, lines, "{what}");
        assert!(audit_policy(text(&changed).as_bytes(), policy()).is_err(), "not found: {what}");
    }
}

/// Groups that do not sum to the devices of a node are no description of a cluster.
#[test]
fn groups_of_an_events_file_are_checked() {
    for (count, groups) in [(8, &[4, 3][..]), (8, &[8, 0]), (4, &[4, 4])] {
        let mut lines = records();
        nodes(&mut lines, count, groups);
        assert!(audit(text(&lines).as_bytes()).is_err(), "{count}: {groups:?}");
    }
}
