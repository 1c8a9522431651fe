//! Placement relations: which VMs may stand where.

use crate::vjob::VmId;
use dfrsim_model::NodeId;

/// A rule about where VMs may be hosted. VMs that wait, sleep on a disk or are terminated keep every rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Relation {
    /// No two of these VMs on one node: for high availability (section 7).
    Spread(Vec<VmId>),
    /// All of these VMs that are hosted on one node.
    Gather(Vec<VmId>),
    /// These VMs on these nodes only.
    Fence(Vec<VmId>, Vec<NodeId>),
    /// These VMs on none of these nodes.
    Ban(Vec<VmId>, Vec<NodeId>),
}

/// A relation that does not hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("VM `{vm}` on node `{node}` breaks the relation `{relation}`{}", other.as_ref().map(|vm| format!(" with VM `{vm}`")).unwrap_or_default())]
pub struct Broken {
    /// `spread`, `gather`, `fence` or `ban`.
    pub relation: &'static str,
    /// A VM that is where it must not be.
    pub vm: String,
    /// Its node.
    pub node: String,
    /// The VM to which it must not stand so.
    pub other: Option<String>,
}

/// A relation that does not hold, by numbers; see [`Broken`].
pub(crate) struct Breach {
    pub(crate) relation: &'static str,
    pub(crate) vm: VmId,
    pub(crate) node: NodeId,
    pub(crate) other: Option<VmId>,
}

/// The relations of a cluster, laid out for quick questions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relations {
    list: Vec<Relation>,
    /// For each VM, the nodes that may host it, if they are not all.
    allowed: Vec<Option<Vec<bool>>>,
    /// For each VM, those with which it must not share a node.
    apart: Vec<Vec<VmId>>,
    /// For each VM, the others with which it must share a node.
    together: Vec<Vec<VmId>>,
}

impl Relations {
    pub(crate) fn none(vms: usize) -> Relations {
        Relations {
            list: Vec::new(),
            allowed: vec![None; vms],
            apart: vec![Vec::new(); vms],
            together: vec![Vec::new(); vms],
        }
    }

    /// The relations between so many VMs and nodes; all of these must be among them. VMs that are gathered with a common
    /// one are gathered.
    #[must_use]
    pub fn new(vms: usize, nodes: usize, list: Vec<Relation>) -> Relations {
        let mut relations = Relations::none(vms);
        let mut gathered: Vec<Vec<VmId>> = Vec::new();
        for relation in &list {
            match relation {
                Relation::Spread(group) => {
                    for vm in group {
                        let others = group.iter().filter(|other| *other != vm);
                        relations.apart[vm.index()].extend(others);
                    }
                }
                Relation::Gather(group) => {
                    let meets = |other: &mut Vec<VmId>| other.iter().any(|vm| group.contains(vm));
                    let mut joined: Vec<VmId> = gathered.extract_if(.., meets).flatten().collect();
                    joined.extend(group);
                    joined.sort_unstable();
                    joined.dedup();
                    gathered.push(joined);
                }
                Relation::Fence(group, list) => relations.restrict(group, nodes, |node| list.contains(&node)),
                Relation::Ban(group, list) => relations.restrict(group, nodes, |node| !list.contains(&node)),
            }
        }
        for group in gathered {
            for vm in &group {
                relations.together[vm.index()] = group.iter().copied().filter(|other| other != vm).collect();
            }
        }
        for apart in &mut relations.apart {
            apart.sort_unstable();
            apart.dedup();
        }
        relations.list = list;
        relations
    }

    fn restrict(&mut self, group: &[VmId], nodes: usize, may: impl Fn(NodeId) -> bool) {
        for vm in group {
            let allowed = self.allowed[vm.index()].get_or_insert_with(|| vec![true; nodes]);
            for (node, allowed) in (0..).map(NodeId).zip(allowed) {
                *allowed &= may(node);
            }
        }
    }

    /// The relations as they were given.
    #[must_use]
    pub fn list(&self) -> &[Relation] {
        &self.list
    }
    /// Whether fences and bans let a node host a VM.
    #[must_use]
    pub fn allow(&self, vm: VmId, node: NodeId) -> bool {
        self.allowed[vm.index()].as_ref().is_none_or(|allowed| allowed[node.index()])
    }
    /// The VMs with which one must not share a node.
    #[must_use]
    pub fn apart(&self, vm: VmId) -> &[VmId] {
        &self.apart[vm.index()]
    }
    /// The other VMs with which one must share a node.
    #[must_use]
    pub fn together(&self, vm: VmId) -> &[VmId] {
        &self.together[vm.index()]
    }

    /// The first breach of a relation, given the host of each VM.
    pub(crate) fn breach(&self, hosts: &[Option<NodeId>]) -> Option<Breach> {
        (0..).map(VmId).zip(hosts).find_map(|(vm, host)| {
            let node = (*host)?;
            let breach = |relation, other| Some(Breach { relation, vm, node, other });
            if !self.allow(vm, node) {
                let fenced = |relation: &Relation| matches!(relation, Relation::Fence(group, list) if group.contains(&vm) && !list.contains(&node));
                return breach(if self.list.iter().any(fenced) { "fence" } else { "ban" }, None);
            }
            if let Some(&other) = self.apart(vm).iter().find(|other| hosts[other.index()] == Some(node)) {
                return breach("spread", Some(other));
            }
            let elsewhere = |other: &&VmId| hosts[other.index()].is_some_and(|host| host != node);
            self.together(vm).iter().find(elsewhere).and_then(|&other| breach("gather", Some(other)))
        })
    }
}
