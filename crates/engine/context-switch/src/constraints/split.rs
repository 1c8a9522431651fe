//! Groups of VMs on different nodes.

use super::{Constraint, Lowering, Rule, Viewed};
use crate::vjob::VmId;

pub(super) const RULE: Rule = Rule { lower, broken };

fn lower(it: &Constraint, to: &mut Lowering<'_>) {
    for (at, group) in it.vms.iter().enumerate() {
        let others = it.vms.iter().enumerate().filter(|(other, _)| *other != at);
        let others: Vec<VmId> = others.flat_map(|(_, group)| group).copied().collect();
        group.iter().for_each(|vm| to.lowered.part(*vm, others.iter().copied(), it.is_continuous));
    }
}

fn broken(it: &Constraint, viewed: &Viewed<'_>) -> Option<String> {
    it.vms.iter().enumerate().find_map(|(at, group)| {
        viewed.hosted(group).find_map(|(vm, host)| {
            let mut before = it.vms[..at].iter().flatten();
            let other = before.find(|other| viewed.host(**other) == Some(host))?;
            Some(format!("{} and {} are on {}", viewed.vm(*other), viewed.vm(vm), viewed.node(host)))
        })
    })
}
