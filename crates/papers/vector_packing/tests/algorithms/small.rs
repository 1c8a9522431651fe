//! Small instances of every kind, and the solvers of linear programs.

use dfrsim_model::offline::{Instance, OfflineJob};
use dfrsim_model::{Share, Yield};
use dfrsim_optimum::{Backend, Solved, Solver, mapping_yield};
use dfrsim_vector_packing::check::check_minimum_yield;
use proptest::collection::vec;
use proptest::prelude::*;

pub(crate) fn solvers() -> impl Iterator<Item = &'static dyn Solver> {
    Backend::ALL.iter().map(|backend| backend.solver())
}

/// Amounts on a coarse scale, so that ties and exact fits are frequent; nodes may differ.
pub(crate) fn instances() -> impl Strategy<Value = Instance> {
    (0usize..=2, 1usize..=2).prop_flat_map(|(fixed, fluid)| {
        let width = fixed + fluid;
        let alike = (1usize..=3, vec(6u32..=12, width))
            .prop_map(|(count, node)| std::iter::repeat_n(node, count).collect::<Vec<_>>());
        let nodes = prop_oneof![alike, vec(vec(0u32..=12, width), 0..=3)];
        (nodes, vec(job(width), 0..=4)).prop_map(move |(nodes, jobs)| Instance {
            fixed,
            fluid,
            nodes: nodes.into_iter().map(Into::into).collect(),
            jobs,
        })
    })
}

fn job(width: usize) -> impl Strategy<Value = OfflineJob> {
    let least = prop_oneof![3 => Just(0u64), 1 => Just(1), 1 => Just(2), 1 => Just(3)];
    (1u32..=2, vec(0u32..=9, width), least).prop_map(|(tasks, demand, thirds)| OfflineJob {
        tasks,
        demand: demand.into(),
        least_yield: Yield::from_ratio(thirds, 3),
    })
}

/// Tenths of a node, so that ties and full nodes are common, or anything.
fn amount(largest_tenths: u32) -> impl Strategy<Value = u32> {
    let tenth = Share::ONE.units() / 10;
    prop_oneof![
        3 => (0..=largest_tenths).prop_map(move |tenths| tenths * tenth),
        1 => 0..=largest_tenths * tenth,
    ]
}

fn least_yield() -> impl Strategy<Value = Yield> {
    prop_oneof![
        3 => Just(Yield::ZERO),
        2 => Just(Yield::from_ratio(1, 2)),
        1 => Just(Yield::ONE),
        1 => (0..=Yield::ONE.units()).prop_map(|units| Yield::try_from_units(units).unwrap()),
    ]
}

/// Larger instances, of up to 8 nodes and 13 jobs with up to two tasks each.
pub(crate) fn larger_instances() -> impl Strategy<Value = Instance> {
    let largest = prop::sample::select(&[2, 4, 9][..]);
    (0..=2_usize, 1..=2_usize, any::<bool>(), largest).prop_flat_map(|(fixed, fluid, alike, largest)| {
        let dimensions = fixed + fluid;
        let vector = move |tenths| vec(amount(tenths), dimensions).prop_map(Vec::into_boxed_slice);
        let ordinary: Box<[u32]> = std::iter::repeat_n(Share::ONE.units(), dimensions).collect();
        let nodes = if alike {
            (1..9_usize)
                .prop_map(move |count| std::iter::repeat_n(ordinary.clone(), count).collect::<Vec<_>>())
                .boxed()
        } else {
            vec(vector(20), 1..9).boxed()
        };
        let job = (1..=2_u32, vector(largest), least_yield())
            .prop_map(|(tasks, demand, least_yield)| OfflineJob { tasks, demand, least_yield });
        (nodes, vec(job, 0..14)).prop_map(move |(nodes, jobs)| Instance { fixed, fluid, nodes, jobs })
    })
}

/// Checks that a solution has all tasks and exactly its yield, which is at most the optimum.
pub(crate) fn check(instance: &Instance, placed: &Solved, best: Option<Yield>) {
    assert_eq!(check_minimum_yield(instance, &placed.mapping, placed.minimum_yield), []);
    assert_eq!(mapping_yield(instance, &placed.mapping), Some(placed.minimum_yield));
    assert!(Some(placed.minimum_yield) <= best);
}
