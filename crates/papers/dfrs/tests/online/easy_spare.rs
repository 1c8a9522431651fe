//! EASY/SPARE: schedules derived by hand. The audit follows each of them.

use crate::registry;
use dfrsim_audit::audit;
use dfrsim_cluster::{
    EstimateModel, EventLog, JobRecord, Metrics, Observer, Occurrence, Options, SummaryOptions, simulate,
};
use dfrsim_model::platform::classes::{Demands, PlatformFields, UnequalNodes};
use dfrsim_model::platform::{NodeSpan, Outage, Outages, Window};
use dfrsim_model::site::SiteSettings;
use dfrsim_model::{Job, JobId, SimSpan, SimTime};
use dfrsim_policies::{Policies, Policy, PolicyOptions};
use std::sync::Arc;

const NAME: &str = "EASY/SPARE";

fn policy() -> Policy {
    registry().environment().get::<Policies>().unwrap().parse(NAME).unwrap()
}

/// Jobs: submission, width, run time and estimate, in seconds.
fn jobs(table: &[(u64, u32, u64, u64)]) -> Vec<Job> {
    let job = |(id, &(submit, tasks, run, estimate))| Job {
        id: JobId(id),
        submit: SimTime::from_secs(submit),
        tasks,
        run_time: SimSpan::from_secs(run),
        requested_time: Some(SimSpan::from_secs(estimate)),
        ..Job::default()
    };
    (1..).zip(table).map(job).collect()
}

/// Collects the lives of the completed jobs.
#[derive(Default)]
struct Lives(Vec<JobRecord>);

impl Observer for Lives {
    fn observe(&mut self, _: SimTime, _: u64, occurrence: Occurrence<'_>) {
        if let Occurrence::Completed(record) = occurrence {
            self.0.push(record.clone());
        }
    }
}

/// Start and end of each job in seconds, `-` if it does not complete.
fn lives(nodes: u32, options: Options, table: &[(u64, u32, u64, u64)]) -> String {
    let options = Options { estimates: EstimateModel::Requested, ..options };
    let log = EventLog::new(Vec::new(), NAME, nodes, SimSpan::ZERO, SimSpan::from_secs(10));
    let log = log.of_cluster(&options, None);
    let capacity = options.unequal.as_ref().map(|unequal| unequal.classes.capacity());
    let outages = options.outages.is_some();
    let metrics = Metrics::new(SummaryOptions { capacity, outages, ..SummaryOptions::new(nodes) });
    let mut watchers = ((metrics, log), Lives::default());
    let mut scheduler = policy().scheduler(nodes, &PolicyOptions::default());
    simulate(nodes, &options, jobs(table), &mut *scheduler, &mut watchers).unwrap();
    let ((metrics, log), Lives(lives)) = watchers;
    let events = log.finish(&metrics.summary().unwrap()).unwrap();
    audit(&events[..]).unwrap_or_else(|faults| panic!("{faults}"));
    let life = |id| match lives.iter().find(|life| life.id == JobId(id)) {
        Some(life) => format!("{}-{}", life.start.as_secs_f64(), life.end.as_secs_f64()),
        None => "-".to_owned(),
    };
    (1..=table.len() as u64).map(life).collect::<Vec<_>>().join(" ")
}

/// The first node, how many, from when and until when.
fn outage((first, nodes, from, until): (u32, u32, u64, u64)) -> Outage {
    let [from, until] = [from, until].map(SimTime::from_secs);
    Outage { from, until, nodes: NodeSpan { first, nodes } }
}

fn failures(rule: &str, span: (u32, u32, u64, u64)) -> Options {
    let outages =
        Outages { interruption: rule.parse().unwrap(), failures: vec![outage(span)], ..Outages::default() };
    Options { outages: Some(Arc::new(outages)), ..Options::default() }
}

fn window(span: (u32, u32, u64, u64)) -> Options {
    let window = Window { announced: SimTime::ZERO, outage: outage(span) };
    let outages = Outages { windows: vec![window], ..Outages::default() };
    Options { outages: Some(Arc::new(outages)), ..Options::default() }
}

/// A fast node and two slow ones with a GPU each; the jobs of these numbers ask for GPUs.
fn gpus(asked: &[(u64, u32)]) -> Options {
    let platform = "classes = [{ name = 'fast', nodes = 1, cores = 4, memory_gb = 8 },
        { name = 'gpu', nodes = 2, cores = 4, memory_gb = 8, speed = 0.5, resources = { gpu = 1 } }]";
    let classes = PlatformFields::parse("platform.toml", platform).unwrap().classes().unwrap();
    let given = asked.iter().map(|&(job, count)| (JobId(job), vec![("gpu".to_owned(), count)])).collect();
    let demands = Demands { given, ..Demands::default() };
    Options { unequal: Some(Arc::new(UnequalNodes { classes, demands })), ..Options::default() }
}

/// A holds all nodes but one until 10. B (2 nodes, 5 s), C (6 s) and D (4 s) arrive at 1, and B
/// is the head. Of two nodes it reserves both, so C and D wait for its end, however short they
/// are; of three it leaves one.
#[test]
fn jobs_start_beside_the_reservation_only() {
    let table = |first| [(0, first, 10, 10), (1, 2, 5, 5), (1, 1, 6, 6), (1, 1, 4, 4)];
    assert_eq!(lives(2, Options::default(), &table(1)), "0-10 10-15 15-21 15-19");
    assert_eq!(lives(3, Options::default(), &table(2)), "0-10 10-15 1-7 7-11");
}

/// A has one of four nodes until 10, B two until 4. C needs two and reserves those of B, which
/// become free last before its start. The fourth node is left to D.
#[test]
fn nodes_that_become_free_last_are_reserved() {
    let table = [(0, 1, 10, 10), (0, 2, 4, 4), (1, 2, 5, 5), (2, 1, 30, 30)];
    assert_eq!(lives(4, Options::default(), &table), "0-10 0-4 4-9 2-32");
}

/// B holds two of three nodes until 10 by its estimate, and ends at 5. C reserved both at 1, and
/// starts then.
#[test]
fn an_early_end_starts_the_job_of_the_reservation() {
    let table = [(0, 1, 20, 20), (0, 2, 5, 10), (1, 2, 5, 5)];
    assert_eq!(lives(3, Options::default(), &table), "0-20 0-5 5-10");
}

/// The second job is lost, begins again from zero when its node is back (7 + 10), or from a
/// checkpoint of 1 s after each 3 s: jobs of 10 s last 13 s, at 5 s 4 s are kept, reading takes 2
/// s, and 9 s are left.
#[test]
fn nodes_fail() {
    let table = [(0, 1, 10, 10), (0, 1, 10, 10)];
    for (rule, expected) in [("lose", "0-10 -"), ("requeue", "0-10 0-17"), ("checkpoint:3:1:2", "0-13 0-18")]
    {
        assert_eq!(lives(2, failures(rule, (1, 1, 5, 7)), &table), expected, "{rule}");
    }
}

/// Both nodes are in a window from 10 to 20 s. The second job would end at 11 s if it began at 6
/// s, so it has both nodes after the window. A job that ends before a window takes nodes that
/// have one. A job that exceeds its estimate is in the way of it.
#[test]
fn jobs_keep_clear_of_windows() {
    let table = [(0, 1, 6, 6), (1, 2, 5, 5), (2, 1, 4, 4), (3, 1, 8, 8), (4, 1, 3, 3)];
    assert_eq!(lives(2, window((0, 2, 10, 20)), &table), "0-6 20-25 25-29 25-33 29-32");
    assert_eq!(lives(4, window((2, 2, 100, 200)), &[(0, 2, 50, 50), (1, 2, 300, 300)]), "0-50 1-301");
    assert_eq!(lives(1, window((0, 1, 10, 20)), &[(0, 1, 15, 5)]), "0-35");
}

/// A job is as fast as its slowest node. A job that asks for GPUs waits for nodes that have them,
/// and is rejected if there are too few.
#[test]
fn nodes_differ() {
    let table = [(0, 1, 10, 10), (0, 2, 10, 10), (30, 2, 10, 10)];
    assert_eq!(lives(3, gpus(&[]), &table), "0-10 0-20 30-50");
    let table = [(0, 1, 30, 30), (0, 1, 10, 10), (1, 2, 5, 5), (2, 2, 5, 5)];
    assert_eq!(lives(3, gpus(&[(2, 1), (3, 1), (4, 4)]), &table), "0-30 0-20 20-30 -");
}

/// It is the published policy, which has no priorities.
#[test]
fn settings_of_a_site_are_refused() {
    let site = Arc::new(SiteSettings { max_running_per_user: Some(1), ..SiteSettings::default() });
    let mut scheduler = policy().scheduler_at(2, &PolicyOptions::default(), Some(&site));
    let table = jobs(&[(0, 1, 10, 10)]);
    let error = simulate(2, &Options::default(), table, &mut *scheduler, &mut ()).unwrap_err();
    assert!(error.to_string().contains("no rules for the settings of a site"), "{error}");
}

/// Its name has no parts that could be added to it.
#[test]
fn the_name_is_that_of_one_policy() {
    let policies = registry().environment().get::<Policies>().cloned().unwrap();
    assert!(policies.parse("EASY/SPARE/ORDER=SJF").is_err());
    assert!(policies.catalogue().iter().any(|info| info.name == NAME));
}
