//! Tiny instances of every kind for property tests.

use dfrsim_model::Yield;
use dfrsim_model::offline::{Instance, OfflineJob};
use proptest::collection::vec;
use proptest::prelude::*;

/// Draws amounts on a coarse scale, so that ties and exact fits are frequent; nodes may differ.
pub(crate) fn instances() -> impl Strategy<Value = Instance> {
    (0usize..=2, 1usize..=2).prop_flat_map(|(fixed, fluid)| {
        let width = fixed + fluid;
        let alike = (1usize..=3, vec(6u32..=12, width)).prop_map(|(count, node)| vec![node; count]);
        let nodes = prop_oneof![alike, vec(vec(0u32..=12, width), 0..=3)];
        (nodes, vec(jobs(width), 0..=4)).prop_map(move |(nodes, jobs)| Instance {
            fixed,
            fluid,
            nodes: nodes.into_iter().map(Into::into).collect(),
            jobs,
        })
    })
}

fn jobs(width: usize) -> impl Strategy<Value = OfflineJob> {
    let least = prop_oneof![3 => Just(0u64), 1 => Just(1), 1 => Just(2), 1 => Just(3)];
    (1u32..=2, vec(0u32..=9, width), least).prop_map(|(tasks, demand, thirds)| OfflineJob {
        tasks,
        demand: demand.into(),
        least_yield: Yield::from_ratio(thirds, 3),
    })
}

/// Returns a permutation of the list that is determined by a number.
pub(crate) fn shuffled<T: Clone>(list: &[T], number: u64) -> Vec<T> {
    let mut left = list.to_vec();
    let mut number = number;
    let mut order = Vec::new();
    while !left.is_empty() {
        order.push(left.remove((number % left.len() as u64) as usize));
        number /= 3;
    }
    order
}
