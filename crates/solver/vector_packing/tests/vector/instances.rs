//! Random instances.

use dfrsim_model::offline::{Instance, OfflineJob};
use dfrsim_model::{Share, Yield};
use proptest::collection::vec;
use proptest::prelude::*;

const ONE: u32 = Share::ONE.units();

/// Draws amounts with many ties, and some without; up to `most` tenths of a node, or `most`
/// sixteenths.
fn amount(most: u32) -> impl Strategy<Value = u32> {
    prop_oneof![
        4 => (0..=most).prop_map(|tenths| ONE / 10 * tenths),
        4 => (0..=most).prop_map(|parts| ONE / 16 * parts),
        3 => 1..=ONE / 10 * most,
    ]
}

fn capacity() -> impl Strategy<Value = u32> {
    prop_oneof![4 => Just(ONE), 1 => Just(ONE / 2), 1 => Just(ONE / 4 * 5), 1 => ONE / 2..=2 * ONE]
}

fn least_yield() -> impl Strategy<Value = Yield> {
    prop_oneof![
        5 => Just(Yield::ZERO),
        2 => Just(Yield::from_ratio(1, 2)),
        1 => (0..=1u32 << 20).prop_map(|units| Yield::try_from_units(units).unwrap()),
    ]
}

/// Draws instances with at most this many nodes, jobs, tasks per job and resources.
pub(crate) fn instance(
    nodes: usize,
    jobs: usize,
    tasks: u32,
    dimensions: usize,
) -> impl Strategy<Value = Instance> {
    (0..dimensions, 1..=dimensions, any::<bool>(), 3..=10u32)
        .prop_map(move |(fixed, fluid, alike, most)| (fixed, fluid.min(dimensions - fixed), alike, most))
        .prop_flat_map(move |(fixed, fluid, alike, most)| {
            let dimensions = fixed + fluid;
            let capacities = if alike {
                (1..=nodes).prop_map(move |nodes| vec![vec![ONE; dimensions]; nodes]).boxed()
            } else {
                vec(vec(capacity(), dimensions), 1..=nodes).boxed()
            };
            let demand = move || vec(amount(most), dimensions);
            let job = (1..=tasks, demand(), least_yield());
            (Just((fixed, fluid)), capacities, vec(job, 0..=jobs), any::<bool>())
        })
        .prop_map(|((fixed, fluid), nodes, jobs, small)| Instance {
            fixed,
            fluid,
            nodes: nodes.into_iter().map(Into::into).collect(),
            jobs: jobs
                .into_iter()
                .map(|(tasks, mut demand, least_yield)| {
                    // Requirements are small in half of the instances, so that fluid needs can be
                    // the bottleneck.
                    if small {
                        demand[..fixed].iter_mut().for_each(|amount| *amount /= 8);
                    }
                    OfflineJob { tasks, demand: demand.into(), least_yield }
                })
                .collect(),
        })
}
