//! Constraints on the power states of nodes at the end.

use super::{OnlineLimit, Rule};

pub(super) const ONLINE: Rule = Rule::without_placement(|it, to| {
    for node in it.all_nodes() {
        let node = to.node(*node);
        (node.is_on, node.must_be_on) = (true, true);
    }
});

pub(super) const OFFLINE: Rule =
    Rule::without_placement(|it, to| it.all_nodes().for_each(|node| to.node(*node).is_on = false));

pub(super) const MAX_ONLINE: Rule = Rule {
    lower: |it, to| {
        let mut nodes = it.nodes[0].clone();
        nodes.sort_unstable();
        nodes.dedup();
        let number = to.constraints.online_limits.len();
        nodes.iter().for_each(|node| to.node(*node).online_limits.push(number));
        to.constraints.online_limits.push(OnlineLimit { nodes, limit: it.amount.in_parts(1) });
    },
    violation: |it, viewed| {
        let needed = it.all_nodes().filter(|node| viewed.is_needed(**node)).count();
        (needed as i64 > it.amount.in_parts(1))
            .then(|| format!("{needed} of these nodes are needed; at most {} may be on", it.amount))
    },
};
