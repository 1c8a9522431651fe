//! Tests policies on nodes with devices against the reference implementation in the audit.

use crate::classes::events;
use crate::preemption;
use crate::support::recorded;
use dfrsim_audit::{CheckedPolicy, audit_policy};
use dfrsim_cluster::Options;
use dfrsim_model::batch::{BatchPolicy, NodeUse};
use dfrsim_model::event::Record;
use dfrsim_model::platform::classes::{Demands, PlatformFields, UnequalNodes};
use dfrsim_model::platform::{NodeSpan, Outage, Outages, Window};
use dfrsim_model::site::PreemptMode;
use dfrsim_model::{Job, JobId, Origin, Seed, Share, SimSpan, SimTime};
use dfrsim_policies::PolicyOptions;
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Fractional policies with all of their parts.
const FRACTIONAL: [&str; 14] = [
    "EQUIPARTITION",
    "Greedy*/OPT=MIN",
    "GreedyP*/OPT=MIN",
    "GreedyPM*/OPT=AVG",
    "GreedyP*/per/OPT=MIN",
    "GreedyPM*/per/OPT=MIN/MVT=600",
    "MCB*/OPT=MIN",
    "MCB*/per/OPT=AVG/MFT=300",
    "/per/OPT=MIN",
    "/per/OPT=MIN/MVT=2",
    "/stretch-per/OPT=MAX",
    "GreedyPM*/per/RELABEL/OPT=MIN",
    "GreedyPM*/per/BUDGET=2/OPT=MIN",
    "GreedyPM*/per/OPT=MIN/MVT=4/PERIOD=5/BELOW=100/PAY=15/SPREAD/RETRY=6/SWAP=2/LAS=1200/AHEAD=2700",
];

/// Two nodes with four GPUs, two with two of another type, and one without any. `GROUPS` are the groups
/// of the four.
const PLATFORM: &str = "devices = 'gpu'
core_parts = 2
classes = [{ name = 'a', nodes = 2, cores = 8, memory_gb = 8, resources = { gpu = 4 }, features = ['a'], device_groups = GROUPS,
        power = { idle_w = 100, busy_w = 200, resources = { gpu = { idle_w = 30, busy_w = 250 } } } },
    { name = 'b', nodes = 2, cores = 4, memory_gb = 8, speed = 0.5, resources = { gpu = 2 }, features = ['b'],
        power = { idle_w = 50, busy_w = 80, resources = { gpu = { idle_w = 10, busy_w = 70 } } } },
    { name = 'c', nodes = 1, cores = 8, memory_gb = 8, power = { idle_w = 100, busy_w = 150 } }]";

/// Creates options in which parts of GPUs follow the yields of jobs.
fn shared_options(seed: u64) -> Options {
    let platform = format!("shared = ['gpu']\n{PLATFORM}");
    options_on(&platform.replace("GROUPS", "[]"), seed)
}

pub(crate) fn options(seed: u64) -> Options {
    options_on(PLATFORM, seed)
}

fn options_on(platform: &str, seed: u64) -> Options {
    let requests = [
        "gpu:0.5:1:0.1-0.9:max4",
        "gpu:0.3:1+2+4:max4",
        "gpu:0.2:2:0.3-0.7:max4",
        "@a|b:0.2:max4",
        "@b:0.1:max4",
    ];
    let requests = requests.map(|text| text.parse().unwrap()).to_vec();
    let groups = ["[]", "[2, 2]", "[1, 3]"][seed as usize % 3];
    let platform = with_used_power(&platform.replace("GROUPS", groups), seed);
    let classes = PlatformFields::parse("platform.toml", &platform).unwrap().classes().unwrap();
    let demands = Demands { requests, seed: Seed::new(seed), ..Demands::default() };
    Options {
        unequal: Some(Arc::new(UnequalNodes { classes, demands })),
        estimates: "requested".parse().unwrap(),
        ..Options::default()
    }
}

/// Lets devices and sockets draw all of their power once they are used, for half of the seeds, and limits
/// their power for half of these.
fn with_used_power(platform: &str, seed: u64) -> String {
    let cap = if seed % 4 == 3 { "power = { cap_w = 1800 }\n" } else { "" };
    let used = [
        ("idle_w = 100, busy_w = 200", "idle_w = 30, cpu = { cores_each = 4, idle_w = 35, busy_w = 85 }"),
        ("busy_w = 250", "busy_w = 250, when = 'used'"),
        ("busy_w = 70", "busy_w = 70, when = 'used'"),
        ("idle_w = 100, busy_w = 150", "cpu = { cores_each = 3, sockets = 3, idle_w = 30, busy_w = 50 }"),
    ];
    let used = used.iter().filter(|_| seed % 2 == 1);
    let platform = used.fold(platform.to_owned(), |text, (linear, used)| text.replace(linear, used));
    format!("{cap}{platform}")
}

/// Draws up to 40 jobs; the first one has this number of tasks. It always runs: with five tasks it
/// makes no requests.
pub(crate) fn workload(first_tasks: u32) -> impl Strategy<Value = Vec<Job>> {
    let row = (0..4_u64, 1..=4_u32, 1..12_u64, 1..12_u64, 1..=8_u64);
    prop::collection::vec(row, 1..40).prop_map(move |rows| {
        let mut submit = SimTime::ZERO;
        let rows = [(0, first_tasks, 3, 3, 1)].into_iter().chain(rows);
        let jobs = rows.into_iter().zip(0..).map(|((gap, tasks, run, requested, eighths), id)| {
            submit = submit + SimSpan::from_secs(gap);
            Job {
                id: JobId(id),
                submit,
                tasks,
                cpu_need: Share::from_ratio(eighths, 16),
                run_time: SimSpan::from_secs(run),
                requested_time: Some(SimSpan::from_secs(requested)),
                ..Job::default()
            }
        });
        jobs.collect()
    })
}

/// Returns failures of nodes 0 and 3, and a window in which all nodes but the last are down.
pub(crate) fn outages(rule: &str) -> Outages {
    let outage = |first, nodes, from, until| Outage {
        nodes: NodeSpan { first, nodes },
        from: SimTime::from_secs(from),
        until: SimTime::from_secs(until),
    };
    Outages {
        interruption: rule.parse().unwrap(),
        failures: vec![outage(0, 1, 7, 15), outage(3, 1, 20, 22)],
        windows: vec![Window { announced: SimTime::from_secs(3), outage: outage(0, 4, 31, 40) }],
        ..Outages::default()
    }
}

/// A fault that a planted change makes: its name, and the change of the devices of a job, given those
/// of another one.
type Planted = (&'static str, fn(&mut Vec<(u32, u32, u32)>));

const PLANTED: [Planted; 7] = [
    ("a device less", |devices| _ = devices.pop()),
    ("a device twice", |devices| devices.push(devices[0])),
    ("a device that does not exist", |devices| devices[0].1 = 4),
    ("a node without devices", |devices| devices[0].0 = 4),
    ("a task more", |devices| devices[0].2 += 1),
    ("no task", |devices| devices[0].2 = 0),
    ("another device", |devices| {
        let taken: Vec<u32> = devices.iter().filter(|it| it.0 == devices[0].0).map(|it| it.1).collect();
        devices[0].1 = (0..).find(|device| !taken.contains(device)).unwrap();
    }),
];

/// Changes the devices of each start in turn, leaves a `bind` record out, and gives one to a job that
/// requests no device. The audit finds each fault in the line of the record, or of the start.
#[test]
fn planted_faults_are_found() {
    let job = |id: u64, submit, tasks| Job {
        id: JobId(id),
        submit: SimTime::from_secs(submit),
        tasks,
        cpu_need: Share::from_ratio(1, 16),
        run_time: SimSpan::from_secs(9),
        requested_time: Some(SimSpan::from_secs(9)),
        ..Job::default()
    };
    let jobs: Vec<Job> = (0..12).map(|id| job(id, id / 2, 1 + id as u32 % 2)).collect();
    let (mut planted, mut kinds) = (0, BTreeSet::new());
    let of_batch = ["FIRSTFIT/PLACE=FGD/NODES=SHARED", "EASY/NODES=SHARED", "CONS/NODES=EXCLUSIVE", "SLURM"];
    let others =
        ["EQUIPARTITION", "Greedy*/OPT=MIN", "GreedyPM*/per/OPT=AVG", "MCB*/OPT=MIN", "SRPT", "GANG"];
    for name in of_batch.into_iter().chain(others) {
        let checked = CheckedPolicy::parse(name, PolicyOptions::default().period).unwrap();
        let options = Options { penalty: SimSpan::from_secs(1), ..options(2) };
        let events = events(name.parse().unwrap(), 5, &options, &jobs);
        let lines: Vec<Record<'_>> =
            events.lines().map(|line| Record::from_json(line.as_bytes()).unwrap()).collect();
        let is_faulty = |lines: &[Record<'_>]| {
            let text: String = lines.iter().map(|line| serde_json::to_string(line).unwrap() + "\n").collect();
            audit_policy(text.as_bytes(), checked.clone()).is_err()
        };
        assert!(!is_faulty(&lines), "{name}");
        for (at, line) in lines.iter().enumerate() {
            let Record::Bind { at_us, job, devices } = line else { continue };
            for (what, change) in PLANTED {
                let mut changed = devices.to_vec();
                change(&mut changed);
                let mut lines = lines.clone();
                lines[at] = Record::Bind { at_us: *at_us, job: *job, devices: changed.into() };
                assert!(is_faulty(&lines), "{name}, line {}: {what}", at + 1);
                kinds.insert(what);
                planted += 1;
            }
            let mut without = lines.clone();
            without.remove(at);
            assert!(is_faulty(&without), "{name}, line {}: no devices", at + 1);
            let mut twice = lines.clone();
            twice.insert(at, line.clone());
            assert!(is_faulty(&twice), "{name}, line {}: two records", at + 1);
            planted += 2;
        }
    }
    assert!(planted >= 300 && kinds.len() == PLANTED.len(), "{planted} faults of {} kinds", kinds.len());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(dfrsim_testing::cases(3_000)))]

    /// Compares policies on devices under failures, maintenance, priorities and preemption.
    #[test]
    fn they_agree_under_all_conditions(
        jobs in workload(5), seed in 0..1000_u64, rule in prop::sample::select(vec!["lose", "requeue", "checkpoint:2:0:1"]),
        mode in prop::sample::select(vec![PreemptMode::Off, PreemptMode::Requeue, PreemptMode::Suspend, PreemptMode::Cancel]),
        (fails, has_site) in (any::<bool>(), any::<bool>()),
        policy in prop::sample::select(BatchPolicy::all().filter(|it| it.nodes != NodeUse::Whole).collect::<Vec<_>>()),
    ) {
        let outages = fails.then(|| Arc::new(outages(rule)));
        let options = Options { outages, ..options(seed) };
        let settings = has_site.then(|| preemption::settings(mode));
        let queued = |job: Job| Job { origin: Origin::new(None, Some(job.id.0 as u32 % 4), None), ..job };
        let jobs: Vec<Job> = jobs.into_iter().map(queued).collect();
        let name = policy.to_string();
        let events = recorded::<()>(&PolicyOptions::default(), &name, 5, &options, settings.as_ref(), &jobs).events;
        let report = audit_policy(events.as_bytes(), CheckedPolicy::Batch(policy));
        prop_assert!(report.is_ok(), "{}: {}", policy, report.unwrap_err());
    }

    /// Compares fractional policies on devices under failures, maintenance, priorities and preemption.
    #[test]
    fn fractional_policies_agree_with_the_reference(
        jobs in workload(5), seed in 0..1000_u64, rule in prop::sample::select(vec!["lose", "requeue", "checkpoint:2:0:1"]),
        mode in prop::sample::select(vec![PreemptMode::Off, PreemptMode::Suspend]),
        (fails, has_site, is_shared) in (any::<bool>(), any::<bool>(), any::<bool>()),
        policy in prop::sample::select(FRACTIONAL.to_vec()),
    ) {
        let outages = fails.then(|| Arc::new(outages(rule)));
        let options = if is_shared { shared_options(seed) } else { options(seed) };
        let options = Options { outages, penalty: SimSpan::from_secs(1), ..options };
        let settings = has_site.then(|| preemption::settings(mode));
        let queued = |job: Job| Job { origin: Origin::new(None, Some(job.id.0 as u32 % 4), None), ..job };
        let jobs: Vec<Job> = jobs.into_iter().map(queued).collect();
        let parameters = PolicyOptions { period: SimSpan::from_secs(3), ..PolicyOptions::default() };
        let events = recorded::<()>(&parameters, policy, 5, &options, settings.as_ref(), &jobs).events;
        let report = audit_policy(events.as_bytes(), CheckedPolicy::parse(policy, parameters.period).unwrap());
        prop_assert!(report.is_ok(), "{}: {}", policy, report.unwrap_err());
    }

    /// Compares policies that run jobs at full speed or not at all on devices under failures.
    #[test]
    fn policies_at_full_speed_agree_with_the_reference(
        jobs in workload(5), seed in 0..1000_u64, rule in prop::sample::select(vec!["requeue", "checkpoint:2:0:1"]),
        (fails, is_shared) in (any::<bool>(), any::<bool>()),
        policy in prop::sample::select(vec!["RANKED", "SRPT", "LAS", "EDF/STRETCH=3", "GANG"]),
    ) {
        let outages = fails.then(|| Arc::new(outages(rule)));
        // Long jobs leave the levels of LAS, and take several turns of GANG.
        let slower = |job: &Job| Job {
            submit: SimTime::from_secs(job.submit.micros() / 100_000),
            run_time: job.run_time.scaled(20.0),
            requested_time: job.requested_time.map(|time| time.scaled(20.0)),
            ..job.clone()
        };
        let jobs: Vec<Job> = jobs.iter().map(slower).collect();
        let options = if is_shared { shared_options(seed) } else { options(seed) };
        let options = Options { outages, penalty: SimSpan::from_secs(3), ..options };
        let events = events(policy.parse().unwrap(), 5, &options, &jobs);
        let report = audit_policy(events.as_bytes(), CheckedPolicy::parse(policy, SimSpan::from_secs(600)).unwrap());
        prop_assert!(report.is_ok(), "{}: {}", policy, report.unwrap_err());
    }

    /// Compares nodes, devices and times with the reference implementation, for each order, any
    /// reservations, node selection and node use.
    #[test]
    fn batch_policies_agree_with_the_reference(
        jobs in workload(5), seed in 0..1000_u64, is_shared in any::<bool>(),
        policy in prop::sample::select(BatchPolicy::all().filter(|it| it.nodes != NodeUse::Whole).collect::<Vec<_>>()),
    ) {
        let options = if is_shared { shared_options(seed) } else { options(seed) };
        let events = events(policy.to_string().parse().unwrap(), 5, &options, &jobs);
        let report = audit_policy(events.as_bytes(), CheckedPolicy::Batch(policy));
        prop_assert!(report.is_ok(), "{}: {}", policy, report.unwrap_err());
    }

    /// Gives each task a node of its own; the rule of the platform chooses its devices.
    #[test]
    fn tasks_on_nodes_of_their_own_have_devices(jobs in workload(5), seed in 0..1000_u64) {
        for policy in ["FCFS", "FIRSTFIT", "EASY", "CONS"] {
            let policy: BatchPolicy = policy.parse().unwrap();
            let events = events(policy.to_string().parse().unwrap(), 5, &options(seed), &jobs);
            let report = audit_policy(events.as_bytes(), CheckedPolicy::Batch(policy));
            prop_assert!(report.is_ok(), "{}: {}", policy, report.unwrap_err());
        }
    }
}
