//! Tiny problems of every kind.

use dfrsim_model::offline::{Adaptation, Instance, Mapping, OfflineJob};
use dfrsim_model::{NodeId, NodeTasks, Yield};
use proptest::collection::vec;
use proptest::prelude::*;

/// Creates the mapping of task counts by job and node.
pub(crate) fn mapping(counts: &[Vec<u32>]) -> Mapping {
    let places = |row: &Vec<u32>| {
        let nodes = (0..).zip(row).filter(|place| *place.1 > 0);
        nodes.map(|(node, &tasks)| NodeTasks { node: NodeId(node), tasks }).collect()
    };
    counts.iter().map(places).collect()
}

/// Returns every mapping of the tasks of all jobs.
pub(crate) fn all_mappings(instance: &Instance) -> Vec<Mapping> {
    let tasks: Vec<usize> = (instance.jobs.iter().enumerate())
        .flat_map(|(job, described)| std::iter::repeat_n(job, described.tasks as usize))
        .collect();
    let nodes = instance.nodes.len();
    (0..nodes.pow(tasks.len() as u32))
        .map(|mut number| {
            let mut counts = vec![vec![0; nodes]; instance.jobs.len()];
            for &job in &tasks {
                counts[job][number % nodes] += 1;
                number /= nodes;
            }
            mapping(&counts)
        })
        .collect()
}

/// Draws amounts on a coarse scale, so that ties and exact fits are frequent. All, some or none of a
/// job's tasks are placed, on any nodes.
pub(crate) fn problems() -> impl Strategy<Value = Adaptation> {
    (0usize..=2, 1usize..=2).prop_flat_map(|(fixed, fluid)| {
        let width = fixed + fluid;
        let alike = (1usize..=3, vec(6u32..=12, width)).prop_map(|(count, node)| vec![node; count]);
        let nodes = prop_oneof![alike, vec(vec(0u32..=12, width), 1..=3)];
        let least = prop_oneof![4 => Just(0u64), 1 => Just(1), 1 => Just(2)];
        let job = (1u32..=2, vec(0u32..=9, width), least, 0u64..=5, vec(0usize..6, 2));
        (nodes, vec(job, 0..=4)).prop_map(move |(nodes, jobs)| {
            let mut counts = vec![vec![0; nodes.len()]; jobs.len()];
            for (counts, (tasks, .., homes)) in counts.iter_mut().zip(&jobs) {
                // Half of the tasks are new.
                for &home in homes.iter().take(*tasks as usize).filter(|home| **home < nodes.len()) {
                    counts[home] += 1;
                }
            }
            let cost = jobs.iter().map(|job| job.3).collect();
            let described = jobs.into_iter().map(|(tasks, demand, thirds, ..)| OfflineJob {
                tasks,
                demand: demand.into(),
                least_yield: Yield::from_ratio(thirds, 3),
            });
            let jobs = described.collect();
            let nodes = nodes.into_iter().map(Into::into).collect();
            Adaptation { instance: Instance { fixed, fluid, nodes, jobs }, current: mapping(&counts), cost }
        })
    })
}
