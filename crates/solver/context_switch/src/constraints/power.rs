//! Which nodes are on at the end.

use super::{MostOn, Rule};

pub(super) const ONLINE: Rule = Rule::not_of_places(|it, to| {
    for node in it.all_nodes() {
        let node = to.node(*node);
        (node.is_on, node.must_be_on) = (true, true);
    }
});

pub(super) const OFFLINE: Rule =
    Rule::not_of_places(|it, to| it.all_nodes().for_each(|node| to.node(*node).is_on = false));

pub(super) const MAX_ONLINE: Rule = Rule {
    lower: |it, to| {
        let mut nodes = it.nodes[0].clone();
        nodes.sort_unstable();
        nodes.dedup();
        let number = to.constraints.most_on.len();
        nodes.iter().for_each(|node| to.node(*node).most_on.push(number));
        to.constraints.most_on.push(MostOn { nodes, limit: it.amount.in_parts(1) });
    },
    broken: |it, viewed| {
        let needed = it.all_nodes().filter(|node| viewed.is_needed(**node)).count();
        (needed as i64 > it.amount.in_parts(1))
            .then(|| format!("{needed} of these nodes are needed, and {} may be on", it.amount))
    },
};
