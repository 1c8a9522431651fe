//! VMs that are being given to nodes, one after the other, within capacities and constraints.

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
    /// The amount that they need together.
    pub(crate) demand: Amount,
}

/// The units of some VMs, by the names of their first VMs. VMs that are gathered with others than these are not units with
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
        let mates = cluster.constraints().vm(vm).together.iter().copied();
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
    /// The free parts of budgets that nodes share.
    budgets: Vec<i64>,
    /// How many more nodes may be on, of each limit.
    spare: Vec<i64>,
    /// How many VMs are on each node.
    count: Vec<u32>,
    hosts: Vec<Option<NodeId>>,
}

impl<'a> Assignment<'a> {
    /// Nodes without any VM.
    pub(crate) fn empty(cluster: &'a Cluster) -> Assignment<'a> {
        let room = cluster.node_ids().map(|node| cluster.capacity(node)).collect();
        let budgets = cluster.constraints().budgets.iter().map(|budget| budget.limit).collect();
        let constraints = cluster.constraints();
        let needed =
            |nodes: &[NodeId]| nodes.iter().filter(|node| constraints.node(**node).must_be_on).count();
        let spare = constraints.most_on.iter().map(|it| it.limit - needed(&it.nodes) as i64).collect();
        let (count, hosts) = (vec![0; cluster.nodes().len()], vec![None; cluster.vms().len()]);
        Assignment { cluster, room, budgets, spare, count, hosts }
    }

    /// The free resources of a node.
    pub(crate) fn room(&self, node: NodeId) -> Amount {
        self.room[node.index()]
    }

    /// Where a VM is.
    pub(crate) fn host(&self, vm: VmId) -> Option<NodeId> {
        self.hosts[vm.index()]
    }

    /// Whether a node can host a unit beside what it hosts, and constraints allow it.
    pub(crate) fn admits(&self, unit: &Unit, node: NodeId) -> bool {
        self.admits_in(unit, Place::Running(node))
    }

    fn admits_in(&self, unit: &Unit, place: Place) -> bool {
        let Some(node) = place.host() else { return true };
        unit.demand.fits(self.room[node.index()])
            && self.allows(unit, node)
            && self.taken(unit, place).all(|(budget, taken)| taken <= 0 || taken <= self.budgets[budget])
            && self.limits_of_empty(node).iter().all(|&limit| self.spare[limit] > 0)
    }

    /// The limits on nodes that are on to which a node belongs, if it is on only with a VM and has none.
    fn limits_of_empty(&self, node: NodeId) -> &'a [usize] {
        let constraints = self.cluster.constraints();
        let is_free = self.count[node.index()] > 0 || constraints.node(node).must_be_on;
        if is_free { &[] } else { &constraints.node(node).most_on }
    }

    /// The amount that a unit takes of each budget in a place.
    fn taken<'b>(&self, unit: &'b Unit, place: Place) -> impl Iterator<Item = (usize, i64)> + use<'a, 'b> {
        let cluster = self.cluster;
        let constraints = cluster.constraints();
        place.host().map_or(&[][..], |node| &constraints.node(node).budgets).iter().map(move |&budget| {
            let taken = &constraints.budgets[budget].taken;
            (budget, unit.vms.iter().map(|&vm| taken.by(vm, cluster.vm(vm), place)).sum())
        })
    }

    /// Whether constraints allow a unit on a node.
    fn allows(&self, unit: &Unit, node: NodeId) -> bool {
        self.barring(unit, node).is_some_and(|vms| vms.is_empty())
    }

    /// The VMs that would have to leave their nodes for constraints to allow a unit on a node; `None` if they never do.
    pub(crate) fn barring(&self, unit: &Unit, node: NodeId) -> Option<Vec<VmId>> {
        let constraints = self.cluster.constraints();
        let mut barring = Vec::new();
        for &vm in &unit.vms {
            let is_there = |other: &&VmId| self.host(**other) == Some(node);
            let is_elsewhere = |other: &&VmId| self.host(**other).is_some_and(|host| host != node);
            // Two of a unit that must not share a node have none.
            if !constraints.allow(vm, node)
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

    /// Gives a unit that is nowhere to a node.
    pub(crate) fn put(&mut self, unit: &Unit, node: NodeId) {
        self.put_in(unit, Place::Running(node));
    }

    fn put_in(&mut self, unit: &Unit, place: Place) {
        let Some(node) = place.host() else { return };
        self.room[node.index()] -= unit.demand;
        self.limits_of_empty(node).iter().for_each(|&limit| self.spare[limit] -= 1);
        self.count[node.index()] += unit.vms.len() as u32;
        self.taken(unit, place).for_each(|(budget, taken)| self.budgets[budget] -= taken);
        unit.vms.iter().for_each(|vm| self.hosts[vm.index()] = Some(node));
    }

    /// Takes a unit from its node.
    pub(crate) fn take(&mut self, unit: &Unit) {
        let node = self.host(unit.vms[0]).expect("it was given to a node");
        self.room[node.index()] += unit.demand;
        self.count[node.index()] -= unit.vms.len() as u32;
        self.limits_of_empty(node).iter().for_each(|&limit| self.spare[limit] += 1);
        self.taken(unit, Place::Running(node)).for_each(|(budget, taken)| self.budgets[budget] += taken);
        unit.vms.iter().for_each(|vm| self.hosts[vm.index()] = None);
    }

    /// Takes a memory of a node for a VM that dozes there; not if there is none.
    pub(crate) fn doze(&mut self, vm: VmId, node: NodeId) -> bool {
        let place = Place::Dozing(node);
        let unit = Unit { vms: vec![vm], demand: place.taken(self.cluster.vm(vm)) };
        let admits = self.admits_in(&unit, place);
        if admits {
            self.put_in(&unit, place);
        }
        admits
    }

    /// Gives each unit to the first node that can host it; if there is none for one, no unit is assigned.
    pub(crate) fn first_fit(&mut self, units: &[Unit]) -> bool {
        for (index, unit) in units.iter().enumerate() {
            let found = self.cluster.node_ids().find(|&node| self.admits(unit, node));
            let Some(node) = found else {
                units[..index].iter().for_each(|unit| self.take(unit));
                return false;
            };
            self.put(unit, node);
        }
        true
    }
}
