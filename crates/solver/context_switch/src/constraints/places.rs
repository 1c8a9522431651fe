//! Constraints on the hosts of single VMs: inside or outside of a set of nodes, or pinned to the
//! current one.

use super::Rule;
use crate::vjob::VmId;
use dfrsim_model::NodeId;

pub(super) const FENCE: Rule = Rule {
    lower: |it, to| to.restrict(&it.vms[0], &it.nodes[0], true),
    violation: |it, viewed| viewed.misplaced(&it.vms[0], |_, host| !it.nodes[0].contains(&host)),
};

pub(super) const BAN: Rule = Rule {
    lower: |it, to| to.restrict(&it.vms[0], &it.nodes[0], false),
    violation: |it, viewed| viewed.misplaced(&it.vms[0], |_, host| it.nodes[0].contains(&host)),
};

pub(super) const ROOT: Rule = Rule {
    lower: |it, to| {
        for vm in it.all_vms() {
            if let Some(host) = to.current.place(*vm).host() {
                to.vm(*vm).root = Some(host);
            }
        }
    },
    violation: |it, viewed| {
        viewed.misplaced(&it.vms[0], |vm, host| viewed.root(vm).is_some_and(|root| root != host))
    },
};

/// Quarantine: no VM enters or leaves the nodes.
pub(super) const QUARANTINE: Rule = Rule {
    lower: |it, to| {
        let mut outside = Vec::new();
        for (vm, place) in (0..).map(VmId).zip(to.current.places()) {
            match place.host().filter(|host| it.nodes[0].contains(host)) {
                Some(host) => to.vm(vm).root = Some(host),
                None => outside.push(vm),
            }
        }
        to.restrict(&outside, &it.nodes[0], false);
    },
    violation: |it, viewed| {
        let is_inside = |node: &NodeId| it.nodes[0].contains(node);
        viewed.misplaced(viewed.cluster.by_name(), |vm, host| {
            let root = viewed.root(vm).filter(is_inside);
            root.map_or_else(|| is_inside(&host), |root| root != host)
        })
    },
};
