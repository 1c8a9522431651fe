//! Tasks on nodes.

use crate::Rule;

/// The faults of a placement of this many tasks on a cluster of this many nodes.
pub(crate) fn fault(placement: &[(u32, u32)], tasks: u32, nodes: u32) -> Option<Rule> {
    let mut before = None;
    for &(node, count) in placement {
        if node >= nodes {
            return Some(Rule::NoSuchNode { node, nodes });
        }
        if let Some(before) = before.filter(|&before| before >= node) {
            return Some(Rule::NodesNotRising { node, before });
        }
        if count == 0 {
            return Some(Rule::NoTaskOnNode { node });
        }
        before = Some(node);
    }
    let placed: u64 = placement.iter().map(|&(_, count)| u64::from(count)).sum();
    (placed != u64::from(tasks)).then_some(Rule::TaskCount { placed, tasks })
}

/// The tasks that leave their node: the sum over nodes of max(0, before - after). Nodes rise in both.
pub(crate) fn moved_tasks(before: &[(u32, u32)], after: &[(u32, u32)]) -> u64 {
    let stay = |node: u32| {
        let place = after.binary_search_by_key(&node, |&(node, _)| node);
        place.map_or(0, |place| after[place].1)
    };
    before.iter().map(|&(node, tasks)| u64::from(tasks.saturating_sub(stay(node)))).sum()
}
