//! Schedules of real policies against slow twins that see every occurrence, and round trips.

use dfrsim_cluster::{Observer, Occurrence, Options, simulate};
use dfrsim_commands::interchange::{BatsimJobs, BatsimMachines, InSubmissionOrder, Records, ScheduleLog};
use dfrsim_model::{Job, JobId, Share, SimSpan, SimTime};
use dfrsim_policies::{Policy, PolicyOptions};
use dfrsim_workload::formats::swf;
use dfrsim_workload::log::{Header, Strictness};
use dfrsim_workload::prepare::{self, JobStream};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

const NODES: u32 = 6;

fn jobs() -> impl Strategy<Value = Vec<Job>> {
    let job = (0_u64..300, 1..=NODES, 1_u64..400, 1_u64..=10, 1_u64..=4);
    prop::collection::vec(job, 1..25).prop_map(|mut shapes| {
        shapes.sort_unstable();
        let numbered = (1..).zip(shapes);
        numbered
            .map(|(id, (submit, tasks, run, memory, need))| Job {
                id: JobId(id),
                submit: SimTime::from_secs(submit),
                tasks,
                cpu_need: Share::from_ratio(need, 4),
                memory: Share::from_ratio(memory, 10),
                run_time: SimSpan::from_secs(run),
                ..Job::default()
            })
            .collect()
    })
}

/// Whole nodes and no memory, as batch policies and plain SWF have it.
fn batch_jobs() -> impl Strategy<Value = Vec<Job>> {
    jobs().prop_map(|mut jobs| {
        for job in &mut jobs {
            (job.cpu_need, job.memory) = (Share::ONE, Share::ZERO);
        }
        jobs
    })
}

fn run(policy: &str, jobs: &[Job], observer: &mut impl Observer) {
    let policy: Policy = policy.parse().unwrap();
    let mut scheduler = policy.scheduler(NODES, &PolicyOptions::default());
    let options = Options { penalty: SimSpan::from_secs(30), ..Options::default() };
    simulate(NODES, &options, jobs.to_vec(), &mut *scheduler, observer).unwrap();
}

/// The twin: at each moment, the nodes of every running job; for each job, every node that it ever had.
#[derive(Default)]
struct Twin {
    running: BTreeMap<u64, BTreeSet<u32>>,
    ever: BTreeMap<u64, BTreeSet<u32>>,
    /// Nodes in use after each moment.
    in_use: BTreeMap<SimTime, usize>,
}

impl Observer for Twin {
    fn observe(&mut self, now: SimTime, job: u64, occurrence: Occurrence<'_>) {
        match occurrence {
            Occurrence::Started(on, _) | Occurrence::Resumed(on, _) | Occurrence::Migrated(on, ..) => {
                let nodes: BTreeSet<u32> = on.iter().map(|part| part.node.0).collect();
                self.ever.entry(job).or_default().extend(&nodes);
                self.running.insert(job, nodes);
            }
            Occurrence::Paused(_) | Occurrence::Completed(_) => {
                self.running.remove(&job);
            }
            _ => {}
        }
        let union: BTreeSet<u32> = self.running.values().flatten().copied().collect();
        self.in_use.insert(now, union.len());
    }
}

fn columns(text: &str) -> Vec<Vec<&str>> {
    text.lines().skip(1).map(|line| line.split(',').collect()).collect()
}

/// The nodes of an interval set.
fn nodes(text: &str) -> BTreeSet<u32> {
    let bounds = |interval: &str| {
        let (first, last) = interval.split_once('-').unwrap_or((interval, interval));
        first.parse::<u32>().unwrap()..=last.parse().unwrap()
    };
    text.split(' ').flat_map(bounds).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn batsim_files_agree_with_the_twin(
        jobs in jobs(), policy in prop::sample::select(vec!["GreedyPM*/per/OPT=MIN", "MCB*/OPT=AVG", "EQUIPARTITION"]),
    ) {
        let jobs_file = InSubmissionOrder::new(Vec::new(), Box::new(BatsimJobs::new("w", None)));
        let mut watchers = (Twin::default(), (jobs_file, BatsimMachines::new(Vec::new(), NODES)));
        run(policy, &jobs, &mut watchers);
        let (twin, (jobs_file, machines)) = watchers;
        let text = String::from_utf8(jobs_file.finish().unwrap()).unwrap();
        let lines = columns(&text);
        prop_assert_eq!(lines.len(), jobs.len());
        for ((line, job), ever) in lines.iter().zip(&jobs).zip(twin.ever.values()) {
            prop_assert_eq!(line[0], job.id.to_string());
            prop_assert_eq!(&nodes(line[14]), ever);
        }
        let text = String::from_utf8(machines.finish().unwrap()).unwrap();
        let lines = columns(&text);
        let mut changes: Vec<(String, usize)> =
            twin.in_use.iter().map(|(time, &count)| (time.to_string(), count)).collect();
        changes.dedup_by_key(|(_, count)| *count);
        let written: Vec<(String, usize)> =
            lines.iter().map(|line| (line[0].to_owned(), line[5].parse().unwrap())).collect();
        prop_assert_eq!(written, changes);
        let total = |line: &[&str]| line[1..].iter().map(|count| count.parse::<u32>().unwrap()).sum::<u32>();
        prop_assert!(lines.iter().all(|line| total(line) == NODES));
    }

    /// A batch schedule that is read back and simulated once more is the same schedule.
    #[test]
    fn a_batch_schedule_survives_the_log(
        jobs in batch_jobs(), policy in prop::sample::select(vec!["FCFS", "EASY", "CONS"]),
    ) {
        let log = |records| InSubmissionOrder::new(Vec::new(), Box::new(ScheduleLog::new(&Header::default(), records)));
        let mut first = log(Records::default());
        run(policy, &jobs, &mut first);
        let first = String::from_utf8(first.finish().unwrap()).unwrap();
        let reader = swf::read(first.as_bytes(), "first.swf", Strictness::Strict).unwrap();
        let mut stream = JobStream::new(reader, &prepare::Options { units: Some(NODES), ..prepare::Options::default() });
        let records = Records::default();
        let read: Vec<Job> = records.clone().into_jobs(Box::new(std::iter::from_fn(|| stream.next_with_record()))).collect();
        stream.finish().unwrap();
        prop_assert_eq!(&read, &jobs);
        let mut second = log(records);
        run(policy, &read, &mut second);
        prop_assert_eq!(String::from_utf8(second.finish().unwrap()).unwrap(), first);
    }
}
