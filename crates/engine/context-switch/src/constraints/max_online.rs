//! A limit on the number of nodes that are on at the end.

use super::{Constraint, Lowering, MostOn, Rule, Viewed};

pub(super) const RULE: Rule = Rule { lower, broken };

fn lower(it: &Constraint, to: &mut Lowering<'_>) {
    let mut nodes = it.nodes[0].clone();
    nodes.sort_unstable();
    nodes.dedup();
    nodes.iter().for_each(|node| to.lowered.most_on_of[node.index()].push(to.lowered.most_on.len()));
    to.lowered.most_on.push(MostOn { nodes, limit: it.amount.in_parts(1) });
}

fn broken(it: &Constraint, viewed: &Viewed<'_>) -> Option<String> {
    let needed = it.all_nodes().filter(|node| viewed.is_needed(**node)).count();
    (needed as i64 > it.amount.in_parts(1))
        .then(|| format!("{needed} of these nodes are needed, and {} may be on", it.amount))
}
