//! Constraints that keep VMs on different nodes: VMs of one set, VMs of different groups, or one set
//! and all other VMs.

use super::{Constraint, Rule, others};
use crate::vjob::VmId;

pub(super) const SPREAD: Rule = Rule {
    lower: |it, to| {
        for vm in it.all_vms() {
            to.separate(*vm, it.all_vms().copied().filter(|other| other != vm), it.is_continuous);
        }
    },
    violation: |it, viewed| {
        let vms = &it.vms[0];
        vms.iter().enumerate().find_map(|(at, &vm)| {
            let before = vms[..at].iter().copied().filter(|other| *other != vm);
            Some(viewed.describe_pair(viewed.cohosted(vm, before)?, vm))
        })
    },
};

pub(super) const SPLIT: Rule = Rule {
    lower: |it, to| {
        for (at, group) in it.vms.iter().enumerate() {
            let others = others(it, at);
            group.iter().for_each(|vm| to.separate(*vm, others.iter().copied(), it.is_continuous));
        }
    },
    violation: |it, viewed| {
        it.vms.iter().enumerate().find_map(|(at, group)| {
            let before = it.vms[..at].iter().flatten().copied();
            group.iter().find_map(|&vm| Some(viewed.describe_pair(viewed.cohosted(vm, before.clone())?, vm)))
        })
    },
};

pub(super) const LONELY: Rule = Rule {
    lower: |it, to| {
        let all = (0..to.constraints.vms.len() as u32).map(VmId);
        let (lonely, others): (Vec<VmId>, Vec<VmId>) = all.partition(|vm| is_lonely(it, *vm));
        for (some, strangers) in [(&lonely, &others), (&others, &lonely)] {
            some.iter().for_each(|vm| to.separate(*vm, strangers.iter().copied(), it.is_continuous));
        }
    },
    violation: |it, viewed| {
        let strangers = viewed.cluster.by_name().iter().copied().filter(|vm| !is_lonely(it, *vm));
        it.all_vms().find_map(|&vm| Some(viewed.describe_pair(vm, viewed.cohosted(vm, strangers.clone())?)))
    },
};

fn is_lonely(it: &Constraint, vm: VmId) -> bool {
    it.vms[0].contains(&vm)
}
