//! Some VMs with no other VM on their nodes.

use super::{Constraint, Lowering, Rule, Viewed};
use crate::vjob::VmId;

pub(super) const RULE: Rule = Rule { lower, broken };

fn lower(it: &Constraint, to: &mut Lowering<'_>) {
    let is_lonely = |vm: &VmId| it.vms[0].contains(vm);
    let all = (0..to.lowered.apart.len() as u32).map(VmId);
    let (lonely, others): (Vec<VmId>, Vec<VmId>) = all.partition(is_lonely);
    for (some, strangers) in [(&lonely, &others), (&others, &lonely)] {
        some.iter().for_each(|vm| to.lowered.part(*vm, strangers.iter().copied(), it.is_continuous));
    }
}

fn broken(it: &Constraint, viewed: &Viewed<'_>) -> Option<String> {
    viewed.hosted(&it.vms[0]).find_map(|(vm, host)| {
        let is_stranger = |other: &VmId| !it.vms[0].contains(other) && viewed.host(*other) == Some(host);
        let other = viewed.all().find(is_stranger)?;
        Some(format!("{} and {} are on {}", viewed.vm(vm), viewed.vm(other), viewed.node(host)))
    })
}
