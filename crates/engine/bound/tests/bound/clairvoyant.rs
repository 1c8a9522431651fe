//! What can be reached knowing all run times.

use crate::instances::{cases, jobs};
use dfrsim_bound::{clairvoyant_stretch, max_stretch_bound};
use dfrsim_model::{Share, SimSpan};
use proptest::prelude::*;

/// One node; two jobs of 6/10 of its memory, which is theirs while they run: 1,000 s from 0 on, 10 s from 100 on. If the first is
/// paused for the second, it ends at 1,010 + penalty; if not, the second ends at 1,010, 91 times its length after it came.
#[test]
fn a_long_job_gives_way_to_a_short_one() {
    let mut both = jobs(&[(0, 1, Share::ONE, 1_000), (100, 1, Share::ONE, 10)]);
    both.iter_mut().for_each(|job| job.memory = Share::from_ratio(6, 10));
    let reached = |penalty| {
        let (penalty, tau) = (SimSpan::from_secs(penalty), SimSpan::from_secs(10));
        clairvoyant_stretch(&both, 1, penalty, tau, max_stretch_bound(&both, 1, tau).value).unwrap()
    };
    assert_eq!(reached(0), 1.01);
    assert_eq!(reached(300), 1.31);
}

#[test]
fn a_job_without_room_at_full_speed_is_an_error() {
    let wide = jobs(&[(0, 2, Share::ONE, 10)]);
    let found = clairvoyant_stretch(&wide, 1, SimSpan::ZERO, SimSpan::ZERO, 2.0);
    assert!(found.is_err(), "{found:?}");
}

proptest! {
    #[test]
    fn it_is_never_below_the_bound(case in cases(8), penalty in 0_u64..20) {
        let mut fit = case.jobs;
        fit.retain(|job| job.tasks <= case.nodes);
        fit.sort_by_key(|job| job.submit);
        prop_assume!(!fit.is_empty());
        let bound = max_stretch_bound(&fit, case.nodes, case.tau).value;
        let reached = clairvoyant_stretch(&fit, case.nodes, SimSpan::from_secs(penalty), case.tau, bound).unwrap();
        prop_assert!(reached >= bound * (1.0 - 1e-9), "{reached} below {bound}");
    }
}
