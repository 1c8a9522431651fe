//! Tests the stretch that a clairvoyant schedule reaches.

use crate::instances::{cases, jobs};
use dfrsim_bound::{clairvoyant_stretch, max_stretch_bound, max_stretch_bound_with_penalties};
use dfrsim_model::{Share, SimSpan};
use proptest::collection::vec;
use proptest::prelude::*;

/// One node and two jobs with 6/10 of its memory, which they occupy while they run: 1,000 s from 0 s
/// on, 10 s from 100 s on. If the first is paused for the second, it ends at 1,010 + penalty. If
/// not, the second ends at 1,010 s, after 91 times its length.
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
    // Without a pause the first job ends after the second, which ends at 110 s at the earliest: at
    // 1,110 s.
    let counted = |penalty| {
        let (penalty, tau) = (SimSpan::from_secs(penalty), SimSpan::from_secs(10));
        max_stretch_bound_with_penalties(&both, 1, penalty, tau, 1.01)
    };
    assert_eq!(counted(0), 1.01);
    assert!((counted(50) - 1.06).abs() < 1e-5, "{}", counted(50));
    assert!((counted(300) - 1.11).abs() < 1e-5, "{}", counted(300));
}

/// The jobs of the case above, but with 4/10 of the memory each: the first stays on the node at a yield
/// of 0 for 10 s, without a penalty.
#[test]
fn a_resident_job_pays_nothing() {
    let mut both = jobs(&[(0, 1, Share::ONE, 1_000), (100, 1, Share::ONE, 10)]);
    both.iter_mut().for_each(|job| job.memory = Share::from_ratio(4, 10));
    let (penalty, tau) = (SimSpan::from_secs(300), SimSpan::from_secs(10));
    assert_eq!(clairvoyant_stretch(&both, 1, penalty, tau, 1.01).unwrap(), 1.01);
}

#[test]
fn a_job_without_room_at_full_speed_is_an_error() {
    let wide = jobs(&[(0, 2, Share::ONE, 10)]);
    let found = clairvoyant_stretch(&wide, 1, SimSpan::ZERO, SimSpan::ZERO, 2.0);
    assert!(found.is_err(), "{found:?}");
}

proptest! {
    #[test]
    fn it_is_never_below_the_bounds(case in cases(8), penalty in 0_u64..20, memory in vec(1_u64..=10, 8)) {
        let mut fit = case.jobs;
        fit.iter_mut().zip(memory).for_each(|(job, memory)| job.memory = Share::from_ratio(memory, 10));
        fit.retain(|job| job.tasks <= case.nodes);
        fit.sort_by_key(|job| job.submit);
        prop_assume!(!fit.is_empty());
        let bound = max_stretch_bound(&fit, case.nodes, case.tau).value;
        let penalty = SimSpan::from_secs(penalty);
        let counted = max_stretch_bound_with_penalties(&fit, case.nodes, penalty, case.tau, bound);
        prop_assert!(counted >= bound);
        let reached = clairvoyant_stretch(&fit, case.nodes, penalty, case.tau, bound).unwrap();
        prop_assert!(reached >= counted * (1.0 - 1e-9), "{reached} below {counted}");
    }
}
