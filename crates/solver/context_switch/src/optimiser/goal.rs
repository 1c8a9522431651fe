//! The optimisation problem: decided states and open choices of nodes.

use super::Unsolved;
use crate::action::{Action, IllegalTransition, Kind};
use crate::amount::Amount;
use crate::assignment::{Assignment, Unit, largest_first, units};
use crate::cluster::Cluster;
use crate::configuration::{Configuration, Place};
use crate::vjob::{VjobId, VmId};
use dfrsim_model::{NodeId, greatest_common_divisor};

/// An action that frees resources of a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Departure {
    /// Lower bound on the cost of the action's pool.
    pub(super) price: u64,
    pub(super) node: NodeId,
    pub(super) freed: Amount,
    /// True if the action is decided; false if it is up to the assignment.
    pub(super) is_decided: bool,
}

/// Decided places, and the units for which a node is to be chosen.
#[derive(Clone, Debug)]
pub(super) struct Goal<'a> {
    pub(super) cluster: &'a Cluster,
    pub(super) current: &'a Configuration,
    /// Assignment with only the VMs that are to doze.
    empty: Assignment<&'a Cluster>,
    /// Decided places; for VMs that are to run only the state counts, not the node.
    pub(super) decided: Configuration,
    /// VMs to run as units, largest first.
    pub(super) units: Vec<Unit>,
    /// Unit of each VM that is to run.
    unit_of: Vec<Option<usize>>,
    /// Local cost of running each VM on its current node, and on any other node.
    costs: Vec<[u64; 2]>,
    /// Cheapest of the current nodes of each unit's VMs, and the minimum local cost of running the
    /// unit.
    homes: Vec<(Option<NodeId>, u64)>,
    /// Total local cost of the decided actions.
    pub(super) decided_cost: u64,
    /// Cost of the most expensive decided action (such as a suspend), an estimate of the first pool.
    pub(super) first_pool: u64,
    /// Actions that free resources, sorted by cost: the decided ones, and those of VMs that may
    /// leave without a cost.
    pub(super) departures: Vec<Departure>,
    /// Free resources of each node after all actions without cost.
    pub(super) free_at_once: Vec<Amount>,
    /// For each node, the lowest cost above 0 of an action that frees its resources.
    pub(super) first_departure_cost: Vec<u64>,
}

impl<'a> Goal<'a> {
    pub(super) fn new(
        cluster: &'a Cluster,
        current: &'a Configuration,
        wanted: &Configuration,
    ) -> Result<Goal<'a>, Unsolved> {
        let costs: Vec<[u64; 2]> = (0..)
            .map(VmId)
            .zip(current.places())
            .map(|(vm, from)| {
                let cost = |node| Action::to_run(vm, *from, node).map_or(0, |action| action.cost(cluster));
                [from.node().map_or(0, cost), cost(NOWHERE)]
            })
            .collect();
        let (mut decided_cost, mut first_pool) = (0, 0);
        let mut running = Vec::new();
        let (mut leaving, mut free_at_once) = (Vec::new(), current.free_resources(cluster));
        let mut first_leaves = vec![u64::MAX; cluster.nodes().len()];
        let dearest_suspend = most_expensive_suspends(cluster, current, wanted)?;
        for &vm in cluster.by_name() {
            let to = wanted.place(vm);
            let actions = Action::sequence_between(cluster, vm, current.place(vm), to)?;
            let cost = if let Place::Running(_) = to {
                running.push(vm);
                // Additional cost if the VM moves away.
                relocation_cost(current.place(vm), costs[vm.index()])
            } else {
                let [cost, then] = actions.map(|action| action.map_or(0, |action| action.cost(cluster)));
                decided_cost = cluster.joint_cost(decided_cost, cluster.joint_cost(cost, then));
                first_pool = cluster.waiting_cost(cost).max(first_pool);
                // The suspends of a vjob share a pool, so all of them cost as much as the most
                // expensive one.
                if let Place::Sleeping(_) = to { dearest_suspend[cluster.vm(vm).vjob.index()] } else { cost }
            };
            let may_leave = actions[0].is_some() || matches!(to, Place::Running(_));
            if let Some(host) = current.place(vm).host().filter(|_| may_leave) {
                let (node, taken) = (host.index(), current.place(vm).usage(cluster.vm(vm)));
                let freed = if let Place::Dozing(_) = to { taken - to.usage(cluster.vm(vm)) } else { taken };
                let is_decided = !matches!(to, Place::Running(_));
                if is_decided || cost == 0 {
                    leaving.push(Departure { price: cost, node: host, freed: freed.positive(), is_decided });
                }
                if cost == 0 {
                    free_at_once[node] += freed.positive();
                } else {
                    first_leaves[node] = cluster.waiting_cost(cost).min(first_leaves[node]);
                }
            }
        }
        leaving.sort_by_key(|leaving| leaving.price);
        let mut units = units(cluster, running.into_iter());
        largest_first(&mut units);
        let mut unit_of = vec![None; cluster.vms().len()];
        for (index, unit) in units.iter().enumerate() {
            unit.vms.iter().for_each(|vm| unit_of[vm.index()] = Some(index));
        }
        let empty = Assignment::empty(cluster);
        let decided = wanted.clone();
        let mut goal = Goal {
            cluster,
            current,
            decided,
            empty,
            units,
            unit_of,
            costs,
            homes: Vec::new(),
            decided_cost,
            first_pool,
            departures: leaving,
            free_at_once,
            first_departure_cost: first_leaves,
        };
        goal.empty = goal.dozing()?;
        goal.homes = goal.units.iter().map(|unit| goal.home_and_least_cost(unit)).collect();
        Ok(goal)
    }

    /// Estimates the cost of a pool: that of moving the largest VM, or of the most expensive decided
    /// action.
    pub(super) fn typical_pool_cost(&self) -> u64 {
        let largest = (0..self.units.len()).map(|unit| self.departure_cost_of_unit(unit)).max();
        self.cluster.waiting_cost(largest.unwrap_or(0)).max(self.first_pool)
    }

    /// Returns an assignment with the VMs that doze by decision.
    ///
    /// # Errors
    /// A VM cannot doze on its node.
    fn dozing(&self) -> Result<Assignment<&'a Cluster>, Unsolved> {
        let mut assignment = Assignment::empty(self.cluster);
        for &vm in self.cluster.by_name() {
            match self.decided.place(vm) {
                Place::Dozing(node) if !assignment.try_doze(vm, node) => {
                    let (vm, node) = (self.cluster.vm(vm).name.clone(), self.cluster.node(node).name.clone());
                    return Err(Unsolved::Dozing { vm, node });
                }
                _ => {}
            }
        }
        Ok(assignment)
    }

    /// Returns the VMs that are to run.
    pub(super) fn running(&self) -> impl Iterator<Item = VmId> + '_ {
        self.units.iter().flat_map(|unit| unit.vms.iter().copied())
    }

    /// Returns a common divisor of the costs of all plans.
    pub(super) fn cost_divisor(&self) -> u64 {
        let vms = (0..self.cluster.vms().len() as u32).map(VmId);
        let unit = vms.map(|vm| self.cluster.move_cost(vm)).fold(0, greatest_common_divisor);
        if self.cluster.is_timed() { 1 } else { unit.max(1) }
    }

    /// Returns true if the VM currently sleeps.
    pub(super) fn sleeps(&self, vm: VmId) -> bool {
        matches!(self.current.place(vm), Place::Sleeping(_))
    }

    /// Returns the unit of a VM that is to run.
    pub(super) fn unit_of(&self, vm: VmId) -> Option<usize> {
        self.unit_of[vm.index()]
    }

    /// Returns the units of a vjob's VMs.
    pub(super) fn units_of(&self, vjob: VjobId) -> impl Iterator<Item = usize> {
        self.cluster.vms_of(vjob).iter().filter_map(|vm| self.unit_of(*vm))
    }

    /// Returns the assignment before any unit is placed.
    pub(super) fn assignment(&self) -> Assignment<&'a Cluster> {
        self.empty.clone()
    }

    /// Returns the local cost of running a unit on a node.
    pub(super) fn cost(&self, unit: &Unit, node: NodeId) -> u64 {
        unit.vms.iter().fold(0, |sum, &vm| self.cluster.joint_cost(sum, self.vm_cost(vm, node)))
    }

    pub(super) fn vm_cost(&self, vm: VmId, node: NodeId) -> u64 {
        let [at_home, elsewhere] = self.costs[vm.index()];
        if self.current.place(vm).node() == Some(node) { at_home } else { elsewhere }
    }

    fn home_and_least_cost(&self, unit: &Unit) -> (Option<NodeId>, u64) {
        let homes = unit.vms.iter().filter_map(|vm| self.current.place(*vm).node());
        let home = homes.min_by_key(|&node| (self.cost(unit, node), node));
        let elsewhere = self.cost(unit, NOWHERE);
        (home, home.map_or(elsewhere, |home| elsewhere.min(self.cost(unit, home))))
    }

    /// Returns the node on which running the unit costs least: the one that has most of its memory.
    pub(super) fn home(&self, unit: usize) -> Option<NodeId> {
        self.homes[unit].0
    }

    /// Returns the node that currently hosts most memory of the unit.
    pub(super) fn host(&self, unit: usize) -> Option<NodeId> {
        let home = self.home(unit)?;
        let vms = &self.units[unit].vms;
        vms.iter().any(|vm| self.current.place(*vm).host() == Some(home)).then_some(home)
    }

    /// Returns the local cost of moving a unit away.
    pub(super) fn departure_cost_of_unit(&self, unit: usize) -> u64 {
        self.units[unit].vms.iter().map(|&vm| self.departure_cost(vm)).sum()
    }

    /// Returns the vjob of a unit's first VM.
    pub(super) fn vjob(&self, unit: usize) -> VjobId {
        self.cluster.vm(self.units[unit].vms[0]).vjob
    }

    /// Returns the minimum local cost of running a unit.
    pub(super) fn least_cost(&self, unit: usize) -> u64 {
        self.homes[unit].1
    }

    /// Returns the minimum local cost of running a VM, regardless of its unit.
    pub(super) fn least_cost_alone(&self, vm: VmId) -> u64 {
        let elsewhere = self.vm_cost(vm, NOWHERE);
        self.current.place(vm).node().map_or(elsewhere, |home| elsewhere.min(self.vm_cost(vm, home)))
    }

    /// Returns the cost of the unit's most expensive VM on a node other than its current one.
    pub(super) fn most_expensive(&self, unit: &Unit) -> u64 {
        unit.vms.iter().map(|&vm| self.vm_cost(vm, NOWHERE)).max().unwrap_or(0)
    }

    /// Returns the additional cost of running a VM on a node other than its current one.
    pub(super) fn departure_cost(&self, vm: VmId) -> u64 {
        relocation_cost(self.current.place(vm), self.costs[vm.index()])
    }

    /// Returns the amount that a unit needs on a node in the first pool, in excess of what its VMs
    /// use there now.
    pub(super) fn entering_demand(&self, unit: &Unit, node: NodeId) -> Amount {
        let has = |vm: &VmId| {
            let place = self.current.place(*vm);
            if place.host() == Some(node) { place.usage(self.cluster.vm(*vm)) } else { Amount::NONE }
        };
        unit.vms.iter().map(has).fold(unit.demand, |need, has| need - has)
    }

    /// Builds the configuration for an assignment of nodes to units.
    pub(super) fn configuration(&self, nodes: &[NodeId]) -> Configuration {
        let mut configuration = self.decided.clone();
        for (unit, &node) in self.units.iter().zip(nodes) {
            unit.vms.iter().for_each(|&vm| configuration.set(vm, Place::Running(node)));
        }
        configuration
    }
}

/// Sentinel for a unit without a node.
pub(super) const NOWHERE: NodeId = NodeId(u32::MAX);

/// Returns the additional cost of running a VM on a node other than its current one.
fn relocation_cost(from: Place, [at_home, elsewhere]: [u64; 2]) -> u64 {
    from.node().map_or(0, |_| elsewhere.saturating_sub(at_home))
}

/// Returns the cost of the most expensive decided suspend of each vjob.
fn most_expensive_suspends(
    cluster: &Cluster,
    current: &Configuration,
    wanted: &Configuration,
) -> Result<Vec<u64>, IllegalTransition> {
    let mut dearest = vec![0; cluster.vjobs().len()];
    for &vm in cluster.by_name() {
        let [action, _] = Action::sequence_between(cluster, vm, current.place(vm), wanted.place(vm))?;
        if let Some(action) = action.filter(|action| matches!(action.kind(), Kind::Suspend)) {
            let dearest = &mut dearest[cluster.vm(vm).vjob.index()];
            *dearest = action.cost(cluster).max(*dearest);
        }
    }
    Ok(dearest)
}
