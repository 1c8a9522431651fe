//! Constraints on where VMs may be, on what nodes take, and on the order of actions: a file each.
//!
//! Each lowers itself to a few tables, which planner and optimiser ask, and says by itself whether it holds.

mod among;
mod ban;
mod deadline;
mod fence;
mod gather;
mod lonely;
mod max_online;
mod no_delay;
mod node_set;
mod offline;
mod online;
mod overbook;
mod precedence;
mod preserve;
mod quarantine;
mod resource_capacity;
mod root;
mod running_capacity;
mod serialise;
mod split;
mod split_among;
mod spread;
mod sync;

use crate::configuration::{Configuration, Place};
use crate::inventory::Inventory;
use crate::vjob::{Vm, VmId};
use dfrsim_input::Decimal;
use dfrsim_input::state::ConstraintKind;
use dfrsim_model::{NodeId, SimTime};
use node_set::{NodeSet, NodeSets};

/// A constraint, by numbers.
pub type Constraint = dfrsim_input::state::Constraint<VmId, NodeId>;

/// What a kind of constraint means.
struct Rule {
    lower: fn(&Constraint, &mut Lowering<'_>),
    /// How a configuration breaks the constraint, if it is about places.
    broken: fn(&Constraint, &Viewed<'_>) -> Option<String>,
}

const fn rule(kind: ConstraintKind) -> Rule {
    match kind {
        ConstraintKind::Spread => spread::RULE,
        ConstraintKind::Split => split::RULE,
        ConstraintKind::Lonely => lonely::RULE,
        ConstraintKind::Gather => gather::RULE,
        ConstraintKind::Fence => fence::RULE,
        ConstraintKind::Ban => ban::RULE,
        ConstraintKind::Among => among::RULE,
        ConstraintKind::SplitAmong => split_among::RULE,
        ConstraintKind::Root => root::RULE,
        ConstraintKind::Quarantine => quarantine::RULE,
        ConstraintKind::RunningCapacity => running_capacity::RULE,
        ConstraintKind::ResourceCapacity => resource_capacity::RULE,
        ConstraintKind::Overbook => overbook::RULE,
        ConstraintKind::Preserve => preserve::RULE,
        ConstraintKind::Online => online::RULE,
        ConstraintKind::Offline => offline::RULE,
        ConstraintKind::MaxOnline => max_online::RULE,
        ConstraintKind::Precedence => precedence::RULE,
        ConstraintKind::Serialise => serialise::RULE,
        ConstraintKind::Sync => sync::RULE,
        ConstraintKind::Deadline => deadline::RULE,
        ConstraintKind::NoDelay => no_delay::RULE,
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

/// What a constraint is lowered to, and from.
struct Lowering<'a> {
    lowered: &'a mut Lowered,
    sets: &'a mut NodeSets,
    cluster: &'a Inventory,
    current: &'a Configuration,
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

/// Tables for quick questions, with an entry a VM or a node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Lowered {
    /// The sets of nodes that a VM must be in, and must not be in.
    rules: Vec<Vec<(NodeSet, bool)>>,
    /// Where a VM is that may be on no other node.
    roots: Vec<Option<NodeId>>,
    /// Those with which a VM must not share a node at the end.
    apart: Vec<Vec<VmId>>,
    /// Those of them with which it must not at any moment.
    never_meet: Vec<Vec<VmId>>,
    /// The others with which a VM must share a node.
    together: Vec<Vec<VmId>>,
    among: Vec<OneGroup>,
    /// The entries of `among` in which a VM is.
    among_of: Vec<Vec<usize>>,
    /// Those that must have acted before a VM does.
    before: Vec<Vec<VmId>>,
    /// Those that must not act at the same time as a VM.
    in_turn: Vec<Vec<VmId>>,
    budgets: Vec<Budget>,
    /// The budgets to which a node belongs.
    budgets_of: Vec<Vec<usize>>,
    /// How many times its resources a node may be asked for.
    ratios: Vec<Vec<(String, Decimal)>>,
    /// Whether a node is on at the end, unless too many are.
    is_on: Vec<bool>,
    /// Whether it is so even without a VM.
    must_be_on: Vec<bool>,
    most_on: Vec<MostOn>,
    /// The entries of `most_on` in which a node is.
    most_on_of: Vec<Vec<usize>>,
    /// The others with which a VM acts in one pool, if it does.
    in_sync: Vec<Vec<VmId>>,
    /// When a VM must have acted.
    deadlines: Vec<Option<SimTime>>,
    /// Whether a VM acts in the first pool only.
    is_urgent: Vec<bool>,
}

impl Lowered {
    /// Keeps a VM off the nodes of others at the end, or always.
    fn part(&mut self, vm: VmId, others: impl Iterator<Item = VmId> + Clone, continuous: bool) {
        self.apart[vm.index()].extend(others.clone());
        if continuous {
            self.never_meet[vm.index()].extend(others);
        }
    }

    /// Lets VMs be on these nodes only, or on none of them.
    fn restrict(&mut self, vms: &[VmId], nodes: &NodeSet, is_inside: bool) {
        vms.iter().for_each(|vm| self.rules[vm.index()].push((nodes.clone(), is_inside)));
    }

    fn share(&mut self, mut budget: Budget) {
        budget.nodes.sort_unstable();
        budget.nodes.dedup();
        for node in &budget.nodes {
            self.budgets_of[node.index()].push(self.budgets.len());
        }
        self.budgets.push(budget);
    }

    fn ratio(&self, node: NodeId, resource: &str) -> Option<Decimal> {
        self.ratios[node.index()].iter().find(|(name, _)| name == resource).map(|(_, ratio)| *ratio)
    }
}

/// The constraints of a cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Constraints {
    list: Vec<Constraint>,
    lowered: Lowered,
}

impl Constraints {
    /// Those of a cluster whose VMs are in these places, if any is `root`; and, for each node and resource beyond CPU and
    /// memory, what the node has.
    pub(crate) fn new(cluster: &Inventory, current: &Configuration, list: Vec<Constraint>) -> Constraints {
        let (vms, nodes) = (cluster.vms().len(), cluster.nodes().len());
        let mut lowered = Lowered {
            rules: vec![Vec::new(); vms],
            roots: vec![None; vms],
            apart: vec![Vec::new(); vms],
            never_meet: vec![Vec::new(); vms],
            together: vec![Vec::new(); vms],
            among_of: vec![Vec::new(); vms],
            before: vec![Vec::new(); vms],
            in_turn: vec![Vec::new(); vms],
            budgets_of: vec![Vec::new(); nodes],
            ratios: vec![Vec::new(); nodes],
            is_on: cluster.node_ids().map(|node| cluster.is_on(node)).collect(),
            must_be_on: vec![false; nodes],
            most_on_of: vec![Vec::new(); nodes],
            in_sync: vec![Vec::new(); vms],
            deadlines: vec![None; vms],
            is_urgent: vec![false; vms],
            ..Lowered::default()
        };
        let mut sets = NodeSets::new(nodes);
        let mut lowering = Lowering { lowered: &mut lowered, sets: &mut sets, cluster, current };
        list.iter().for_each(|constraint| (rule(constraint.kind).lower)(constraint, &mut lowering));
        for resource in cluster.resources() {
            for (node, &has) in cluster.node_ids().zip(&resource.nodes) {
                let limit = lowered.ratio(node, &resource.name).map_or(has, |ratio| ratio.times(has));
                let taken = Taken::Each(resource.vms.clone());
                lowered.share(Budget { limit, nodes: vec![node], taken });
            }
        }
        let Lowered { apart, never_meet, before, in_turn, .. } = &mut lowered;
        for others in apart.iter_mut().chain(never_meet).chain(before).chain(in_turn) {
            others.sort_unstable();
            others.dedup();
        }
        Constraints { list, lowered }
    }

    /// The constraints as they were given.
    pub fn list(&self) -> &[Constraint] {
        &self.list
    }
    /// Whether a node is on at the end, unless `max-online` says otherwise.
    pub fn is_on(&self, node: NodeId) -> bool {
        self.lowered.is_on[node.index()]
    }
    /// Whether a node may host a VM, regardless of the other VMs there.
    pub fn allow(&self, vm: VmId, node: NodeId) -> bool {
        self.is_on(node)
            && self.lowered.roots[vm.index()].is_none_or(|root| root == node)
            && self.lowered.rules[vm.index()].iter().all(|(nodes, is_inside)| nodes.has(node) == *is_inside)
    }
    /// The VMs with which one must not share a node at any moment.
    pub fn never_meet(&self, vm: VmId) -> &[VmId] {
        &self.lowered.never_meet[vm.index()]
    }
    /// The VMs with which one must not share a node at the end.
    pub fn apart(&self, vm: VmId) -> &[VmId] {
        &self.lowered.apart[vm.index()]
    }
    /// The other VMs with which one must share a node.
    pub fn together(&self, vm: VmId) -> &[VmId] {
        &self.lowered.together[vm.index()]
    }
    /// The VMs that must have acted before one does.
    pub fn before(&self, vm: VmId) -> &[VmId] {
        &self.lowered.before[vm.index()]
    }
    /// The VMs that must not act at the same time as one.
    pub fn in_turn(&self, vm: VmId) -> &[VmId] {
        &self.lowered.in_turn[vm.index()]
    }
    /// The other VMs with which one acts in one pool.
    pub(crate) fn in_sync(&self, vm: VmId) -> &[VmId] {
        &self.lowered.in_sync[vm.index()]
    }
    /// When a VM must have acted.
    pub(crate) fn deadline(&self, vm: VmId) -> Option<SimTime> {
        self.lowered.deadlines[vm.index()]
    }
    /// Whether some VM has a deadline.
    pub(crate) fn have_deadlines(&self) -> bool {
        self.lowered.deadlines.iter().any(Option::is_some)
    }
    /// Whether a VM acts in the first pool only.
    pub(crate) fn is_urgent(&self, vm: VmId) -> bool {
        self.lowered.is_urgent[vm.index()]
    }
    /// Whether a VM acts at most once.
    pub(crate) fn acts_once(&self, vm: VmId) -> bool {
        self.is_urgent(vm) || !self.in_sync(vm).is_empty()
    }
    /// Whether a node is on at the end even without a VM.
    pub(crate) fn must_be_on(&self, node: NodeId) -> bool {
        self.lowered.must_be_on[node.index()]
    }
    pub(crate) fn most_on(&self) -> &[MostOn] {
        &self.lowered.most_on
    }
    /// The limits on nodes that are on to which a node belongs.
    pub(crate) fn most_on_of(&self, node: NodeId) -> &[usize] {
        &self.lowered.most_on_of[node.index()]
    }
    /// Whether there are rules about the order of actions.
    pub(crate) fn have_order(&self) -> bool {
        let lists = self.lowered.before.iter().chain(&self.lowered.in_turn);
        lists.into_iter().any(|list| !list.is_empty())
    }
    /// The groups of nodes for a VM and others.
    pub(crate) fn among(&self, vm: VmId) -> impl Iterator<Item = &OneGroup> {
        self.lowered.among_of[vm.index()].iter().map(|&number| &self.lowered.among[number])
    }
    pub(crate) fn budgets(&self) -> &[Budget] {
        &self.lowered.budgets
    }
    /// The budgets that VMs on a node take from.
    pub(crate) fn budgets_of(&self, node: NodeId) -> &[usize] {
        &self.lowered.budgets_of[node.index()]
    }
    /// How many times a resource of a node VMs may take, if it is not once.
    pub(crate) fn ratio(&self, node: NodeId, resource: &str) -> Option<Decimal> {
        self.lowered.ratio(node, resource)
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
    fn all(&self) -> impl Iterator<Item = VmId> + '_ {
        self.cluster.by_name().iter().copied()
    }
    /// Where a VM is that may be on no other node.
    fn root(&self, vm: VmId) -> Option<NodeId> {
        self.constraints.lowered.roots[vm.index()]
    }
    /// Whether a node must be on at the end.
    fn is_needed(&self, node: NodeId) -> bool {
        self.constraints.must_be_on(node)
            || self.configuration.places().iter().any(|place| place.host() == Some(node))
    }
    /// The first of some VMs that left the nodes on which it has to stay.
    fn strayed(&self, vms: &[VmId]) -> Option<String> {
        let (vm, host) = self.hosted(vms).find(|(vm, host)| !self.constraints.allow(*vm, *host))?;
        Some(format!("{} is on {}, and may not leave where they are", self.vm(vm), self.node(host)))
    }
    /// The amount that all VMs on these nodes take.
    fn taken(&self, taken: &Taken, nodes: &[NodeId]) -> i64 {
        let there = |vm: &VmId| self.host(*vm).is_some_and(|host| nodes.contains(&host));
        let by = |vm: VmId| taken.by(vm, self.cluster.vm(vm), self.configuration.place(vm));
        self.all().filter(there).map(by).sum()
    }
    fn vm(&self, vm: VmId) -> String {
        format!("VM `{}`", self.cluster.vm(vm).name)
    }
    fn node(&self, node: NodeId) -> String {
        format!("node `{}`", self.cluster.node(node).name)
    }
}
