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
    room: Vec<Amount>,
    /// The free parts of budgets that nodes share.
    budgets: Vec<i64>,
    /// Whether each VM was moved to a pivot.
    bypassed: Vec<bool>,
    /// What this pool frees when it ends.
    freed: Vec<(VmId, NodeId, Amount)>,
    /// The same of budgets.
    freed_of_budgets: Vec<(VmId, usize, i64)>,
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
        self.freed.clear();
        self.budgets = current.budget_room(cluster);
        self.freed_of_budgets.clear();
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
        let enters = |action: &Action| needs(cluster, *action);
        let fits = |(at, action): (usize, &Action)| {
            let Some((node, own)) = enters(action) else { return true };
            let before = actions[..at].iter().filter_map(enters).filter(|(other, _)| *other == node);
            let need = before.fold(own, |sum, (_, need)| sum + need.positive());
            need.fits(self.room[node.index()]) && self.allows(cluster, *action, node)
        };
        actions.iter().all(|action| self.is_ready(action))
            && actions.iter().enumerate().all(fits)
            && self.fit_budgets(cluster, actions)
            && self.order.admits(cluster, actions)
    }

    /// Whether budgets have enough for all of these.
    fn fit_budgets(&self, cluster: &Cluster, actions: &[Action]) -> bool {
        actions.iter().enumerate().all(|(at, &action)| {
            needs_of_budgets(cluster, action).all(|(budget, own)| {
                let others = actions[..at].iter().flat_map(|&other| needs_of_budgets(cluster, other));
                let before: i64 = others.filter(|(other, _)| *other == budget).map(|(_, need)| need).sum();
                own == 0 || own + before <= self.budgets[budget]
            })
        })
    }

    /// Whether what an action begins with has ended: a VM that is being suspended cannot be resumed yet.
    fn is_ready(&self, action: &Action) -> bool {
        let vm = action.vm().index();
        self.leaves[vm].is_none() && self.places[vm] == action.from()
    }

    /// Whether constraints let a VM arrive on a node.
    fn allows(&self, cluster: &Cluster, action: Action, node: NodeId) -> bool {
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
        if let Some((node, need)) = needs(cluster, action) {
            self.room[node.index()] -= need.positive();
        }
        if let Some((node, freed)) = frees(cluster, action) {
            self.freed.push((action.vm(), node, freed));
            self.leaves[action.vm().index()] = Some(node);
        }
        for (budget, need) in needs_of_budgets(cluster, action) {
            self.budgets[budget] -= need;
        }
        let of_budgets = frees_of_budgets(cluster, action);
        self.freed_of_budgets.extend(of_budgets.map(|(budget, freed)| (action.vm(), budget, freed)));
        self.places[action.vm().index()] = action.to();
        self.order.begin(action);
    }

    /// Ends all actions of this pool.
    pub(super) fn end_pool(&mut self) {
        self.end(|_| true);
    }

    /// Ends those of some VMs.
    pub(super) fn end(&mut self, has_ended: impl Fn(VmId) -> bool) {
        let Ledger { freed, freed_of_budgets, room, leaves, budgets, .. } = self;
        freed.retain(|&(vm, node, amount)| {
            if has_ended(vm) {
                room[node.index()] += amount;
                leaves[vm.index()] = None;
            }
            !has_ended(vm)
        });
        freed_of_budgets.retain(|&(vm, budget, amount)| {
            if has_ended(vm) {
                budgets[budget] += amount;
            }
            !has_ended(vm)
        });
        self.order.end(has_ended);
    }
}

/// The amounts that an action takes, by node, beyond what its VM has there already; negative where it gives back.
pub(super) fn needs(cluster: &Cluster, action: Action) -> Option<(NodeId, Amount)> {
    let vm = cluster.vm(action.vm());
    let node = action.to().host()?;
    let has = if action.from().host() == Some(node) { action.from().taken(vm) } else { Amount::NONE };
    Some((node, action.to().taken(vm) - has))
}

/// The amounts that an action frees when it ends, by node.
pub(super) fn frees(cluster: &Cluster, action: Action) -> Option<(NodeId, Amount)> {
    let vm = cluster.vm(action.vm());
    let node = action.from().host()?;
    let stays = if action.to().host() == Some(node) { action.to().taken(vm) } else { Amount::NONE };
    Some((node, (action.from().taken(vm) - stays).positive()))
}

/// The amount that a VM takes of each budget in a place.
fn taken_of_budgets(cluster: &Cluster, vm: VmId, place: Place) -> impl Iterator<Item = (usize, i64)> + '_ {
    let constraints = cluster.constraints();
    let budgets = place.host().map_or(&[][..], |node| &constraints.node(node).budgets);
    budgets
        .iter()
        .map(move |&budget| (budget, constraints.budgets[budget].taken.by(vm, cluster.vm(vm), place)))
}

/// How much more of each budget a VM takes in one place than in another, where it is more.
fn excess(
    cluster: &Cluster,
    vm: VmId,
    place: Place,
    beyond: Place,
) -> impl Iterator<Item = (usize, i64)> + '_ {
    taken_of_budgets(cluster, vm, place).map(move |(budget, taken)| {
        let has = taken_of_budgets(cluster, vm, beyond).find(|(other, _)| *other == budget);
        (budget, (taken - has.map_or(0, |(_, has)| has)).max(0))
    })
}

/// The amount that an action takes of budgets beyond what its VM has of them already.
pub(super) fn needs_of_budgets(cluster: &Cluster, action: Action) -> impl Iterator<Item = (usize, i64)> + '_ {
    excess(cluster, action.vm(), action.to(), action.from())
}

/// The amount that an action frees of budgets when it ends.
pub(super) fn frees_of_budgets(cluster: &Cluster, action: Action) -> impl Iterator<Item = (usize, i64)> + '_ {
    excess(cluster, action.vm(), action.from(), action.to())
}
