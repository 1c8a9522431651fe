//! Schedules derived by hand, for the situations that RR-7226 describes around its figures 1 and 2.

use crate::support::audited;
use dfrsim_model::{JobId, SimSpan, SimTime};
use dfrsim_paper_reallocation::engine::{
    Algorithm, ClusterSpec, Comparison, Compression, Conditions, Discipline, Estimate, GridJob, Heuristic,
    JobTraits, Mapped, Mapping, Options, Outcome, Platform, Reallocation, Speed, simulate,
};

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
        Discipline::Conservative(Compression::OneByOne),
    )
    .unwrap()
}

/// Jobs from 1: (submit, width, run time, walltime) in seconds.
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

/// Every ten seconds, for more than one.
pub(crate) fn every_ten_seconds(algorithm: Algorithm, heuristic: Heuristic) -> Options {
    let period = SimSpan::from_secs(10);
    let threshold = SimSpan::from_secs(1);
    let reallocation = Some(Reallocation { algorithm, heuristic, period, threshold });
    Options { reallocation, ..Options::default() }
}

/// Cluster, start and end of each job, in seconds.
pub(crate) fn schedule(outcome: &Outcome) -> Vec<(usize, u64, u64)> {
    let seconds = |time: SimTime| time.micros() / 1_000_000;
    outcome.jobs.iter().flatten().map(|job| (job.cluster, seconds(job.start), seconds(job.end))).collect()
}

/// Figure 1. Two clusters of 2 cores. Job 1 takes the first until 30, job 2 (f) the second until 40, as it says. Jobs 3 (h)
/// and 4 (i), one core each, would end at 40 and 50 behind job 1 and at 50 and 60 behind job 2, so they queue on the
/// first; job 5 (j), two cores, at 55 behind them and at 45 behind job 2, so it queues on the second.
///
/// Job 2 ends at 4 already, and job 5 is started at once. When reallocation comes, at 10, the second cluster is empty:
/// jobs 3 and 4 would end at 20 and 30 there, and move one after the other.
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
            // Two clusters for each of five arrivals; then for each of two jobs, or for both and for the one that is left.
            assert_eq!(outcome.questions, if heuristic == Heuristic::Mct { 10 + 4 } else { 10 + 6 });
        }
    }
}

/// Figure 2. Clusters of 2 and 3 cores. Job 1 has the first until 50. Jobs 2 and 3 have two cores and one of the second,
/// until 60 and 100, as they say; job 4 needs all three and is reserved at 100. Job 5 (one core, 30 s) would end at 80
/// on the first and, in the hole behind job 2, at 90 on the second: it is reserved at 50 on the first. Job 6 (two cores,
/// 45 s) follows it there at 80: the hole on the second is too short, behind job 4 it would end at 165.
///
/// Job 3 ends at 5, and job 4 moves up to 60. At 10 job 5 can be back-filled on the second cluster until 40, and moves; job
/// 6 moves up to 50 on the first. Then job 2 ends at 20 instead of 60. Job 4 could start, were it not for job 5: it is
/// delayed to 40.
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
    // Response times 59, 39 and 93 s instead of 39, 79 and 123 s.
    assert_eq!(comparison.relative_turnaround(), Some(191.0 / 241.0));
}

/// All jobs are submitted to the first of two clusters of five cores. Job 2 takes one core at 10, job 3 needs all five and is
/// planned at 40, so job 4, which ends at 50 at the earliest, is planned behind it. At once job 3 moves to the second cluster, and
/// job 4 starts in the moment of its submission, though it was expected to start at 50.
#[test]
fn a_job_starts_earlier_than_planned_when_the_one_before_it_moves_in_the_same_moment() {
    let jobs = jobs(&[(0, 1, 1, 1), (10, 1, 10, 30), (10, 5, 10, 10), (10, 1, 10, 40)]);
    let options =
        Options { mapping: Mapping::Fastest, ..every_ten_seconds(Algorithm::Without, Heuristic::Mct) };
    let outcome = audited(&platform(&[5, 5]), &jobs, &options).unwrap();
    assert_eq!(schedule(&outcome), [(0, 0, 1), (0, 10, 20), (1, 10, 20), (0, 10, 20)]);
}

/// Clusters of one core. Job 1 has the first until 20, as it says, job 2 the second until 40, and job 3 queues on the first. Job
/// 4 is a local one of the second, and waits there from 40 to 50, though it would end at 40 on the first; job 1 ends at 10, and
/// from 20 on the first cluster is empty.
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

/// Clusters of one core. Job 1 has the first until 30, job 2 the second until 100. Job 3 queues on the first, to start at 30, and
/// behind it job 4, a local one. Cancellation at 10 lets job 4 move up to 30, and job 3 is submitted behind it: what the text
/// (section 6) says of grids that are not dedicated.
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

/// The same three local jobs on clusters of two cores: the last one is behind a job of two cores, and backfilled where the policy
/// is CONS.
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
    let clusters = vec![spec(None), spec(Some(Discipline::Conservative(Compression::OneByOne).into()))];
    let mixed = Platform::new(clusters, Discipline::Fcfs).unwrap();
    let outcome = audited(&mixed, &jobs, &Options::default()).unwrap();
    assert_eq!(
        schedule(&outcome),
        [(0, 0, 30), (1, 0, 30), (0, 30, 40), (1, 30, 40), (0, 40, 50), (1, 2, 12)]
    );
}

/// Job 1 has the first cluster until 11 or 12, job 2 the second until a second later, as it says, so job 3 queues behind
/// job 1. Job 2 ends at 5: if job 3 moved at 10, it would gain one second, which is just the threshold, or two.
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
    let error = Platform::new(Vec::new(), Discipline::Fcfs).unwrap_err();
    assert_eq!(error.to_string(), "expected 1 to 64 clusters, found 0");
}

/// Two clusters of 4 cores with FCFS. Job 1 takes 3 cores of the first until 100. Job 2, three cores for 60 s, would end at 160 there
/// and at 61 on the second, and goes there; job 3, two cores, then ends at 111 behind it. By its first core, which is free, job 2 would end
/// at 61 on both and goes to the first, where it starts at 100, and job 3 has the second for itself. Of the
/// other four jobs the second, as wide as a cluster, would by its first core end at 900 on both and goes to the first too, behind which
/// no later job wants to be.
#[test]
fn the_first_core_says_too_early_when_wide_jobs_start() {
    let fcfs = Platform::new(platform(&[4, 4]).clusters().to_vec(), Discipline::Fcfs).unwrap();
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

/// Two clusters of 4 cores. When job 2 has been submitted, at 1, job 3 would end at 150 behind job 1 and at 51 beside job 2; when it
/// arrives, at 20, job 1 has ended early, and it would end at 70 on both.
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
