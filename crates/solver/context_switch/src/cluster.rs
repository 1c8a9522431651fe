//! The cluster: nodes with VMs and vjobs, under constraints.

use crate::amount::Amount;
use crate::configuration::Configuration;
use crate::constraints::{Constraint, Constraints};
use crate::durations::Durations;
use crate::inventory::{ClusterError, Inventory, Node, Resource};
use crate::vjob::{Vjob, VjobId, Vm, VmId};
use dfrsim_model::{NodeId, named};
use std::cmp::Reverse;
use std::num::NonZeroU32;
use std::ops::Deref;

named! {
    /// Objectives that define the costs of actions and plans.
    #[derive(Default)]
    pub enum Aim as "aim" {
        /// The cost model of the paper, in MB.
        #[default]
        Cost = "cost",
        /// The fewest moves, regardless of waiting; among such plans, the least memory moved. A
        /// migration, a suspend and a local resume count as one move each, a remote resume as two.
        Moves = "moves",
        /// The end of the last action (makespan), in microseconds.
        Makespan = "makespan",
        /// The sum of the end times of all actions, in microseconds.
        Ends = "ends",
    }
}

named! {
    /// Rules for the start times of a plan's actions.
    #[derive(Default)]
    pub enum Starts as "start of actions" {
        /// Pool by pool, as in the paper: each pool starts when the previous one has ended.
        #[default]
        Pools = "pools",
        /// Each action as soon as its resources are free, without delaying an action of an earlier
        /// pool.
        Asap = "asap",
    }
}

/// Numbers of moves that may be under way at once: live migrations, transfers of images, and wakes
/// on another node. The suspends and resumes of a vjob belong together and are not limited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MoveLimits {
    /// Largest number with one node as their source or destination.
    pub per_node: Option<NonZeroU32>,
    /// Largest number in the whole cluster.
    pub in_cluster: Option<NonZeroU32>,
}

impl MoveLimits {
    /// Iterates over the numbers of slots: those of each node, then those of the cluster, as far as
    /// they are limited.
    pub(crate) fn slots(self, nodes: usize) -> impl Iterator<Item = i64> {
        let number = |limit: NonZeroU32| i64::from(limit.get());
        let of_nodes = self.per_node.map(|limit| std::iter::repeat_n(number(limit), nodes));
        of_nodes.into_iter().flatten().chain(self.in_cluster.map(number))
    }
}

/// Everything that a context switch does not change: nodes, vjobs, VMs and constraints.
#[derive(Clone, Debug, PartialEq)]
pub struct Cluster {
    inventory: Inventory,
    constraints: Constraints,
    /// Capacity of each node after overbooking ratios.
    capacities: Vec<Amount>,
    aim: Aim,
    /// Cost of a move in addition to its memory.
    cost_per_move: u64,
    durations: Durations,
    starts: Starts,
    move_limits: MoveLimits,
    /// Constraints with a weight, which need not hold.
    soft: Vec<Constraint>,
}

impl Deref for Cluster {
    type Target = Inventory;

    fn deref(&self) -> &Inventory {
        &self.inventory
    }
}

impl Cluster {
    /// Creates a cluster without constraints, with all nodes on.
    ///
    /// # Errors
    /// Two nodes, vjobs or VMs have the same name, an amount is out of its range, or a VM's vjob
    /// does not exist.
    pub fn new(nodes: Vec<Node>, vjobs: Vec<Vjob>, vms: Vec<Vm>) -> Result<Cluster, ClusterError> {
        let inventory = Inventory::new(nodes, vjobs, vms)?;
        let capacities = inventory.nodes().iter().map(|node| node.capacity).collect();
        let constraints = Constraints::new(&inventory, &Configuration::new(Vec::new()), Vec::new());
        Ok(Cluster {
            inventory,
            constraints,
            capacities,
            aim: Aim::Cost,
            cost_per_move: 0,
            durations: Durations::default(),
            starts: Starts::Pools,
            move_limits: MoveLimits::default(),
            soft: Vec::new(),
        })
    }

    /// Replaces the constraints. `current` gives the places that constraints such as `root` refer
    /// to.
    #[must_use]
    pub fn with_constraints(mut self, list: Vec<Constraint>, current: &Configuration) -> Cluster {
        self.constraints = Constraints::new(&self.inventory, current, list);
        let capacity = |node: NodeId| {
            let Amount { cpu, memory } = self.node(node).capacity;
            let of_node = self.constraints.node(node);
            Amount::new(of_node.effective_capacity("cpu", cpu), of_node.effective_capacity("memory", memory))
        };
        self.capacities = self.node_ids().map(capacity).collect();
        self
    }

    /// Sets the soft constraints. The planner and the search do not know them: see
    /// [`keep_soft`](crate::keep_soft).
    #[must_use]
    pub fn with_soft(self, soft: Vec<Constraint>) -> Cluster {
        Cluster { soft, ..self }
    }
    /// Returns the soft constraints.
    pub fn soft(&self) -> &[Constraint] {
        &self.soft
    }
    /// Returns the limits that a constraint of the kind `spare` sets, as constraints of the kind
    /// `resource-capacity`.
    #[must_use]
    pub fn limits_of_spare(&self, spare: &Constraint) -> Vec<Constraint> {
        self.constraints.limits_of_spare(&self.inventory, spare)
    }
    /// Returns whether a configuration violates a constraint, which need not be one of the cluster.
    pub(crate) fn is_violated(&self, constraint: &Constraint, configuration: &Configuration) -> bool {
        self.constraints.is_violated(constraint, &self.inventory, configuration)
    }

    /// Sets the resolution of CPU amounts: the number of internal units (1, 10, 100 or 1,000) in one
    /// unit of files and messages.
    #[must_use]
    pub(crate) const fn with_cpu_parts(mut self, parts: i64) -> Cluster {
        self.inventory.cpu_parts = parts;
        self
    }

    /// Sets the additional resources and the nodes that are off. Removes all constraints.
    #[must_use]
    pub fn with_nodes(mut self, resources: Vec<Resource>, off: &[NodeId]) -> Cluster {
        self.inventory.resources = resources;
        self.inventory.is_on = self.node_ids().map(|node| !off.contains(&node)).collect();
        self.with_constraints(Vec::new(), &Configuration::new(Vec::new()))
    }

    /// Sets the objective.
    #[must_use]
    pub fn with_aim(mut self, aim: Aim) -> Cluster {
        let memory: u64 = self.vms().iter().map(|vm| vm.demand.memory.unsigned_abs()).sum();
        // A plan moves less memory than this, so that one move always outweighs the memory term.
        self.cost_per_move = if aim == Aim::Moves { 8 * memory + 1 } else { 0 };
        self.aim = aim;
        self
    }
    /// Returns the objective.
    pub const fn aim(&self) -> Aim {
        self.aim
    }
    /// Returns true if costs are times.
    pub(crate) const fn is_timed(&self) -> bool {
        matches!(self.aim, Aim::Makespan | Aim::Ends)
    }
    /// Converts a cost to a number of moves; `None` if the objective does not count moves.
    pub fn moves_of(&self, cost: u64) -> Option<u64> {
        (self.aim == Aim::Moves).then(|| cost / self.cost_per_move)
    }
    /// Returns the cost of moving a VM: its memory in MB, plus the cost per move if moves are
    /// counted.
    pub(crate) fn move_cost(&self, vm: VmId) -> u64 {
        self.vm(vm).demand.memory.unsigned_abs() + self.cost_per_move
    }
    /// Returns the cost of each action that waits for an action of this cost.
    pub(crate) const fn waiting_cost(&self, cost: u64) -> u64 {
        if matches!(self.aim, Aim::Moves) { 0 } else { cost }
    }
    /// Combines the costs of two actions of one pool to a lower bound on both: the maximum for the
    /// makespan, the sum otherwise.
    pub(crate) fn joint_cost(&self, one: u64, other: u64) -> u64 {
        if self.aim == Aim::Makespan { one.max(other) } else { one.saturating_add(other) }
    }

    /// Sets the durations of actions, which deadlines depend on.
    #[must_use]
    pub fn with_durations(self, durations: Durations) -> Cluster {
        Cluster { durations, ..self }
    }
    /// Returns the durations of actions.
    pub const fn durations(&self) -> &Durations {
        &self.durations
    }

    /// Sets the rule for start times. Costs in MB always assume pools.
    #[must_use]
    pub fn with_starts(self, starts: Starts) -> Cluster {
        Cluster { starts, ..self }
    }
    /// Returns the rule for start times.
    pub const fn starts(&self) -> Starts {
        self.starts
    }
    /// Sets the limits of simultaneous moves.
    #[must_use]
    pub fn with_move_limits(self, move_limits: MoveLimits) -> Cluster {
        Cluster { move_limits, ..self }
    }
    /// Returns the limits of simultaneous moves.
    pub const fn move_limits(&self) -> MoveLimits {
        self.move_limits
    }
    /// Returns true if costs are times and actions do not wait for whole pools.
    pub(crate) fn is_early(&self) -> bool {
        self.is_timed() && self.starts == Starts::Asap
    }

    /// Returns the constraints.
    pub const fn constraints(&self) -> &Constraints {
        &self.constraints
    }
    /// Describes how a configuration violates the constraint with this number in the
    /// [list](Constraints::list); `None` if it does not.
    ///
    /// # Panics
    /// There is no constraint with this number.
    pub fn violation(&self, number: usize, configuration: &Configuration) -> Option<String> {
        self.constraints.violation(number, &self.inventory, configuration)
    }
    /// Returns true if a node is off before and after the context switch. No VM can be resumed from
    /// the disk of such a node.
    pub fn stays_off(&self, node: NodeId) -> bool {
        !self.is_on(node) && !self.constraints.node(node).is_on
    }
    /// Determines for each node if it is on after the context switch, given the final places of the
    /// VMs. Where `max-online` lets fewer nodes be on, nodes without VMs are turned off: first those
    /// without images, then by number.
    pub fn on_at_end(&self, after: &Configuration) -> Vec<bool> {
        let constraints = &self.constraints;
        let mut is_on: Vec<bool> = self.node_ids().map(|node| constraints.node(node).is_on).collect();
        let mut content = vec![0; is_on.len()];
        for place in after.places() {
            if let Some(node) = place.node() {
                content[node.index()] = if place.host().is_some() { 2 } else { 1.max(content[node.index()]) };
            }
        }
        for most in &constraints.online_limits {
            let on = |node: &NodeId| is_on[node.index()];
            let excess = most.nodes.iter().filter(|node| on(node)).count() as i64 - most.limit;
            let is_free =
                |node: &NodeId| on(node) && content[node.index()] < 2 && !constraints.node(*node).must_be_on;
            let mut free: Vec<NodeId> = most.nodes.iter().copied().filter(is_free).collect();
            free.sort_by_key(|node| content[node.index()]);
            free.into_iter().take(excess.max(0) as usize).for_each(|node| is_on[node.index()] = false);
        }
        is_on
    }
    /// Returns the capacity of a node, including the overbooking ratios of constraints.
    pub fn capacity(&self, node: NodeId) -> Amount {
        self.capacities[node.index()]
    }

    /// Updates the CPU demand of a VM to a newly observed value.
    pub fn observe_cpu(&mut self, vm: VmId, cpu: u32) {
        self.inventory.vms[vm.index()].demand.cpu = i64::from(cpu);
    }
}

/// Returns the vjobs in the order in which they are served: by priority, highest first, then by
/// submission.
pub fn first_come_first_served(cluster: &Cluster) -> Vec<VjobId> {
    let mut queue: Vec<VjobId> = cluster.vjob_ids().collect();
    queue.sort_by_key(|vjob| Reverse(cluster.vjobs()[vjob.index()].priority));
    queue
}
