//! Tests the minimum number of nodes for a yield.

use crate::arbitrary::instances;
use crate::exact::enumerated;
use dfrsim_model::Yield;
use dfrsim_model::offline::{Instance, OfflineJob};
use dfrsim_optimum::{FewestNodes, Limits, fewest_nodes, fewest_nodes_by, mapping_yield, optimum};
use proptest::prelude::*;

/// Needs of 6 each have yields of 1 alone, 10/12 in pairs, and 10/18 in threes. Memory of 3 each
/// permits three per node. By sums, 36/10 and 20/10 nodes are necessary.
#[test]
fn six_tasks_on_six_nodes() {
    let job = OfflineJob { tasks: 6, demand: [3, 6].into(), least_yield: Yield::ZERO };
    let instance = Instance { fixed: 1, fluid: 1, nodes: vec![[10, 10].into(); 6], jobs: vec![job] };
    let fewest =
        |part, whole| fewest_nodes(&instance, Yield::from_ratio(part, whole), &Limits::default()).unwrap();
    assert_eq!(
        [fewest(1, 1), fewest(10, 12), fewest(10, 18), fewest(0, 1)].map(|found| found.nodes.len()),
        [6, 3, 2, 2]
    );
    assert_eq!([fewest(1, 1).lower_bound, fewest(10, 12).lower_bound], [6, 3]);
    // Without a step the search decides no case: the sums give a bound of 4 nodes for full yields,
    // but no feasible number is known.
    let none = Limits { nodes: Some(0), ..Limits::default() };
    assert_eq!(fewest_nodes(&instance, Yield::ONE, &none), None);
    assert_eq!(fewest_nodes_by(&instance, Yield::ONE, |_, _| None), None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(dfrsim_testing::cases(500)))]

    #[test]
    fn no_choice_of_fewer_nodes_does(instance in instances(), part in 0u64..=8) {
        let wanted = Yield::from_ratio(part, 8);
        let nodes = instance.nodes.len();
        let does = |set: u32| {
            let chosen = (0..nodes).filter(|node| set >> node & 1 == 1).map(|node| instance.nodes[node].clone());
            enumerated(&Instance { nodes: chosen.collect(), ..instance.clone() }) >= Some(wanted)
        };
        let expected = (0..1_u32 << nodes).filter(|&set| does(set)).map(u32::count_ones).min();
        let found = fewest_nodes(&instance, wanted, &Limits::default());
        let count = |found: &Option<FewestNodes>| found.as_ref().map(|found| found.nodes.len() as u32);
        prop_assert_eq!(count(&found), expected);
        let reversed = Instance { nodes: instance.nodes.iter().rev().cloned().collect(), ..instance.clone() };
        let reversed = fewest_nodes(&reversed, wanted, &Limits::default());
        prop_assert_eq!(count(&reversed), expected);
        let by = fewest_nodes_by(&instance, wanted, |chosen, _| {
            optimum(chosen, &Limits::default()).best.filter(|best| best.minimum_yield >= wanted)
        });
        prop_assert_eq!(count(&by), expected);
        for found in [found, by].into_iter().flatten() {
            prop_assert!(found.lower_bound <= found.nodes.len() && found.placed.minimum_yield >= wanted);
            prop_assert!(mapping_yield(&instance, &found.placed.mapping) >= Some(wanted));
            let places = found.placed.mapping.iter().flatten();
            prop_assert!(places.map(|place| place.node).all(|node| found.nodes.contains(&node)));
        }
    }
}
