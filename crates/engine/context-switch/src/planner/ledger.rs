//! What the nodes have left while a plan unfolds.

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
    /// Whether each VM was moved to a pivot.
    bypassed: Vec<bool>,
    /// What this pool frees when it ends.
    freed: Vec<(VmId, NodeId, Amount)>,
}

impl Ledger {
    pub(super) fn reset(&mut self, current: &Configuration, room: &[Amount]) {
        self.places.clear();
        self.places.extend_from_slice(current.places());
        self.leaves.clear();
        self.leaves.resize(self.places.len(), None);
        self.bypassed.clear();
        self.bypassed.resize(self.places.len(), false);
        self.room.clear();
        self.room.extend_from_slice(room);
        self.freed.clear();
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
        actions.iter().all(|action| self.is_ready(action)) && actions.iter().enumerate().all(fits)
    }

    /// Whether what an action begins with has ended: a VM that is being suspended cannot be resumed yet.
    fn is_ready(&self, action: &Action) -> bool {
        let vm = action.vm().index();
        self.leaves[vm].is_none() && self.places[vm] == action.from()
    }

    /// Whether relations let a VM arrive on a node.
    fn allows(&self, cluster: &Cluster, action: Action, node: NodeId) -> bool {
        let relations = cluster.relations();
        let taken_by = |other: &VmId| {
            let other = other.index();
            self.places[other].host() == Some(node) || self.leaves[other] == Some(node)
        };
        action.from().host() == Some(node)
            || relations.allow(action.vm(), node) && !relations.apart(action.vm()).iter().any(taken_by)
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
        self.places[action.vm().index()] = action.to();
    }

    /// Ends all actions of this pool.
    pub(super) fn end_pool(&mut self) {
        for (vm, node, amount) in self.freed.drain(..) {
            self.room[node.index()] += amount;
            self.leaves[vm.index()] = None;
        }
    }
}

/// What an action takes of which node beyond what its VM has there already; negative where it gives back.
pub(super) fn needs(cluster: &Cluster, action: Action) -> Option<(NodeId, Amount)> {
    let vm = cluster.vm(action.vm());
    let node = action.to().host()?;
    let has = if action.from().host() == Some(node) { action.from().taken(vm) } else { Amount::NONE };
    Some((node, action.to().taken(vm) - has))
}

/// What an action frees of which node when it ends.
pub(super) fn frees(cluster: &Cluster, action: Action) -> Option<(NodeId, Amount)> {
    let vm = cluster.vm(action.vm());
    let node = action.from().host()?;
    let stays = if action.to().host() == Some(node) { action.to().taken(vm) } else { Amount::NONE };
    Some((node, (action.from().taken(vm) - stays).positive()))
}
