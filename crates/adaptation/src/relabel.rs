//! The names of the nodes of a mapping.

use crate::Adaptation;
use dfrsim_model::NodeId;
use dfrsim_model::offline::Mapping;
use pathfinding::kuhn_munkres::kuhn_munkres;
use pathfinding::matrix::Matrix;

/// Gives the nodes of a new mapping other names, identical nodes among each other, so that going over to it costs the least.
///
/// An assignment problem for each kind of node: the weight of an old and a new node is what need not be moved if they are
/// the same one. O(N^3) for N identical nodes.
///
/// ```
/// use dfrsim_adaptation::{Adaptation, relabelled};
/// use dfrsim_model::offline::{Instance, OfflineJob};
/// use dfrsim_model::{NodeId, NodeTasks, Yield};
///
/// let job = OfflineJob { tasks: 1, demand: [1].into(), least_yield: Yield::ZERO };
/// let instance = Instance { fixed: 0, fluid: 1, nodes: vec![[1].into(); 2], jobs: vec![job; 2] };
/// let on = |node| vec![NodeTasks { node: NodeId(node), tasks: 1 }];
/// let problem = Adaptation { instance, current: vec![on(0), on(1)], cost: vec![1; 2] };
/// assert_eq!(relabelled(&problem, &vec![on(1), on(0)]), problem.current);
/// ```
#[must_use]
pub fn relabelled(problem: &Adaptation, mapping: &Mapping) -> Mapping {
    let nodes = &problem.instance.nodes;
    let mut name: Vec<u32> = (0..nodes.len() as u32).collect();
    let mut ordered: Vec<usize> = (0..nodes.len()).collect();
    ordered.sort_by(|&a, &b| nodes[a].cmp(&nodes[b]));
    // The place of each node among those that are identical to it.
    let mut place = vec![0; nodes.len()];
    for alike in ordered.chunk_by(|&a, &b| nodes[a] == nodes[b]) {
        alike.iter().enumerate().for_each(|(at, &node)| place[node] = at);
        let mut stay = Matrix::new(alike.len(), alike.len(), 0_i128);
        let jobs = mapping.iter().zip(&problem.current).zip(&problem.cost);
        for ((after, before), &cost) in jobs {
            let here = |node: NodeId| alike.get(place[node.index()]) == Some(&node.index());
            for to in after.iter().filter(|to| here(to.node)) {
                for from in before.iter().filter(|from| here(from.node)) {
                    let tasks = to.tasks.min(from.tasks);
                    stay[(place[to.node.index()], place[from.node.index()])] +=
                        i128::from(cost) * i128::from(tasks);
                }
            }
        }
        let (_, chosen) = kuhn_munkres(&stay);
        for (&node, &at) in alike.iter().zip(&chosen) {
            name[node] = alike[at] as u32;
        }
    }
    let mut renamed = mapping.clone();
    for placement in &mut renamed {
        placement.iter_mut().for_each(|part| part.node = NodeId(name[part.node.index()]));
        placement.sort_unstable_by_key(|part| part.node);
    }
    renamed
}
