//! Constraints on the order of actions: precedence and serialisation.

use crate::action::Action;
use crate::cluster::Cluster;
use crate::vjob::VmId;

/// Progress of actions, as far as order constraints need it. Without such constraints nothing is
/// tracked.
#[derive(Clone, Debug, Default)]
pub(crate) struct Order {
    is_tracked: bool,
    /// Number of pending actions of each VM: suspends and resumes, and all others.
    pending: Vec<[u32; 2]>,
    /// Actions that started in the current pool.
    begun: Vec<Action>,
}

/// Returns true if two actions may be concurrent although their VMs are ordered: the suspends and
/// the resumes of a vjob belong together.
pub(crate) fn may_be_concurrent(cluster: &Cluster, one: Action, other: Action) -> bool {
    one.accesses_image() && other.accesses_image() && cluster.vm(one.vm()).vjob == cluster.vm(other.vm()).vjob
}

impl Order {
    pub(crate) fn reset(&mut self, cluster: &Cluster, actions: &[Action]) {
        self.is_tracked = cluster.constraints().has_ordering();
        self.begun.clear();
        self.pending.clear();
        if self.is_tracked {
            self.pending.resize(cluster.vms().len(), [0; 2]);
            actions.iter().for_each(|&action| self.add_pending(action));
        }
    }

    /// Adds a pending action.
    pub(crate) fn add_pending(&mut self, action: Action) {
        if self.is_tracked {
            self.pending[action.vm().index()][usize::from(!action.accesses_image())] += 1;
        }
    }

    /// Checks that these actions can start concurrently with those of the current pool.
    pub(crate) fn admits(&self, cluster: &Cluster, actions: &[Action]) -> bool {
        let constraints = cluster.constraints();
        !self.is_tracked
            || actions.iter().all(|&action| {
                let vjob = cluster.vm(action.vm()).vjob;
                let has_acted = |vm: &VmId| {
                    let [shared, others] = self.pending[vm.index()];
                    others == 0 && (shared == 0 || action.accesses_image() && cluster.vm(*vm).vjob == vjob)
                };
                let collides = |other: &Action| {
                    constraints.vm(action.vm()).in_turn.contains(&other.vm())
                        && !may_be_concurrent(cluster, action, *other)
                };
                constraints.vm(action.vm()).predecessors.iter().all(has_acted)
                    && !self.begun.iter().chain(actions).any(collides)
            })
    }

    pub(crate) fn begin(&mut self, action: Action) {
        if self.is_tracked {
            self.begun.push(action);
        }
    }

    /// Ends the actions of the selected VMs.
    pub(crate) fn end(&mut self, has_ended: impl Fn(VmId) -> bool) {
        let open = &mut self.pending;
        self.begun.retain(|action| {
            let ends = has_ended(action.vm());
            if ends {
                open[action.vm().index()][usize::from(!action.accesses_image())] -= 1;
            }
            !ends
        });
    }
}
