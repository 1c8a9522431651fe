//! Sets of VMs on different groups of nodes.

use super::{Constraint, Lowering, OneGroup, Rule, Viewed};
use crate::vjob::VmId;

pub(super) const RULE: Rule = Rule { lower, broken };

fn lower(it: &Constraint, to: &mut Lowering<'_>) {
    let all = to.sets.of(&it.nodes.concat());
    let groups: Vec<_> = it.nodes.iter().map(|group| to.sets.of(group)).collect();
    for (at, vms) in it.vms.iter().enumerate() {
        to.lowered.restrict(vms, &all, true);
        vms.iter().for_each(|vm| to.lowered.among_of[vm.index()].push(to.lowered.among.len()));
        let others = it.vms.iter().enumerate().filter(|(other, _)| *other != at);
        let others = others.flat_map(|(_, vms)| vms).copied().collect();
        to.lowered.among.push(OneGroup { vms: vms.clone(), groups: groups.clone(), others });
    }
}

fn broken(it: &Constraint, viewed: &Viewed<'_>) -> Option<String> {
    let mut taken: Vec<(VmId, usize)> = Vec::new();
    for vms in &it.vms {
        let mut own: Option<(VmId, usize)> = None;
        for (vm, host) in viewed.hosted(vms) {
            let on = || format!("{} is on {}", viewed.vm(vm), viewed.node(host));
            let Some(group) = it.nodes.iter().position(|group| group.contains(&host)) else {
                return Some(format!("{}, which is in no group", on()));
            };
            if let Some((other, _)) = taken.iter().find(|(_, other)| *other == group) {
                return Some(format!("{}, in the group of {} of another set", on(), viewed.vm(*other)));
            }
            match own {
                Some((other, of_own)) if of_own != group => {
                    return Some(format!("{}, and {} is in another group", on(), viewed.vm(other)));
                }
                _ => own = Some((vm, group)),
            }
        }
        taken.extend(own);
    }
    None
}
