//! Among all configurations with the decided states, the one whose plan costs least (section 4.3).

mod bound;
mod complete;
mod construct;
mod cover;
mod ejection;
mod estimate;
mod goal;
mod knapsack;
mod neighbourhood;
mod relaxation;
mod repair;

use crate::action::IllegalTransition;
use crate::assignment::Unit;
use crate::cluster::Cluster;
use crate::configuration::Configuration;
use crate::plan::Plan;
use crate::planner::Planner;
use crate::viability::OtherCluster;
use dfrsim_model::{NodeId, Seed};
use goal::Goal;
use std::time::{Duration, Instant};

/// When the search ends, if it has not proven its result before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How many assignments it may examine: of the complete search those of single VMs, else whole ones. With this
    /// limit alone the result depends on the input only.
    pub steps: u64,
    /// How long it may search. Results under a limit of time are not reproducible.
    pub time: Option<Duration>,
}

impl Default for Limits {
    /// 20,000 steps, any time.
    fn default() -> Limits {
        Limits { steps: 20_000, time: None }
    }
}

/// The best that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Optimised {
    /// A viable configuration with the decided states.
    pub configuration: Configuration,
    /// The plan that leads there.
    pub plan: Plan,
    /// Its cost, in MB or what the aim has.
    pub cost: u64,
    /// No plan to these states in which each VM acts at most once costs less than this, for any pools. (More
    /// than once a VM acts only to break a cycle.) Where complete search ends early it knows vjobs, nodes and the prices of
    /// pools, by a Lagrangian relaxation.
    pub bound: u64,
    /// Whether the cost is the least of all such plans to all configurations with these states: it is the bound, or the
    /// search was complete.
    pub proven: bool,
    /// How many steps were taken.
    pub steps: u64,
}

/// Why there is no configuration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unsolved {
    /// A configuration is that of another cluster.
    #[error(transparent)]
    Places(#[from] OtherCluster),
    /// A VM cannot go to the decided state.
    #[error(transparent)]
    Illegal(#[from] IllegalTransition),
    /// VMs that are to doze take more memory than their node has, or constraints forbid it.
    #[error("VM `{vm}` cannot doze on node `{node}`: its memory is not there, or a constraint forbids it")]
    Dozing {
        /// A VM.
        vm: String,
        /// Its node.
        node: String,
    },
    /// The search was complete: the decided states have no viable configuration.
    #[error("there is no plan: no viable configuration has these states")]
    Infeasible,
    /// Viable configurations were found, and no plan to one of them in the order and at the times that constraints ask for.
    #[error(
        "no plan was found: precedence, serialise, sync, no-delay and deadline rule out every plan to the {configurations} viable configurations examined"
    )]
    Order {
        /// How many were met.
        configurations: u64,
    },
    /// No viable configuration was found within the limits.
    #[error(
        "no plan was found: the search found no viable configuration in {steps} steps, but one may exist"
    )]
    NotFound {
        /// How many were taken.
        steps: u64,
    },
}

/// Searches for the viable configuration with the states of a wanted one whose plan costs least: VMs that run there may do so
/// on any node, and all others are in their places.
///
/// An anytime search: it begins with the wanted configuration, if that is viable, and with one in which VMs stay where they
/// are as far as possible; VMs for which no node has room push others out. If that fails, all VMs are packed into empty nodes.
/// Small problems are then searched completely. For others, VMs are again and
/// again taken from a few nodes, or from a vjob, and put back as cheaply as that goes (large neighbourhood search): first
/// judged by an estimate, also if that is somewhat dearer (simulated annealing), then by plans, if they are
/// not dearer. The search ends when the cost is the bound. Constraints hold in every assignment that is
/// examined.
///
/// # Errors
/// A VM cannot go to its state, or there is no viable configuration, or none was found within the limits.
pub fn cheapest(
    cluster: &Cluster,
    current: &Configuration,
    wanted: &Configuration,
    limits: &Limits,
    seed: Seed,
) -> Result<Optimised, Unsolved> {
    current.is_of(cluster)?;
    wanted.is_of(cluster)?;
    let goal = Goal::new(cluster, current, wanted)?;
    let planner = Planner::new(cluster, current);
    let bound = bound::lower_bound(&goal, &planner.room);
    let budget = Budget { limits: *limits, begin: Instant::now(), steps: 0 };
    let mut search =
        Search { goal: &goal, planner, bound, budget, best: None, unsure: u64::MAX, no_way_to: 0 };
    search.offer_start(wanted);
    construct::search(&mut search, seed.fork("construct"));
    let is_complete = complete::search(&mut search);
    if !is_complete && search.best.is_some() {
        search.raise_bound();
        neighbourhood::search(&mut search, seed.fork("neighbourhood"));
    }
    let steps = search.budget.steps;
    let Some(Best { nodes, thresholds, held, .. }) = search.best.take() else {
        return Err(match search.no_way_to {
            0 if is_complete => Unsolved::Infeasible,
            0 => Unsolved::NotFound { steps },
            configurations => Unsolved::Order { configurations },
        });
    };
    let configuration = goal.configuration(&nodes);
    search.planner.thresholds = thresholds;
    search.planner.held = held;
    let plan = Plan::of(search.planner.best(&configuration).expect("it was found before"));
    let cost = plan.cost_from(cluster, current);
    // To be suspended and resumed may take less time than to migrate.
    let bound = search.bound.min(cost);
    // Complete search has the cheapest pools.
    let proven = cost == bound || is_complete && !cluster.is_early() && cost <= search.unsure;
    Ok(Optimised { configuration, plan, cost, bound: if proven { cost } else { bound }, proven, steps })
}

/// The cheapest assignment so far.
#[derive(Clone, Debug)]
struct Best {
    /// The node of each unit.
    nodes: Vec<NodeId>,
    cost: u64,
    /// Under which its plan was found.
    thresholds: Vec<u64>,
    held: Vec<bool>,
}

#[derive(Clone, Debug)]
struct Budget {
    limits: Limits,
    begin: Instant,
    steps: u64,
}

impl Budget {
    /// This one, of which from here on only a number of eighths may be spent.
    fn part(&self, eighths: u32) -> Budget {
        let Limits { steps, time } = self.limits;
        let steps = steps.min(self.steps.saturating_add(steps / 8 * u64::from(eighths)));
        let time = time.map(|time| time.min(self.begin.elapsed() + time / 8 * eighths));
        Budget { limits: Limits { steps, time }, ..self.clone() }
    }

    /// The part that is spent of what was left at a moment, by steps or by time.
    fn spent_since(&self, begin: &Budget) -> f64 {
        let Limits { steps, time } = self.limits;
        let by_steps = (self.steps - begin.steps) as f64 / (steps - begin.steps).max(1) as f64;
        let by_time = time.map_or(0.0, |time| self.begin.elapsed().as_secs_f64() / time.as_secs_f64());
        by_steps.max(by_time).min(1.0)
    }

    /// Takes a step, if there is one left.
    fn step(&mut self) -> bool {
        if self.steps >= self.limits.steps || self.is_late() {
            return false;
        }
        self.steps += 1;
        true
    }

    fn is_late(&self) -> bool {
        self.limits.time.is_some_and(|time| self.begin.elapsed() >= time)
    }
}

/// State shared by all searches.
struct Search<'a> {
    goal: &'a Goal<'a>,
    planner: Planner<'a>,
    bound: u64,
    budget: Budget,
    best: Option<Best>,
    /// The least that a configuration may cost of which complete search did not find the cheapest plan.
    unsure: u64,
    /// To how many configurations no plan was found, for the order of its actions.
    no_way_to: u64,
}

impl Search<'_> {
    /// What the plan to an assignment costs, if there is one: actions may be left without an order.
    fn cost(&mut self, configuration: &Configuration) -> Option<u64> {
        let cost = self.planner.cost_if_any(configuration);
        let cost = cost.expect("decided transitions are legal on every node");
        self.no_way_to += u64::from(cost.is_none());
        cost
    }

    /// Keeps an assignment if it is the cheapest so far.
    fn offer(&mut self, nodes: &[NodeId], cost: u64) {
        if self.best.as_ref().is_none_or(|best| cost < best.cost) {
            let (thresholds, held) = (self.planner.thresholds.clone(), self.planner.held.clone());
            self.best = Some(Best { nodes: nodes.to_vec(), cost, thresholds, held });
        }
    }

    /// Plans an assignment in which units enter their nodes in the first pool or not, and keeps it if it is the cheapest so far.
    fn offer_planned(&mut self, nodes: &[NodeId], enters: &[bool]) {
        self.planner.held = vec![false; self.goal.cluster.vms().len()];
        for (unit, _) in self.goal.units.iter().zip(enters).filter(|(_, enters)| !**enters) {
            unit.vms.iter().for_each(|vm| self.planner.held[vm.index()] = true);
        }
        let configuration = self.goal.configuration(nodes);
        for thresholds in [Vec::new(), vec![self.goal.usual_pool()]] {
            self.planner.thresholds = thresholds;
            if let Some(cost) = self.cost(&configuration) {
                self.offer(nodes, cost);
            }
        }
    }

    /// The same with the cheapest of all its plans, where that is found; it costs `least` at least.
    fn offer_exactly(&mut self, nodes: &[NodeId], configuration: &Configuration, least: u64) {
        let exact = self.planner.exact(configuration).expect("decided transitions are legal on every node");
        let cost = match exact {
            Some(exact) => Some(exact.cost),
            None => {
                self.unsure = self.unsure.min(least);
                self.cost(configuration)
            }
        };
        if let Some(cost) = cost {
            self.offer(nodes, cost);
        }
    }

    /// Spends a part of the time on a better bound, unless the best plan is proven or no step is left.
    fn raise_bound(&mut self) {
        // That of the relaxation is a bound for pools.
        let is_left = !self.goal.cluster.is_early() && self.budget.steps < self.budget.limits.steps;
        let open = self.best.as_ref().filter(|best| is_left && best.cost > self.bound);
        let Some(best) = open else { return };
        let budget = self.budget.part(1);
        let is_late = || budget.is_late();
        self.bound = relaxation::lower_bound(self.goal, &self.planner.room, self.bound, best.cost, is_late);
    }

    /// Whether no better plan exists.
    fn is_proven(&self) -> bool {
        self.best.as_ref().is_some_and(|best| best.cost == self.bound)
    }

    /// Begins with the wanted configuration, if it is viable.
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
