//! Some VMs where they are.

use super::{Constraint, Lowering, Rule, Viewed};
use crate::vjob::VmId;

pub(super) const RULE: Rule = Rule { lower, broken };

fn lower(it: &Constraint, to: &mut Lowering<'_>) {
    for vm in it.all_vms() {
        if let Some(host) = to.current.place(*vm).host() {
            to.lowered.roots[vm.index()] = Some(host);
        }
    }
}

fn broken(it: &Constraint, viewed: &Viewed<'_>) -> Option<String> {
    let is_elsewhere = |(vm, host): &(VmId, _)| viewed.root(*vm).is_some_and(|root| root != *host);
    let (vm, host) = viewed.hosted(&it.vms[0]).find(is_elsewhere)?;
    Some(format!("{} is on {}", viewed.vm(vm), viewed.node(host)))
}
