//! The decided states and the open choices.

use super::Unsolved;
use crate::action::{Action, IllegalTransition, Kind};
use crate::amount::Amount;
use crate::assignment::{Assignment, Unit, largest_first, units};
use crate::cluster::Cluster;
use crate::configuration::{Configuration, Place};
use crate::vjob::{VjobId, VmId};
use dfrsim_model::{NodeId, greatest_divisor};

/// An action that frees something.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leaving {
    /// What the pool costs in which it is, at least.
    pub(super) price: u64,
    pub(super) node: NodeId,
    pub(super) freed: Amount,
    /// Whether it is decided.
    pub(super) is_decided: bool,
}

/// The places that states decide, and the units for which a node is to be chosen.
#[derive(Clone, Debug)]
pub(super) struct Goal<'a> {
    pub(super) cluster: &'a Cluster,
    pub(super) current: &'a Configuration,
    /// The nodes with the VMs that are to doze.
    empty: Assignment<'a>,
    /// The places that are decided; of VMs that run in it only that they do.
    pub(super) decided: Configuration,
    /// The VMs to run, the largest first.
    pub(super) units: Vec<Unit>,
    /// The unit of each VM that is to run.
    unit_of: Vec<Option<usize>>,
    /// What it costs by itself to have each VM run on the node where it is, and on another.
    costs: Vec<[u64; 2]>,
    /// The node of each unit on which it would cost least to have it, and the least that it costs by itself to have it run.
    homes: Vec<(Option<NodeId>, u64)>,
    /// What the decided actions cost by themselves.
    pub(super) decided_cost: u64,
    /// The dearest suspend that is decided.
    pub(super) first_pool: u64,
    /// What the actions that free something cost and free, by cost: those that are decided, and those of VMs that may leave without
    /// a cost.
    pub(super) leaving: Vec<Leaving>,
    /// The free resources of each node after all actions without cost.
    pub(super) free_at_once: Vec<Amount>,
    /// For each node, the lowest cost above 0 of an action that frees resources there.
    pub(super) first_leaves: Vec<u64>,
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
        let (mut leaving, mut free_at_once) = (Vec::new(), current.room(cluster));
        let mut first_leaves = vec![u64::MAX; cluster.nodes().len()];
        let dearest_suspend = dearest_suspends(cluster, current, wanted)?;
        for &vm in cluster.by_name() {
            let to = wanted.place(vm);
            let actions = Action::all_between(cluster, vm, current.place(vm), to)?;
            let cost = if let Place::Running(_) = to {
                running.push(vm);
                // What it costs to move away, if it does.
                more_elsewhere(current.place(vm), costs[vm.index()])
            } else {
                let [cost, then] = actions.map(|action| action.map_or(0, |action| action.cost(cluster)));
                decided_cost = cluster.both(decided_cost, cluster.both(cost, then));
                first_pool = cluster.price_of_waiting(cost).max(first_pool);
                // The suspends of a vjob share a pool.
                if let Place::Sleeping(_) = to { dearest_suspend[cluster.vm(vm).vjob.index()] } else { cost }
            };
            let may_leave = actions[0].is_some() || matches!(to, Place::Running(_));
            if let Some(host) = current.place(vm).host().filter(|_| may_leave) {
                let (node, taken) = (host.index(), current.place(vm).taken(cluster.vm(vm)));
                let freed = if let Place::Dozing(_) = to { taken - to.taken(cluster.vm(vm)) } else { taken };
                let is_decided = !matches!(to, Place::Running(_));
                if is_decided || cost == 0 {
                    leaving.push(Leaving { price: cost, node: host, freed: freed.positive(), is_decided });
                }
                if cost == 0 {
                    free_at_once[node] += freed.positive();
                } else {
                    first_leaves[node] = cluster.price_of_waiting(cost).min(first_leaves[node]);
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
            leaving,
            free_at_once,
            first_leaves,
        };
        goal.empty = goal.dozing()?;
        goal.homes = goal.units.iter().map(|unit| goal.home_and_least_cost(unit)).collect();
        Ok(goal)
    }

    /// What a pool may well cost: as much as to move the largest VM, or the dearest suspend.
    pub(super) fn usual_pool(&self) -> u64 {
        let largest = (0..self.units.len()).map(|unit| self.price(unit)).max();
        self.cluster.price_of_waiting(largest.unwrap_or(0)).max(self.first_pool)
    }

    /// The nodes with what is on them by decision: VMs that doze.
    ///
    /// # Errors
    /// A VM that cannot doze where it is.
    fn dozing(&self) -> Result<Assignment<'a>, Unsolved> {
        let mut assignment = Assignment::empty(self.cluster);
        for &vm in self.cluster.by_name() {
            match self.decided.place(vm) {
                Place::Dozing(node) if !assignment.doze(vm, node) => {
                    let (vm, node) = (self.cluster.vm(vm).name.clone(), self.cluster.node(node).name.clone());
                    return Err(Unsolved::Dozing { vm, node });
                }
                _ => {}
            }
        }
        Ok(assignment)
    }

    /// The VMs that are to run.
    pub(super) fn running(&self) -> impl Iterator<Item = VmId> + '_ {
        self.units.iter().flat_map(|unit| unit.vms.iter().copied())
    }

    /// What the cost of every plan is a multiple of.
    pub(super) fn unit_of_cost(&self) -> u64 {
        let vms = (0..self.cluster.vms().len() as u32).map(VmId);
        let unit = vms.map(|vm| self.cluster.price(vm)).fold(0, greatest_divisor);
        if self.cluster.is_timed() { 1 } else { unit.max(1) }
    }

    /// Whether a VM sleeps now.
    pub(super) fn sleeps(&self, vm: VmId) -> bool {
        matches!(self.current.place(vm), Place::Sleeping(_))
    }

    /// The unit of a VM that is to run.
    pub(super) fn unit_of(&self, vm: VmId) -> Option<usize> {
        self.unit_of[vm.index()]
    }

    /// The units with VMs of a vjob.
    pub(super) fn units_of(&self, vjob: VjobId) -> impl Iterator<Item = usize> {
        self.cluster.vms_of(vjob).iter().filter_map(|vm| self.unit_of(*vm))
    }

    /// The nodes without the units for which they are to be chosen.
    pub(super) fn assignment(&self) -> Assignment<'a> {
        self.empty.clone()
    }

    /// The cost, by itself, to bring a unit to a node.
    pub(super) fn cost(&self, unit: &Unit, node: NodeId) -> u64 {
        unit.vms.iter().fold(0, |sum, &vm| self.cluster.both(sum, self.vm_cost(vm, node)))
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

    /// The node on which it would cost least to have a unit: where most of its memory is.
    pub(super) fn home(&self, unit: usize) -> Option<NodeId> {
        self.homes[unit].0
    }

    /// The node that hosts most memory of a unit now.
    pub(super) fn host(&self, unit: usize) -> Option<NodeId> {
        let home = self.home(unit)?;
        let vms = &self.units[unit].vms;
        vms.iter().any(|vm| self.current.place(*vm).host() == Some(home)).then_some(home)
    }

    /// What it costs by itself to move a unit away.
    pub(super) fn price(&self, unit: usize) -> u64 {
        self.units[unit].vms.iter().map(|&vm| self.leaving(vm)).sum()
    }

    /// The vjob of a unit: of its first VM.
    pub(super) fn vjob(&self, unit: usize) -> VjobId {
        self.cluster.vm(self.units[unit].vms[0]).vjob
    }

    /// The least that it costs by itself to have a unit run.
    pub(super) fn least_cost(&self, unit: usize) -> u64 {
        self.homes[unit].1
    }

    /// The same for a VM by itself.
    pub(super) fn least_cost_alone(&self, vm: VmId) -> u64 {
        let elsewhere = self.vm_cost(vm, NOWHERE);
        self.current.place(vm).node().map_or(elsewhere, |home| elsewhere.min(self.vm_cost(vm, home)))
    }

    /// What the dearest of its VMs costs elsewhere than where it is.
    pub(super) fn dearest(&self, unit: &Unit) -> u64 {
        unit.vms.iter().map(|&vm| self.vm_cost(vm, NOWHERE)).max().unwrap_or(0)
    }

    /// What it costs more to have a VM run elsewhere than where it is.
    pub(super) fn leaving(&self, vm: VmId) -> u64 {
        more_elsewhere(self.current.place(vm), self.costs[vm.index()])
    }

    /// The amount that a unit needs of a node in the first pool, beyond what its VMs have there now.
    pub(super) fn entry(&self, unit: &Unit, node: NodeId) -> Amount {
        let has = |vm: &VmId| {
            let place = self.current.place(*vm);
            if place.host() == Some(node) { place.taken(self.cluster.vm(*vm)) } else { Amount::NONE }
        };
        unit.vms.iter().map(has).fold(unit.demand, |need, has| need - has)
    }

    /// The configuration in which these are the units' nodes.
    pub(super) fn configuration(&self, nodes: &[NodeId]) -> Configuration {
        let mut configuration = self.decided.clone();
        for (unit, &node) in self.units.iter().zip(nodes) {
            unit.vms.iter().for_each(|&vm| configuration.set(vm, Place::Running(node)));
        }
        configuration
    }
}

/// A node on which no VM is.
pub(super) const NOWHERE: NodeId = NodeId(u32::MAX);

/// What it costs more to have a VM run elsewhere than where it is.
fn more_elsewhere(from: Place, [at_home, elsewhere]: [u64; 2]) -> u64 {
    from.node().map_or(0, |_| elsewhere.saturating_sub(at_home))
}

/// For each vjob what its dearest decided suspend costs.
fn dearest_suspends(
    cluster: &Cluster,
    current: &Configuration,
    wanted: &Configuration,
) -> Result<Vec<u64>, IllegalTransition> {
    let mut dearest = vec![0; cluster.vjobs().len()];
    for &vm in cluster.by_name() {
        let [action, _] = Action::all_between(cluster, vm, current.place(vm), wanted.place(vm))?;
        if let Some(action) = action.filter(|action| matches!(action.kind(), Kind::Suspend)) {
            let dearest = &mut dearest[cluster.vm(vm).vjob.index()];
            *dearest = action.cost(cluster).max(*dearest);
        }
    }
    Ok(dearest)
}
