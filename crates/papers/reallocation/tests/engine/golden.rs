//! Tests schedules derived by hand, for the situations that RR-7226 describes in its figures 1 and
//! 2.

use crate::support::audited;
use dfrsim_model::batch::BatchPolicy;
use dfrsim_model::platform::classes::{Demands, PlatformFields, UnequalNodes};
use dfrsim_model::{JobId, SimSpan, SimTime};
use dfrsim_paper_reallocation::engine::{
    Algorithm, Backfilling, ClusterSpec, Comparison, Compression, Conditions, Estimate, GridJob, Heuristic,
    JobTraits, Mapped, Mapping, Options, Outcome, Platform, Reallocation, Speed, simulate,
};
use std::sync::Arc;

pub(crate) fn platform(cores: &[u32]) -> Platform {
    let spec = |(at, &cores): (usize, &u32)| ClusterSpec {
        name: at.to_string(),
        cores,
        speed: Speed::ONE,
        local: None,
        conditions: Conditions::default(),
    };
    Platform::new(
        cores.iter().enumerate().map(spec).collect(),
        Backfilling::Conservative(Compression::OneByOne),
    )
    .unwrap()
}

/// Creates jobs, numbered from 1: (submit time, cores, run time, walltime), with times in seconds.
pub(crate) fn jobs(rows: &[(u64, u32, u64, u64)]) -> Vec<GridJob> {
    let job = |(id, &(submit, width, run, walltime)): (u64, &(u64, u32, u64, u64))| GridJob {
        id: JobId(id),
        submit: SimTime::from_secs(submit),
        width,
        run: SimSpan::from_secs(run),
        walltime: SimSpan::from_secs(walltime),
        home: None,
        site: None,
        traits: JobTraits::default(),
    };
    (1..).zip(rows).map(job).collect()
}

/// Creates options with a reallocation every ten seconds and a threshold of one second.
pub(crate) fn every_ten_seconds(algorithm: Algorithm, heuristic: Heuristic) -> Options {
    let period = SimSpan::from_secs(10);
    let threshold = SimSpan::from_secs(1);
    let reallocation = Some(Reallocation { algorithm, heuristic, period, threshold });
    Options { reallocation, ..Options::default() }
}

/// Returns the cluster, start and end of each job, in seconds.
pub(crate) fn schedule(outcome: &Outcome) -> Vec<(usize, u64, u64)> {
    let seconds = |time: SimTime| time.micros() / 1_000_000;
    outcome.jobs.iter().flatten().map(|job| (job.cluster, seconds(job.start), seconds(job.end))).collect()
}

/// Figure 1. Two clusters of 2 cores. Job 1 takes the first until 30 s, job 2 (f) the second until
/// 40 s by its walltime. Jobs 3 (h) and 4 (i), with one core each, would end at 40 s and 50 s behind
/// job 1 and at 50 s and 60 s behind job 2, so they queue on the first. Job 5 (j), with two cores,
/// would end at 55 s behind them and at 45 s behind job 2, so it queues on the second.
///
/// Job 2 already ends at 4 s, and job 5 is started immediately. At the reallocation at 10 s, the
/// second cluster is empty: jobs 3 and 4 would end at 20 s and 30 s there, and move one after the
/// other.
#[test]
fn figure_1_waiting_jobs_move_to_a_cluster_that_came_free() {
    let jobs = jobs(&[(0, 2, 30, 30), (0, 2, 4, 40), (1, 1, 10, 10), (1, 1, 20, 20), (1, 2, 5, 5)]);
    let platform = platform(&[2, 2]);
    let without = simulate(&platform, &jobs, &Options::default(), ()).unwrap();
    assert_eq!(schedule(&without), [(0, 0, 30), (1, 0, 4), (0, 30, 40), (0, 30, 50), (1, 4, 9)]);
    for algorithm in Algorithm::ALL.iter().copied() {
        for heuristic in Heuristic::ALL.iter().copied() {
            let options = every_ten_seconds(algorithm, heuristic);
            let outcome = simulate(&platform, &jobs, &options, ()).unwrap();
            assert_eq!(
                schedule(&outcome),
                [(0, 0, 30), (1, 0, 4), (1, 10, 20), (1, 10, 30), (1, 4, 9)],
                "{algorithm} {heuristic}"
            );
            assert_eq!(outcome.moves, 2);
            // Two clusters for each of five arrivals; then for each of two jobs, or for both and for
            // the remaining one.
            assert_eq!(outcome.questions, if heuristic == Heuristic::Mct { 10 + 4 } else { 10 + 6 });
        }
    }
}

/// Figure 2. Clusters of 2 and 3 cores. Job 1 has the first until 50 s. Jobs 2 and 3 have two cores
/// and one core of the second, until 60 s and 100 s by their walltimes; job 4 needs all three and is
/// reserved at 100 s. Job 5 (one core, 30 s) would end at 80 s on the first and, in the hole behind
/// job 2, at 90 s on the second: it is reserved at 50 s on the first. Job 6 (two cores, 45 s)
/// follows it there at 80 s: the hole on the second is too short, and behind job 4 it would end at
/// 165 s.
///
/// Job 3 ends at 5 s, and the reservation of job 4 moves to 60 s. At 10 s job 5 can be backfilled on
/// the second cluster until 40 s, and moves; the reservation of job 6 moves to 50 s on the first.
/// Then job 2 ends at 20 s instead of 60 s. Without job 5, job 4 could start; it is delayed to 40 s.
#[test]
fn figure_2_a_moved_job_delays_others_and_lets_others_move_up() {
    let jobs = jobs(&[
        (0, 2, 50, 50),
        (0, 2, 20, 60),
        (0, 1, 5, 100),
        (1, 3, 20, 20),
        (1, 1, 30, 30),
        (2, 2, 45, 45),
    ]);
    let platform = platform(&[2, 3]);
    let without = simulate(&platform, &jobs, &Options::default(), ()).unwrap();
    assert_eq!(
        schedule(&without),
        [(0, 0, 50), (1, 0, 20), (1, 0, 5), (1, 20, 40), (0, 50, 80), (0, 80, 125)]
    );
    let options = every_ten_seconds(Algorithm::Without, Heuristic::Mct);
    let with = simulate(&platform, &jobs, &options, ()).unwrap();
    assert_eq!(schedule(&with), [(0, 0, 50), (1, 0, 20), (1, 0, 5), (1, 40, 60), (1, 10, 40), (0, 50, 95)]);
    let comparison = Comparison::of(&jobs, &without, &with);
    assert_eq!((comparison.changed, comparison.earlier), (3, 2));
    assert_eq!(comparison.largest_delay, SimSpan::from_secs(20));
    // Response times are 59, 39 and 93 s instead of 39, 79 and 123 s.
    assert_eq!(comparison.relative_turnaround(), Some(191.0 / 241.0));
}

/// All jobs are submitted to the first of two clusters of five cores. Job 2 takes one core at 10 s.
/// Job 3 needs all five and is planned at 40 s, so job 4, which ends at 50 s at the earliest, is
/// planned behind it. Job 3 moves to the second cluster immediately, and job 4 starts when it is
/// submitted, although it was expected to start at 50 s.
#[test]
fn a_job_starts_earlier_than_planned_when_the_one_before_it_moves_in_the_same_moment() {
    let jobs = jobs(&[(0, 1, 1, 1), (10, 1, 10, 30), (10, 5, 10, 10), (10, 1, 10, 40)]);
    let options =
        Options { mapping: Mapping::Fastest, ..every_ten_seconds(Algorithm::Without, Heuristic::Mct) };
    let outcome = audited(&platform(&[5, 5]), &jobs, &options).unwrap();
    assert_eq!(schedule(&outcome), [(0, 0, 1), (0, 10, 20), (1, 10, 20), (0, 10, 20)]);
}

/// Clusters of one core. Job 1 has the first until 20 s by its walltime, job 2 the second until 40
/// s, and job 3 queues on the first. Job 4 is a local job of the second, and waits there from 40 s
/// to 50 s, although it would end at 40 s on the first. Job 1 ends at 10 s, and the first cluster is
/// empty from 20 s on.
#[test]
fn local_jobs_stay_where_they_are() {
    let mut jobs = jobs(&[(0, 1, 10, 20), (0, 1, 40, 40), (1, 1, 10, 10), (2, 1, 10, 10)]);
    jobs[3].home = Some(1);
    for algorithm in Algorithm::ALL.iter().copied() {
        for heuristic in Heuristic::ALL.iter().copied() {
            let outcome =
                audited(&platform(&[1, 1]), &jobs, &every_ten_seconds(algorithm, heuristic)).unwrap();
            assert_eq!(schedule(&outcome), [(0, 0, 10), (1, 0, 40), (0, 10, 20), (1, 40, 50)], "{heuristic}");
            assert_eq!(outcome.moves, 0);
        }
    }
}

/// Clusters of one core. Job 1 has the first until 30 s, job 2 the second until 100 s. Job 3 queues
/// on the first, to start at 30 s, and behind it job 4, a local one. Cancellation at 10 s moves the
/// reservation of job 4 to 30 s, and job 3 is submitted behind it, as the text (section 6) describes
/// for grids that are not dedicated.
#[test]
fn cancellation_lets_local_jobs_pass() {
    let mut jobs = jobs(&[(0, 1, 30, 30), (0, 1, 100, 100), (1, 1, 10, 10), (5, 1, 20, 20)]);
    jobs[3].home = Some(0);
    let of = |algorithm| {
        let options = every_ten_seconds(algorithm, Heuristic::Mct);
        schedule(&audited(&platform(&[1, 1]), &jobs, &options).unwrap())
    };
    assert_eq!(of(Algorithm::Without), [(0, 0, 30), (1, 0, 100), (0, 30, 40), (0, 40, 60)]);
    assert_eq!(of(Algorithm::With), [(0, 0, 30), (1, 0, 100), (0, 50, 60), (0, 30, 50)]);
}

/// Three equal local jobs run on each of two clusters of two cores. The last one is behind a job of
/// two cores, and is backfilled only under CONS.
#[test]
fn clusters_have_policies_of_their_own() {
    let mut jobs = jobs(&[
        (0, 1, 30, 30),
        (0, 1, 30, 30),
        (1, 2, 10, 10),
        (1, 2, 10, 10),
        (2, 1, 10, 10),
        (2, 1, 10, 10),
    ]);
    for (job, home) in jobs.iter_mut().zip([0, 1].into_iter().cycle()) {
        job.home = Some(home);
    }
    let spec = |local| ClusterSpec {
        name: String::new(),
        cores: 2,
        speed: Speed::ONE,
        local,
        conditions: Conditions::default(),
    };
    let clusters = vec![spec(None), spec(Some(Backfilling::Conservative(Compression::OneByOne).into()))];
    let mixed = Platform::new(clusters, Backfilling::Fcfs).unwrap();
    let outcome = audited(&mixed, &jobs, &Options::default()).unwrap();
    assert_eq!(
        schedule(&outcome),
        [(0, 0, 30), (1, 0, 30), (0, 30, 40), (1, 30, 40), (0, 40, 50), (1, 2, 12)]
    );
}

/// Job 1 has the first cluster until 11 s or 12 s, job 2 the second until a second later by its
/// walltime, so job 3 queues behind job 1. Job 2 ends at 5 s: if job 3 moved at 10 s, it would gain
/// one second, which equals the threshold, or two.
#[test]
fn the_threshold_is_to_be_exceeded() {
    let moves = |busy| {
        let jobs = jobs(&[(0, 1, busy, busy), (0, 1, 5, busy + 1), (0, 1, 50, 50)]);
        let options = every_ten_seconds(Algorithm::Without, Heuristic::MinMin);
        simulate(&platform(&[1, 1]), &jobs, &options, ()).unwrap().moves
    };
    assert_eq!((moves(11), moves(12)), (0, 1));
}

#[test]
fn what_cannot_be_simulated_is_said_before() {
    let wide = jobs(&[(0, 3, 1, 1), (0, 4, 1, 1)]);
    let error = simulate(&platform(&[2, 3]), &wide, &Options::default(), ()).unwrap_err();
    assert_eq!(error.to_string(), "job 2 needs 4 cores, but the largest cluster has 3");
    let skipping = Options { skip_too_wide: true, ..Options::default() };
    let outcome = simulate(&platform(&[2, 3]), &wide, &skipping, ()).unwrap();
    assert_eq!((outcome.skipped, outcome.jobs[1]), (1, None));
    let mut local = jobs(&[(0, 3, 1, 1)]);
    local[0].home = Some(0);
    let error = simulate(&platform(&[2, 3]), &local, &Options::default(), ()).unwrap_err();
    assert_eq!(error.to_string(), "local job 1 needs 3 cores, but its cluster has 2");
    assert_eq!(simulate(&platform(&[2, 3]), &local, &skipping, ()).unwrap().skipped, 1);
    local[0].home = Some(2);
    let error = simulate(&platform(&[2, 3]), &local, &skipping, ()).unwrap_err();
    assert_eq!(error.to_string(), "local job 1 needs 3 cores, but its cluster has 0");
    let unsorted = jobs(&[(5, 1, 1, 1), (0, 1, 1, 1)]);
    let error = simulate(&platform(&[2]), &unsorted, &Options::default(), ()).unwrap_err();
    let expected = "job 2 is out of order: expected jobs by time of submission, then by id";
    assert_eq!(error.to_string(), expected);
    let error = Platform::new(Vec::new(), Backfilling::Fcfs).unwrap_err();
    assert_eq!(error.to_string(), "expected 1 to 64 clusters, found 0");
}

/// A cluster whose policy chooses nodes by their power needs nodes of known power.
#[test]
fn placements_by_power_are_refused_where_it_is_unknown() {
    let spec = |power: &str, local: &str| {
        let text = format!("classes = [{{ name = 'a', nodes = 4, cores = 4, memory_gb = 8{power} }}]");
        let classes = PlatformFields::parse("platform.toml", &text).unwrap().classes().unwrap();
        let unequal = Some(Arc::new(UnequalNodes { classes, demands: Demands::default() }));
        let conditions = Conditions { unequal, ..Conditions::default() };
        let local = Some(BatchPolicy::parse(local).unwrap());
        ClusterSpec { name: "a".to_owned(), cores: 4, speed: Speed::ONE, local, conditions }
    };
    let power = ", power = { idle_w = 100, busy_w = 200 }";
    for place in ["POWER", "MIX(0.1)"] {
        let policy = format!("FIRSTFIT/PLACE={place}/NODES=SHARED");
        let refused = |power: &str| Platform::new(vec![spec(power, &policy)], Backfilling::Fcfs).err();
        let policy = BatchPolicy::parse(&policy).unwrap();
        let expected = format!(
            "cluster `a`: {policy} needs the power of nodes; expected a platform with `power` in each class"
        );
        assert_eq!(refused("").map(|error| error.to_string()), Some(expected));
        assert_eq!(refused(power).map(|error| error.to_string()), None);
        let plain = platform(&[4]).clusters().to_vec();
        assert!(Platform::new(plain.clone(), policy).is_err(), "the policy of all clusters");
        assert!(Platform::new(plain, Backfilling::Fcfs).is_ok());
    }
}

/// Two clusters of 4 cores with FCFS. Job 1 takes 3 cores of the first until 100 s. Job 2, with
/// three cores for 60 s, would end at 160 s there and at 61 s on the second, and goes there; job 3,
/// with two cores, then ends at 111 s behind it. Estimated by its first core, which is free, job 2
/// would end at 61 s on both and goes to the first, where it starts at 100 s, and job 3 has the
/// second alone. Of the other four jobs, the second one is as large as a cluster. Estimated by its
/// first core it would end at 900 s on both, so it goes to the first too, and later jobs avoid that
/// cluster.
#[test]
fn the_first_core_says_too_early_when_wide_jobs_start() {
    let fcfs = Platform::new(platform(&[4, 4]).clusters().to_vec(), Backfilling::Fcfs).unwrap();
    let wide = jobs(&[(0, 3, 100, 100), (1, 3, 60, 60), (2, 2, 50, 50)]);
    let with = |jobs: &[GridJob], estimate| {
        schedule(&audited(&fcfs, jobs, &Options { estimate, ..Options::default() }).unwrap())
    };
    assert_eq!(with(&wide, Estimate::Plan), [(0, 0, 100), (1, 1, 61), (1, 61, 111)]);
    assert_eq!(with(&wide, Estimate::FirstCore), [(0, 0, 100), (0, 100, 160), (1, 2, 52)]);
    let behind = jobs(&[(0, 3, 100, 100), (0, 4, 900, 900), (0, 4, 10, 10), (1, 1, 50, 50)]);
    assert_eq!(with(&behind, Estimate::Plan), [(0, 0, 100), (1, 0, 900), (0, 100, 110), (0, 110, 160)]);
    assert_eq!(with(&behind, Estimate::FirstCore), [(0, 0, 100), (0, 100, 1_000), (1, 0, 10), (1, 10, 60)]);
}

/// Two clusters of 4 cores. When job 2 has been submitted, at 1 s, job 3 would end at 150 s behind
/// job 1 and at 51 s alongside job 2. When it arrives, at 20 s, job 1 has ended early, and it would
/// end at 70 s on both.
#[test]
fn a_job_may_be_mapped_when_the_one_before_it_is_submitted() {
    let jobs = jobs(&[(0, 4, 10, 100), (1, 1, 1_000, 1_000), (20, 3, 50, 50)]);
    let with = |mapped| {
        let options = Options { mapped, ..Options::default() };
        schedule(&audited(&platform(&[4, 4]), &jobs, &options).unwrap())[2]
    };
    assert_eq!(with(Mapped::AtArrival), (0, 20, 70));
    assert_eq!(with(Mapped::AtPrevious), (1, 20, 70));
}

/// Two clusters of 2 cores with SLURM, and two copies of job 3. Job 1 takes the first until 100 s, job 2
/// one core of the second until 1,000 s. Job 3, with two cores, waits on both, and job 4 behind it on
/// the second: its walltime of 2,000 s would delay job 3. Job 3 starts on the first in the cycle after
/// the end of job 1, which cancels its copy. The cancellation is an event for the second cluster, so
/// that job 4 starts in its next backfill cycle and not at the end of job 2.
#[test]
fn slurm_sees_that_a_copy_was_cancelled() {
    let slurm = Platform::new(platform(&[2, 2]).clusters().to_vec(), Backfilling::Slurm).unwrap();
    let mut jobs = jobs(&[(0, 2, 100, 100), (0, 1, 1_000, 1_000), (5, 2, 50, 50), (6, 1, 10, 2_000)]);
    (jobs[0].home, jobs[1].home, jobs[3].home) = (Some(0), Some(1), Some(1));
    let found = schedule(&audited(&slurm, &jobs, &Options { copies: 2, ..Options::default() }).unwrap());
    let (third, fourth) = (found[2], found[3]);
    assert_eq!(third.0, 0, "{found:?}");
    assert!((third.1..third.1 + 40).contains(&fourth.1), "{found:?}");
}
