//! Tests bounds derived by hand.

use crate::instances::jobs;
use dfrsim_bound::max_stretch_bound;
use dfrsim_model::{Share, SimSpan};

/// Computes the bound of jobs of (submit time, tasks, need, run time).
fn bound(list: &[(u64, u32, Share, u64)], nodes: u32, tau: u64) -> f64 {
    let bound = max_stretch_bound(&jobs(list), nodes, SimSpan::from_secs(tau));
    assert!(bound.value <= bound.upper && bound.upper <= bound.value * (1.0 + 1e-9));
    bound.value
}

fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-9 * expected, "{found} instead of {expected}");
}

fn half() -> Share {
    Share::from_ratio(1, 2)
}

#[test]
fn without_contention_it_is_one() {
    assert_eq!(bound(&[], 3, 10), 1.0);
    assert_eq!(bound(&[(5, 3, Share::ONE, 7)], 3, 0), 1.0);
    // The jobs run one after the other.
    assert_eq!(bound(&[(0, 1, Share::ONE, 7), (7, 1, Share::ONE, 1)], 1, 0), 1.0);
    // Each job needs half a node.
    assert_eq!(bound(&[(0, 1, half(), 7), (0, 1, half(), 9)], 1, 0), 1.0);
}

/// Two jobs of 10 s that need the whole node are 20 s of work: the last one ends at 20 s at the
/// earliest.
#[test]
fn two_identical_jobs_on_one_node() {
    close(bound(&[(0, 1, Share::ONE, 10), (0, 1, Share::ONE, 10)], 1, 0), 2.0);
}

/// Three jobs with half a node for 10 s are 15 node-seconds. All three can end at 15 s, each at 1/3
/// of the node.
#[test]
fn three_halves_of_a_node() {
    close(bound(&[(0, 1, half(), 10); 3], 1, 0), 1.5);
}

/// The deadlines are 10 S and 9 + 2 S. Both jobs are 12 s of work from time 0 on, so the later
/// deadline, 10 S, is at least 12 s. At S = 1.2 the short job runs from 9 s to 11 s (its deadline is
/// 11.4 s) and the long one before and after it.
#[test]
fn a_short_job_interrupts_a_long_one() {
    close(bound(&[(0, 1, Share::ONE, 10), (9, 1, Share::ONE, 2)], 1, 0), 1.2);
}

/// Four tasks take twice as long on two nodes as on four.
#[test]
fn a_job_wider_than_the_cluster() {
    close(bound(&[(0, 4, Share::ONE, 5)], 2, 0), 2.0);
}

/// A job of one task cannot use the second node: on two nodes, 10 s and 6 + 6 s of work must end.
/// The deadlines are 10 S, 6 S, 6 S. Until 6 S, at most 12 S node-seconds are available for the 12 s
/// of the short jobs, and the long one must have done 10 - 4 S of its work by then: 12 + 10 - 4 S <=
/// 12 S gives S = 22/16.
#[test]
fn a_rate_cap_leaves_less_than_the_area_suggests() {
    let list = [(0, 1, Share::ONE, 10), (0, 1, Share::ONE, 6), (0, 1, Share::ONE, 6)];
    close(bound(&list, 2, 0), 22.0 / 16.0);
}

/// Thirty jobs of 1 s end at 30 s at the earliest: stretch 30, but only 30 / 10 with tau = 10 s. Two
/// of them end within tau.
#[test]
fn tau_forgives_short_jobs() {
    close(bound(&[(0, 1, Share::ONE, 1); 30], 1, 0), 30.0);
    close(bound(&[(0, 1, Share::ONE, 1); 30], 1, 10), 3.0);
    assert_eq!(bound(&[(0, 1, Share::ONE, 1); 2], 1, 10), 1.0);
}

/// Two distant bursts: 2 jobs of 10 s, and later 3 jobs, which alone determine the bound.
#[test]
fn the_critical_jobs_are_named() {
    let (first, second) = ((0, 1, Share::ONE, 10), (1000, 1, Share::ONE, 10));
    let list = jobs(&[first, first, second, second, second]);
    let bound = max_stretch_bound(&list, 1, SimSpan::ZERO);
    close(bound.value, 3.0);
    assert_eq!(bound.critical, [2, 3, 4]);
}
