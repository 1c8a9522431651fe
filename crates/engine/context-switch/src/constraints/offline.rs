//! Nodes that are off at the end.

use super::{Constraint, Lowering, Rule};

pub(super) const RULE: Rule = Rule { lower, broken: |_, _| None };

fn lower(it: &Constraint, to: &mut Lowering<'_>) {
    it.all_nodes().for_each(|node| to.lowered.is_on[node.index()] = false);
}
