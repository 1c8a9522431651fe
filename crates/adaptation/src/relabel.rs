//! The names of the nodes of a mapping.

use crate::Adaptation;
use dfrsim_model::NodeId;
use dfrsim_model::offline::Mapping;
use pathfinding::kuhn_munkres::kuhn_munkres;
use pathfinding::matrix::Matrix;
use std::collections::BTreeMap;

/// Gives the nodes of a new mapping other names, identical nodes among each other, so that going over to it costs the least.
///
/// An old and a new node with the same tasks on them become one: what is common to two nodes is no more than what either has in
/// common with a third, and so some best assignment has it so. What is left is an assignment problem for each kind of node: the
/// weight of an old and a new node is what need not be moved if they are the same one. O(N^3) for N identical nodes.
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
    let (old, new) = (contents(&problem.current, nodes.len()), contents(mapping, nodes.len()));
    let mut name: Vec<u32> = (0..nodes.len() as u32).collect();
    let mut ordered: Vec<usize> = (0..nodes.len()).collect();
    ordered.sort_by(|&a, &b| nodes[a].cmp(&nodes[b]));
    for alike in ordered.chunk_by(|&a, &b| nodes[a] == nodes[b]) {
        let (mut free, mut unnamed) = (alike.to_vec(), alike.to_vec());
        name_equals(&mut free, &old, &mut unnamed, &new, &mut name);
        if unnamed.is_empty() {
            continue;
        }
        let stay = unnamed.iter().flat_map(|&node| free.iter().map(move |&from| (node, from)));
        let stay = stay.map(|(node, from)| common(&new[node], &old[from], &problem.cost)).collect();
        let stay = Matrix::from_vec(unnamed.len(), free.len(), stay).expect("a number for each pair");
        let (_, chosen) = kuhn_munkres(&stay);
        for (&node, &at) in unnamed.iter().zip(&chosen) {
            name[node] = free[at] as u32;
        }
    }
    let mut renamed = mapping.clone();
    for placement in &mut renamed {
        placement.iter_mut().for_each(|part| part.node = NodeId(name[part.node.index()]));
        placement.sort_unstable_by_key(|part| part.node);
    }
    renamed
}

/// The tasks on each node, as (job, how many), by rising job.
fn contents(mapping: &Mapping, nodes: usize) -> Vec<Vec<(usize, u32)>> {
    let mut contents = vec![Vec::new(); nodes];
    for (job, placement) in mapping.iter().enumerate() {
        placement.iter().for_each(|part| contents[part.node.index()].push((job, part.tasks)));
    }
    contents
}

/// Takes the pairs of old and new nodes with equal contents out, and gives the new ones the names of the old.
fn name_equals(
    free: &mut Vec<usize>,
    old: &[Vec<(usize, u32)>],
    unnamed: &mut Vec<usize>,
    new: &[Vec<(usize, u32)>],
    name: &mut [u32],
) {
    let mut known: BTreeMap<&[(usize, u32)], Vec<usize>> = BTreeMap::new();
    // The first one is the last to be pushed, so that what stays where it is keeps its name.
    free.iter().rev().for_each(|&node| known.entry(&old[node]).or_default().push(node));
    unnamed.retain(|&node| match known.get_mut(new[node].as_slice()).and_then(Vec::pop) {
        Some(same) => {
            name[node] = same as u32;
            false
        }
        None => true,
    });
    *free = known.into_values().flatten().collect();
    free.sort_unstable();
}

/// The cost of the tasks that two nodes have in common.
fn common(a: &[(usize, u32)], b: &[(usize, u32)], cost: &[u64]) -> i128 {
    let shared = a.iter().filter_map(|&(job, tasks)| {
        let at = b.binary_search_by_key(&job, |other| other.0).ok()?;
        Some(i128::from(cost[job]) * i128::from(tasks.min(b[at].1)))
    });
    shared.sum()
}
