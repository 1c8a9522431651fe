//! Constraints on the placement of VMs, on the use of nodes and on the order of actions: a file for
//! each family.
//!
//! Each constraint lowers itself to properties of VMs and nodes for the planner and the optimiser,
//! and has an independent check.

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

/// A constraint that refers to VMs and nodes by number.
pub type Constraint = dfrsim_state::Constraint<VmId, NodeId>;

/// Semantics of a kind of constraint.
struct Rule {
    lower: fn(&Constraint, &mut Lowering<'_>),
    /// Describes the violation of the constraint by a configuration; always `None` if the constraint
    /// is not about placement.
    violation: fn(&Constraint, &NamedView<'_>) -> Option<String>,
}

impl Rule {
    /// Creates the rule of a constraint that is not about placement, so that no configuration
    /// violates it.
    const fn without_placement(lower: fn(&Constraint, &mut Lowering<'_>)) -> Rule {
        Rule { lower, violation: |_, _| None }
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
        ConstraintKind::Spare => capacity::SPARE,
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

/// A constraint that a configuration violates.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("violated constraint `{constraint}`: {reason}")]
pub struct Violation {
    /// Kind of the constraint.
    pub constraint: ConstraintKind,
    /// Description of the violation, with the places of the VMs concerned.
    pub reason: String,
}

/// Usage that a [`Budget`] limits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Usage {
    /// One unit per running VM.
    One,
    Cpu,
    Memory,
    /// Amount per running VM, by VM number.
    Each(Vec<i64>),
}

impl Usage {
    /// Returns the usage by one VM in a place.
    pub(crate) fn of(&self, id: VmId, vm: &Vm, place: Place) -> i64 {
        let running = i64::from(matches!(place, Place::Running(_)));
        match self {
            Usage::One => running,
            Usage::Cpu => place.usage(vm).cpu,
            Usage::Memory => place.usage(vm).memory,
            Usage::Each(amounts) => running * amounts[id.index()],
        }
    }
}

/// A joint limit on the usage of some nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Budget {
    pub(crate) limit: i64,
    pub(crate) nodes: Vec<NodeId>,
    pub(crate) usage: Usage,
}

/// VMs that must all be in one of several groups of nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OneGroup {
    vms: Vec<VmId>,
    groups: Vec<NodeSet>,
    /// VMs that must be in another group.
    others: Vec<VmId>,
}

impl OneGroup {
    /// Adds the VMs that conflict with a placement on `node`: members that are hosted outside of its
    /// group, and `others` inside it. If several groups have the node, the group with the fewest
    /// conflicts counts. Returns `None` if no group has the node.
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

/// Nodes with a limit on the number of those that are on at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OnlineLimit {
    pub(crate) nodes: Vec<NodeId>,
    pub(crate) limit: i64,
}

/// Constraints on a VM.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VmConstraints {
    /// Sets of nodes with a flag: true if the VM must be inside the set, false if it must be
    /// outside.
    rules: Vec<(NodeSet, bool)>,
    /// The only node allowed, if constraints pin the VM to its current one.
    root: Option<NodeId>,
    /// VMs with which the VM must not share a node at the end.
    pub apart: Vec<VmId>,
    /// VMs with which the VM must not share a node at any time; a subset of `apart`.
    pub apart_always: Vec<VmId>,
    /// Other VMs with which the VM must share a node.
    pub together: Vec<VmId>,
    /// Indices of the group constraints on the VM.
    among: Vec<usize>,
    /// VMs that must have acted before the VM does.
    pub predecessors: Vec<VmId>,
    /// VMs that must not act at the same time as the VM.
    pub in_turn: Vec<VmId>,
    /// Other VMs that must act in the same pool as the VM, if they act at all.
    pub in_sync: Vec<VmId>,
    /// Time by which the action of the VM must have ended.
    pub deadline: Option<SimTime>,
    /// True if the VM may act in the first pool only.
    pub is_urgent: bool,
}

impl VmConstraints {
    /// Returns true if the VM may act at most once.
    pub(crate) fn acts_once(&self) -> bool {
        self.is_urgent || !self.in_sync.is_empty()
    }
}

/// Constraints on a node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeConstraints {
    /// True if the node is on at the end, subject to `max-online`.
    pub is_on: bool,
    /// True if the node must be on at the end even without a VM.
    pub must_be_on: bool,
    /// Indices of the budgets that VMs on the node use.
    pub(crate) budgets: Vec<usize>,
    /// Overbooking ratio per resource: capacity that VMs may use, relative to the physical one.
    ratios: Vec<(String, Decimal)>,
    /// Indices of the limits on powered-on nodes that include the node.
    pub(crate) online_limits: Vec<usize>,
}

impl NodeConstraints {
    /// Returns the amount of a resource that VMs may use, given the physical capacity `has`.
    pub fn effective_capacity(&self, resource: &str, has: i64) -> i64 {
        let ratio = self.ratios.iter().find(|(name, _)| name == resource);
        ratio.map_or(has, |(_, ratio)| ratio.times(has))
    }
}

/// Constraints of a cluster, as given and lowered to properties of VMs and nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Constraints {
    list: Vec<Constraint>,
    vms: Vec<VmConstraints>,
    nodes: Vec<NodeConstraints>,
    among: Vec<OneGroup>,
    pub(crate) budgets: Vec<Budget>,
    pub(crate) online_limits: Vec<OnlineLimit>,
}

/// Input and output of the lowering of constraints.
struct Lowering<'a> {
    constraints: &'a mut Constraints,
    sets: NodeSets,
    cluster: &'a Inventory,
    current: &'a Configuration,
}

impl Lowering<'_> {
    fn vm(&mut self, vm: VmId) -> &mut VmConstraints {
        &mut self.constraints.vms[vm.index()]
    }
    fn node(&mut self, node: NodeId) -> &mut NodeConstraints {
        &mut self.constraints.nodes[node.index()]
    }

    /// Keeps a VM off the nodes of other VMs, at the end or, if `continuous`, at all times.
    fn separate(&mut self, vm: VmId, others: impl Iterator<Item = VmId> + Clone, continuous: bool) {
        self.vm(vm).apart.extend(others.clone());
        if continuous {
            self.vm(vm).apart_always.extend(others);
        }
    }

    /// Restricts VMs to these nodes, or to all other nodes if `is_inside` is false.
    fn restrict(&mut self, vms: &[VmId], nodes: &[NodeId], is_inside: bool) {
        let nodes = self.sets.of(nodes);
        vms.iter().for_each(|vm| self.vm(*vm).rules.push((nodes.clone(), is_inside)));
    }

    /// Joins VMs, and transitively all VMs that are joined to one of them.
    fn join(&mut self, vms: &[VmId], joined_to: fn(&mut VmConstraints) -> &mut Vec<VmId>) {
        let mut joined = vms.to_vec();
        vms.iter().for_each(|vm| joined.extend_from_slice(joined_to(self.vm(*vm))));
        joined.sort_unstable();
        joined.dedup();
        for vm in &joined {
            *joined_to(self.vm(*vm)) = joined.iter().copied().filter(|other| other != vm).collect();
        }
    }

    fn add_budget(&mut self, mut budget: Budget) {
        budget.nodes.sort_unstable();
        budget.nodes.dedup();
        let number = self.constraints.budgets.len();
        budget.nodes.iter().for_each(|node| self.node(*node).budgets.push(number));
        self.constraints.budgets.push(budget);
    }
}

/// Returns the VMs of all sets but one.
fn others(it: &Constraint, set: usize) -> Vec<VmId> {
    let others = it.vms.iter().enumerate().filter(|(other, _)| *other != set);
    others.flat_map(|(_, vms)| vms).copied().collect()
}

impl Constraints {
    /// Lowers the constraints of a cluster whose VMs are in the places `current`, which `root`
    /// refers to. Adds a budget for each node and each resource other than CPU and memory.
    pub(crate) fn new(cluster: &Inventory, current: &Configuration, list: Vec<Constraint>) -> Constraints {
        let is_on = cluster
            .node_ids()
            .map(|node| NodeConstraints { is_on: cluster.is_on(node), ..NodeConstraints::default() });
        let mut constraints = Constraints {
            vms: vec![VmConstraints::default(); cluster.vms().len()],
            nodes: is_on.collect(),
            ..Constraints::default()
        };
        let sets = NodeSets::new(cluster.nodes().len());
        let mut lowering = Lowering { constraints: &mut constraints, sets, cluster, current };
        list.iter().for_each(|constraint| (rule(constraint.kind).lower)(constraint, &mut lowering));
        // The capacity that is spared depends on the constraints of the nodes.
        for spare in list.iter().filter(|constraint| constraint.kind == ConstraintKind::Spare) {
            let budgets = capacity::spare_budgets(spare, lowering.constraints, cluster, &list);
            budgets.into_iter().for_each(|(_, budget)| lowering.add_budget(budget));
        }
        for resource in cluster.resources() {
            for (node, &has) in cluster.node_ids().zip(&resource.nodes) {
                let limit = lowering.node(node).effective_capacity(&resource.name, has);
                let taken = Usage::Each(resource.vms.clone());
                lowering.add_budget(Budget { limit, nodes: vec![node], usage: taken });
            }
        }
        for VmConstraints { apart, apart_always: never_meet, predecessors: before, in_turn, .. } in
            &mut constraints.vms
        {
            for others in [apart, never_meet, before, in_turn] {
                others.sort_unstable();
                others.dedup();
            }
        }
        Constraints { list, ..constraints }
    }

    /// Returns the constraints as they were given.
    pub fn list(&self) -> &[Constraint] {
        &self.list
    }
    /// Returns the constraints on a VM.
    pub fn vm(&self, vm: VmId) -> &VmConstraints {
        &self.vms[vm.index()]
    }
    /// Returns the constraints on a node.
    pub fn node(&self, node: NodeId) -> &NodeConstraints {
        &self.nodes[node.index()]
    }
    /// Returns true if a node may host a VM, regardless of the other VMs there.
    pub fn allows(&self, vm: VmId, node: NodeId) -> bool {
        self.node(node).is_on
            && self.vm(vm).root.is_none_or(|root| root == node)
            && self.vm(vm).rules.iter().all(|(nodes, is_inside)| nodes.has(node) == *is_inside)
    }
    /// Returns the usage of each budget by a VM in a place.
    pub(crate) fn usage(
        &self,
        cluster: &Inventory,
        vm: VmId,
        place: Place,
    ) -> impl Iterator<Item = (usize, i64)> {
        let budgets = place.host().map_or(&[][..], |node| &self.node(node).budgets);
        budgets.iter().map(move |&budget| (budget, self.budgets[budget].usage.of(vm, cluster.vm(vm), place)))
    }
    /// Returns true if any VM has a deadline.
    pub(crate) fn has_deadlines(&self) -> bool {
        self.vms.iter().any(|vm| vm.deadline.is_some())
    }
    /// Returns true if any constraint orders actions.
    pub(crate) fn has_ordering(&self) -> bool {
        self.vms.iter().any(|vm| !vm.predecessors.is_empty() || !vm.in_turn.is_empty())
    }
    /// Returns the group constraints on a VM.
    pub(crate) fn among(&self, vm: VmId) -> impl Iterator<Item = &OneGroup> {
        self.vm(vm).among.iter().map(|&number| &self.among[number])
    }

    /// Returns the limits that a constraint of the kind `spare` sets, as constraints of the kind
    /// `resource-capacity`.
    pub(crate) fn limits_of_spare(&self, cluster: &Inventory, spare: &Constraint) -> Vec<Constraint> {
        let budgets = capacity::spare_budgets(spare, self, cluster, &self.list);
        let limit = |(resource, Budget { limit, nodes, .. }): (String, Budget)| {
            let parts = if resource == "cpu" { cluster.cpu_parts() } else { 1 };
            let limit = Decimal::of_parts(limit, parts);
            Constraint::new(ConstraintKind::ResourceCapacity, Vec::new(), vec![nodes]).with(&resource, limit)
        };
        budgets.into_iter().map(limit).collect()
    }

    /// Returns whether a configuration violates a constraint, which need not be in the list.
    pub(crate) fn is_violated(
        &self,
        constraint: &Constraint,
        cluster: &Inventory,
        configuration: &Configuration,
    ) -> bool {
        let viewed = NamedView { cluster, configuration, constraints: self };
        (rule(constraint.kind).violation)(constraint, &viewed).is_some()
    }

    /// Describes the violation of the constraint with this number in the list.
    pub(crate) fn violation(
        &self,
        number: usize,
        cluster: &Inventory,
        configuration: &Configuration,
    ) -> Option<String> {
        let constraint = &self.list[number];
        let viewed = NamedView { cluster, configuration, constraints: self };
        (rule(constraint.kind).violation)(constraint, &viewed)
    }

    /// Returns the first violated constraint.
    pub(crate) fn first_violation(
        &self,
        cluster: &Inventory,
        configuration: &Configuration,
    ) -> Option<Violation> {
        let viewed = NamedView { cluster, configuration, constraints: self };
        self.list.iter().find_map(|constraint| {
            let reason = (rule(constraint.kind).violation)(constraint, &viewed)?;
            Some(Violation { constraint: constraint.kind, reason })
        })
    }
}

/// A configuration under check, with the names that messages need.
struct NamedView<'a> {
    cluster: &'a Inventory,
    configuration: &'a Configuration,
    constraints: &'a Constraints,
}

impl NamedView<'_> {
    fn host(&self, vm: VmId) -> Option<NodeId> {
        self.configuration.place(vm).host()
    }
    /// Returns the VMs that are hosted, with their hosts.
    fn hosted<'a>(&'a self, vms: &'a [VmId]) -> impl Iterator<Item = (VmId, NodeId)> + Clone + 'a {
        vms.iter().filter_map(|vm| Some((*vm, self.host(*vm)?)))
    }
    /// Returns the first of the other VMs that is on the node of `vm`.
    fn cohosted(&self, vm: VmId, mut others: impl Iterator<Item = VmId>) -> Option<VmId> {
        let host = self.host(vm)?;
        others.find(|other| self.host(*other) == Some(host))
    }
    /// Returns the node to which constraints pin a VM.
    fn root(&self, vm: VmId) -> Option<NodeId> {
        self.constraints.vm(vm).root
    }
    /// Returns true if a node must be on at the end.
    fn is_needed(&self, node: NodeId) -> bool {
        self.constraints.node(node).must_be_on
            || self.configuration.places().iter().any(|place| place.host() == Some(node))
    }
    /// Describes the first VM that is on a wrong node.
    fn misplaced(&self, vms: &[VmId], is_wrong: impl Fn(VmId, NodeId) -> bool) -> Option<String> {
        let (vm, host) = self.hosted(vms).find(|(vm, host)| is_wrong(*vm, *host))?;
        Some(self.on(vm, host))
    }
    /// Describes the first VM that left the nodes on which it has to stay.
    fn left_nodes(&self, vms: &[VmId]) -> Option<String> {
        let strayed = self.misplaced(vms, |vm, host| !self.constraints.allows(vm, host))?;
        Some(format!("{strayed}, but may not leave its former nodes"))
    }
    /// Returns the usage by all VMs on these nodes.
    fn usage(&self, taken: &Usage, nodes: &[NodeId]) -> i64 {
        let there = self.hosted(self.cluster.by_name()).filter(|(_, host)| nodes.contains(host));
        there.map(|(vm, _)| taken.of(vm, self.cluster.vm(vm), self.configuration.place(vm))).sum()
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
    /// Describes two VMs on one node.
    fn describe_pair(&self, one: VmId, other: VmId) -> String {
        let host = self.host(one).map(|host| self.node(host)).unwrap_or_default();
        format!("{} and {} are on {host}", self.vm(one), self.vm(other))
    }
}
