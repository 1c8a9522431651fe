//! Cost thresholds for pools, which let inexpensive actions go first.

use super::{PlanError, PlanPolicy, Planner};
use crate::configuration::Configuration;
use crate::plan::Step;

/// Maximum number of thresholds of a plan.
const MAX_THRESHOLDS: usize = 6;
/// Maximum number of costs that are tried as thresholds: usually all of them, otherwise an evenly
/// spaced selection.
const MAX_PRICES: usize = 12;
/// Maximum total number of actions that are planned while thresholds are tried.
const MAX_PLANNED_ACTIONS: usize = 200_000;

impl Planner<'_> {
    /// Computes the steps of the cheapest plan found: by exact search for few tasks, by thresholds
    /// otherwise, which are then those of the policy.
    pub(crate) fn best(
        &mut self,
        wanted: &Configuration,
        policy: &mut PlanPolicy,
    ) -> Result<&[Step], PlanError> {
        self.tune(wanted, policy)?;
        let cost = self.cost(wanted, policy);
        match self.exact(wanted)? {
            Some(exact) if !cost.as_ref().is_ok_and(|cost| *cost <= exact.cost) => self.steps = exact.steps,
            _ => _ = cost?,
        }
        Ok(&self.steps)
    }

    /// Computes the cost under a policy; `None` if no plan satisfies the order constraints under it.
    pub(crate) fn cost_if_plannable(
        &mut self,
        wanted: &Configuration,
        policy: &PlanPolicy,
    ) -> Result<Option<u64>, PlanError> {
        match self.cost(wanted, policy) {
            Err(PlanError::Order { .. }) => Ok(None),
            cost => cost.map(Some),
        }
    }

    /// Searches for thresholds that minimise the cost of the plan to a configuration. Starting from
    /// those of the policy or from none, it adds or removes one threshold as long as that helps.
    /// Returns the cost; `None` if there is no plan.
    pub(crate) fn tune(
        &mut self,
        wanted: &Configuration,
        policy: &mut PlanPolicy,
    ) -> Result<Option<u64>, PlanError> {
        self.set_tasks(wanted)?;
        if self.cluster.waiting_cost(1) == 0 {
            policy.thresholds.clear();
            return self.cost_if_plannable(wanted, policy);
        }
        let mut prices: Vec<u64> = self.tasks.iter().map(|task| task.price).collect();
        prices.sort_unstable();
        prices.dedup();
        prices.pop();
        let all = prices.len();
        let prices: Vec<u64> =
            (0..all.min(MAX_PRICES)).map(|at| prices[at * all / all.min(MAX_PRICES)]).collect();
        let mut tries = MAX_PLANNED_ACTIONS / self.actions.len().max(1);
        let or_none = |cost: Option<u64>| cost.unwrap_or(u64::MAX);
        let present =
            (or_none(self.cost_if_plannable(wanted, policy)?), std::mem::take(&mut policy.thresholds));
        let mut best = present.min((or_none(self.cost_if_plannable(wanted, policy)?), Vec::new()));
        loop {
            let before = best.clone();
            for candidate in neighbours(&before.1, &prices).into_iter().take(tries) {
                tries -= 1;
                policy.thresholds = candidate;
                let cost = or_none(self.cost_if_plannable(wanted, policy)?);
                if cost < best.0 {
                    best = (cost, policy.thresholds.clone());
                }
            }
            if best.0 == before.0 {
                break;
            }
        }
        policy.thresholds = best.1;
        Ok(Some(best.0).filter(|cost| *cost < u64::MAX))
    }
}

/// Returns all lists of thresholds with one threshold more or one less.
fn neighbours(thresholds: &[u64], prices: &[u64]) -> Vec<Vec<u64>> {
    let with = |at: usize, price: u64| [&thresholds[..at], &[price], &thresholds[at..]].concat();
    let places = if thresholds.len() < MAX_THRESHOLDS { 0..thresholds.len() + 1 } else { 0..0 };
    let more = places.flat_map(|at| prices.iter().map(move |&price| with(at, price)));
    let less = (0..thresholds.len()).map(|at| [&thresholds[..at], &thresholds[at + 1..]].concat());
    more.chain(less).collect()
}
