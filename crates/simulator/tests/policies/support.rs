//! Helpers that run policies in tests.

use dfrsim_audit::{CheckedPolicy, audit_policy};
use dfrsim_cluster::{
    EventLog, JobRecord, Metrics, Observer, Occurrence, Options, Summary, SummaryOptions, simulate,
};
use dfrsim_model::platform::classes::NodeClasses;
use dfrsim_model::site::SiteSettings;
use dfrsim_model::{Job, JobId, Seed, SimSpan, SimTime};
use dfrsim_policies::{Policy, PolicyOptions};
use dfrsim_workload::load;
use dfrsim_workload::lublin::{LublinParameters, generate};
use std::num::NonZeroU32;
use std::sync::Arc;

/// Collects the records of the completed jobs.
#[derive(Default)]
pub(crate) struct Records(Vec<(u64, JobRecord)>);

impl Records {
    /// Returns the records in the order of submission.
    pub(crate) fn sorted(mut self) -> Vec<JobRecord> {
        self.0.sort_by_key(|(sequence, _)| *sequence);
        self.0.into_iter().map(|(_, record)| record).collect()
    }
}

impl Observer for Records {
    fn observe(&mut self, _: SimTime, job: u64, occurrence: Occurrence<'_>) {
        if let Occurrence::Completed(record) = occurrence {
            self.0.push((job, record.clone()));
        }
    }
}

/// Returns the completed jobs of a simulation, in the order of submission.
pub(crate) fn schedule(policy: &str, nodes: u32, options: &Options, jobs: Vec<Job>) -> Vec<JobRecord> {
    schedule_with(&PolicyOptions::default(), policy, nodes, options, jobs)
}

/// Returns the completed jobs of a simulation under a policy with options, in the order of
/// submission.
pub(crate) fn schedule_with(
    parameters: &PolicyOptions,
    policy: &str,
    nodes: u32,
    options: &Options,
    jobs: Vec<Job>,
) -> Vec<JobRecord> {
    let policy: Policy = policy.parse().unwrap();
    let mut records = Records::default();
    simulate(nodes, options, jobs, &mut *policy.scheduler(nodes, parameters), &mut records).unwrap();
    records.sorted()
}

/// Results of an observed simulation.
pub(crate) struct Recorded<W> {
    /// The completed jobs, in the order of submission.
    pub(crate) records: Vec<JobRecord>,
    pub(crate) summary: Summary,
    pub(crate) events: String,
    pub(crate) watcher: W,
}

/// Simulates with options and with the settings of a site, if any, and with an additional observer;
/// some job must complete.
pub(crate) fn recorded<W: Observer + Default>(
    parameters: &PolicyOptions,
    policy: &str,
    nodes: u32,
    options: &Options,
    settings: Option<&SiteSettings>,
    jobs: &[Job],
) -> Recorded<W> {
    let parsed: Policy = policy.parse().unwrap();
    let site = settings.cloned().map(Arc::new);
    let mut scheduler = parsed.scheduler_at(nodes, parameters, site.as_ref());
    let classes = options.unequal.as_ref().map(|unequal| &unequal.classes);
    let log = EventLog::new(Vec::new(), policy, nodes, options.penalty, SimSpan::from_secs(10));
    let log = log.of_cluster(options, settings);
    let metrics = Metrics::new(SummaryOptions {
        outages: options.outages.is_some() || settings.is_some_and(|it| it.preempting_classes().is_some()),
        capacity: classes.map(NodeClasses::capacity),
        ..SummaryOptions::new(nodes)
    });
    let mut options = options.clone();
    options.weights = options.weights.or_else(|| parsed.share_weights(settings?));
    if !parsed.lets_jobs_end() {
        options = options.without_drains();
    }
    let mut watchers = ((metrics, log), (Records::default(), W::default()));
    simulate(nodes, &options, jobs.iter().cloned(), &mut *scheduler, &mut watchers)
        .unwrap_or_else(|error| panic!("{policy}: {error}"));
    let ((metrics, log), (records, watcher)) = watchers;
    let summary = metrics.summary().unwrap();
    let events = String::from_utf8(log.finish(&summary).unwrap()).unwrap();
    Recorded { records: records.sorted(), summary, events, watcher }
}

/// Panics unless the audit accepts a record as one of this policy.
#[track_caller]
pub(crate) fn assert_judged(events: &str, policy: &str) {
    let checked = CheckedPolicy::parse(policy, PolicyOptions::default().period).unwrap();
    let report = audit_policy(events.as_bytes(), checked);
    assert!(report.is_ok(), "{policy}: {}\n{events}", report.unwrap_err());
}

/// Generates jobs of the Lublin model with this offered load.
pub(crate) fn lublin(nodes: u32, jobs: usize, seed: Seed, offered: f64) -> Vec<Job> {
    let of = NonZeroU32::new(nodes).unwrap();
    let mut jobs = generate(&LublinParameters { nodes: of, jobs, ..LublinParameters::default() }, seed);
    load::scale_to_load(&mut jobs, nodes, offered).unwrap();
    jobs
}

/// Creates a job that uses whole nodes from (submit time, nodes, run time, requested time), in
/// seconds.
pub(crate) fn job(id: u64, (submit, width, run, requested): (u64, u32, u64, u64)) -> Job {
    Job {
        id: JobId(id),
        submit: SimTime::from_secs(submit),
        tasks: width,
        run_time: SimSpan::from_secs(run),
        requested_time: (requested > 0).then(|| SimSpan::from_secs(requested)),
        ..Job::default()
    }
}

/// Creates jobs that are numbered from 1.
pub(crate) fn jobs(table: &[(u64, u32, u64, u64)]) -> Vec<Job> {
    table.iter().zip(1..).map(|(&row, id)| job(id, row)).collect()
}

/// Returns the start and end of each job, in seconds.
pub(crate) fn starts_and_ends(records: &[JobRecord]) -> Vec<(f64, f64)> {
    records.iter().map(|record| (record.start.as_secs_f64(), record.end.as_secs_f64())).collect()
}
