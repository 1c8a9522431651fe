//! Some VMs act one after the other.

use super::{Constraint, Lowering, Rule};

pub(super) const RULE: Rule = Rule { lower, broken: |_, _| None };

fn lower(it: &Constraint, to: &mut Lowering<'_>) {
    for (at, vm) in it.vms[0].iter().enumerate() {
        to.lowered.before[vm.index()].extend(&it.vms[0][..at]);
    }
}
