//! Constraints on where VMs may be, on what nodes take, and on the order of actions: a file each.
//!
//! Each lowers itself to a few tables, which planner and optimiser ask, and says by itself whether it holds.

mod among;
mod ban;
mod fence;
mod gather;
mod lonely;
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

pub use among::Among;
pub use ban::Ban;
pub use fence::Fence;
pub use gather::Gather;
pub use lonely::Lonely;
pub use offline::Offline;
pub use online::Online;
pub use overbook::Overbook;
pub use precedence::Precedence;
pub use preserve::Preserve;
pub use quarantine::Quarantine;
pub use resource_capacity::ResourceCapacity;
pub use root::Root;
pub use running_capacity::RunningCapacity;
pub use serialise::Serialise;
pub use split::Split;
pub use split_among::SplitAmong;
pub use spread::Spread;

use crate::configuration::{Configuration, Place};
use crate::decimal::Decimal;
use crate::inventory::Inventory;
use crate::vjob::{Vm, VmId};
use dfrsim_model::NodeId;
use node_set::{NodeSet, NodeSets};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A constraint, by numbers, or by names as in files. VMs that wait, sleep on a disk or are terminated keep every rule about
/// places.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[allow(missing_docs, reason = "each is described at its type")]
pub enum Constraint<V = VmId, N = NodeId> {
    Spread(Spread<V>),
    Split(Split<V>),
    Lonely(Lonely<V>),
    Gather(Gather<V>),
    Fence(Fence<V, N>),
    Ban(Ban<V, N>),
    Among(Among<V, N>),
    SplitAmong(SplitAmong<V, N>),
    Root(Root<V>),
    Quarantine(Quarantine<N>),
    RunningCapacity(RunningCapacity<N>),
    ResourceCapacity(ResourceCapacity<N>),
    Overbook(Overbook<N>),
    Preserve(Preserve<V>),
    Online(Online<N>),
    Offline(Offline<N>),
    Precedence(Precedence<V>),
    Serialise(Serialise<V>),
}

/// Whether a constraint that is continuous unless a file says otherwise is so.
const fn yes() -> bool {
    true
}

const fn is_yes(continuous: &bool) -> bool {
    *continuous
}

const fn is_no(continuous: &bool) -> bool {
    !*continuous
}

/// Adds faults of nodes that are in two groups.
fn check_disjoint<V, N: Ord, W, M>(groups: &[Vec<N>], to: &mut impl Translate<V, N, W, M>) {
    let mut first = BTreeMap::new();
    for (at, group) in groups.iter().enumerate() {
        for (position, node) in group.iter().enumerate() {
            if *first.entry(node).or_insert(at) != at {
                to.fault(
                    &format!("groups[{at}][{position}]"),
                    "the node is in a group before this one".to_owned(),
                );
            }
        }
    }
}

/// A constraint that does not hold in a configuration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the constraint `{constraint}` does not hold: {reason}")]
pub struct Broken {
    /// Its kind, as in files.
    pub constraint: &'static str,
    /// The places of VMs.
    pub reason: String,
}

/// From numbers to names or back. Fields are named for messages.
pub(crate) trait Translate<V, N, W, M> {
    fn vms(&mut self, field: &str, vms: &[V]) -> Vec<W>;
    fn nodes(&mut self, field: &str, nodes: &[N]) -> Vec<M>;
    /// Looks whether there is such a resource.
    fn resource(&mut self, field: &str, name: &str);
    /// The faults of a field.
    fn fault(&mut self, field: &str, message: String);
}

impl<V: PartialEq, N: Ord> Constraint<V, N> {
    pub(crate) fn map<W, M>(&self, to: &mut impl Translate<V, N, W, M>) -> Constraint<W, M> {
        match self {
            Constraint::Spread(it) => Constraint::Spread(it.map(to)),
            Constraint::Split(it) => Constraint::Split(it.map(to)),
            Constraint::Lonely(it) => Constraint::Lonely(it.map(to)),
            Constraint::Gather(it) => Constraint::Gather(it.map(to)),
            Constraint::Fence(it) => Constraint::Fence(it.map(to)),
            Constraint::Ban(it) => Constraint::Ban(it.map(to)),
            Constraint::Among(it) => Constraint::Among(it.map(to)),
            Constraint::SplitAmong(it) => Constraint::SplitAmong(it.map(to)),
            Constraint::Root(it) => Constraint::Root(it.map(to)),
            Constraint::Quarantine(it) => Constraint::Quarantine(it.map(to)),
            Constraint::RunningCapacity(it) => Constraint::RunningCapacity(it.map(to)),
            Constraint::ResourceCapacity(it) => Constraint::ResourceCapacity(it.map(to)),
            Constraint::Overbook(it) => Constraint::Overbook(it.map(to)),
            Constraint::Preserve(it) => Constraint::Preserve(it.map(to)),
            Constraint::Online(it) => Constraint::Online(it.map(to)),
            Constraint::Offline(it) => Constraint::Offline(it.map(to)),
            Constraint::Precedence(it) => Constraint::Precedence(it.map(to)),
            Constraint::Serialise(it) => Constraint::Serialise(it.map(to)),
        }
    }
}

impl Constraint {
    fn lower(
        &self,
        lowered: &mut Lowered,
        sets: &mut NodeSets,
        cluster: &Inventory,
        current: &Configuration,
    ) {
        match self {
            Constraint::Spread(it) => it.lower(lowered),
            Constraint::Split(it) => it.lower(lowered),
            Constraint::Lonely(it) => it.lower(lowered),
            Constraint::Gather(it) => it.lower(lowered, sets, current),
            Constraint::Fence(it) => it.lower(lowered, sets),
            Constraint::Ban(it) => it.lower(lowered, sets),
            Constraint::Among(it) => it.lower(lowered, sets, current),
            Constraint::SplitAmong(it) => it.lower(lowered, sets),
            Constraint::Root(it) => it.lower(lowered, current),
            Constraint::Quarantine(it) => it.lower(lowered, sets, current),
            Constraint::RunningCapacity(it) => it.lower(lowered),
            Constraint::ResourceCapacity(it) => it.lower(lowered, cluster),
            Constraint::Overbook(it) => it.lower(lowered),
            // What VMs need is raised where they are read.
            Constraint::Preserve(_) => {}
            Constraint::Online(it) => it.lower(lowered),
            Constraint::Offline(it) => it.lower(lowered),
            Constraint::Precedence(it) => it.lower(lowered),
            Constraint::Serialise(it) => it.lower(lowered),
        }
    }

    /// How a constraint on places is broken; the capacities of nodes are checked for all VMs together.
    fn broken(&self, viewed: &Viewed<'_>) -> Option<Broken> {
        let (constraint, reason) = match self {
            Constraint::Spread(it) => ("spread", it.broken(viewed)),
            Constraint::Split(it) => ("split", it.broken(viewed)),
            Constraint::Lonely(it) => ("lonely", it.broken(viewed)),
            Constraint::Gather(it) => ("gather", it.broken(viewed)),
            Constraint::Fence(it) => ("fence", it.broken(viewed)),
            Constraint::Ban(it) => ("ban", it.broken(viewed)),
            Constraint::Among(it) => ("among", it.broken(viewed)),
            Constraint::SplitAmong(it) => ("split-among", it.broken(viewed)),
            Constraint::Root(it) => ("root", it.broken(viewed)),
            Constraint::Quarantine(it) => ("quarantine", it.broken(viewed)),
            Constraint::RunningCapacity(it) => ("running-capacity", it.broken(viewed)),
            Constraint::ResourceCapacity(it) => ("resource-capacity", it.broken(viewed)),
            Constraint::Overbook(_)
            | Constraint::Preserve(_)
            | Constraint::Online(_)
            | Constraint::Offline(_)
            | Constraint::Precedence(_)
            | Constraint::Serialise(_) => return None,
        };
        Some(Broken { constraint, reason: reason? })
    }
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
    /// Whether a node is on at the end.
    is_on: Vec<bool>,
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
            ..Lowered::default()
        };
        let mut sets = NodeSets::new(nodes);
        list.iter().for_each(|constraint| constraint.lower(&mut lowered, &mut sets, cluster, current));
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
    /// Whether a node is on at the end.
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
        self.list.iter().find_map(|constraint| constraint.broken(&viewed))
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
