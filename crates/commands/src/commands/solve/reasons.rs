//! Reasons for the actions of a plan.

use super::problem::described;
use dfrsim_context_switch::{Action, Amount, Cluster, Configuration, Kind, Place, Plan, VmId};
use dfrsim_model::NodeId;
use std::collections::{BTreeMap, BTreeSet};

/// Reason for a move that serves no rule and frees no resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoOtherReason {
    /// The target gives the nodes.
    Given,
    /// The whole plan is cheaper with it.
    Cheaper,
    /// The placement is better with it.
    Better,
}

/// Goals and rules for which the actions of a plan are made.
pub(super) struct Reasons<'a> {
    cluster: &'a Cluster,
    before: &'a Configuration,
    after: &'a Configuration,
    /// Nodes that `--drain` empties.
    drained: Vec<NodeId>,
    /// Origin of the decision which VMs run.
    decision: &'static str,
    otherwise: NoOtherReason,
    /// VMs that get a place on each node.
    arrivals: BTreeMap<NodeId, Vec<VmId>>,
    /// Numbers of the constraints that are violated before, each with its VMs and nodes.
    violated: Vec<(usize, BTreeSet<VmId>, BTreeSet<NodeId>)>,
    /// Amounts that are free on each node before; negative where it is overloaded.
    free: Vec<Amount>,
}

impl<'a> Reasons<'a> {
    /// Collects the reasons for a plan between two configurations.
    pub(super) fn new(
        cluster: &'a Cluster,
        (before, after): (&'a Configuration, &'a Configuration),
        plan: &Plan,
        drained: &[String],
        (decision, otherwise): (&'static str, NoOtherReason),
    ) -> Reasons<'a> {
        let mut arrivals: BTreeMap<NodeId, Vec<VmId>> = BTreeMap::new();
        for action in plan.actions() {
            let (from, to) = (action.from().host(), action.to().host());
            if let Some(node) = to.filter(|_| from != to) {
                arrivals.entry(node).or_default().push(action.vm());
            }
        }
        let list = cluster.constraints().list();
        let is_violated = |number: &usize| cluster.violation(*number, before).is_some();
        let violated = (0..list.len()).filter(is_violated).map(|number| {
            let vms = list[number].all_vms().copied().collect();
            (number, vms, list[number].all_nodes().copied().collect())
        });
        let mut free: Vec<Amount> = cluster.node_ids().map(|node| cluster.capacity(node)).collect();
        for (place, vm) in before.places().iter().zip(cluster.vms()) {
            if let Some(node) = place.host() {
                free[node.index()] -= place.usage(vm);
            }
        }
        let is_drained = |node: &NodeId| drained.contains(&cluster.node(*node).name);
        Reasons {
            cluster,
            before,
            after,
            drained: cluster.node_ids().filter(is_drained).collect(),
            decision,
            otherwise,
            arrivals,
            violated: violated.collect(),
            free,
        }
    }

    /// Collects the reasons for a plan to a better placement.
    pub(super) fn of_placement(
        cluster: &'a Cluster,
        places: (&'a Configuration, &'a Configuration),
        plan: &Plan,
    ) -> Reasons<'a> {
        Reasons::new(cluster, places, plan, &[], ("the placement says so", NoOtherReason::Better))
    }

    /// Returns the reason for an action: the goal or rule that needs it.
    pub(super) fn of(&self, action: &Action) -> String {
        let (vm, from, to) = (action.vm(), action.from(), action.to());
        let (begin, end) = (self.before.place(vm), self.after.place(vm));
        // A VM that runs before and after does not stop running, except to let others pass.
        let runs_on = matches!((begin, end), (Place::Running(_), Place::Running(_)));
        let is_detour = runs_on && (from != begin || to != end);
        match action.kind() {
            _ if is_detour => "way out of a circle of moves".to_owned(),
            Kind::Stop => format!("to be stopped: {}", self.decision),
            Kind::Suspend => format!("to sleep: {}", self.decision),
            Kind::Doze => format!("to doze: {}", self.decision),
            Kind::Migrate => self.of_departure(vm, from),
            Kind::Transfer if !matches!(end, Place::Running(_)) => self.of_departure(vm, from),
            _ => "to run".to_owned(),
        }
    }

    /// Returns the reason for which a VM or its image leaves a node.
    fn of_departure(&self, vm: VmId, from: Place) -> String {
        let Some(node) = from.node() else { return "to run".to_owned() };
        let name = &self.cluster.node(node).name;
        if self.drained.contains(&node) {
            return format!("drain of `{name}`");
        }
        if self.cluster.is_on(node) && !self.cluster.constraints().node(node).is_on {
            return format!("`{name}` is switched off");
        }
        if let Some(rule) = self.rule_kept(vm, node) {
            return rule;
        }
        let free = self.free[node.index()];
        let short = [(free.cpu, "CPU"), (free.memory, "memory")];
        if let Some((_, resource)) = short.into_iter().find(|(free, _)| *free < 0) {
            return format!("`{name}` has too little {resource}");
        }
        if let Some(other) = self.arrivals.get(&node).and_then(|vms| vms.iter().find(|other| **other != vm)) {
            return format!("room for `{}`", self.cluster.vm(*other).name);
        }
        let otherwise = match self.otherwise {
            NoOtherReason::Given => "the target names its node",
            NoOtherReason::Cheaper => "a cheaper plan",
            NoOtherReason::Better => "a better placement",
        };
        otherwise.to_owned()
    }

    /// Returns the constraint that the move of a VM makes hold, or brings nearer to holding.
    fn rule_kept(&self, vm: VmId, node: NodeId) -> Option<String> {
        let concerns = |(_, vms, nodes): &&(usize, BTreeSet<VmId>, BTreeSet<NodeId>)| {
            vms.contains(&vm) || vms.is_empty() && nodes.contains(&node)
        };
        let mut moved = None;
        let found = self.violated.iter().filter(concerns).find(|(number, ..)| {
            let moved = moved.get_or_insert_with(|| {
                let mut moved = self.before.clone();
                moved.set(vm, self.after.place(vm));
                moved
            });
            self.cluster.violation(*number, moved) != self.cluster.violation(*number, self.before)
        });
        found.map(|(number, ..)| described(self.cluster, &self.cluster.constraints().list()[*number]))
    }
}
