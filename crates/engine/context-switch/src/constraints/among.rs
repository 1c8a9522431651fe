//! Some VMs on one group of nodes.

use super::{Constraint, Lowering, OneGroup, Rule, Viewed};
use dfrsim_model::NodeId;

pub(super) const RULE: Rule = Rule { lower, broken };

fn lower(it: &Constraint, to: &mut Lowering<'_>) {
    let mut vms = it.vms[0].clone();
    vms.sort_unstable();
    vms.dedup();
    vms.iter().for_each(|vm| to.lowered.among_of[vm.index()].push(to.lowered.among.len()));
    let hosts: Vec<NodeId> = vms.iter().filter_map(|vm| to.current.place(*vm).host()).collect();
    let has_all = |group: &&Vec<NodeId>| hosts.iter().all(|host| group.contains(host));
    let own = it.nodes.iter().find(has_all).filter(|_| it.is_continuous && !hosts.is_empty());
    let groups = own.map_or(&it.nodes[..], std::slice::from_ref);
    to.lowered.restrict(&vms, &to.sets.of(&groups.concat()), true);
    let groups = groups.iter().map(|group| to.sets.of(group)).collect();
    to.lowered.among.push(OneGroup { vms, groups, others: Vec::new() });
}

fn broken(it: &Constraint, viewed: &Viewed<'_>) -> Option<String> {
    let vms = &it.vms[0];
    let mut hosts: Vec<NodeId> = viewed.hosted(vms).map(|(_, host)| host).collect();
    hosts.sort_unstable();
    hosts.dedup();
    let has_all = |group: &Vec<NodeId>| hosts.iter().all(|host| group.contains(host));
    if hosts.is_empty() || it.nodes.iter().any(has_all) {
        return viewed.strayed(vms).filter(|_| it.is_continuous);
    }
    let names: Vec<String> = hosts.into_iter().map(|host| viewed.node(host)).collect();
    Some(format!("VMs are on {}, and no group has all of these", names.join(", ")))
}
