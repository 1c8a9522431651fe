//! Some VMs on none of some nodes.

use super::{Constraint, Lowering, Rule, Viewed};

pub(super) const RULE: Rule = Rule { lower, broken };

fn lower(it: &Constraint, to: &mut Lowering<'_>) {
    to.lowered.restrict(&it.vms[0], &to.sets.of(&it.nodes[0]), false);
}

fn broken(it: &Constraint, viewed: &Viewed<'_>) -> Option<String> {
    let (vm, host) = viewed.hosted(&it.vms[0]).find(|(_, host)| it.nodes[0].contains(host))?;
    Some(format!("{} is on {}", viewed.vm(vm), viewed.node(host)))
}
