//! A reconfiguration plan, and what it costs.

use crate::action::Action;
use crate::cluster::Cluster;

/// A sequence of pools: the actions of one are feasible in parallel, and begin when the pool before has ended
/// (section 4.1).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    pools: Vec<Vec<Action>>,
}

/// An action of a plan with the number of its pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) pool: u32,
    pub(crate) action: Action,
}

impl Plan {
    /// The plan of these steps, which are by pools; no pool is left out.
    pub(crate) fn of(steps: &[Step]) -> Plan {
        let pools = steps.chunk_by(|a, b| a.pool == b.pool);
        Plan::new(pools.map(|pool| pool.iter().map(|step| step.action).collect()).collect())
    }

    /// The plan of these pools, of which none is empty; whether it is feasible is for the checker to say.
    pub const fn new(pools: Vec<Vec<Action>>) -> Plan {
        Plan { pools }
    }

    /// The pools in their order; none is empty. Within one, actions are by the names of their VMs.
    pub fn pools(&self) -> &[Vec<Action>] {
        &self.pools
    }
    /// All actions, pool by pool.
    pub fn actions(&self) -> impl Iterator<Item = Action> + '_ {
        self.pools.iter().flatten().copied()
    }

    /// The cost of the plan, in MB (section 4.2): the sum over its actions of their own cost and the costs of the pools
    /// before theirs, each as much as its most expensive action.
    pub fn cost(&self, cluster: &Cluster) -> u64 {
        let mut before = 0;
        let mut cost = 0;
        for pool in &self.pools {
            let mut dearest = 0;
            for action in pool {
                let own = action.cost(cluster);
                cost += before + own;
                dearest = own.max(dearest);
            }
            before += cluster.price_of_waiting(dearest);
        }
        cost
    }
}
