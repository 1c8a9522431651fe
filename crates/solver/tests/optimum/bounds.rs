//! Tests LPBOUND and the yield of a mapping against the published closed form.

use crate::arbitrary::{instances, shuffled};
use dfrsim_model::offline::{Instance, OfflineJob};
use dfrsim_model::{NodeId, NodeTasks, Yield};
use dfrsim_optimum::{Limits, lp_bound, mapping_yield, optimum, pattern_bound};
use proptest::prelude::*;

const ONE: i128 = 1 << 20;

/// Returns the published closed form (section 4.2.3) in units of 2^-20, rounded down: the capacity
/// minus the demand at yield 0, divided by the additional demand of a yield of 1.
fn closed_form(offers: &[u32], fixed: usize, jobs: &[(u32, &OfflineJob)]) -> Option<i128> {
    let mut least = ONE;
    for (at, &offer) in offers.iter().enumerate() {
        let (mut due, mut beyond) = (0, 0);
        for &(tasks, job) in jobs {
            let amount = i128::from(tasks) * i128::from(job.demand[at]);
            let guaranteed = if at < fixed { ONE } else { i128::from(job.least_yield.units()) };
            due += amount * guaranteed;
            beyond += amount * (ONE - guaranteed);
        }
        let free = i128::from(offer) * ONE - due;
        if free < 0 {
            return None;
        }
        if beyond > 0 {
            least = least.min(free * ONE / beyond);
        }
    }
    Some(least)
}

/// Returns whether both results agree. Rounding unscaled yields down permits a few units more, but
/// only with guaranteed least yields.
fn agrees(found: Option<Yield>, closed: Option<i128>, jobs: &[OfflineJob]) -> bool {
    let exact = jobs.iter().all(|job| [Yield::ZERO, Yield::ONE].contains(&job.least_yield));
    match (found.map(|found| i128::from(found.units())), closed) {
        (Some(found), Some(closed)) => closed <= found && found <= closed + if exact { 0 } else { 4 },
        (found, closed) => found == closed,
    }
}

fn total(instance: &Instance) -> Vec<u32> {
    (0..instance.dimensions()).map(|at| instance.nodes.iter().map(|node| node[at]).sum()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(dfrsim_testing::cases(2_000)))]

    #[test]
    fn lp_bound_is_the_closed_form(instance in instances()) {
        let jobs: Vec<_> = instance.jobs.iter().map(|job| (job.tasks, job)).collect();
        let closed = closed_form(&total(&instance), instance.fixed, &jobs);
        prop_assert!(agrees(lp_bound(&instance), closed, &instance.jobs), "{:?} {closed:?}", lp_bound(&instance));
    }

    #[test]
    fn the_pattern_bound_is_between_the_optimum_and_lp_bound(instance in instances()) {
        let best = optimum(&instance, &Limits::default()).best.map(|best| best.minimum_yield);
        let bound = pattern_bound(&instance, best.unwrap_or(Yield::ZERO), 20);
        prop_assert!(best <= bound && bound <= lp_bound(&instance), "{best:?} {bound:?}");
        let from_zero = pattern_bound(&instance, Yield::ZERO, 20);
        prop_assert!(best <= from_zero && from_zero <= lp_bound(&instance), "{from_zero:?}");
    }

    #[test]
    fn the_yield_of_a_mapping_is_that_of_its_worst_node(instance in instances(), numbers: [u8; 4]) {
        prop_assume!(!instance.nodes.is_empty());
        let home = |job: usize| usize::from(numbers[job]) % instance.nodes.len();
        let mapping = (0..instance.jobs.len())
            .map(|job| vec![NodeTasks { node: NodeId(home(job) as u32), tasks: instance.jobs[job].tasks }])
            .collect();
        let closed = (0..instance.nodes.len())
            .map(|node| {
                let here: Vec<_> = (0..instance.jobs.len())
                    .filter(|&job| home(job) == node)
                    .map(|job| (instance.jobs[job].tasks, &instance.jobs[job]))
                    .collect();
                closed_form(&instance.nodes[node], instance.fixed, &here)
            })
            .min()
            .unwrap();
        prop_assert!(agrees(mapping_yield(&instance, &mapping), closed, &instance.jobs));
    }

    #[test]
    fn lp_bound_knows_no_order_and_grows_with_capacity(instance in instances(), number: u64, more in 1u32..5) {
        let other = Instance {
            nodes: shuffled(&instance.nodes, number),
            jobs: shuffled(&instance.jobs, number >> 32),
            ..instance.clone()
        };
        prop_assert_eq!(lp_bound(&instance), lp_bound(&other));
        let mut larger = instance.clone();
        if let Some(node) = larger.nodes.first_mut() {
            node[number as usize % instance.dimensions()] += more;
        }
        prop_assert!(lp_bound(&larger) >= lp_bound(&instance));
    }
}
