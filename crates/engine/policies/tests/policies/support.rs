//! Running policies in tests.

use dfrsim_cluster::{JobRecord, Observer, Occurrence, Options, simulate};
use dfrsim_model::{Job, JobId, Share, SimSpan, SimTime};
use dfrsim_policies::{Policy, PolicyOptions};

/// Collects the lives of the completed jobs.
#[derive(Default)]
pub(crate) struct Records(Vec<(u64, JobRecord)>);

impl Records {
    /// By submission.
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

/// The completed jobs of a simulation, in order of submission.
pub(crate) fn schedule(policy: &str, nodes: u32, options: &Options, jobs: Vec<Job>) -> Vec<JobRecord> {
    schedule_with(&PolicyOptions::default(), policy, nodes, options, jobs)
}

/// The same of a policy with options.
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

/// A job that takes whole nodes: (submit, width, run time, requested time), in seconds.
pub(crate) fn job(id: u64, (submit, width, run, requested): (u64, u32, u64, u64)) -> Job {
    Job {
        id: JobId(id),
        submit: SimTime::from_secs(submit),
        tasks: width,
        cpu_need: Share::ONE,
        memory: Share::ZERO,
        run_time: SimSpan::from_secs(run),
        requested_time: (requested > 0).then(|| SimSpan::from_secs(requested)),
        user: None,
        origin: dfrsim_model::Origin::UNKNOWN,
    }
}

/// Jobs numbered from 1.
pub(crate) fn jobs(table: &[(u64, u32, u64, u64)]) -> Vec<Job> {
    table.iter().zip(1..).map(|(&row, id)| job(id, row)).collect()
}

/// Start and end of each job, in seconds.
pub(crate) fn starts_and_ends(records: &[JobRecord]) -> Vec<(f64, f64)> {
    records.iter().map(|record| (record.start.as_secs_f64(), record.end.as_secs_f64())).collect()
}
