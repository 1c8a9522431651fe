//! Some VMs act in the first pool.

use super::{Constraint, Lowering, Rule};

pub(super) const RULE: Rule = Rule { lower, broken: |_, _| None };

fn lower(it: &Constraint, to: &mut Lowering<'_>) {
    it.all_vms().for_each(|vm| to.lowered.is_urgent[vm.index()] = true);
}
