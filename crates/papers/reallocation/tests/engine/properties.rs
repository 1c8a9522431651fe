//! Tests properties of every grid, on 100,000 small random ones each.

use crate::support::{self, audited};
use crate::twin;
use dfrsim_cluster::{EstimateModel, Observer, Occurrence, Options as ClusterOptions, Overrun};
use dfrsim_model::{Job, JobId, SimTime};
use dfrsim_paper_reallocation::engine::{BatchPolicy, GridJob, Options, Platform};
use dfrsim_policies::{Policy, PolicyOptions};
use proptest::prelude::*;

/// Returns the start and end of each of these jobs on one cluster, computed by the simulator of
/// single clusters.
fn alone(platform: &Platform, at: usize, jobs: &[GridJob], those: &[usize]) -> Vec<(u64, u64)> {
    let spec = &platform.clusters()[at];
    let policy = Policy::Batch(platform.local_of(spec));
    let of = |(id, &job): (usize, &usize)| Job {
        id: JobId(id as u64),
        submit: jobs[job].submit,
        tasks: jobs[job].width,
        run_time: spec.speed.time_of(jobs[job].run),
        requested_time: Some(spec.speed.time_of(jobs[job].walltime)),
        ..Job::default()
    };
    let options = ClusterOptions {
        estimates: EstimateModel::Requested,
        overrun: Overrun::Kill,
        ..ClusterOptions::default()
    };
    let mut records = Records(vec![(0, 0); those.len()]);
    let mut scheduler = policy.scheduler(spec.cores, &PolicyOptions::default());
    let jobs: Vec<Job> = those.iter().enumerate().map(of).collect();
    dfrsim_cluster::simulate(spec.cores, &options, jobs, &mut *scheduler, &mut records).unwrap();
    records.0
}

struct Records(Vec<(u64, u64)>);

impl Observer for Records {
    fn observe(&mut self, _: SimTime, job: u64, occurrence: Occurrence<'_>) {
        if let Occurrence::Completed(record) = occurrence {
            self.0[job as usize] = (record.start.micros(), record.end.micros());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: dfrsim_testing::cases(100_000), ..ProptestConfig::default() })]

    /// The checker verifies that no job is lost or runs twice, that algorithm 1 moves jobs only for
    /// gains above its threshold, and that no cluster allocates more cores than it has.
    #[test]
    fn the_checker_finds_no_fault(
        platform in support::failing_platform(support::all_policies()), jobs in support::jobs(),
        options in support::options(),
    ) {
        audited(&platform, &jobs, &options)?;
    }

    /// Without reallocation each cluster schedules its jobs as the simulator of single clusters
    /// does.
    #[test]
    fn without_reallocation_clusters_are_independent(
        platform in support::platform(support::disciplines().map(BatchPolicy::from).collect()), jobs in support::jobs(),
        options in support::options(),
    ) {
        let options = Options { copies: 1, reallocation: None, ..options };
        let outcome = audited(&platform, &jobs, &options)?;
        for at in 0..platform.clusters().len() {
            let those: Vec<usize> = (0..jobs.len())
                .filter(|&job| outcome.jobs[job].is_some_and(|outcome| outcome.cluster == at))
                .collect();
            let ours: Vec<(u64, u64)> = those
                .iter()
                .filter_map(|&job| outcome.jobs[job])
                .map(|outcome| (outcome.start.micros(), outcome.end.micros()))
                .collect();
            prop_assert_eq!(ours, alone(&platform, at, &jobs, &those), "cluster {}", at);
        }
    }

    /// Queries only for possible changes give the schedule of complete queries before each choice.
    #[test]
    fn the_twin_that_asks_everything_agrees(
        platform in prop_oneof![
            support::platform(support::policies()), support::failing_platform(support::policies()),
        ], jobs in support::jobs(),
        reallocation in prop::option::weighted(0.9, support::reallocation()), transfer in support::transfer(),
        publication_period in support::publication_period(),
    ) {
        let options =
            Options { reallocation, transfer, publication_period, skip_too_wide: true, ..Options::default() };
        let outcome = audited(&platform, &jobs, &options)?;
        let ours: Vec<Option<twin::Fate>> = outcome
            .jobs
            .iter()
            .map(|job| job.map(|job| (job.cluster, job.start.micros(), job.end.micros(), job.moves)))
            .collect();
        prop_assert_eq!(ours, twin::simulate(&platform, &jobs, &options));
    }
}
