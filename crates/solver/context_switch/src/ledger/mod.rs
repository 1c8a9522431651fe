//! Free resources of nodes during the construction of a plan.

mod order;

use crate::action::Action;
use crate::amount::Amount;
use crate::cluster::{Cluster, MoveLimits};
use crate::configuration::{Configuration, Place};
use crate::vjob::VmId;
use dfrsim_model::NodeId;
use order::Order;
pub(crate) use order::may_be_concurrent;

/// The configuration between two pools or within one. Within a pool, both ends of an action in
/// progress are occupied.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ledger {
    /// Place of each VM, or its destination in the current pool.
    places: Vec<Place>,
    /// For each VM, the node that it leaves in the current pool.
    leaves: Vec<Option<NodeId>>,
    /// Free resources of each node, followed by the free amounts of the shared budgets and of the
    /// limits of simultaneous moves, as memory.
    free: Vec<Amount>,
    /// True for VMs that were moved to a pivot.
    used_pivot: Vec<bool>,
    /// Resources that are freed when an action of the current pool ends: the VM, the index in the
    /// free resources, and the amount.
    pending_frees: Vec<(VmId, usize, Amount)>,
    pub(crate) order: Order,
}

impl Ledger {
    /// Resets the ledger to these places and free resources, with all of these actions pending.
    pub(crate) fn reset(
        &mut self,
        cluster: &Cluster,
        current: &Configuration,
        room: &[Amount],
        actions: &[Action],
    ) {
        self.places.clear();
        self.places.extend_from_slice(current.places());
        self.leaves.clear();
        self.leaves.resize(self.places.len(), None);
        self.used_pivot.clear();
        self.used_pivot.resize(self.places.len(), false);
        self.free.clear();
        self.free.extend_from_slice(room);
        self.free.extend(current.free_shared(cluster));
        self.pending_frees.clear();
        self.order.reset(cluster, actions);
    }

    /// Returns true if the VM was moved to a pivot before.
    pub(crate) fn has_used_pivot(&self, vm: VmId) -> bool {
        self.used_pivot[vm.index()]
    }
    /// Records that a VM is moved to a pivot.
    pub(crate) fn record_pivot(&mut self, vm: VmId) {
        self.used_pivot[vm.index()] = true;
    }

    /// Checks that an action can start now, concurrently with those of the current pool.
    pub(crate) fn admits(&self, cluster: &Cluster, action: Action) -> bool {
        self.admits_all(cluster, &[action])
    }

    /// Checks that all of these actions can start together now.
    pub(crate) fn admits_all(&self, cluster: &Cluster, actions: &[Action]) -> bool {
        let fits = |(at, action): (usize, &Action)| {
            needs(cluster, *action).all(|(room, own)| {
                let before = actions[..at].iter().flat_map(|other| needs(cluster, *other));
                let before = before.filter(|(other, _)| *other == room);
                before.fold(own, |sum, (_, need)| sum + need.positive()).fits(self.free[room])
            })
        };
        actions.iter().all(|action| self.is_ready(action))
            && actions.iter().enumerate().all(fits)
            && actions.iter().all(|action| self.allows(cluster, *action))
            && self.order.admits(cluster, actions)
    }

    /// Returns true if the previous action of the VM has ended: a VM that is being suspended cannot
    /// be resumed yet.
    fn is_ready(&self, action: &Action) -> bool {
        let vm = action.vm().index();
        self.leaves[vm].is_none() && self.places[vm] == action.from()
    }

    /// Checks that the constraints let a VM arrive at its destination.
    fn allows(&self, cluster: &Cluster, action: Action) -> bool {
        let Some(node) = action.to().host() else { return true };
        let constraints = cluster.constraints();
        let taken_by = |other: &VmId| {
            let other = other.index();
            self.places[other].host() == Some(node) || self.leaves[other] == Some(node)
        };
        action.from().host() == Some(node)
            || constraints.allows(action.vm(), node)
                && !constraints.vm(action.vm()).apart_always.iter().any(taken_by)
    }

    /// Starts an action in the current pool.
    pub(crate) fn begin(&mut self, cluster: &Cluster, action: Action) {
        needs(cluster, action).for_each(|(room, need)| self.free[room] -= need.positive());
        self.pending_frees.extend(frees(cluster, action).map(|(room, freed)| (action.vm(), room, freed)));
        self.leaves[action.vm().index()] = action.from().host();
        self.places[action.vm().index()] = action.to();
        self.order.begin(action);
    }

    /// Ends all actions of the current pool.
    pub(crate) fn end_pool(&mut self) {
        self.end(|_| true);
    }

    /// Ends the actions of the selected VMs.
    pub(crate) fn end(&mut self, has_ended: impl Fn(VmId) -> bool) {
        let Ledger { pending_frees: freed, free: room, leaves, .. } = self;
        freed.retain(|&(vm, at, amount)| {
            if has_ended(vm) {
                room[at] += amount;
                leaves[vm.index()] = None;
            }
            !has_ended(vm)
        });
        self.order.end(has_ended);
    }
}

/// Returns the amounts that an action needs of the resources in a [`Ledger`], in excess of what its
/// VM already uses there; negative where it frees part of a node.
pub(crate) fn needs(cluster: &Cluster, action: Action) -> impl Iterator<Item = (usize, Amount)> + '_ {
    excess(cluster, action.vm(), action.to(), action.from()).chain(slots(cluster, action))
}

/// Returns the amounts that an action frees when it ends, indexed as in [`needs`].
pub(crate) fn frees(cluster: &Cluster, action: Action) -> impl Iterator<Item = (usize, Amount)> + '_ {
    let freed = excess(cluster, action.vm(), action.from(), action.to());
    freed.map(|(room, amount)| (room, amount.positive())).chain(slots(cluster, action))
}

/// Returns the limits of simultaneous moves to which an action belongs, indexed as in [`needs`].
fn slots(cluster: &Cluster, action: Action) -> impl Iterator<Item = (usize, Amount)> {
    let (nodes, MoveLimits { per_node, in_cluster }) = (cluster.nodes().len(), cluster.move_limits());
    let first = nodes + cluster.constraints().budgets.len();
    let is_move = action.is_remote() && !action.accesses_image();
    let ends = [action.from(), action.to()].into_iter().filter_map(Place::node).map(NodeId::index);
    let of_nodes = ends.filter(move |_| is_move && per_node.is_some());
    let of_cluster = (is_move && in_cluster.is_some()).then_some(if per_node.is_some() { nodes } else { 0 });
    of_nodes.chain(of_cluster).map(move |slot| (first + slot, Amount::new(0, 1)))
}

/// Returns the resources that a VM uses in `place` beyond those that it uses in `beyond`.
fn excess(
    cluster: &Cluster,
    vm: VmId,
    place: Place,
    beyond: Place,
) -> impl Iterator<Item = (usize, Amount)> + '_ {
    let of_node = place.host().map(|node| {
        let has = if beyond.host() == Some(node) { beyond.usage(cluster.vm(vm)) } else { Amount::NONE };
        (node.index(), place.usage(cluster.vm(vm)) - has)
    });
    let (constraints, nodes) = (cluster.constraints(), cluster.nodes().len());
    let of_budgets = constraints.usage(cluster, vm, place).map(move |(budget, taken)| {
        let has = constraints.usage(cluster, vm, beyond).find(|(other, _)| *other == budget);
        (nodes + budget, Amount::new(0, (taken - has.map_or(0, |(_, has)| has)).max(0)))
    });
    of_node.into_iter().chain(of_budgets)
}
