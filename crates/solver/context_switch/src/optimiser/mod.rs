//! Search for the configuration with the decided states whose plan costs least (section 4.3).

mod bound;
mod complete;
mod construct;
mod contradiction;
mod cover;
mod estimate;
mod goal;
mod kernel;
mod knapsack;
mod neighbourhood;
mod relaxation;
mod repair;

use crate::action::IllegalTransition;
use crate::assignment::Unit;
use crate::cluster::Cluster;
use crate::configuration::Configuration;
use crate::plan::Plan;
use crate::planner::{PlanPolicy, Planner};
use crate::viability::SizeMismatch;
pub use contradiction::contradiction;
use dfrsim_model::{NodeId, Seed};
use goal::Goal;
use std::time::{Duration, Instant};

/// Budget after which the search ends, unless it has proven its result before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Number of assignments that may be examined: of single VMs in the complete search, whole ones
    /// otherwise. With this limit alone the result depends only on the input.
    pub steps: u64,
    /// Time limit. Results under a time limit are not reproducible.
    pub time: Option<Duration>,
}

impl Default for Limits {
    /// Returns limits of 20,000 steps and no time limit.
    fn default() -> Limits {
        Limits { steps: 20_000, time: None }
    }
}

/// Best solution found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Optimised {
    /// A viable configuration with the decided states.
    pub configuration: Configuration,
    /// Plan to that configuration.
    pub plan: Plan,
    /// Cost of the plan, in MB or in the unit of the objective.
    pub cost: u64,
    /// Lower bound on the cost of all plans to these states in which each VM acts at most once, for
    /// any pools. (A VM acts more than once only to break a cycle.) If the complete search ends
    /// early, the bound comes from a Lagrangian relaxation that models vjobs, nodes and the prices
    /// of pools.
    pub bound: u64,
    /// True if no such plan to any configuration with these states costs less: the cost equals the
    /// bound, or the search was complete.
    pub proven: bool,
    /// Number of steps taken.
    pub steps: u64,
}

/// Reasons for which no solution was found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unsolved {
    /// A configuration has the wrong number of places.
    #[error(transparent)]
    Places(#[from] SizeMismatch),
    /// A VM cannot reach the decided state.
    #[error(transparent)]
    Illegal(#[from] IllegalTransition),
    /// VMs that are to doze need more memory than their node has, or constraints forbid it.
    #[error("VM `{vm}` cannot doze on node `{node}`: the node lacks the memory, or a constraint forbids it")]
    Dozing {
        /// Name of the VM.
        vm: String,
        /// Name of the node.
        node: String,
    },
    /// The search was complete: no viable configuration has the decided states.
    #[error("there is no plan: no viable configuration has these states")]
    Infeasible,
    /// Viable configurations were found, but no plan to any of them satisfies the constraints on
    /// order and times.
    #[error(
        "no plan was found: precedence, serialise, sync, no-delay and deadline rule out every plan to the {configurations} viable configurations examined"
    )]
    Order {
        /// Number of viable configurations examined.
        configurations: u64,
    },
    /// No viable configuration was found within the limits.
    #[error(
        "no plan was found: the search found no viable configuration within {steps} steps, but one may exist"
    )]
    NotFound {
        /// Number of steps taken.
        steps: u64,
    },
}

/// Searches for the viable configuration with the states of `wanted` whose plan costs least. VMs
/// that run in `wanted` may run on any node; all others have the places that it gives them.
///
/// An anytime search. The initial solutions are `wanted` itself, if viable, and a configuration in
/// which as many VMs as possible stay on their nodes; where VMs fit nowhere, the search kernel of
/// [`dfrsim_adaptation`] repairs it by ejections. If that fails, all VMs are packed into empty nodes.
/// Small problems are then searched completely. For others, large neighbourhood search repeatedly
/// removes VMs from a few nodes, or of a vjob, and reinserts them at low cost. Its first phase
/// evaluates moves by an estimate and sometimes accepts a higher cost (simulated annealing). The second
/// phase evaluates moves by their plans and accepts them if the cost does not increase. The search ends
/// when the cost reaches the lower bound. All assignments that it examines satisfy the constraints.
///
/// # Errors
/// A VM cannot reach its state, there is no viable configuration, or none was found within the
/// limits.
pub fn solve(
    cluster: &Cluster,
    current: &Configuration,
    wanted: &Configuration,
    limits: &Limits,
    seed: Seed,
) -> Result<Optimised, Unsolved> {
    current.check_size(cluster)?;
    wanted.check_size(cluster)?;
    let goal = Goal::new(cluster, current, wanted)?;
    let planner = Planner::new(cluster, current);
    let bound = bound::lower_bound(&goal, &planner.free);
    let budget = SearchBudget { limits: *limits, begin: Instant::now(), steps: 0 };
    let mut search = Search {
        goal: &goal,
        planner,
        policy: PlanPolicy::new(cluster),
        bound,
        budget,
        best: None,
        inexact_bound: u64::MAX,
        unplannable: 0,
    };
    search.offer_start(wanted);
    construct::search(&mut search, seed.fork("construct"));
    let is_complete = complete::search(&mut search);
    if !is_complete && search.best.is_some() {
        search.raise_bound();
        neighbourhood::search(&mut search, seed.fork("neighbourhood"));
    }
    let steps = search.budget.steps;
    let Some(Best { nodes, mut policy, .. }) = search.best.take() else {
        return Err(match search.unplannable {
            0 if is_complete => Unsolved::Infeasible,
            0 => Unsolved::NotFound { steps },
            configurations => Unsolved::Order { configurations },
        });
    };
    let configuration = goal.configuration(&nodes);
    let best = search.planner.best(&configuration, &mut policy);
    let plan = Plan::of(best.expect("a plan was found before"));
    let cost = plan.cost_from(cluster, current);
    // The bound assumes that VMs migrate, but a suspend and a resume may take less time; so the cost
    // can be lower.
    let bound = search.bound.min(cost);
    // Complete search also examines the cheapest pools of each configuration.
    let proven = cost == bound || is_complete && !cluster.is_early() && cost <= search.inexact_bound;
    Ok(Optimised { configuration, plan, cost, bound: if proven { cost } else { bound }, proven, steps })
}

/// Finds nodes for all VMs that run in `wanted`, by the search kernel; returns the configuration
/// without a plan to it.
pub(crate) fn place_running(
    cluster: &Cluster,
    current: &Configuration,
    wanted: &Configuration,
) -> Option<Configuration> {
    let goal = Goal::new(cluster, current, wanted).ok()?;
    let planner = Planner::new(cluster, current);
    let mut partial = repair::PartialAssignment::new(&goal, &planner.free);
    let mut left = construct::keep_in_place(&goal, &mut partial);
    // Units are taken from the end of the list.
    left.reverse();
    let mut budget = SearchBudget { limits: Limits::default(), begin: Instant::now(), steps: 0 };
    let mut rng = Seed::new(1).fork("places").rng();
    let is_complete = partial.place_with_ejections(left, &mut budget, &mut rng);
    is_complete.then(|| goal.configuration(&partial.nodes))
}

/// The incumbent: the cheapest assignment so far.
#[derive(Clone, Debug)]
struct Best {
    /// Node of each unit.
    nodes: Vec<NodeId>,
    cost: u64,
    /// Policy under which the plan was found.
    policy: PlanPolicy,
}

#[derive(Clone, Debug)]
struct SearchBudget {
    limits: Limits,
    begin: Instant,
    steps: u64,
}

impl SearchBudget {
    /// Returns a copy of the budget of which only the given number of eighths of the total may still
    /// be spent.
    fn limited_to(&self, eighths: u32) -> SearchBudget {
        let Limits { steps, time } = self.limits;
        let steps = steps.min(self.steps.saturating_add(steps / 8 * u64::from(eighths)));
        let time = time.map(|time| time.min(self.begin.elapsed() + time / 8 * eighths));
        SearchBudget { limits: Limits { steps, time }, ..self.clone() }
    }

    /// Returns the fraction of the budget remaining at `begin` that has been spent since, in steps
    /// or time, whichever is larger.
    fn spent_since(&self, begin: &SearchBudget) -> f64 {
        let Limits { steps, time } = self.limits;
        let by_steps = (self.steps - begin.steps) as f64 / (steps - begin.steps).max(1) as f64;
        let by_time = time.map_or(0.0, |time| self.begin.elapsed().as_secs_f64() / time.as_secs_f64());
        by_steps.max(by_time).min(1.0)
    }

    /// Takes a step; returns false if the budget is spent.
    fn try_step(&mut self) -> bool {
        if self.steps >= self.limits.steps || self.is_out_of_time() {
            return false;
        }
        self.steps += 1;
        true
    }

    fn is_out_of_time(&self) -> bool {
        self.limits.time.is_some_and(|time| self.begin.elapsed() >= time)
    }
}

/// State shared by all search phases.
struct Search<'a> {
    goal: &'a Goal<'a>,
    planner: Planner<'a>,
    /// Policy under which configurations are planned.
    policy: PlanPolicy,
    bound: u64,
    budget: SearchBudget,
    best: Option<Best>,
    /// Lower bound on the cost of configurations for which complete search could not find the
    /// cheapest plan.
    inexact_bound: u64,
    /// Number of configurations without a plan, because of constraints on the order of actions.
    unplannable: u64,
}

impl Search<'_> {
    /// Computes the cost of the plan to a configuration; `None` if no order of the actions satisfies
    /// the constraints.
    fn cost(&mut self, configuration: &Configuration) -> Option<u64> {
        let cost = self.planner.cost_if_plannable(configuration, &self.policy);
        let cost = cost.expect("decided transitions are legal on every node");
        self.unplannable += u64::from(cost.is_none());
        cost
    }

    /// Makes an assignment the incumbent if it is cheaper.
    fn offer(&mut self, nodes: &[NodeId], cost: u64) {
        if self.best.as_ref().is_none_or(|best| cost < best.cost) {
            self.best = Some(Best { nodes: nodes.to_vec(), cost, policy: self.policy.clone() });
        }
    }

    /// Plans an assignment, where `enters` tells which units enter their nodes in the first pool,
    /// and makes it the incumbent if it is cheaper.
    fn offer_planned(&mut self, nodes: &[NodeId], enters: &[bool]) {
        self.policy = PlanPolicy::new(self.goal.cluster);
        for (unit, _) in self.goal.units.iter().zip(enters).filter(|(_, enters)| !**enters) {
            unit.vms.iter().for_each(|&vm| self.policy.set_delayed(vm, true));
        }
        let configuration = self.goal.configuration(nodes);
        for thresholds in [Vec::new(), vec![self.goal.typical_pool_cost()]] {
            self.policy.thresholds = thresholds;
            if let Some(cost) = self.cost(&configuration) {
                self.offer(nodes, cost);
            }
        }
    }

    /// Evaluates a configuration by its cheapest plan, if that can be found, and makes it the
    /// incumbent if it is cheaper. `least` is a lower bound on its cost.
    fn offer_exactly(&mut self, nodes: &[NodeId], configuration: &Configuration, least: u64) {
        let exact = self.planner.exact(configuration).expect("decided transitions are legal on every node");
        let cost = match exact {
            Some(exact) => Some(exact.cost),
            None => {
                self.inexact_bound = self.inexact_bound.min(least);
                self.cost(configuration)
            }
        };
        if let Some(cost) = cost {
            self.offer(nodes, cost);
        }
    }

    /// Spends an eighth of the budget on a tighter bound, unless the incumbent is proven optimal or
    /// no step is left.
    fn raise_bound(&mut self) {
        // The relaxation assumes pools, so it bounds nothing if actions start earlier.
        let is_left = !self.goal.cluster.is_early() && self.budget.steps < self.budget.limits.steps;
        let open = self.best.as_ref().filter(|best| is_left && best.cost > self.bound);
        let Some(best) = open else { return };
        let budget = self.budget.limited_to(1);
        let is_late = || budget.is_out_of_time();
        self.bound = relaxation::lower_bound(self.goal, &self.planner.free, self.bound, best.cost, is_late);
    }

    /// Returns true if the incumbent reaches the lower bound.
    fn is_proven(&self) -> bool {
        self.best.as_ref().is_some_and(|best| best.cost == self.bound)
    }

    /// Offers `wanted` as the first incumbent, if it is viable.
    fn offer_start(&mut self, wanted: &Configuration) {
        if wanted.check(self.goal.cluster).is_ok() {
            let node = |unit: &Unit| wanted.place(unit.vms[0]).node();
            let nodes: Option<Vec<NodeId>> = self.goal.units.iter().map(node).collect();
            if let Some(nodes) = nodes
                && let Some(cost) = self.cost(wanted)
            {
                self.offer(&nodes, cost);
            }
        }
    }
}
