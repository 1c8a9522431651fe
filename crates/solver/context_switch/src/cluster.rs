//! Nodes with VMs and vjobs, under constraints.

use crate::amount::Amount;
use crate::configuration::Configuration;
use crate::constraints::{Constraint, Constraints};
use crate::durations::Durations;
use crate::inventory::{ClusterError, Inventory, Node, Resource};
use crate::vjob::{Vjob, VjobId, Vm, VmId};
use dfrsim_model::{NodeId, named};
use std::cmp::Reverse;
use std::ops::Deref;

named! {
    /// What the costs of actions and plans are.
    #[derive(Default)]
    pub enum Aim as "aim" {
        /// Those of the text, in MB.
        #[default]
        Cost = "cost",
        /// Such that the cheapest plan has the fewest moves, regardless of waits, and of such plans moves least memory. A migration, a
        /// suspend and a resume are a move each, and a resume elsewhere than at the image two.
        Moves = "moves",
        /// The end of the last action, in microseconds.
        Makespan = "makespan",
        /// The sum of the ends of all actions, in microseconds.
        Ends = "ends",
    }
}

named! {
    /// When the actions of a plan begin.
    #[derive(Default)]
    pub enum Starts as "begin of actions" {
        /// Pool by pool, each when the one before has ended, as in the text.
        #[default]
        Pools = "pools",
        /// Each as soon as there is room, unless it would take that of one of an earlier pool.
        Asap = "asap",
    }
}

/// What stays as it is in a context switch: nodes, vjobs, VMs and constraints.
#[derive(Clone, Debug, PartialEq)]
pub struct Cluster {
    inventory: Inventory,
    constraints: Constraints,
    /// What VMs may take of each node.
    capacities: Vec<Amount>,
    aim: Aim,
    /// What a move costs beside the memory.
    move_price: u64,
    durations: Durations,
    starts: Starts,
}

impl Deref for Cluster {
    type Target = Inventory;

    fn deref(&self) -> &Inventory {
        &self.inventory
    }
}

impl Cluster {
    /// A cluster without constraints, whose nodes are on.
    ///
    /// # Errors
    /// Two nodes, vjobs or VMs have the same name, an amount is out of its range, or a VM's vjob does not exist.
    pub fn new(nodes: Vec<Node>, vjobs: Vec<Vjob>, vms: Vec<Vm>) -> Result<Cluster, ClusterError> {
        let inventory = Inventory::new(nodes, vjobs, vms)?;
        let capacities = inventory.nodes().iter().map(|node| node.capacity).collect();
        let constraints = Constraints::new(&inventory, &Configuration::new(Vec::new()), Vec::new());
        Ok(Cluster {
            inventory,
            constraints,
            capacities,
            aim: Aim::Cost,
            move_price: 0,
            durations: Durations::default(),
            starts: Starts::Pools,
        })
    }

    /// This cluster with constraints instead of those that it has; VMs are in these places.
    #[must_use]
    pub fn with_constraints(mut self, list: Vec<Constraint>, current: &Configuration) -> Cluster {
        self.constraints = Constraints::new(&self.inventory, current, list);
        let capacity = |node: NodeId| {
            let Amount { cpu, memory } = self.node(node).capacity;
            let of_node = self.constraints.node(node);
            Amount::new(of_node.may_take("cpu", cpu), of_node.may_take("memory", memory))
        };
        self.capacities = self.node_ids().map(capacity).collect();
        self
    }

    /// This cluster with units of CPU that are parts (1, 10, 100 or 1,000) of those in files and messages.
    #[must_use]
    pub(crate) const fn with_cpu_parts(mut self, parts: i64) -> Cluster {
        self.inventory.cpu_parts = parts;
        self
    }

    /// This cluster with more resources, and with these nodes off. Constraints that it has are left out.
    #[must_use]
    pub fn with_nodes(mut self, resources: Vec<Resource>, off: &[NodeId]) -> Cluster {
        self.inventory.resources = resources;
        self.inventory.is_on = self.node_ids().map(|node| !off.contains(&node)).collect();
        self.with_constraints(Vec::new(), &Configuration::new(Vec::new()))
    }

    /// This cluster with the costs of an aim.
    #[must_use]
    pub fn aiming_at(mut self, aim: Aim) -> Cluster {
        let memory: u64 = self.vms().iter().map(|vm| vm.demand.memory.unsigned_abs()).sum();
        // The memory that a plan moves is less.
        self.move_price = if aim == Aim::Moves { 8 * memory + 1 } else { 0 };
        self.aim = aim;
        self
    }
    /// What costs are.
    pub const fn aim(&self) -> Aim {
        self.aim
    }
    /// Whether costs are times.
    pub(crate) const fn is_timed(&self) -> bool {
        matches!(self.aim, Aim::Makespan | Aim::Ends)
    }
    /// How many moves cost so much, if they are counted.
    pub fn moves_of(&self, cost: u64) -> Option<u64> {
        (self.aim == Aim::Moves).then(|| cost / self.move_price)
    }
    /// What it costs to move a VM, in MB if moves are not counted.
    pub(crate) fn price(&self, vm: VmId) -> u64 {
        self.vm(vm).demand.memory.unsigned_abs() + self.move_price
    }
    /// What a wait for an action of this cost adds to the cost of a plan.
    pub(crate) const fn price_of_waiting(&self, cost: u64) -> u64 {
        if matches!(self.aim, Aim::Moves) { 0 } else { cost }
    }
    /// The cost of two actions of one pool by themselves, at least.
    pub(crate) fn both(&self, one: u64, other: u64) -> u64 {
        if self.aim == Aim::Makespan { one.max(other) } else { one.saturating_add(other) }
    }

    /// This cluster with other durations of actions, on which deadlines depend.
    #[must_use]
    pub fn with_durations(self, durations: Durations) -> Cluster {
        Cluster { durations, ..self }
    }
    /// How long actions take.
    pub const fn durations(&self) -> &Durations {
        &self.durations
    }

    /// This cluster with actions that begin pool by pool or earlier. Costs in MB are those of pools all the same.
    #[must_use]
    pub fn starting(self, starts: Starts) -> Cluster {
        Cluster { starts, ..self }
    }
    /// When actions begin.
    pub const fn starts(&self) -> Starts {
        self.starts
    }
    /// Whether costs are times of actions that do not wait for pools.
    pub(crate) fn is_early(&self) -> bool {
        self.is_timed() && self.starts == Starts::Asap
    }

    /// The constraints.
    pub const fn constraints(&self) -> &Constraints {
        &self.constraints
    }
    /// Whether a node is off before and after, so that no VM can be resumed from its disk.
    pub fn stays_off(&self, node: NodeId) -> bool {
        !self.is_on(node) && !self.constraints.node(node).is_on
    }
    /// Whether each node is on when VMs are in these places at the end. Of nodes of which `max-online` lets fewer be on, those
    /// without a VM are off: first those without an image, then by number.
    pub fn on_at_end(&self, after: &Configuration) -> Vec<bool> {
        let constraints = &self.constraints;
        let mut is_on: Vec<bool> = self.node_ids().map(|node| constraints.node(node).is_on).collect();
        let mut held = vec![0; is_on.len()];
        for place in after.places() {
            if let Some(node) = place.node() {
                held[node.index()] = if place.host().is_some() { 2 } else { 1.max(held[node.index()]) };
            }
        }
        for most in &constraints.most_on {
            let on = |node: &NodeId| is_on[node.index()];
            let excess = most.nodes.iter().filter(|node| on(node)).count() as i64 - most.limit;
            let is_free =
                |node: &NodeId| on(node) && held[node.index()] < 2 && !constraints.node(*node).must_be_on;
            let mut free: Vec<NodeId> = most.nodes.iter().copied().filter(is_free).collect();
            free.sort_by_key(|node| held[node.index()]);
            free.into_iter().take(excess.max(0) as usize).for_each(|node| is_on[node.index()] = false);
        }
        is_on
    }
    /// What VMs may take of a node: what it has, unless constraints say something else.
    pub fn capacity(&self, node: NodeId) -> Amount {
        self.capacities[node.index()]
    }

    /// Replaces what a VM needs of the CPU, as it is observed from now on.
    pub fn observe_cpu(&mut self, vm: VmId, cpu: u32) {
        self.inventory.vms[vm.index()].demand.cpu = i64::from(cpu);
    }
}

/// The vjobs in the order in which they are served: by priority, then by submission.
pub fn first_come_first_served(cluster: &Cluster) -> Vec<VjobId> {
    let mut queue: Vec<VjobId> = cluster.vjob_ids().collect();
    queue.sort_by_key(|vjob| Reverse(cluster.vjobs()[vjob.index()].priority));
    queue
}
