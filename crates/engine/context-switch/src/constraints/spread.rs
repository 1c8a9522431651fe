//! No two of some VMs on one node.

use super::{Constraint, Lowering, Rule, Viewed};

pub(super) const RULE: Rule = Rule { lower, broken };

fn lower(it: &Constraint, to: &mut Lowering<'_>) {
    for vm in it.all_vms() {
        to.lowered.part(*vm, it.all_vms().copied().filter(|other| other != vm), it.is_continuous);
    }
}

fn broken(it: &Constraint, viewed: &Viewed<'_>) -> Option<String> {
    let vms = &it.vms[0];
    vms.iter().enumerate().find_map(|(at, vm)| {
        let host = viewed.host(*vm)?;
        let other = vms[..at].iter().find(|other| *other != vm && viewed.host(**other) == Some(host))?;
        Some(format!("{} and {} are on {}", viewed.vm(*other), viewed.vm(*vm), viewed.node(host)))
    })
}
