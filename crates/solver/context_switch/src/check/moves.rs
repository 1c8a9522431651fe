//! Checks of the limits of simultaneous moves.

use super::document::{ActionRecord, Document, StartTimes, Verb, micros};
use super::fault::PlanViolation;
use std::collections::BTreeMap;

/// Finds the times at which more moves are under way than a limit allows: on a node, or in the whole
/// cluster. Each limit is reported once for each pool.
pub(super) fn faults(plan: &Document) -> Vec<PlanViolation> {
    if plan.moves_per_node.is_none() && plan.moves.is_none() {
        return Vec::new();
    }
    let is_move = |action: &ActionRecord| {
        let is_of_kind = matches!(action.action, Verb::Migrate | Verb::Transfer | Verb::Wake);
        is_of_kind && action.from.is_some() && action.from != action.to
    };
    let moves: Vec<(usize, &ActionRecord)> =
        plan.all_actions().into_iter().filter(|(_, action)| is_move(action)).collect();
    let mut worst: BTreeMap<(usize, Option<&str>), usize> = BTreeMap::new();
    for &(pool, first) in &moves {
        // The number of moves is largest when one of them begins.
        let is_beside = |other: &&(usize, &ActionRecord)| match plan.actions {
            StartTimes::Pools => other.0 == pool,
            StartTimes::Asap => {
                let now = micros(first.begin_s);
                micros(other.1.begin_s) <= now && now < micros(other.1.end_s)
            }
        };
        let beside: Vec<&ActionRecord> = moves.iter().filter(is_beside).map(|(_, other)| *other).collect();
        let of_node = |node: &String| {
            beside.iter().filter(|it| it.from.as_ref() == Some(node) || it.to.as_ref() == Some(node)).count()
        };
        let of_nodes = [&first.from, &first.to].into_iter().flatten();
        let of_nodes = of_nodes.map(|node| (Some(node.as_str()), of_node(node), plan.moves_per_node));
        for (place, count, limit) in of_nodes.chain([(None, beside.len(), plan.moves)]) {
            if limit.is_some_and(|limit| count > limit) {
                let most = worst.entry((pool, place)).or_default();
                *most = count.max(*most);
            }
        }
    }
    let fault = |((pool, node), count): ((usize, Option<&str>), usize)| {
        let place = node.map_or("in the cluster".to_owned(), |node| format!("on node `{node}`"));
        let limit = if node.is_some() { plan.moves_per_node } else { plan.moves };
        PlanViolation::new(format!(
            "pool {pool}: {count} moves at once {place}, but at most {} are allowed",
            limit.unwrap_or_default()
        ))
    };
    worst.into_iter().map(fault).collect()
}
