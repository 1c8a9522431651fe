//! VMs that are being given to nodes, one after the other, within capacities and relations.

use crate::amount::Amount;
use crate::cluster::Cluster;
use crate::configuration::Place;
use crate::vjob::VmId;
use dfrsim_model::NodeId;

/// VMs that must share a node, or a single one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unit {
    /// By name.
    pub(crate) vms: Vec<VmId>,
    /// What they need together.
    pub(crate) demand: Amount,
}

/// The units of some VMs, by the names of their first VMs. VMs that are gathered with others than these are no units with
/// those.
pub(crate) fn units(cluster: &Cluster, vms: impl Iterator<Item = VmId>) -> Vec<Unit> {
    let mut chosen = vec![false; cluster.vms().len()];
    vms.for_each(|vm| chosen[vm.index()] = true);
    let mut units = Vec::new();
    for &vm in cluster.by_name() {
        if !std::mem::take(&mut chosen[vm.index()]) {
            continue;
        }
        let mut members = vec![vm];
        let mates = cluster.relations().together(vm).iter().copied();
        members.extend(mates.filter(|mate| std::mem::take(&mut chosen[mate.index()])));
        let demand = members.iter().fold(Amount::NONE, |sum, vm| sum + cluster.vm(*vm).demand);
        units.push(Unit { vms: members, demand });
    }
    units
}

/// Sorts units for first-fit decreasing: by memory, then CPU (section 3.2), the largest first; then by name.
pub(crate) fn largest_first(units: &mut [Unit]) {
    units.sort_by_key(|unit| (-unit.demand.memory, -unit.demand.cpu));
}

/// Which VMs are on which nodes so far.
#[derive(Clone, Debug)]
pub(crate) struct Assignment<'a> {
    cluster: &'a Cluster,
    room: Vec<Amount>,
    hosts: Vec<Option<NodeId>>,
}

impl<'a> Assignment<'a> {
    /// Nodes without any VM.
    pub(crate) fn empty(cluster: &'a Cluster) -> Assignment<'a> {
        let room = cluster.nodes().iter().map(|node| node.capacity).collect();
        Assignment { cluster, room, hosts: vec![None; cluster.vms().len()] }
    }

    /// What a node has left.
    pub(crate) fn room(&self, node: NodeId) -> Amount {
        self.room[node.index()]
    }

    /// Where a VM is.
    pub(crate) fn host(&self, vm: VmId) -> Option<NodeId> {
        self.hosts[vm.index()]
    }

    /// Whether a node can host a unit beside what it hosts, and relations allow it.
    pub(crate) fn admits(&self, unit: &Unit, node: NodeId) -> bool {
        unit.demand.fits(self.room[node.index()]) && self.allows(unit, node)
    }

    /// Whether relations allow a unit on a node.
    fn allows(&self, unit: &Unit, node: NodeId) -> bool {
        let relations = self.cluster.relations();
        unit.vms.iter().all(|&vm| {
            let is_there = |other: &VmId| self.hosts[other.index()] == Some(node);
            let is_elsewhere = |other: &VmId| self.hosts[other.index()].is_some_and(|host| host != node);
            // Two of a unit that must not share a node have none.
            let clashes = |other: &VmId| is_there(other) || unit.vms.contains(other);
            relations.allow(vm, node)
                && !relations.apart(vm).iter().any(clashes)
                && !relations.together(vm).iter().any(is_elsewhere)
        })
    }

    /// Gives a unit that is nowhere to a node.
    pub(crate) fn put(&mut self, unit: &Unit, node: NodeId) {
        self.room[node.index()] -= unit.demand;
        unit.vms.iter().for_each(|vm| self.hosts[vm.index()] = Some(node));
    }

    /// Takes a unit from its node.
    pub(crate) fn take(&mut self, unit: &Unit, node: NodeId) {
        self.room[node.index()] += unit.demand;
        unit.vms.iter().for_each(|vm| self.hosts[vm.index()] = None);
    }

    /// Takes a memory of a node for a VM that dozes there; not if there is none.
    pub(crate) fn doze(&mut self, vm: VmId, node: NodeId) -> bool {
        let taken = Place::Dozing(node).taken(self.cluster.vm(vm));
        let unit = Unit { vms: vec![vm], demand: taken };
        let admits = self.admits(&unit, node);
        if admits {
            self.put(&unit, node);
        }
        admits
    }

    /// Gives each unit to the first node that can host it; if there is none for one, nothing is given.
    pub(crate) fn first_fit(&mut self, units: &[Unit]) -> bool {
        for (index, unit) in units.iter().enumerate() {
            let found = self.cluster.node_ids().find(|&node| self.admits(unit, node));
            let Some(node) = found else {
                for unit in &units[..index] {
                    let node = self.hosts[unit.vms[0].index()].expect("it was given to a node");
                    self.take(unit, node);
                }
                return false;
            };
            self.put(unit, node);
        }
        true
    }
}
