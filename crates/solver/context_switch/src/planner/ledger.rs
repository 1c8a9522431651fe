//! What the nodes have left while a plan unfolds.

use super::order::Order;
use crate::action::Action;
use crate::amount::Amount;
use crate::cluster::Cluster;
use crate::configuration::{Configuration, Place};
use crate::vjob::VmId;
use dfrsim_model::NodeId;

/// The configuration between two pools, or within one: then both ends of an action that has begun are taken.
#[derive(Clone, Debug, Default)]
pub(super) struct Ledger {
    /// Where each VM is, or goes to in this pool.
    places: Vec<Place>,
    /// For each VM, the node that it leaves in this pool.
    leaves: Vec<Option<NodeId>>,
    /// The free part of each node, and behind the nodes of each budget that nodes share, as memory.
    room: Vec<Amount>,
    /// Whether each VM was moved to a pivot.
    bypassed: Vec<bool>,
    /// What this pool frees of these when it ends.
    freed: Vec<(VmId, usize, Amount)>,
    pub(super) order: Order,
}

impl Ledger {
    /// Begins with these places and what they leave, and with all of these actions to be done.
    pub(super) fn reset(
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
        self.bypassed.clear();
        self.bypassed.resize(self.places.len(), false);
        self.room.clear();
        self.room.extend_from_slice(room);
        self.room.extend(current.budget_room(cluster));
        self.freed.clear();
        self.order.reset(cluster, actions);
    }

    /// Whether a VM was moved to a pivot before.
    pub(super) fn has_used_pivot(&self, vm: VmId) -> bool {
        self.bypassed[vm.index()]
    }
    /// Notes that a VM is moved to a pivot.
    pub(super) fn use_pivot(&mut self, vm: VmId) {
        self.bypassed[vm.index()] = true;
    }

    /// Whether an action can begin now, beside those of this pool that have begun.
    pub(super) fn admits(&self, cluster: &Cluster, action: Action) -> bool {
        self.admits_all(cluster, &[action])
    }

    /// Whether all of these can.
    pub(super) fn admits_all(&self, cluster: &Cluster, actions: &[Action]) -> bool {
        let fits = |(at, action): (usize, &Action)| {
            needs(cluster, *action).all(|(room, own)| {
                let before = actions[..at].iter().flat_map(|other| needs(cluster, *other));
                let before = before.filter(|(other, _)| *other == room);
                before.fold(own, |sum, (_, need)| sum + need.positive()).fits(self.room[room])
            })
        };
        actions.iter().all(|action| self.is_ready(action))
            && actions.iter().enumerate().all(fits)
            && actions.iter().all(|action| self.allows(cluster, *action))
            && self.order.admits(cluster, actions)
    }

    /// Whether what an action begins with has ended: a VM that is being suspended cannot be resumed yet.
    fn is_ready(&self, action: &Action) -> bool {
        let vm = action.vm().index();
        self.leaves[vm].is_none() && self.places[vm] == action.from()
    }

    /// Whether constraints let a VM arrive where it goes.
    fn allows(&self, cluster: &Cluster, action: Action) -> bool {
        let Some(node) = action.to().host() else { return true };
        let constraints = cluster.constraints();
        let taken_by = |other: &VmId| {
            let other = other.index();
            self.places[other].host() == Some(node) || self.leaves[other] == Some(node)
        };
        action.from().host() == Some(node)
            || constraints.allow(action.vm(), node)
                && !constraints.vm(action.vm()).never_meet.iter().any(taken_by)
    }

    /// Begins an action in this pool.
    pub(super) fn begin(&mut self, cluster: &Cluster, action: Action) {
        needs(cluster, action).for_each(|(room, need)| self.room[room] -= need.positive());
        self.freed.extend(frees(cluster, action).map(|(room, freed)| (action.vm(), room, freed)));
        self.leaves[action.vm().index()] = action.from().host();
        self.places[action.vm().index()] = action.to();
        self.order.begin(action);
    }

    /// Ends all actions of this pool.
    pub(super) fn end_pool(&mut self) {
        self.end(|_| true);
    }

    /// Ends those of some VMs.
    pub(super) fn end(&mut self, has_ended: impl Fn(VmId) -> bool) {
        let Ledger { freed, room, leaves, .. } = self;
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

/// The amounts that an action takes of the room that a [`Ledger`] keeps, beyond what its VM has of it already; negative where it
/// gives back of a node.
pub(super) fn needs(cluster: &Cluster, action: Action) -> impl Iterator<Item = (usize, Amount)> + '_ {
    excess(cluster, action.vm(), action.to(), action.from())
}

/// The amounts that an action frees of the same when it ends.
pub(super) fn frees(cluster: &Cluster, action: Action) -> impl Iterator<Item = (usize, Amount)> + '_ {
    let freed = excess(cluster, action.vm(), action.from(), action.to());
    freed.map(|(room, amount)| (room, amount.positive()))
}

/// How much more a VM takes in one place than in another.
fn excess(
    cluster: &Cluster,
    vm: VmId,
    place: Place,
    beyond: Place,
) -> impl Iterator<Item = (usize, Amount)> + '_ {
    let of_node = place.host().map(|node| {
        let has = if beyond.host() == Some(node) { beyond.taken(cluster.vm(vm)) } else { Amount::NONE };
        (node.index(), place.taken(cluster.vm(vm)) - has)
    });
    let (constraints, nodes) = (cluster.constraints(), cluster.nodes().len());
    let of_budgets = constraints.taken(cluster, vm, place).map(move |(budget, taken)| {
        let has = constraints.taken(cluster, vm, beyond).find(|(other, _)| *other == budget);
        (nodes + budget, Amount::new(0, (taken - has.map_or(0, |(_, has)| has)).max(0)))
    });
    of_node.into_iter().chain(of_budgets)
}
