//! Fractional policies on schedules that were derived by hand.

use crate::support::{schedule, starts_and_ends};
use dfrsim_cluster::Options;
use dfrsim_model::{Job, JobId, Share, SimSpan, SimTime};

/// A job of one task that could use a whole node: (submit, run time, memory in tenths of a node).
pub(crate) fn jobs(table: &[(u64, u64, u64)]) -> Vec<Job> {
    let job = |(&(submit, run, tenths), id): (&(u64, u64, u64), u64)| Job {
        id: JobId(id),
        submit: SimTime::from_secs(submit),
        tasks: 1,
        cpu_need: Share::ONE,
        memory: Share::from_ratio(tenths, 10),
        run_time: SimSpan::from_secs(run),
        requested_time: None,
        user: None,
        origin: dfrsim_model::Origin::UNKNOWN,
    };
    table.iter().zip(1..).map(job).collect()
}

pub(crate) fn penalty(seconds: u64) -> Options {
    Options { penalty: SimSpan::from_secs(seconds), ..Options::default() }
}

/// One node, memory 0.6 each: the second job does not fit beside the first and waits for its end.
#[test]
fn greedy_waits_for_memory() {
    let records = schedule("Greedy*/OPT=MIN", 1, &penalty(5), jobs(&[(0, 100, 6), (10, 20, 6)]));
    assert_eq!(starts_and_ends(&records), [(0.0, 100.0), (100.0, 120.0)]);
}

/// The same under GreedyP: the first job is paused at 10 with 10 s done, the second runs from 10 to 30; the first resumes
/// at 30, makes no progress for 5 s, and has 90 s to go: 30 + 5 + 90.
#[test]
fn greedy_p_pauses_and_a_completion_resumes() {
    let records = schedule("GreedyP*/OPT=MIN", 1, &penalty(5), jobs(&[(0, 100, 6), (10, 20, 6)]));
    assert_eq!(starts_and_ends(&records), [(0.0, 125.0), (10.0, 30.0)]);
    assert_eq!((records[0].preemptions, records[0].migrations), (1, 0));
}

/// Two nodes. Jobs 1 (memory 0.6) and 2 (0.3) start at 0 on nodes 0 and 1. Job 3 (0.8) comes at 10 and fits on neither. Of
/// equal priorities the later submission is the lower, so job 2 leaves, and job 3 starts on node 1. Job 2 fits beside job 1:
/// it moves to node 0 and makes no progress until 15. Both have a yield of 1/2 from 10 on.
/// Job 3: 10 + 20 = 30. Job 2: 10 s done, 40 s at 1/2 from 15 on: 95. Job 1: 10 + 85 / 2 = 52.5 s done at 95, alone then:
/// 95 + 47.5 = 142.5.
#[test]
fn greedy_pm_moves_instead() {
    let table = [(0, 100, 6), (0, 50, 3), (10, 20, 8)];
    let records = schedule("GreedyPM*/OPT=MIN", 2, &penalty(5), jobs(&table));
    assert_eq!(starts_and_ends(&records), [(0.0, 142.5), (0.0, 95.0), (10.0, 30.0)]);
    assert_eq!((records[1].preemptions, records[1].migrations), (0, 1));
}

/// The same under GreedyP: job 2 is paused at 10 although it would fit beside job 1, and resumes when job 3 ends at 30, on
/// node 1, which is empty: no progress until 35, 40 s to go: 75. Job 1 is alone all the time.
#[test]
fn greedy_p_does_not_move() {
    let table = [(0, 100, 6), (0, 50, 3), (10, 20, 8)];
    let records = schedule("GreedyP*/OPT=MIN", 2, &penalty(5), jobs(&table));
    assert_eq!(starts_and_ends(&records), [(0.0, 100.0), (0.0, 75.0), (10.0, 30.0)]);
}

/// One node. Jobs 1 (0.5, from 0), 2 (0.4, from 10) run when job 3 (0.5) comes at 30. Yields were 1, then 1/2 each: virtual
/// times 20 and 10, flow times 30 and 20: priorities 30/400 = 0.075 and 20/100 = 0.2, so job 1 is marked first, and that is
/// enough. No job can be un-marked.
#[test]
fn low_priorities_are_paused_first() {
    let table = [(0, 1000, 5), (10, 1000, 4), (30, 10, 5)];
    let records = schedule("GreedyP*/OPT=MIN", 1, &penalty(0), jobs(&table));
    assert_eq!((records[0].preemptions, records[1].preemptions), (1, 0));
    // Job 3 shares with job 2 from 30 on: 20 s for 10 s of work.
    assert_eq!(starts_and_ends(&records)[2], (30.0, 50.0));
}

/// Ticks are at 600 and 1,200 after the first submission, which is at 50; no event occurs in between.
#[test]
fn periodic_policies_start_jobs_at_ticks() {
    let records = schedule("/per/OPT=MIN", 1, &penalty(0), jobs(&[(50, 100, 1), (760, 10, 1)]));
    assert_eq!(starts_and_ends(&records), [(650.0, 750.0), (1250.0, 1260.0)]);
}

/// An empty system shifts no tick: the job of second 5,000 waits for 50 + 9 * 600 = 5,450.
#[test]
fn ticks_stay_on_their_grid_while_the_system_is_empty() {
    let records = schedule("/per/OPT=MIN", 1, &penalty(0), jobs(&[(50, 100, 1), (5000, 10, 1)]));
    assert_eq!(starts_and_ends(&records)[1], (5450.0, 5460.0));
}

/// Jobs 1 and 2 start on nodes 0 and 1 (memory 0.6 each); job 3 (0.6) waits, since MCB at 600
/// must drop one of three and drops the one of the lowest priority. Jobs 1 and 2 have 600 s of virtual time, job 3 none:
/// of the two equal priorities job 2 is the lower and leaves; job 3 takes its node.
#[test]
fn mcb_drops_the_lowest_priority() {
    let table = [(0, 2000, 6), (0, 2000, 6), (10, 100, 6)];
    let records = schedule("Greedy/per/OPT=MIN", 2, &penalty(0), jobs(&table));
    assert_eq!(starts_and_ends(&records)[2], (600.0, 700.0));
    assert_eq!((records[0].preemptions, records[1].preemptions), (0, 1));
    // Job 2 comes back at the tick of 1,200, with 1,400 s to go.
    assert_eq!(starts_and_ends(&records)[1], (0.0, 2600.0));
}

/// A job that has waited for days asks for a stretch of hundreds: it must start at the next tick all the same. Job 2 (memory
/// 0.6) waits while job 1 (0.6), which is as old, keeps its place as long as its priority is the higher.
#[test]
fn no_job_is_too_old_for_stretch_per() {
    let table = [(0, 400_000, 6), (10, 60, 6), (20, 300_000, 6)];
    let records = schedule("/stretch-per/OPT=MAX", 1, &penalty(300), jobs(&table));
    assert_eq!(records.len(), 3);
}

/// Jobs 1 (memory 0.3) and 2 (0.6) start on nodes 0 and 1 at 0. At the tick of 600 MCB packs by decreasing memory, so that
/// both change places, unless their virtual time, 600 s, is below the limit.
#[test]
fn young_jobs_are_not_moved() {
    let moves = |policy: &str| {
        let records = schedule(policy, 2, &penalty(0), jobs(&[(0, 900, 3), (0, 900, 6)]));
        records.iter().map(|record| record.migrations).collect::<Vec<_>>()
    };
    assert_eq!(moves("Greedy/per/OPT=MIN/MVT=601"), [0, 0]);
    assert_eq!(moves("Greedy/per/OPT=MIN/MFT=601"), [0, 0]);
    let free = moves("Greedy/per/OPT=MIN");
    assert_eq!(moves("Greedy/per/OPT=MIN/MVT=600"), free);
    assert_eq!(free, [1, 1]);
}
