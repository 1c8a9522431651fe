//! Nodes that may take more than they have, or less.

use super::{Constraint, Lowering, Rule};

/// Capacities are checked for all VMs together.
pub(super) const RULE: Rule = Rule { lower, broken: |_, _| None };

fn lower(it: &Constraint, to: &mut Lowering<'_>) {
    for node in it.all_nodes() {
        let ratios = &mut to.lowered.ratios[node.index()];
        match ratios.iter_mut().find(|(resource, _)| *resource == it.resource) {
            Some((_, ratio)) => *ratio = it.amount.min(*ratio),
            None => ratios.push((it.resource.clone(), it.amount)),
        }
    }
}
