//! Tests that records of other policies give a bounded number of violations.

use crate::conditions::{ALONE, Condition, judge};
use dfrsim_model::event::Record;

/// Judges the record of a policy as that of another one; returns the numbers of violations and of
/// repetitions.
fn judged(condition: Condition, policy: &str, other: &str, jobs: usize) -> (u64, u64) {
    let mut records = condition.case(1, jobs).records(policy).expect("some job completes");
    if let Record::Run { policy, .. } = &mut records[0] {
        *policy = other.to_owned().into();
    }
    judge(&records, other).map_or_else(|faults| (faults.count(), faults.repetitions()), |_| (0, 0))
}

/// A job that missed its reservation was planned again at each time, with one violation each:
/// 340,772 violations of 400 jobs.
#[test]
fn a_job_that_is_late_is_told_once() {
    let jobs = if dfrsim_testing::is_full() { 400 } else { 300 };
    for condition in ALONE.into_iter().filter(|it| ["plain", "failures"].contains(&it.name)) {
        for other in ["CONS", "CONS/REPLAN", "CONS/NODES=SHARED"] {
            let (count, again) = judged(condition, "FCFS", other, jobs);
            eprintln!("{}, {other}: {count} violations, {again} repetitions", condition.name);
            assert!(count > 0 && count + again <= 4 * jobs as u64, "{other}: {count} and {again}");
        }
    }
}
