//! Constraints on where VMs may be, on what nodes take, and on the order of actions: a file for each family.
//!
//! Each lowers itself to what planner and optimiser ask of a VM or a node, and says by itself whether it holds.

mod apart;
mod capacity;
mod groups;
mod node_set;
mod order;
mod places;
mod power;

use crate::configuration::{Configuration, Place};
use crate::inventory::Inventory;
use crate::vjob::{Vm, VmId};
use dfrsim_input::Decimal;
use dfrsim_model::{NodeId, SimTime};
use dfrsim_state::ConstraintKind;
use node_set::{NodeSet, NodeSets};

/// A constraint, by numbers.
pub type Constraint = dfrsim_state::Constraint<VmId, NodeId>;

/// What a kind of constraint means.
struct Rule {
    lower: fn(&Constraint, &mut Lowering<'_>),
    /// How a configuration breaks the constraint, if it is about places.
    broken: fn(&Constraint, &Viewed<'_>) -> Option<String>,
}

impl Rule {
    /// One that is not about places: no configuration breaks it.
    const fn not_of_places(lower: fn(&Constraint, &mut Lowering<'_>)) -> Rule {
        Rule { lower, broken: |_, _| None }
    }
}

const fn rule(kind: ConstraintKind) -> Rule {
    match kind {
        ConstraintKind::Spread => apart::SPREAD,
        ConstraintKind::Split => apart::SPLIT,
        ConstraintKind::Lonely => apart::LONELY,
        ConstraintKind::Gather => groups::GATHER,
        ConstraintKind::Among => groups::AMONG,
        ConstraintKind::SplitAmong => groups::SPLIT_AMONG,
        ConstraintKind::Fence => places::FENCE,
        ConstraintKind::Ban => places::BAN,
        ConstraintKind::Root => places::ROOT,
        ConstraintKind::Quarantine => places::QUARANTINE,
        ConstraintKind::RunningCapacity => capacity::RUNNING_CAPACITY,
        ConstraintKind::ResourceCapacity => capacity::RESOURCE_CAPACITY,
        ConstraintKind::Overbook => capacity::OVERBOOK,
        ConstraintKind::Preserve => capacity::PRESERVE,
        ConstraintKind::Online => power::ONLINE,
        ConstraintKind::Offline => power::OFFLINE,
        ConstraintKind::MaxOnline => power::MAX_ONLINE,
        ConstraintKind::Precedence => order::PRECEDENCE,
        ConstraintKind::Serialise => order::SERIALISE,
        ConstraintKind::Sync => order::SYNC,
        ConstraintKind::Deadline => order::DEADLINE,
        ConstraintKind::NoDelay => order::NO_DELAY,
    }
}

/// A constraint that does not hold in a configuration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the constraint `{constraint}` does not hold: {reason}")]
pub struct Broken {
    /// Its kind.
    pub constraint: ConstraintKind,
    /// The places of VMs.
    pub reason: String,
}

/// The amount that VMs take of a [`Budget`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Taken {
    /// One for each that runs.
    One,
    Cpu,
    Memory,
    /// So much for each that runs, by its number.
    Each(Vec<i64>),
}

impl Taken {
    /// By one VM in its place.
    pub(crate) fn by(&self, id: VmId, vm: &Vm, place: Place) -> i64 {
        let running = i64::from(matches!(place, Place::Running(_)));
        match self {
            Taken::One => running,
            Taken::Cpu => place.taken(vm).cpu,
            Taken::Memory => place.taken(vm).memory,
            Taken::Each(amounts) => running * amounts[id.index()],
        }
    }
}

/// What some nodes have together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Budget {
    pub(crate) limit: i64,
    pub(crate) nodes: Vec<NodeId>,
    pub(crate) taken: Taken,
}

/// VMs that must be in one group of nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OneGroup {
    vms: Vec<VmId>,
    groups: Vec<NodeSet>,
    /// Those that must be in another group.
    others: Vec<VmId>,
}

impl OneGroup {
    /// Adds the VMs that are hosted outside of the group that has a node and most of them, and the others within it; `None` if
    /// no group has that node.
    pub(crate) fn misplaced(
        &self,
        node: NodeId,
        host: impl Fn(VmId) -> Option<NodeId>,
        misplaced: &mut Vec<VmId>,
    ) -> Option<()> {
        let of = |group: &NodeSet| {
            let is_outside = |vm: &&VmId| host(**vm).is_some_and(|host| !group.has(host));
            let is_inside = |vm: &&VmId| host(**vm).is_some_and(|host| group.has(host));
            let vms = self.vms.iter().filter(is_outside).chain(self.others.iter().filter(is_inside));
            vms.copied().collect::<Vec<VmId>>()
        };
        let groups = self.groups.iter().filter(|group| group.has(node));
        misplaced.extend(groups.map(of).min_by_key(Vec::len)?);
        Some(())
    }
}

/// Nodes with a limit on how many are on at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MostOn {
    pub(crate) nodes: Vec<NodeId>,
    pub(crate) limit: i64,
}

/// What constraints say of a VM.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OfVm {
    /// The sets of nodes that it must be in, and must not be in.
    rules: Vec<(NodeSet, bool)>,
    /// Where it is, if it may be on no other node.
    root: Option<NodeId>,
    /// The VMs with which it must not share a node at the end.
    pub apart: Vec<VmId>,
    /// Those of them with which it must not at any moment.
    pub never_meet: Vec<VmId>,
    /// The other VMs with which it must share a node.
    pub together: Vec<VmId>,
    /// The groups of nodes for it and others, by their numbers.
    among: Vec<usize>,
    /// The VMs that must have acted before it does.
    pub before: Vec<VmId>,
    /// The VMs that must not act at the same time.
    pub in_turn: Vec<VmId>,
    /// The other VMs with which it acts in one pool, if it does.
    pub in_sync: Vec<VmId>,
    /// When it must have acted.
    pub deadline: Option<SimTime>,
    /// Whether it acts in the first pool only.
    pub is_urgent: bool,
}

impl OfVm {
    /// Whether the VM acts at most once.
    pub(crate) fn acts_once(&self) -> bool {
        self.is_urgent || !self.in_sync.is_empty()
    }
}

/// What constraints say of a node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OfNode {
    /// Whether it is on at the end, unless `max-online` says otherwise.
    pub is_on: bool,
    /// Whether it is so even without a VM.
    pub must_be_on: bool,
    /// The budgets that VMs on it take from, by their numbers.
    pub(crate) budgets: Vec<usize>,
    /// How many times its resources it may be asked for.
    ratios: Vec<(String, Decimal)>,
    /// The limits on nodes that are on to which it belongs, by their numbers.
    pub(crate) most_on: Vec<usize>,
}

impl OfNode {
    /// The amount of a resource that VMs may take of the node, which has so much.
    pub fn may_take(&self, resource: &str, has: i64) -> i64 {
        let ratio = self.ratios.iter().find(|(name, _)| name == resource);
        ratio.map_or(has, |(_, ratio)| ratio.times(has))
    }
}

/// The constraints of a cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Constraints {
    list: Vec<Constraint>,
    vms: Vec<OfVm>,
    nodes: Vec<OfNode>,
    among: Vec<OneGroup>,
    pub(crate) budgets: Vec<Budget>,
    pub(crate) most_on: Vec<MostOn>,
}

/// What constraints are lowered to, and from.
struct Lowering<'a> {
    constraints: &'a mut Constraints,
    sets: NodeSets,
    cluster: &'a Inventory,
    current: &'a Configuration,
}

impl Lowering<'_> {
    fn vm(&mut self, vm: VmId) -> &mut OfVm {
        &mut self.constraints.vms[vm.index()]
    }
    fn node(&mut self, node: NodeId) -> &mut OfNode {
        &mut self.constraints.nodes[node.index()]
    }

    /// Keeps a VM off the nodes of others at the end, or always.
    fn part(&mut self, vm: VmId, others: impl Iterator<Item = VmId> + Clone, continuous: bool) {
        self.vm(vm).apart.extend(others.clone());
        if continuous {
            self.vm(vm).never_meet.extend(others);
        }
    }

    /// Lets VMs be on these nodes only, or on none of them.
    fn restrict(&mut self, vms: &[VmId], nodes: &[NodeId], is_inside: bool) {
        let nodes = self.sets.of(nodes);
        vms.iter().for_each(|vm| self.vm(*vm).rules.push((nodes.clone(), is_inside)));
    }

    /// Makes some VMs, and all that are joined to one of them, joined to each other.
    fn join(&mut self, vms: &[VmId], joined_to: fn(&mut OfVm) -> &mut Vec<VmId>) {
        let mut joined = vms.to_vec();
        vms.iter().for_each(|vm| joined.extend_from_slice(joined_to(self.vm(*vm))));
        joined.sort_unstable();
        joined.dedup();
        for vm in &joined {
            *joined_to(self.vm(*vm)) = joined.iter().copied().filter(|other| other != vm).collect();
        }
    }

    fn share(&mut self, mut budget: Budget) {
        budget.nodes.sort_unstable();
        budget.nodes.dedup();
        let number = self.constraints.budgets.len();
        budget.nodes.iter().for_each(|node| self.node(*node).budgets.push(number));
        self.constraints.budgets.push(budget);
    }
}

/// The VMs of all sets but one.
fn others(it: &Constraint, set: usize) -> Vec<VmId> {
    let others = it.vms.iter().enumerate().filter(|(other, _)| *other != set);
    others.flat_map(|(_, vms)| vms).copied().collect()
}

impl Constraints {
    /// Those of a cluster whose VMs are in these places, if any is `root`; and, for each node and resource beyond CPU and
    /// memory, what the node has.
    pub(crate) fn new(cluster: &Inventory, current: &Configuration, list: Vec<Constraint>) -> Constraints {
        let is_on = cluster.node_ids().map(|node| OfNode { is_on: cluster.is_on(node), ..OfNode::default() });
        let mut constraints = Constraints {
            vms: vec![OfVm::default(); cluster.vms().len()],
            nodes: is_on.collect(),
            ..Constraints::default()
        };
        let sets = NodeSets::new(cluster.nodes().len());
        let mut lowering = Lowering { constraints: &mut constraints, sets, cluster, current };
        list.iter().for_each(|constraint| (rule(constraint.kind).lower)(constraint, &mut lowering));
        for resource in cluster.resources() {
            for (node, &has) in cluster.node_ids().zip(&resource.nodes) {
                let limit = lowering.node(node).may_take(&resource.name, has);
                let taken = Taken::Each(resource.vms.clone());
                lowering.share(Budget { limit, nodes: vec![node], taken });
            }
        }
        for OfVm { apart, never_meet, before, in_turn, .. } in &mut constraints.vms {
            for others in [apart, never_meet, before, in_turn] {
                others.sort_unstable();
                others.dedup();
            }
        }
        Constraints { list, ..constraints }
    }

    /// The constraints as they were given.
    pub fn list(&self) -> &[Constraint] {
        &self.list
    }
    /// What they say of a VM.
    pub fn vm(&self, vm: VmId) -> &OfVm {
        &self.vms[vm.index()]
    }
    /// What they say of a node.
    pub fn node(&self, node: NodeId) -> &OfNode {
        &self.nodes[node.index()]
    }
    /// Whether a node may host a VM, regardless of the other VMs there.
    pub fn allow(&self, vm: VmId, node: NodeId) -> bool {
        self.node(node).is_on
            && self.vm(vm).root.is_none_or(|root| root == node)
            && self.vm(vm).rules.iter().all(|(nodes, is_inside)| nodes.has(node) == *is_inside)
    }
    /// The amount that a VM takes of each budget in a place.
    pub(crate) fn taken(
        &self,
        cluster: &Inventory,
        vm: VmId,
        place: Place,
    ) -> impl Iterator<Item = (usize, i64)> {
        let budgets = place.host().map_or(&[][..], |node| &self.node(node).budgets);
        budgets.iter().map(move |&budget| (budget, self.budgets[budget].taken.by(vm, cluster.vm(vm), place)))
    }
    /// Whether some VM has a deadline.
    pub(crate) fn have_deadlines(&self) -> bool {
        self.vms.iter().any(|vm| vm.deadline.is_some())
    }
    /// Whether there are rules about the order of actions.
    pub(crate) fn have_order(&self) -> bool {
        self.vms.iter().any(|vm| !vm.before.is_empty() || !vm.in_turn.is_empty())
    }
    /// The groups of nodes for a VM and others.
    pub(crate) fn among(&self, vm: VmId) -> impl Iterator<Item = &OneGroup> {
        self.vm(vm).among.iter().map(|&number| &self.among[number])
    }

    /// The first constraint that does not hold.
    pub(crate) fn broken(&self, cluster: &Inventory, configuration: &Configuration) -> Option<Broken> {
        let viewed = Viewed { cluster, configuration, constraints: self };
        self.list.iter().find_map(|constraint| {
            let reason = (rule(constraint.kind).broken)(constraint, &viewed)?;
            Some(Broken { constraint: constraint.kind, reason })
        })
    }
}

/// A configuration that is checked, with names for messages.
struct Viewed<'a> {
    cluster: &'a Inventory,
    configuration: &'a Configuration,
    constraints: &'a Constraints,
}

impl Viewed<'_> {
    fn host(&self, vm: VmId) -> Option<NodeId> {
        self.configuration.place(vm).host()
    }
    /// Those of some VMs that are hosted, with their hosts.
    fn hosted<'a>(&'a self, vms: &'a [VmId]) -> impl Iterator<Item = (VmId, NodeId)> + Clone + 'a {
        vms.iter().filter_map(|vm| Some((*vm, self.host(*vm)?)))
    }
    /// The first of other VMs that is on the node of one.
    fn beside(&self, vm: VmId, mut others: impl Iterator<Item = VmId>) -> Option<VmId> {
        let host = self.host(vm)?;
        others.find(|other| self.host(*other) == Some(host))
    }
    /// Where a VM is that may be on no other node.
    fn root(&self, vm: VmId) -> Option<NodeId> {
        self.constraints.vm(vm).root
    }
    /// Whether a node must be on at the end.
    fn is_needed(&self, node: NodeId) -> bool {
        self.constraints.node(node).must_be_on
            || self.configuration.places().iter().any(|place| place.host() == Some(node))
    }
    /// The first of some VMs that is on a wrong node.
    fn misplaced(&self, vms: &[VmId], is_wrong: impl Fn(VmId, NodeId) -> bool) -> Option<String> {
        let (vm, host) = self.hosted(vms).find(|(vm, host)| is_wrong(*vm, *host))?;
        Some(self.on(vm, host))
    }
    /// The first of some VMs that left the nodes on which it has to stay.
    fn strayed(&self, vms: &[VmId]) -> Option<String> {
        let strayed = self.misplaced(vms, |vm, host| !self.constraints.allow(vm, host))?;
        Some(format!("{strayed}, and may not leave where they are"))
    }
    /// The amount that all VMs on these nodes take.
    fn taken(&self, taken: &Taken, nodes: &[NodeId]) -> i64 {
        let there = self.hosted(self.cluster.by_name()).filter(|(_, host)| nodes.contains(host));
        there.map(|(vm, _)| taken.by(vm, self.cluster.vm(vm), self.configuration.place(vm))).sum()
    }
    fn vm(&self, vm: VmId) -> String {
        format!("VM `{}`", self.cluster.vm(vm).name)
    }
    fn node(&self, node: NodeId) -> String {
        format!("node `{}`", self.cluster.node(node).name)
    }
    fn on(&self, vm: VmId, node: NodeId) -> String {
        format!("{} is on {}", self.vm(vm), self.node(node))
    }
    /// That two VMs are on one node.
    fn both(&self, one: VmId, other: VmId) -> String {
        let host = self.host(one).map(|host| self.node(host)).unwrap_or_default();
        format!("{} and {} are on {host}", self.vm(one), self.vm(other))
    }
}
