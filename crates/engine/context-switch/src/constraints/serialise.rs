//! Some VMs act at different times.

use super::{Constraint, Lowering, Rule};

pub(super) const RULE: Rule = Rule { lower, broken: |_, _| None };

fn lower(it: &Constraint, to: &mut Lowering<'_>) {
    for vm in it.all_vms() {
        to.lowered.in_turn[vm.index()].extend(it.all_vms().filter(|other| *other != vm));
    }
}
