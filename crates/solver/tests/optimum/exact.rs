//! Tests the search against the enumeration of every mapping.

use crate::arbitrary::{instances, shuffled};
use dfrsim_model::offline::{Instance, Mapping};
use dfrsim_model::{NodeId, NodeTasks, Yield};
use dfrsim_optimum::{Attempt, Limits, Status, is_feasible, lp_bound, mapping_yield, optimum};
use proptest::prelude::*;
use std::time::Duration;

/// Returns the largest minimum yield over all mappings of all tasks.
pub(crate) fn enumerated(instance: &Instance) -> Option<Yield> {
    let tasks: Vec<usize> = instance
        .jobs
        .iter()
        .enumerate()
        .flat_map(|(job, described)| std::iter::repeat_n(job, described.tasks as usize))
        .collect();
    let nodes = instance.nodes.len() as u64;
    (0..nodes.pow(tasks.len() as u32))
        .filter_map(|number| {
            let places = tasks.iter().scan(number, |rest, &job| {
                let node = *rest % nodes;
                *rest /= nodes;
                Some((job, node))
            });
            let mut counts = vec![vec![0; instance.nodes.len()]; instance.jobs.len()];
            places.for_each(|(job, node)| counts[job][node as usize] += 1);
            mapping_yield(instance, &mapping(&counts))
        })
        .max()
}

fn mapping(counts: &[Vec<u32>]) -> Mapping {
    let places = |row: &Vec<u32>| {
        (0..)
            .zip(row)
            .filter(|place| *place.1 > 0)
            .map(|(node, &tasks)| NodeTasks { node: NodeId(node), tasks })
            .collect()
    };
    counts.iter().map(places).collect()
}

/// Checks that all tasks are placed, with nodes in ascending order and each node once.
pub(crate) fn assert_complete(instance: &Instance, mapping: &Mapping) {
    assert_eq!(mapping.len(), instance.jobs.len());
    for (job, places) in instance.jobs.iter().zip(mapping) {
        assert_eq!(places.iter().map(|place| place.tasks).sum::<u32>(), job.tasks);
        assert!(places.windows(2).all(|pair| pair[0].node < pair[1].node));
        assert!(places.iter().all(|place| place.tasks > 0 && place.node.index() < instance.nodes.len()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(dfrsim_testing::cases(2_000)))]

    #[test]
    fn the_search_finds_the_best_of_all_mappings(instance in instances()) {
        let outcome = optimum(&instance, &Limits::default());
        let best = enumerated(&instance);
        prop_assert_eq!(outcome.best.as_ref().map(|best| best.minimum_yield), best);
        prop_assert_eq!(outcome.bound, best);
        let status = if best.is_some() { Status::Optimal } else { Status::Infeasible };
        prop_assert_eq!(outcome.status, status);
        if let Some(placed) = outcome.best {
            assert_complete(&instance, &placed.mapping);
            prop_assert_eq!(mapping_yield(&instance, &placed.mapping), Some(placed.minimum_yield));
            prop_assert!(lp_bound(&instance) >= Some(placed.minimum_yield));
        }
    }

    #[test]
    fn a_yield_is_kept_up_to_the_optimum(instance in instances(), part in 0u64..=24) {
        let wanted = Yield::from_ratio(part, 24);
        match is_feasible(&instance, wanted, &Limits::default()) {
            Attempt::Found(placed) => {
                assert_complete(&instance, &placed.mapping);
                prop_assert!(placed.minimum_yield >= wanted);
                prop_assert_eq!(mapping_yield(&instance, &placed.mapping), Some(placed.minimum_yield));
            }
            kept => {
                prop_assert_eq!(kept, Attempt::Failed);
                prop_assert!(enumerated(&instance) < Some(wanted));
            }
        }
    }

    #[test]
    fn neither_order_nor_limits_change_what_is_proven(instance in instances(), number: u64, nodes in 0u64..30) {
        let value = |instance| optimum(instance, &Limits::default()).best.map(|best| best.minimum_yield);
        let other = Instance {
            nodes: shuffled(&instance.nodes, number),
            jobs: shuffled(&instance.jobs, number >> 32),
            ..instance.clone()
        };
        prop_assert_eq!(value(&instance), value(&other));
        let limited = optimum(&instance, &Limits { nodes: Some(nodes), ..Limits::default() });
        let found = limited.best.map(|best| best.minimum_yield);
        match limited.status {
            Status::TimedOut => prop_assert!(found <= value(&instance) && limited.bound >= value(&instance)),
            _ => prop_assert_eq!(found, value(&instance)),
        }
        let near = optimum(&instance, &Limits { gap: 0.25, ..Limits::default() });
        if near.status == Status::Feasible {
            let (found, bound) = (near.best.unwrap().minimum_yield, near.bound.unwrap());
            prop_assert!(bound.as_f64() <= found.as_f64() * 1.25 + 1e-5);
            prop_assert!(Some(found) <= value(&instance) && Some(bound) >= value(&instance));
        } else {
            prop_assert_eq!(near.best.map(|best| best.minimum_yield), value(&instance));
        }
    }

    #[test]
    fn more_capacity_is_never_worse(instance in instances(), node: usize, at: usize, more in 1u32..5) {
        prop_assume!(!instance.nodes.is_empty());
        let mut larger = instance.clone();
        let node = node % instance.nodes.len();
        larger.nodes[node][at % instance.dimensions()] += more;
        let value = |instance| optimum(instance, &Limits::default()).best.map(|best| best.minimum_yield);
        prop_assert!(value(&larger) >= value(&instance));
    }
}

#[test]
fn a_limit_of_time_is_an_outcome() {
    let instance = crate::instances::rr6692(4, 12, 0.75, 0.5, 1);
    let outcome = optimum(&instance, &Limits { time: Some(Duration::ZERO), ..Limits::default() });
    assert_eq!(outcome.status, Status::TimedOut);
    assert_eq!((outcome.best, outcome.bound), (None, lp_bound(&instance)));
}
