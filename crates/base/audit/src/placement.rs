//! Checks of placements.

use crate::Rule;

/// Checks a placement of `tasks` tasks on a cluster of `nodes` nodes; returns the first violation.
pub(crate) fn check(placement: &[(u32, u32)], tasks: u32, nodes: u32) -> Option<Rule> {
    let mut before = None;
    for &(node, count) in placement {
        if node >= nodes {
            return Some(missing_node(node, nodes));
        }
        if let Some(before) = before.filter(|&before| before >= node) {
            return Some(
                format!("node {node} follows node {before} in the placement; expected ascending order")
                    .into(),
            );
        }
        if count == 0 {
            return Some(format!("no task is placed on node {node}").into());
        }
        before = Some(node);
    }
    let placed: u64 = placement.iter().map(|&(_, count)| u64::from(count)).sum();
    (placed != u64::from(tasks)).then(|| format!("{placed} tasks are placed, but the job has {tasks}").into())
}

/// Makes the message for a node that does not exist.
pub(crate) fn missing_node(node: u32, nodes: u32) -> Rule {
    format!("node {node} does not exist; there are {nodes} nodes").into()
}

/// Counts the tasks that leave their node: the sum over nodes of max(0, before - after). Both
/// placements are in ascending order.
pub(crate) fn moved_tasks(before: &[(u32, u32)], after: &[(u32, u32)]) -> u64 {
    let stay = |node: u32| {
        let place = after.binary_search_by_key(&node, |&(node, _)| node);
        place.map_or(0, |place| after[place].1)
    };
    before.iter().map(|&(node, tasks)| u64::from(tasks.saturating_sub(stay(node)))).sum()
}

/// Describes a placement in words.
pub(crate) fn describe(on: &[(u32, u32)]) -> String {
    let node = |&(node, tasks): &(u32, u32)| match tasks {
        1 => format!("node {node}"),
        _ => format!("node {node} ({tasks} tasks)"),
    };
    match on {
        [] => "on no node".to_owned(),
        _ => format!("on {}", on.iter().map(node).collect::<Vec<_>>().join(", ")),
    }
}
