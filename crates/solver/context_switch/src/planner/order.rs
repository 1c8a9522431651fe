//! The order of actions: precedence and serialisation.

use crate::action::Action;
use crate::cluster::Cluster;
use crate::vjob::VmId;

/// What has been done, as far as the order of actions matters. Without such constraints no state is kept.
#[derive(Clone, Debug, Default)]
pub(super) struct Order {
    is_kept: bool,
    /// For each VM its actions that have not ended: those that go with others of its vjob, and the rest.
    open: Vec<[u32; 2]>,
    /// What has begun in this pool.
    begun: Vec<Action>,
}

/// Whether the order of two actions is free although their VMs are ordered: the suspends and the resumes of a vjob go
/// together.
pub(super) fn go_together(cluster: &Cluster, one: Action, other: Action) -> bool {
    one.has_image() && other.has_image() && cluster.vm(one.vm()).vjob == cluster.vm(other.vm()).vjob
}

impl Order {
    pub(super) fn reset(&mut self, cluster: &Cluster, actions: &[Action]) {
        self.is_kept = cluster.constraints().have_order();
        self.begun.clear();
        self.open.clear();
        if self.is_kept {
            self.open.resize(cluster.vms().len(), [0; 2]);
            actions.iter().for_each(|&action| self.expect(action));
        }
    }

    /// One more action is to be done.
    pub(super) fn expect(&mut self, action: Action) {
        if self.is_kept {
            self.open[action.vm().index()][usize::from(!action.has_image())] += 1;
        }
    }

    /// Whether these can begin beside what has begun in this pool.
    pub(super) fn admits(&self, cluster: &Cluster, actions: &[Action]) -> bool {
        let constraints = cluster.constraints();
        !self.is_kept
            || actions.iter().all(|&action| {
                let vjob = cluster.vm(action.vm()).vjob;
                let has_acted = |vm: &VmId| {
                    let [shared, others] = self.open[vm.index()];
                    others == 0 && (shared == 0 || action.has_image() && cluster.vm(*vm).vjob == vjob)
                };
                let collides = |other: &Action| {
                    constraints.vm(action.vm()).in_turn.contains(&other.vm())
                        && !go_together(cluster, action, *other)
                };
                constraints.vm(action.vm()).before.iter().all(has_acted)
                    && !self.begun.iter().chain(actions).any(collides)
            })
    }

    pub(super) fn begin(&mut self, action: Action) {
        if self.is_kept {
            self.begun.push(action);
        }
    }

    /// Ends the actions of some VMs.
    pub(super) fn end(&mut self, has_ended: impl Fn(VmId) -> bool) {
        let open = &mut self.open;
        self.begun.retain(|action| {
            let ends = has_ended(action.vm());
            if ends {
                open[action.vm().index()][usize::from(!action.has_image())] -= 1;
            }
            !ends
        });
    }
}
