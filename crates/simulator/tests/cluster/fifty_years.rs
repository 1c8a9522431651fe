//! Tests fifty years of simulated time: end times are exact to the microsecond.

use crate::support::{Do, Records, Script, half, job, penalty};
use dfrsim_cluster::simulate;
use dfrsim_model::{Job, SimSpan, SimTime, Yield};
use proptest::prelude::*;

/// Seconds of a year of 365.25 days.
const YEAR: u64 = 31_557_600;

fn ends(penalty_s: u64, jobs: Vec<Job>, steps: Vec<(u64, Vec<Do>)>) -> Vec<SimTime> {
    let mut records = Records::default();
    simulate(2, &penalty(penalty_s), jobs, &mut Script::new(steps), &mut records).unwrap();
    records.0.iter().map(|record| record.end).collect()
}

/// Starts 50 years and 1 us of work in year 1. By year 50, 49 years of it are done, and the job is
/// paused for a year. Resumed in year 51, it makes no progress for 300 s; the remaining year and 1
/// us take 2 years and 2 us at yield 1/2.
#[test]
fn a_microsecond_in_fifty_years_is_not_lost() {
    let long = Job { run_time: SimSpan::from_micros(50 * YEAR * 1_000_000 + 1), ..job(1, YEAR, 2, 1) };
    let steps = vec![
        (YEAR, vec![Do::Start(0, vec![(0, 2)], Yield::ONE)]),
        (50 * YEAR, vec![Do::Pause(0)]),
        (51 * YEAR, vec![Do::Resume(0, vec![(1, 2)], half())]),
    ];
    let expected = SimTime::from_micros((53 * YEAR + 300) * 1_000_000 + 2);
    assert_eq!(ends(300, vec![long], steps), [expected]);
}

/// 28 minutes of work take more than 50 years at the smallest positive yield, 2^-20, exact to the
/// microsecond.
#[test]
fn the_least_yield_is_exact() {
    let least = Yield::try_from_units(1).unwrap();
    let work = Job { run_time: SimSpan::from_micros(1_600_000_003), ..job(1, 0, 1, 1) };
    let end = 1_600_000_003 << 20;
    assert!(end > 50 * YEAR * 1_000_000);
    let steps = vec![(0, vec![Do::Start(0, vec![(0, 1)], least)])];
    assert_eq!(ends(0, vec![work], steps), [SimTime::from_micros(end)]);
}

proptest! {
    /// Compares the end with a reference implementation that adds up the work in 128-bit integers,
    /// with a constant yield between two changes, over more than 50 years. The job ends in the first
    /// microsecond in which the sum reaches its run time.
    #[test]
    fn work_adds_up_over_fifty_years(
        changes in prop::collection::btree_map(1_u64..50 * YEAR, 1_u32..=1 << 20, 0..40),
        first in 1_u32..=1 << 20,
        last in 1_u32..=1 << 20,
        run_us in 1_u64..60 * YEAR * 1_000_000,
    ) {
        let mut yields = vec![(0, first)];
        yields.extend(changes);
        yields.push((50 * YEAR, last));
        let goal = u128::from(run_us) << 20;
        let (mut done, mut expected) = (0_u128, None);
        for (at, &(from, units)) in yields.iter().enumerate() {
            let until = yields.get(at + 1).map_or(u128::from(u64::MAX), |next| u128::from(next.0) * 1_000_000);
            let (from, units) = (u128::from(from) * 1_000_000, u128::from(units));
            if done + (until - from) * units >= goal {
                expected = Some(from + (goal - done).div_ceil(units));
                break;
            }
            done += (until - from) * units;
        }
        let of = |units| Yield::try_from_units(units).unwrap();
        let steps = yields.iter().enumerate().map(|(at, &(second, units))| {
            let on = vec![(0, 1)];
            (second, vec![if at == 0 { Do::Start(0, on, of(units)) } else { Do::SetYield(0, of(units)) }])
        });
        let end = u64::try_from(expected.unwrap()).unwrap();
        // The script does not know when jobs end.
        let steps = steps.filter(|&(second, _)| second * 1_000_000 < end).collect();
        let work = Job { run_time: SimSpan::from_micros(run_us), ..job(1, 0, 1, 1) };
        prop_assert_eq!(ends(0, vec![work], steps), [SimTime::from_micros(end)]);
    }
}
