//! Cheap actions first: thresholds for pools that make a plan cheaper.

use super::{PlanError, Planner};
use crate::configuration::Configuration;
use crate::plan::Step;

/// The most thresholds of a plan.
const MOST_THRESHOLDS: usize = 6;
/// The most prices that are tried as thresholds: all of a usual plan, else evenly chosen ones.
const MOST_PRICES: usize = 12;
/// The most actions that are planned altogether while thresholds are tried.
const MOST_PLANNED: usize = 200_000;

impl Planner<'_> {
    /// The steps of the cheapest plan that is found: of few tasks the cheapest order of all, of many by thresholds.
    pub(crate) fn best(&mut self, wanted: &Configuration) -> Result<&[Step], PlanError> {
        self.tune(wanted)?;
        let cost = self.cost(wanted);
        match self.exact(wanted)? {
            Some(exact) if !cost.as_ref().is_ok_and(|cost| *cost <= exact.cost) => self.steps = exact.steps,
            _ => _ = cost?,
        }
        Ok(&self.steps)
    }

    /// The cost under the present thresholds; none if they leave no plan that keeps the order of actions.
    pub(crate) fn cost_if_any(&mut self, wanted: &Configuration) -> Result<Option<u64>, PlanError> {
        match self.cost(wanted) {
            Err(PlanError::Order { .. }) => Ok(None),
            cost => cost.map(Some),
        }
    }

    /// Sets thresholds under which the plan to a configuration is cheapest: begins with none or the present ones, and puts one
    /// more before any other, or leaves one out, as long as that helps. What it costs, if any leaves a plan.
    pub(crate) fn tune(&mut self, wanted: &Configuration) -> Result<Option<u64>, PlanError> {
        self.set_tasks(wanted)?;
        if self.cluster.price_of_waiting(1) == 0 {
            self.thresholds.clear();
            return self.cost_if_any(wanted);
        }
        let mut prices: Vec<u64> = self.tasks.iter().map(|task| task.price).collect();
        prices.sort_unstable();
        prices.dedup();
        prices.pop();
        let all = prices.len();
        let prices: Vec<u64> =
            (0..all.min(MOST_PRICES)).map(|at| prices[at * all / all.min(MOST_PRICES)]).collect();
        let mut tries = MOST_PLANNED / self.actions.len().max(1);
        let or_none = |cost: Option<u64>| cost.unwrap_or(u64::MAX);
        let present = (or_none(self.cost_if_any(wanted)?), std::mem::take(&mut self.thresholds));
        let mut best = present.min((or_none(self.cost_if_any(wanted)?), Vec::new()));
        loop {
            let before = best.clone();
            for candidate in neighbours(&before.1, &prices).into_iter().take(tries) {
                tries -= 1;
                self.thresholds = candidate;
                let cost = or_none(self.cost_if_any(wanted)?);
                if cost < best.0 {
                    best = (cost, self.thresholds.clone());
                }
            }
            if best.0 == before.0 {
                break;
            }
        }
        self.thresholds = best.1;
        Ok(Some(best.0).filter(|cost| *cost < u64::MAX))
    }
}

/// Thresholds with one more, or with one less.
fn neighbours(thresholds: &[u64], prices: &[u64]) -> Vec<Vec<u64>> {
    let with = |at: usize, price: u64| [&thresholds[..at], &[price], &thresholds[at..]].concat();
    let places = if thresholds.len() < MOST_THRESHOLDS { 0..thresholds.len() + 1 } else { 0..0 };
    let more = places.flat_map(|at| prices.iter().map(move |&price| with(at, price)));
    let less = (0..thresholds.len()).map(|at| [&thresholds[..at], &thresholds[at + 1..]].concat());
    more.chain(less).collect()
}
