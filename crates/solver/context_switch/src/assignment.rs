//! Incremental assignment of VMs to nodes within capacities and constraints.

use crate::amount::Amount;
use crate::cluster::Cluster;
use crate::configuration::Place;
use crate::constraints::Usage;
use crate::vjob::VmId;
use dfrsim_model::NodeId;
use std::ops::Deref;

/// A single VM, or VMs that must share a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unit {
    /// Members, sorted by name.
    pub(crate) vms: Vec<VmId>,
    /// Total demand of the members.
    pub(crate) demand: Amount,
}

/// Groups the given VMs into units, sorted by the name of their first VM. A VM that must share a
/// node with VMs outside of the given set forms a unit only with those inside of it.
pub(crate) fn units(cluster: &Cluster, vms: impl Iterator<Item = VmId>) -> Vec<Unit> {
    let mut chosen = vec![false; cluster.vms().len()];
    vms.for_each(|vm| chosen[vm.index()] = true);
    let mut units = Vec::new();
    for &vm in cluster.by_name() {
        if !std::mem::take(&mut chosen[vm.index()]) {
            continue;
        }
        let mut members = vec![vm];
        let mates = cluster.constraints().vm(vm).together.iter().copied();
        members.extend(mates.filter(|mate| std::mem::take(&mut chosen[mate.index()])));
        let demand = members.iter().fold(Amount::NONE, |sum, vm| sum + cluster.vm(*vm).demand);
        units.push(Unit { vms: members, demand });
    }
    units
}

/// Sorts units for first-fit decreasing: by memory, then CPU (section 3.2), largest first. The sort
/// is stable, so ties keep the order of names.
pub(crate) fn largest_first(units: &mut [Unit]) {
    units.sort_by_key(|unit| (-unit.demand.memory, -unit.demand.cpu));
}

/// A partial assignment of VMs to nodes, with the free resources that remain. The cluster is borrowed
/// or shared.
#[derive(Clone, Debug)]
pub(crate) struct Assignment<C> {
    cluster: C,
    free: Vec<Amount>,
    /// Free amount of each budget that nodes share.
    budgets: Vec<i64>,
    /// Number of additional nodes that may be on, for each limit.
    remaining_on: Vec<i64>,
    /// Number of VMs on each node.
    vm_counts: Vec<u32>,
    hosts: Vec<Option<NodeId>>,
}

impl<C: Deref<Target = Cluster>> Assignment<C> {
    /// Creates an assignment without any VM.
    pub(crate) fn empty(cluster: C) -> Assignment<C> {
        let free = cluster.node_ids().map(|node| cluster.capacity(node)).collect();
        let budgets = cluster.constraints().budgets.iter().map(|budget| budget.limit).collect();
        let constraints = cluster.constraints();
        let needed =
            |nodes: &[NodeId]| nodes.iter().filter(|node| constraints.node(**node).must_be_on).count();
        let remaining_on =
            constraints.online_limits.iter().map(|it| it.limit - needed(&it.nodes) as i64).collect();
        let (vm_counts, hosts) = (vec![0; cluster.nodes().len()], vec![None; cluster.vms().len()]);
        Assignment { cluster, free, budgets, remaining_on, vm_counts, hosts }
    }

    /// Returns the free resources of a node.
    pub(crate) fn free(&self, node: NodeId) -> Amount {
        self.free[node.index()]
    }

    /// Returns the node of a VM, if it has been assigned.
    pub(crate) fn host(&self, vm: VmId) -> Option<NodeId> {
        self.hosts[vm.index()]
    }

    /// Checks that a node has the free resources for a unit and that the constraints allow it.
    pub(crate) fn admits(&self, unit: &Unit, node: NodeId) -> bool {
        self.admits_in(unit, Place::Running(node))
    }

    fn admits_in(&self, unit: &Unit, place: Place) -> bool {
        let Some(node) = place.host() else { return true };
        unit.demand.fits(self.free[node.index()])
            && self.allows(unit, node)
            && usage(&self.cluster, unit, place)
                .all(|(budget, taken)| taken <= 0 || taken <= self.budgets[budget])
            && self.may_use(node)
    }

    /// Checks that the limits on powered-on nodes allow a VM on a node.
    pub(crate) fn may_use(&self, node: NodeId) -> bool {
        let vms = self.vm_counts[node.index()];
        limits_of_unused(&self.cluster, vms, node).iter().all(|&limit| self.remaining_on[limit] > 0)
    }

    /// Checks the first budgets, up to a number, for a unit on a node that others leave.
    pub(crate) fn is_within_budgets(
        &self,
        unit: &Unit,
        node: NodeId,
        budgets: usize,
        leaving: &(impl Iterator<Item = VmId> + Clone),
    ) -> bool {
        let (cluster, place) = (&*self.cluster, Place::Running(node));
        let taken = |it: &Usage, vm: VmId| it.of(vm, cluster.vm(vm), place);
        usage(cluster, unit, place).filter(|(budget, _)| *budget < budgets).all(|(budget, needed)| {
            let of = &cluster.constraints().budgets[budget].usage;
            let freed: i64 = leaving.clone().map(|vm| taken(of, vm)).sum();
            needed <= 0 || needed <= self.budgets[budget] + freed
        })
    }

    /// Checks that the constraints allow a unit on a node.
    fn allows(&self, unit: &Unit, node: NodeId) -> bool {
        self.blockers(unit, node).is_some_and(|vms| vms.is_empty())
    }

    /// Returns the VMs that would have to leave their nodes before the constraints allow a unit on a
    /// node; `None` if no departure suffices.
    pub(crate) fn blockers(&self, unit: &Unit, node: NodeId) -> Option<Vec<VmId>> {
        let constraints = self.cluster.constraints();
        let mut barring = Vec::new();
        for &vm in &unit.vms {
            let is_there = |other: &&VmId| self.host(**other) == Some(node);
            let is_elsewhere = |other: &&VmId| self.host(**other).is_some_and(|host| host != node);
            // Members of a unit that must not share a node fit nowhere.
            if !constraints.allows(vm, node)
                || constraints.vm(vm).apart.iter().any(|other| unit.vms.contains(other))
            {
                return None;
            }
            barring.extend(constraints.vm(vm).apart.iter().filter(is_there));
            barring.extend(constraints.vm(vm).together.iter().filter(is_elsewhere));
            for among in constraints.among(vm) {
                among.misplaced(node, |other| self.host(other), &mut barring)?;
            }
        }
        Some(barring)
    }

    /// Assigns an unassigned unit to a node.
    pub(crate) fn assign(&mut self, unit: &Unit, node: NodeId) {
        self.assign_in(unit, Place::Running(node));
    }

    pub(crate) fn assign_in(&mut self, unit: &Unit, place: Place) {
        let Some(node) = place.host() else { return };
        self.free[node.index()] -= unit.demand;
        let vms = &mut self.vm_counts[node.index()];
        limits_of_unused(&self.cluster, *vms, node).iter().for_each(|&limit| self.remaining_on[limit] -= 1);
        *vms += unit.vms.len() as u32;
        usage(&self.cluster, unit, place).for_each(|(budget, taken)| self.budgets[budget] -= taken);
        unit.vms.iter().for_each(|vm| self.hosts[vm.index()] = Some(node));
    }

    /// Removes a unit from its node.
    pub(crate) fn unassign(&mut self, unit: &Unit) {
        let node = self.host(unit.vms[0]).expect("the unit is assigned to a node");
        self.free[node.index()] += unit.demand;
        let vms = &mut self.vm_counts[node.index()];
        *vms -= unit.vms.len() as u32;
        limits_of_unused(&self.cluster, *vms, node).iter().for_each(|&limit| self.remaining_on[limit] += 1);
        let usage = usage(&self.cluster, unit, Place::Running(node));
        usage.for_each(|(budget, taken)| self.budgets[budget] += taken);
        unit.vms.iter().for_each(|vm| self.hosts[vm.index()] = None);
    }

    /// Reserves the memory of a dozing VM on its node. Returns false, without a change, if the
    /// memory does not fit.
    pub(crate) fn try_doze(&mut self, vm: VmId, node: NodeId) -> bool {
        let place = Place::Dozing(node);
        let unit = Unit { vms: vec![vm], demand: place.usage(self.cluster.vm(vm)) };
        let admits = self.admits_in(&unit, place);
        if admits {
            self.assign_in(&unit, place);
        }
        admits
    }

    /// Assigns each unit to the first node that admits it. If a unit fits nowhere, returns false and
    /// assigns none of them.
    pub(crate) fn first_fit(&mut self, units: &[Unit]) -> bool {
        for (index, unit) in units.iter().enumerate() {
            let found = self.cluster.node_ids().find(|&node| self.admits(unit, node));
            let Some(node) = found else {
                units[..index].iter().for_each(|unit| self.unassign(unit));
                return false;
            };
            self.assign(unit, node);
        }
        true
    }
}

/// Returns the limits on powered-on nodes that count a node with this number of VMs once it gets its
/// first VM; empty if it already counts.
fn limits_of_unused(cluster: &Cluster, vms: u32, node: NodeId) -> &[usize] {
    let of_node = cluster.constraints().node(node);
    if vms > 0 || of_node.must_be_on { &[] } else { &of_node.online_limits }
}

/// Returns the amount that a unit takes of each budget in a place.
fn usage<'a>(cluster: &'a Cluster, unit: &'a Unit, place: Place) -> impl Iterator<Item = (usize, i64)> {
    let constraints = cluster.constraints();
    place.host().map_or(&[][..], |node| &constraints.node(node).budgets).iter().map(move |&budget| {
        let taken = &constraints.budgets[budget].usage;
        (budget, unit.vms.iter().map(|&vm| taken.of(vm, cluster.vm(vm), place)).sum())
    })
}
