//! Tests extreme inputs: no panic, and a meaningful bound.

use crate::instances::jobs;
use dfrsim_bound::{flow_solution, max_stretch_bound, wrap_around};
use dfrsim_model::{Job, Share, SimSpan, SimTime};

#[test]
fn work_without_nodes_never_ends() {
    let list = jobs(&[(0, 1, Share::ONE, 1)]);
    assert_eq!(max_stretch_bound(&list, 0, SimSpan::ZERO).value, f64::INFINITY);
    assert_eq!(flow_solution(&list, 0, SimSpan::ZERO, 5.0), None);
    assert_eq!(max_stretch_bound(&[], 0, SimSpan::ZERO).value, 1.0);
}

#[test]
fn jobs_without_work_do_not_count() {
    let list = jobs(&[(0, 9, Share::ZERO, 5), (0, 9, Share::ONE, 0), (0, 0, Share::ONE, 5)]);
    assert_eq!(max_stretch_bound(&list, 1, SimSpan::ZERO).value, 1.0);
    assert!(flow_solution(&list, 1, SimSpan::ZERO, 1.0).unwrap().intervals.is_empty());
}

#[test]
fn stretches_that_are_none_have_no_solution() {
    let list = jobs(&[(0, 1, Share::ONE, 1)]);
    for stretch in [f64::NAN, f64::INFINITY, 0.0, -1.0, 0.5, 1e300] {
        assert_eq!(flow_solution(&list, 1, SimSpan::ZERO, stretch), None, "{stretch}");
    }
}

/// Builds a schedule from a solution with a stretch a billion times larger than necessary.
#[test]
fn a_loose_stretch_has_a_schedule() {
    let list = jobs(&[(0, 1, Share::ONE, 1), (0, 1, Share::ONE, 1)]);
    let solution = flow_solution(&list, 1, SimSpan::ZERO, 1e9).unwrap();
    assert!(!wrap_around(&solution).pieces.is_empty());
}

#[test]
fn the_largest_numbers_are_taken() {
    let mut list: Vec<Job> =
        jobs(&[(0, u32::MAX, Share::ONE, 1), (0, 1, Share::try_from_units(1).unwrap(), 1)]);
    list[0].run_time = SimSpan::MAX;
    for submit in [SimTime::ZERO, SimTime::MAX] {
        list[1].submit = submit;
        // One job of 2^32 - 1 tasks on one node.
        let bound = max_stretch_bound(&list, 1, SimSpan::ZERO);
        let alone = f64::from(u32::MAX);
        assert!((bound.value / alone - 1.0).abs() < 1e-6, "{}", bound.value);
        assert_eq!(max_stretch_bound(&list, u32::MAX, SimSpan::MAX).value, 1.0);
    }
}

/// Rounds deadlines to fractions of a microsecond for run times of one microsecond.
#[test]
fn the_shortest_jobs() {
    let mut list = jobs(&[(0, 1, Share::ONE, 1); 3]);
    for job in &mut list {
        job.run_time = SimSpan::from_micros(1);
    }
    let bound = max_stretch_bound(&list, 2, SimSpan::ZERO);
    assert!((bound.value - 1.5).abs() < 1e-9 && bound.upper < 1.5 + 1e-5, "{bound:?}");
}
