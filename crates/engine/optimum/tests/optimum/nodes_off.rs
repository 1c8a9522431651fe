//! The fewest nodes that keep a yield.

use crate::arbitrary::instances;
use crate::exact::enumerated;
use dfrsim_model::Yield;
use dfrsim_model::offline::{Instance, OfflineJob};
use dfrsim_optimum::{Limits, fewest_nodes, fewest_nodes_by, optimum};
use proptest::prelude::*;

/// Needs of 6 each: alone 1, in pairs 10/12, in threes 10/18. Memory of 3 each allows three a node. By sums, 36/10 and 20/10
/// nodes.
#[test]
fn six_tasks_on_six_nodes() {
    let job = OfflineJob { tasks: 6, demand: [3, 6].into(), least_yield: Yield::ZERO };
    let instance = Instance { fixed: 1, fluid: 1, nodes: vec![[10, 10].into(); 6], jobs: vec![job] };
    let fewest =
        |part, whole| fewest_nodes(&instance, Yield::from_ratio(part, whole), &Limits::default()).unwrap();
    assert_eq!(
        [fewest(1, 1).nodes, fewest(10, 12).nodes, fewest(10, 18).nodes, fewest(0, 1).nodes],
        [6, 3, 2, 2]
    );
    assert_eq!([fewest(1, 1).at_least, fewest(10, 12).at_least], [6, 3]);
    // Without a step the search decides no case: 4 nodes are the sums' bound for full yields, and none is known to do.
    let none = Limits { nodes: Some(0), ..Limits::default() };
    assert_eq!(fewest_nodes(&instance, Yield::ONE, &none), None);
    assert_eq!(fewest_nodes_by(&instance, Yield::ONE, |_| None), None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn the_fewest_are_the_first_that_do(instance in instances(), part in 0u64..=8) {
        let wanted = Yield::from_ratio(part, 8);
        let first = |nodes: usize| Instance { nodes: instance.nodes[..nodes].to_vec(), ..instance.clone() };
        let expected = (0..=instance.nodes.len()).find(|&nodes| enumerated(&first(nodes)) >= Some(wanted));
        let found = fewest_nodes(&instance, wanted, &Limits::default());
        prop_assert_eq!(found.as_ref().map(|found| found.nodes), expected);
        let by = fewest_nodes_by(&instance, wanted, |first| {
            optimum(first, &Limits::default()).best.filter(|best| best.min_yield >= wanted)
        });
        prop_assert_eq!(by.as_ref().map(|by| by.nodes), expected);
        for found in [found, by].into_iter().flatten() {
            prop_assert!(found.at_least <= found.nodes && found.placed.min_yield >= wanted);
            prop_assert!(found.placed.mapping.iter().flatten().all(|place| place.node.index() < found.nodes));
        }
    }
}
