//! Some VMs on one node.

use super::{Constraint, Lowering, Rule, Viewed};

pub(super) const RULE: Rule = Rule { lower, broken };

fn lower(it: &Constraint, to: &mut Lowering<'_>) {
    let vms = &it.vms[0];
    let mut hosts = vms.iter().filter_map(|vm| to.current.place(*vm).host());
    if let Some(host) = hosts.next().filter(|host| it.is_continuous && hosts.all(|other| other == *host)) {
        to.lowered.restrict(vms, &to.sets.of(&[host]), true);
    }
    join(&mut to.lowered.together, vms);
}

/// Makes some VMs, and all that are joined to one of them, joined to each other.
pub(super) fn join(joined_to: &mut [Vec<crate::VmId>], vms: &[crate::VmId]) {
    let mut joined: Vec<_> =
        vms.iter().flat_map(|vm| joined_to[vm.index()].iter().chain([vm])).copied().collect();
    joined.sort_unstable();
    joined.dedup();
    for vm in &joined {
        joined_to[vm.index()] = joined.iter().copied().filter(|other| other != vm).collect();
    }
}

fn broken(it: &Constraint, viewed: &Viewed<'_>) -> Option<String> {
    let mut hosted = viewed.hosted(&it.vms[0]);
    let (first, node) = hosted.next()?;
    let Some((other, elsewhere)) = hosted.find(|(_, host)| *host != node) else {
        return viewed.strayed(&it.vms[0]).filter(|_| it.is_continuous);
    };
    let on = |vm, node| format!("{} is on {}", viewed.vm(vm), viewed.node(node));
    Some(format!("{} and {}", on(first, node), on(other, elsewhere)))
}
