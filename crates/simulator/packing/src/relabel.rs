//! Relabelling of the nodes of a mapping.

mod assignment;
mod components;

use assignment::heaviest_assignment;
use components::components;
use dfrsim_model::NodeId;
use dfrsim_model::offline::{Adaptation, Mapping};
use std::collections::BTreeMap;

/// Relabels the nodes of a new mapping, within groups of identical nodes, so that adopting the
/// mapping costs the least.
///
/// An old and a new node with the same tasks are always matched: what two nodes have in common is at
/// most what either has in common with a third, so some optimal assignment matches them. The rest is
/// an assignment problem for each kind of node: the weight of a pair of an old and a new node is the
/// cost saved if they are the same node. Nodes that are not connected by jobs, not even through
/// other nodes, are separate problems. O(N^3) for N identical nodes.
///
/// ```
/// use dfrsim_packing::relabelled;
/// use dfrsim_model::offline::{Adaptation, Instance, OfflineJob};
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
        let mut give = |node: usize, from: usize| name[node] = from as u32;
        match_equal_nodes(&mut free, &old, &mut unnamed, &new, &mut give);
        for (some_free, some_unnamed) in node_components(&free, &old, &unnamed, &new).into_values() {
            for (node, from) in best_assignment(&some_free, &old, &some_unnamed, &new, &problem.cost) {
                give(node, from);
                free.retain(|&other| other != from);
                unnamed.retain(|&other| other != node);
            }
        }
        // The remaining pairs have no task in common.
        unnamed.into_iter().zip(free).for_each(|(node, from)| give(node, from));
    }
    let mut renamed = mapping.clone();
    for placement in &mut renamed {
        placement.iter_mut().for_each(|part| part.node = NodeId(name[part.node.index()]));
        placement.sort_unstable_by_key(|part| part.node);
    }
    renamed
}

/// Tasks on each node, as (job, number of tasks), by ascending job.
type Contents = [Vec<(usize, u32)>];

fn contents(mapping: &Mapping, nodes: usize) -> Vec<Vec<(usize, u32)>> {
    let mut contents = vec![Vec::new(); nodes];
    for (job, placement) in mapping.iter().enumerate() {
        placement.iter().for_each(|part| contents[part.node.index()].push((job, part.tasks)));
    }
    contents
}

/// Matches old and new nodes with equal contents, and removes them from both lists.
fn match_equal_nodes(
    free: &mut Vec<usize>,
    old: &Contents,
    unnamed: &mut Vec<usize>,
    new: &Contents,
    give: &mut impl FnMut(usize, usize),
) {
    let mut known: BTreeMap<&[(usize, u32)], Vec<usize>> = BTreeMap::new();
    // Lower nodes are pushed last and popped first, so that nodes whose contents stay keep their
    // labels.
    free.iter().rev().for_each(|&node| known.entry(&old[node]).or_default().push(node));
    unnamed.retain(|&node| match known.get_mut(new[node].as_slice()).and_then(Vec::pop) {
        Some(same) => {
            give(node, same);
            false
        }
        None => true,
    });
    *free = known.into_values().flatten().collect();
    free.sort_unstable();
}

/// Splits the old and new nodes into components without a common job, each with nodes of both kinds.
/// Nodes without a counterpart are left out.
fn node_components(
    free: &[usize],
    old: &Contents,
    unnamed: &[usize],
    new: &Contents,
) -> BTreeMap<usize, (Vec<usize>, Vec<usize>)> {
    let jobs = |tasks: &[(usize, u32)]| tasks.iter().map(|&(job, _)| job).collect();
    let groups: Vec<Vec<usize>> = free
        .iter()
        .map(|&node| jobs(&old[node]))
        .chain(unnamed.iter().map(|&node| jobs(&new[node])))
        .collect();
    let part_of = components(&groups);
    let mut parts: BTreeMap<usize, (Vec<usize>, Vec<usize>)> = BTreeMap::new();
    let (of_old, of_new) = part_of.split_at(free.len());
    free.iter().zip(of_old).for_each(|(&node, &part)| parts.entry(part).or_default().0.push(node));
    unnamed.iter().zip(of_new).for_each(|(&node, &part)| parts.entry(part).or_default().1.push(node));
    parts.retain(|_, (free, unnamed)| !free.is_empty() && !unnamed.is_empty());
    parts
}

/// Computes the assignment of old to new nodes that saves the most, as pairs of a new node and an
/// old one. Surplus nodes of either kind are left out.
fn best_assignment(
    free: &[usize],
    old: &Contents,
    unnamed: &[usize],
    new: &Contents,
    cost: &[u64],
) -> Vec<(usize, usize)> {
    let assign = |rows: &[usize], in_rows: &Contents, columns: &[usize], in_columns: &Contents| {
        heaviest_assignment(&common_weights(rows, in_rows, columns, in_columns, cost), columns.len())
    };
    if unnamed.len() <= free.len() {
        let chosen = assign(unnamed, new, free, old);
        unnamed.iter().zip(chosen).map(|(&node, column)| (node, free[column])).collect()
    } else {
        let chosen = assign(free, old, unnamed, new);
        free.iter().zip(chosen).map(|(&from, column)| (unnamed[column], from)).collect()
    }
}

/// Computes the weight matrix with a row for each node of `rows` and a column for each of `columns`:
/// the moving cost of the tasks that two nodes have in common, which is saved if they are the same
/// node.
fn common_weights(
    rows: &[usize],
    in_rows: &Contents,
    columns: &[usize],
    in_columns: &Contents,
    cost: &[u64],
) -> Vec<i128> {
    let numbered = (0..).zip(columns);
    let mut by_job: Vec<(usize, usize, u32)> = numbered
        .flat_map(|(column, &node)| in_columns[node].iter().map(move |&(job, tasks)| (job, column, tasks)))
        .collect();
    by_job.sort_unstable();
    let mut common = vec![0; rows.len() * columns.len()];
    for (row, &node) in common.chunks_exact_mut(columns.len()).zip(rows) {
        for &(job, tasks) in &in_rows[node] {
            let first = by_job.partition_point(|other| other.0 < job);
            for &(_, column, there) in by_job[first..].iter().take_while(|other| other.0 == job) {
                row[column] += i128::from(cost[job]) * i128::from(tasks.min(there));
            }
        }
    }
    common
}
