//! What fractional policies do then.

use super::{PAIR, options};
use crate::support::{jobs, schedule, starts_and_ends};
use dfrsim_cluster::Options;
use dfrsim_model::{Job, Share};

/// Two nodes; two jobs of a task with the given memory (in tenths of a node) that need a whole CPU for 10 s.
fn times(policy: &str, memory: u64, options: &Options) -> Vec<(f64, f64)> {
    let both = jobs(&PAIR).into_iter().map(|job| Job { memory: Share::from_ratio(memory, 10), ..job });
    starts_and_ends(&schedule(policy, 2, options, both.collect()))
}

/// With six tenths of the memory each there is room for one job at a time on node 0. At 4 s the second one begins again there: it has
/// done no work, which is the highest priority. The first one, which has 6 s left, goes on when node 1 is back.
#[test]
fn jobs_are_requeued() {
    let options = options("requeue", &[(1, 1, 4, 7)], &[]);
    for policy in ["GreedyP*/OPT=MIN", "GreedyPM*/OPT=MIN", "MCB*/OPT=MIN"] {
        assert_eq!(times(policy, 6, &options), [(0.0, 13.0), (0.0, 14.0)], "{policy}");
    }
    // Greedy makes no room: the second job waits for node 1, or for the first job.
    assert_eq!(times("Greedy*/OPT=MIN", 6, &options), [(0.0, 10.0), (0.0, 17.0)]);
    let longer = super::options("requeue", &[(1, 1, 4, 12)], &[]);
    assert_eq!(times("Greedy*/OPT=MIN", 6, &longer), [(0.0, 10.0), (0.0, 20.0)]);
    let lost = super::options("lose", &[(1, 1, 4, 7)], &[]);
    for policy in ["Greedy*/OPT=MIN", "GreedyPM*/OPT=MIN", "MCB*/OPT=AVG"] {
        assert_eq!(times(policy, 6, &lost), [(0.0, 10.0)], "{policy}");
    }
}

/// With four tenths it begins again beside the first one, which has 6 s left: both at half of their speed, from 4 to 16 s. It then
/// has 4 s left, alone. Greedy* does not move it to node 1 when that is back; MCB* maps all jobs again at 7 s, when the first has 4.5 s
/// left and the second 8.5 s, and both have a node.
#[test]
fn interrupted_jobs_begin_again_where_there_is_room() {
    let options = options("requeue", &[(1, 1, 4, 7)], &[]);
    for policy in ["Greedy*/OPT=MIN", "GreedyP*/OPT=MIN"] {
        assert_eq!(times(policy, 4, &options), [(0.0, 16.0), (0.0, 20.0)], "{policy}");
    }
    assert_eq!(times("MCB*/OPT=MIN", 4, &options), [(0.0, 11.5), (0.0, 15.5)]);
}

/// A checkpoint of 1 s after each 3 s: the second job, interrupted at 5 s, has kept 4 s. Beside the first one, which has 8 of its 13 s left,
/// it reads for 2 s and goes on at half of its speed, 7 to 21 s, when the first one ends; the 2 s that it then has left take 2 s.
#[test]
fn jobs_begin_again_from_checkpoints() {
    let options = options("checkpoint:3:1:2", &[(1, 1, 5, 40)], &[]);
    for policy in ["Greedy*/OPT=MIN", "GreedyPM*/OPT=MIN", "MCB*/OPT=MIN"] {
        assert_eq!(times(policy, 4, &options), [(0.0, 21.0), (0.0, 23.0)], "{policy}");
    }
}

/// A microsecond before a window begins, the job on node 1 is paused, since node 0 has no memory for it; it goes on when node 1 is
/// back, at 7 s, and has lost no work. Greedy* pauses no job: there the window interrupts it, and it begins again from zero.
#[test]
fn jobs_are_paused_for_windows() {
    let options = options("requeue", &[], &[(1, 1, 4, 7)]);
    for policy in ["GreedyP*/OPT=MIN", "GreedyPM*/OPT=MIN", "MCB*/OPT=MIN"] {
        assert_eq!(times(policy, 6, &options), [(0.0, 10.0), (0.0, 13.000_001)], "{policy}");
    }
    assert_eq!(times("Greedy*/OPT=MIN", 6, &options), [(0.0, 10.0), (0.0, 17.0)]);
}

/// With less memory it moves to node 0: a microsecond before 4 s both have 6.000001 s left, which take twice as long there. Under
/// MCB*, they are on two nodes again from 7 s on, after 1.5000005 s of work each.
#[test]
fn jobs_move_for_windows() {
    let options = options("requeue", &[], &[(1, 1, 4, 7)]);
    for policy in ["GreedyP*/OPT=MIN", "GreedyPM*/OPT=MIN"] {
        assert_eq!(times(policy, 4, &options), [(0.0, 16.000_001), (0.0, 16.000_001)], "{policy}");
    }
    assert_eq!(times("MCB*/OPT=MIN", 4, &options), [(0.0, 11.500_001), (0.0, 11.500_001)]);
}

/// Policies with ticks only: jobs start at the first one, at 600 s. The window of both nodes pauses them from 604 (less a microsecond) until
/// the tick after it, at 1,200 s; they have 6.000001 s left.
#[test]
fn periodic_policies_wait_for_ticks_after_windows() {
    let options = options("lose", &[], &[(0, 2, 604, 700)]);
    for policy in ["/per/OPT=MIN", "/per/OPT=AVG", "/stretch-per/OPT=MAX", "/stretch-per/OPT=AVG"] {
        let end = 1_206.000_001;
        assert_eq!(times(policy, 6, &options), [(600.0, end), (600.0, end)], "{policy}");
    }
}

/// A job of two tasks, each of which needs a node, cannot run on one: it waits for the other node, and does not keep jobs of lower
/// priority from running.
#[test]
fn a_job_that_is_too_wide_for_the_nodes_that_are_up_is_passed_over() {
    let options = options("requeue", &[(1, 1, 5, 100)], &[]);
    let table = [(0, 2, 10, 0), (6, 1, 20, 0)];
    let all = || jobs(&table).into_iter().map(|job| Job { memory: Share::ONE, ..job }).collect();
    for policy in ["GreedyP*/OPT=MIN", "GreedyPM*/OPT=MIN", "MCB*/OPT=MIN", "MCB*/RELABEL/OPT=MIN"] {
        let found = starts_and_ends(&schedule(policy, 2, &options, all()));
        assert_eq!(found, [(0.0, 110.0), (6.0, 26.0)], "{policy}");
    }
}

/// All nodes fail before the second job arrives: it waits until one is back, and both begin there one after the other.
#[test]
fn a_cluster_without_nodes_starts_no_job() {
    let options = options("requeue", &[(0, 2, 3, 20), (1, 1, 20, 100)], &[]);
    let table = [(0, 1, 10, 0), (5, 1, 4, 0)];
    let whole = |job: Job| Job { memory: Share::ONE, ..job };
    let all = || jobs(&table).into_iter().map(whole).collect();
    let found = |policy| starts_and_ends(&schedule(policy, 2, &options, all()));
    for policy in ["Greedy*/OPT=MIN", "GreedyP*/OPT=MIN", "GreedyPM*/OPT=MIN", "MCB*/OPT=MIN"] {
        assert_eq!(found(policy), [(0.0, 30.0), (30.0, 34.0)], "{policy}");
    }
}
