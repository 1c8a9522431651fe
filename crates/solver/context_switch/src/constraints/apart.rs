//! VMs on different nodes: each of some, those of different groups, or some and all others.

use super::{Constraint, Rule, others};
use crate::vjob::VmId;

pub(super) const SPREAD: Rule = Rule {
    lower: |it, to| {
        for vm in it.all_vms() {
            to.part(*vm, it.all_vms().copied().filter(|other| other != vm), it.is_continuous);
        }
    },
    broken: |it, viewed| {
        let vms = &it.vms[0];
        vms.iter().enumerate().find_map(|(at, &vm)| {
            let before = vms[..at].iter().copied().filter(|other| *other != vm);
            Some(viewed.both(viewed.beside(vm, before)?, vm))
        })
    },
};

pub(super) const SPLIT: Rule = Rule {
    lower: |it, to| {
        for (at, group) in it.vms.iter().enumerate() {
            let others = others(it, at);
            group.iter().for_each(|vm| to.part(*vm, others.iter().copied(), it.is_continuous));
        }
    },
    broken: |it, viewed| {
        it.vms.iter().enumerate().find_map(|(at, group)| {
            let before = it.vms[..at].iter().flatten().copied();
            group.iter().find_map(|&vm| Some(viewed.both(viewed.beside(vm, before.clone())?, vm)))
        })
    },
};

pub(super) const LONELY: Rule = Rule {
    lower: |it, to| {
        let all = (0..to.constraints.vms.len() as u32).map(VmId);
        let (lonely, others): (Vec<VmId>, Vec<VmId>) = all.partition(|vm| is_lonely(it, *vm));
        for (some, strangers) in [(&lonely, &others), (&others, &lonely)] {
            some.iter().for_each(|vm| to.part(*vm, strangers.iter().copied(), it.is_continuous));
        }
    },
    broken: |it, viewed| {
        let strangers = viewed.cluster.by_name().iter().copied().filter(|vm| !is_lonely(it, *vm));
        it.all_vms().find_map(|&vm| Some(viewed.both(vm, viewed.beside(vm, strangers.clone())?)))
    },
};

fn is_lonely(it: &Constraint, vm: VmId) -> bool {
    it.vms[0].contains(&vm)
}
