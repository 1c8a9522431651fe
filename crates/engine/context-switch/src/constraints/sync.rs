//! Some VMs act in one pool.

use super::{Constraint, Lowering, Rule, gather};

pub(super) const RULE: Rule = Rule { lower, broken: |_, _| None };

fn lower(it: &Constraint, to: &mut Lowering<'_>) {
    gather::join(&mut to.lowered.in_sync, &it.vms[0]);
}
