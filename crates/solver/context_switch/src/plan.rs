//! A reconfiguration plan, and what it costs.

use crate::action::Action;
use crate::cluster::{Aim, Cluster};
use crate::configuration::Configuration;
use crate::planner::early;
use crate::waits::{delays, ready};
use dfrsim_model::SimSpan;

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
    /// before theirs, each as much as its most expensive action. Other [aims](Aim) have other costs.
    pub fn cost(&self, cluster: &Cluster) -> u64 {
        cost_of(cluster, self.pools.iter().map(|pool| pool.iter().copied()))
    }

    /// The same from the places of VMs on, if the [starts](crate::Starts) of actions matter to an aim that is a time.
    pub fn cost_from(&self, cluster: &Cluster, current: &Configuration) -> u64 {
        if !cluster.is_early() {
            return self.cost(cluster);
        }
        let timed = early(cluster, current, &self.pools, cluster.durations());
        let ends = timed.into_iter().flatten().map(|timed| timed.end.micros());
        if cluster.aim() == Aim::Makespan { ends.max().unwrap_or(0) } else { ends.sum() }
    }
}

/// The cost of the plan of these pools.
pub(crate) fn cost_of(cluster: &Cluster, pools: impl Iterator<Item: Iterator<Item = Action>>) -> u64 {
    let (mut before, mut cost) = (0, 0);
    let mut timed: Vec<Action> = Vec::new();
    for pool in pools {
        let mut dearest = 0;
        let mut add = |own: u64, before: u64| {
            cost += before + own;
            dearest = own.max(dearest);
        };
        if cluster.is_timed() {
            timed.clear();
            timed.extend(pool);
            before = ready(cluster, &timed, cluster.durations()).micros().max(before);
            owns(cluster, &timed).for_each(|own| add(own, before));
        } else {
            pool.for_each(|action| add(action.cost(cluster), before));
        }
        before += cluster.price_of_waiting(dearest);
    }
    if cluster.aim() == Aim::Makespan { before } else { cost }
}

/// What the actions of a pool cost by themselves, with what they wait for each other where costs are times.
pub(crate) fn owns<'a>(cluster: &'a Cluster, actions: &'a [Action]) -> impl Iterator<Item = u64> + 'a {
    let delays = cluster.is_timed().then(|| delays(cluster, actions)).into_iter().flatten();
    let delays = delays.map(SimSpan::micros).chain(std::iter::repeat(0));
    actions.iter().zip(delays).map(|(action, delay)| delay + action.cost(cluster))
}
