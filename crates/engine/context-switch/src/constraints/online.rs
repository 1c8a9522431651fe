//! Nodes that are on at the end.

use super::{Constraint, Lowering, Rule};

pub(super) const RULE: Rule = Rule { lower, broken: |_, _| None };

fn lower(it: &Constraint, to: &mut Lowering<'_>) {
    for node in it.all_nodes() {
        (to.lowered.is_on[node.index()], to.lowered.must_be_on[node.index()]) = (true, true);
    }
}
