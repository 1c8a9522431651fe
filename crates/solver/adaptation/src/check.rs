//! Independent computation of the migration cost from one mapping to another.

use dfrsim_model::offline::Mapping;
use dfrsim_model::{NodeTasks, SortedMap};

/// Computes the migration cost: each task that leaves its node costs the job's cost (dissertation,
/// (6.7)). A node that has fewer tasks of a job than before has lost the difference. Jobs in only
/// one of the mappings count as new.
///
/// ```
/// use dfrsim_adaptation::check::moving_cost;
/// use dfrsim_model::{NodeId, NodeTasks};
///
/// let on = |node, tasks| NodeTasks { node: NodeId(node), tasks };
/// // Of three tasks at 5 each two leave the first node.
/// assert_eq!(moving_cost(&vec![vec![on(0, 3)]], &vec![vec![on(0, 1), on(1, 2)]], &[5]), 10);
/// ```
pub fn moving_cost(before: &Mapping, after: &Mapping, cost: &[u64]) -> u128 {
    let counts = |places: &[NodeTasks]| {
        let mut counts = SortedMap::<_, u64>::default();
        places.iter().for_each(|part| *counts.or_default(part.node) += u64::from(part.tasks));
        counts
    };
    let mut sum = 0;
    for ((before, after), &cost) in before.iter().zip(after).zip(cost) {
        let after = counts(after);
        for (node, tasks) in counts(before) {
            let left = tasks.saturating_sub(after.get(&node).copied().unwrap_or(0));
            sum += u128::from(left) * u128::from(cost);
        }
    }
    sum
}
