//! Constraints that keep VMs on one node, or in one group of nodes.

use super::{Lowering, OneGroup, Rule, others};
use crate::vjob::VmId;
use dfrsim_model::NodeId;

pub(super) const GATHER: Rule = Rule {
    lower: |it, to| {
        let vms = &it.vms[0];
        let mut hosts = vms.iter().filter_map(|vm| to.current.place(*vm).host());
        if let Some(host) = hosts.next().filter(|host| it.is_continuous && hosts.all(|other| other == *host))
        {
            to.restrict(vms, &[host], true);
        }
        to.join(vms, |vm| &mut vm.together);
    },
    violation: |it, viewed| {
        let mut hosted = viewed.hosted(&it.vms[0]);
        let (first, node) = hosted.next()?;
        let Some((other, elsewhere)) = hosted.find(|(_, host)| *host != node) else {
            return viewed.left_nodes(&it.vms[0]).filter(|_| it.is_continuous);
        };
        Some(format!("{} and {}", viewed.on(first, node), viewed.on(other, elsewhere)))
    },
};

pub(super) const AMONG: Rule = Rule {
    lower: |it, to| {
        let mut vms = it.vms[0].clone();
        vms.sort_unstable();
        vms.dedup();
        let hosts: Vec<NodeId> = vms.iter().filter_map(|vm| to.current.place(*vm).host()).collect();
        let has_all = |group: &&Vec<NodeId>| hosts.iter().all(|host| group.contains(host));
        let own = it.nodes.iter().find(has_all).filter(|_| it.is_continuous && !hosts.is_empty());
        among(to, vms, own.map_or(&it.nodes[..], std::slice::from_ref), Vec::new());
    },
    violation: |it, viewed| {
        let vms = &it.vms[0];
        let mut hosts: Vec<NodeId> = viewed.hosted(vms).map(|(_, host)| host).collect();
        hosts.sort_unstable();
        hosts.dedup();
        let has_all = |group: &Vec<NodeId>| hosts.iter().all(|host| group.contains(host));
        if hosts.is_empty() || it.nodes.iter().any(has_all) {
            return viewed.left_nodes(vms).filter(|_| it.is_continuous);
        }
        let names: Vec<String> = hosts.into_iter().map(|host| viewed.node(host)).collect();
        Some(format!("VMs are on {}, but no group has all of these nodes", names.join(", ")))
    },
};

pub(super) const SPLIT_AMONG: Rule = Rule {
    lower: |it, to| {
        for (at, vms) in it.vms.iter().enumerate() {
            among(to, vms.clone(), &it.nodes, others(it, at));
        }
    },
    violation: |it, viewed| {
        let mut taken: Vec<(VmId, usize)> = Vec::new();
        for vms in &it.vms {
            let mut own: Option<(VmId, usize)> = None;
            for (vm, host) in viewed.hosted(vms) {
                let on = || viewed.on(vm, host);
                let Some(group) = it.nodes.iter().position(|group| group.contains(&host)) else {
                    return Some(format!("{}, which is in no group", on()));
                };
                if let Some((other, _)) = taken.iter().find(|(_, other)| *other == group) {
                    return Some(format!(
                        "{}, in the same group as {} of another set",
                        on(),
                        viewed.vm(*other)
                    ));
                }
                match own {
                    Some((other, of_own)) if of_own != group => {
                        return Some(format!("{}, but {} is in another group", on(), viewed.vm(other)));
                    }
                    _ => own = Some((vm, group)),
                }
            }
            taken.extend(own);
        }
        None
    },
};

/// Restricts VMs to a single one of these groups of nodes, and keeps the other VMs out of that
/// group.
fn among(to: &mut Lowering<'_>, vms: Vec<VmId>, groups: &[Vec<NodeId>], others: Vec<VmId>) {
    to.restrict(&vms, &groups.concat(), true);
    let number = to.constraints.among.len();
    vms.iter().for_each(|vm| to.vm(*vm).among.push(number));
    let groups = groups.iter().map(|group| to.sets.of(group)).collect();
    to.constraints.among.push(OneGroup { vms, groups, others });
}
