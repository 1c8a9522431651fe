//! Reconfiguration plans and their costs.

use crate::action::Action;
use crate::cluster::{Aim, Cluster};
use crate::configuration::Configuration;
use crate::early::asap_times;
use crate::pool_times::times;
use crate::timed_action::TimedAction;
use crate::waits::{delays, nodes_ready_at};
use dfrsim_model::SimSpan;

/// A sequence of pools. The actions of a pool are feasible in parallel and start when the previous
/// pool has ended (section 4.1).
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
    /// Builds a plan from steps sorted by pool; every pool must have a step.
    pub(crate) fn of(steps: &[Step]) -> Plan {
        let pools = steps.chunk_by(|a, b| a.pool == b.pool);
        Plan::new(pools.map(|pool| pool.iter().map(|step| step.action).collect()).collect())
    }

    /// Creates a plan from pools, none of which may be empty. Feasibility is left to the checker.
    pub const fn new(pools: Vec<Vec<Action>>) -> Plan {
        Plan { pools }
    }

    /// Returns the pools in order; none is empty. The actions of a pool are sorted by the names of
    /// their VMs.
    pub fn pools(&self) -> &[Vec<Action>] {
        &self.pools
    }
    /// Returns all actions, pool by pool.
    pub fn actions(&self) -> impl Iterator<Item = Action> + '_ {
        self.pools.iter().flatten().copied()
    }

    /// Computes the cost of the plan, in MB (section 4.2). Each action contributes its local cost
    /// plus the costs of all pools before its own, where a pool costs as much as its most expensive
    /// action. Other [aims](Aim) have other costs.
    pub fn cost(&self, cluster: &Cluster) -> u64 {
        cost_of(cluster, self.pools.iter().map(|pool| pool.iter().copied()))
    }

    /// Computes the cost as [`Plan::cost`] does, but from the current places of the VMs. The result
    /// differs only if the objective is a time and [starts](crate::Starts) are not by pools.
    pub fn cost_from(&self, cluster: &Cluster, current: &Configuration) -> u64 {
        if !cluster.is_early() {
            return self.cost(cluster);
        }
        value_of_ends(cluster, asap_times(cluster, current, &self.pools, cluster.durations()))
    }
}

/// Returns the value of an objective that is a time: the latest end, or the sum of all ends.
fn value_of_ends(cluster: &Cluster, pools: Vec<Vec<TimedAction>>) -> u64 {
    let ends = pools.into_iter().flatten().map(|timed| timed.end.micros());
    if cluster.aim() == Aim::Makespan { ends.max().unwrap_or(0) } else { ends.sum() }
}

/// Computes the cost of a plan that is given as pools.
pub(crate) fn cost_of(cluster: &Cluster, pools: impl Iterator<Item: Iterator<Item = Action>>) -> u64 {
    if cluster.is_timed() && cluster.durations().has_contention() {
        let pools: Vec<Vec<Action>> = pools.map(Iterator::collect).collect();
        return value_of_ends(cluster, times(cluster, &pools, cluster.durations()));
    }
    let (mut before, mut cost) = (0, 0);
    let mut timed: Vec<Action> = Vec::new();
    for pool in pools {
        let mut most_expensive = 0;
        let mut add = |own: u64, before: u64| {
            cost += before + own;
            most_expensive = own.max(most_expensive);
        };
        if cluster.is_timed() {
            timed.clear();
            timed.extend(pool);
            before = nodes_ready_at(cluster, &timed, cluster.durations()).micros().max(before);
            local_costs(cluster, &timed).for_each(|own| add(own, before));
        } else {
            pool.for_each(|action| add(action.cost(cluster), before));
        }
        before += cluster.waiting_cost(most_expensive);
    }
    if cluster.aim() == Aim::Makespan { before } else { cost }
}

/// Returns the local costs of a pool's actions. If costs are times, they include the delays between
/// the actions of a vjob.
pub(crate) fn local_costs<'a>(cluster: &'a Cluster, actions: &'a [Action]) -> impl Iterator<Item = u64> + 'a {
    let delays = cluster.is_timed().then(|| delays(cluster, actions)).into_iter().flatten();
    let delays = delays.map(SimSpan::micros).chain(std::iter::repeat(0));
    actions.iter().zip(delays).map(|(action, delay)| delay + action.cost(cluster))
}
