//! Adaptation heuristic.

use crate::annealing;
use crate::effort::Effort;
use crate::partition::Partition;
use crate::repair::{Repair, Style};
use crate::rules::Rules;
use crate::tasks::Tasks;
use dfrsim_model::Yield;
use dfrsim_model::offline::{Adaptation, Mapping, Solved};
use dfrsim_packing::relabelled;
use dfrsim_vector_packing::vector::{Algorithm, Options, VectorPacking, minimum_yield, yield_bound};
use std::sync::mpsc::Sender;

/// Maximum number of nodes for which a packing from scratch is relabelled.
const RELABEL_UP_TO: usize = 256;

/// Resolution of the yields at which annealing searches within a budget: number of steps up to the
/// highest yield, a power of two.
const ANNEALING_STEPS: u32 = 64;

/// A mapping that keeps the budget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Adapted {
    /// Placement of the tasks.
    pub mapping: Mapping,
    /// Exact minimum scaled yield of the mapping.
    pub minimum_yield: Yield,
    /// Cost of the moves: [`check::moving_cost`](crate::check::moving_cost).
    pub moving: u64,
}

/// Heuristic solver of adaptation problems; it reuses its buffers.
///
/// Yields are tried from 0 upwards. At each yield two placements are repaired at a low cost: the
/// current one, with new tasks unplaced, and the one found before; the cheaper result is kept. With
/// fewer than 64 tasks, a depth-first search of bounded length then looks for a cheaper one; for a
/// dozen tasks this search is nearly exhaustive. The climb continues from the exact yield of the
/// placement found; with 64 tasks or more, in smaller steps where no repair succeeds. The budget
/// only determines when to stop, so a larger budget finds all that a smaller one finds: *the minimum
/// yield never decreases as the budget grows*. At the end a packing from scratch (VP_EJECT), with
/// its nodes relabelled so that the least is moved, is used if it is better and within the budget.
/// With [`Adapter::annealing`], a bisection then narrows the gap between a yield that is reached
/// within the budget and one that is not, down to 1/64 of the highest yield. The cheapest placement
/// found at a yield does not depend on the budget, so the yield reached by the bisection never
/// decreases either; but the exact yield of the placement is often slightly higher, by chance.
#[derive(Debug)]
pub struct Adapter {
    pub(crate) repair: Repair,
    partition: Partition,
    packing: VectorPacking,
    search_steps: u32,
    pub(crate) annealing: u32,
    /// Receiver of every placement that is better than those before it.
    improvements: Option<Sender<Adapted>>,
    rules: Option<Box<dyn Rules>>,
    further_homes: Vec<(u32, u32, u64)>,
}

impl Default for Adapter {
    fn default() -> Adapter {
        Adapter::new()
    }
}

impl Adapter {
    /// Default number of partial placements that the search examines at each yield.
    pub const SEARCH_STEPS: u32 = 1 << 16;

    /// Moves per task with which annealing hardly ever misses a cheaper placement of 500 tasks.
    pub const MOVES: u32 = 2000;

    /// Creates a solver with the default search and without annealing.
    #[must_use]
    pub fn new() -> Adapter {
        let packing = VectorPacking::new(Algorithm::EJECT, Options::default());
        Adapter {
            repair: Repair::default(),
            partition: Partition::default(),
            packing,
            search_steps: Adapter::SEARCH_STEPS,
            annealing: 0,
            improvements: None,
            rules: None,
            further_homes: Vec::new(),
        }
    }

    /// Sets the number of search steps at each yield, 0 for no search; the default is
    /// [`Adapter::SEARCH_STEPS`].
    #[must_use]
    pub fn searching(self, steps: u32) -> Adapter {
        Adapter { search_steps: steps, ..self }
    }

    /// Sets the number of annealing moves per task in every search for a cheap placement, 0 (the
    /// default) for none. With [`Adapter::MOVES`], annealing takes about a seventh of a second for
    /// 500 tasks on 30 nodes.
    #[must_use]
    pub fn annealing(self, moves: u32) -> Adapter {
        Adapter { annealing: moves, ..self }
    }

    /// Sends placements within the budget while they are being improved, so that a caller with a time
    /// limit has an answer at any time. A placement need not be better than those sent before it.
    #[must_use]
    pub fn reporting(self, to: Sender<Adapted>) -> Adapter {
        Adapter { improvements: Some(to), ..self }
    }

    /// Sets rules that all placements must keep, without any task placed.
    #[must_use]
    pub fn ruled_by(self, rules: Option<Box<dyn Rules>>) -> Adapter {
        Adapter { rules, ..self }
    }

    /// Returns the tasks of a problem under the rules.
    pub(crate) fn tasks(&self, problem: &Adaptation) -> Tasks {
        let mut tasks = Tasks::of(problem, self.rules.clone());
        for &(task, node, saved) in &self.further_homes {
            let is_less = saved < tasks.cost[task as usize] && tasks.home[task as usize] != node;
            if is_less && tasks.cost[task as usize] != Adaptation::PINNED {
                tasks.further_homes.insert((task, node), saved);
            }
        }
        tasks
    }

    /// Sets nodes other than its current one on which a task costs less than elsewhere, each with the
    /// number of the task, the node, and the part of the cost that is saved. Budgets and
    /// [`Adapted::moving`] still count the whole cost.
    #[must_use]
    pub fn with_further_homes(self, further_homes: Vec<(u32, u32, u64)>) -> Adapter {
        Adapter { further_homes, ..self }
    }

    /// Sends a placement to the caller.
    pub(crate) fn report(&self, found: impl FnOnce() -> Option<Adapted>) {
        if let Some(to) = &self.improvements {
            // A caller whose time is over no longer listens.
            let _ = found().map(|found| to.send(found));
        }
    }

    /// Finds a mapping with a large minimum yield within a budget. `None` means that none was found,
    /// not that there is none.
    #[must_use]
    pub fn adapt(&mut self, problem: &Adaptation, budget: u64) -> Option<Adapted> {
        let highest = yield_bound(&problem.instance)?;
        let mut tasks = self.tasks(problem);
        // Packing takes long: a caller with little time gets the first repair.
        tasks.size_at(problem, Yield::ZERO);
        if self.repair.run(&tasks, &tasks.home, Style::numbered(0))
            && self.repair.placement.cost <= u128::from(budget)
        {
            self.report(|| adapted(problem, &tasks, &self.repair.placement.node_of));
        }
        let packed = self.packed(problem);
        let effort = Effort::for_tasks(tasks.count());
        let mut best: Option<Adapted> = None;
        for &from_packed in effort.from_packed {
            let start = packed.as_ref().filter(|_| from_packed).map(|packed| tasks.nodes_of(&packed.mapping));
            let found = self.climb(problem, &mut tasks, budget, highest, start.as_deref(), effort);
            best = better(best, found);
        }
        let best = better(best, packed.filter(|packed| packed.moving <= budget));
        better(best, self.annealed(problem, &mut tasks, budget, highest))
    }

    /// Finds the placement with the largest minimum yield within a budget by annealing.
    fn annealed(
        &self,
        problem: &Adaptation,
        tasks: &mut Tasks,
        budget: u64,
        highest: Yield,
    ) -> Option<Adapted> {
        let mut best = None;
        // The highest feasible step so far, and the next increment. The highest yield is tried
        // first.
        let (mut reached, mut step) = (0, ANNEALING_STEPS);
        while self.annealing > 0 && step > 0 && reached < ANNEALING_STEPS {
            let units = u64::from(highest.units()) * u64::from(reached + step) / u64::from(ANNEALING_STEPS);
            let target = Yield::try_from_units(units as u32)
                .expect("a step of the ladder must not exceed the highest yield");
            tasks.size_at(problem, target);
            let found = annealing::cheapest(tasks, &tasks.home, self.annealing);
            let found = found.and_then(|node_of| adapted(problem, tasks, &node_of));
            if let Some(found) = found.filter(|found| found.moving <= budget) {
                reached += step;
                best = better(best, Some(found));
            }
            step /= 2;
        }
        best
    }

    /// Finds a mapping with at least this minimum yield and low moving cost; `None` if none is
    /// found.
    #[must_use]
    pub fn cheapest_for(&mut self, problem: &Adaptation, wanted: Yield) -> Option<Adapted> {
        let mut tasks = self.tasks(problem);
        let node_of = self.placed_for(problem, &mut tasks, wanted, None)?;
        adapted(problem, &tasks, &node_of)
    }

    /// Finds a cheap placement of the tasks at a yield. Repairs a known placement, too, if there is
    /// one.
    pub(crate) fn placed_for(
        &mut self,
        problem: &Adaptation,
        tasks: &mut Tasks,
        wanted: Yield,
        known: Option<&[u32]>,
    ) -> Option<Vec<u32>> {
        tasks.size_at(problem, wanted);
        let effort = Effort::for_tasks(tasks.count());
        let styles = (0..effort.first_repairs.max(Style::PLAIN)).map(Style::numbered);
        let found = self.cheapest(tasks, [known, None], styles, effort);
        let start = found.map(|(_, node_of)| node_of).or_else(|| {
            let packed = self.packed(problem).filter(|packed| packed.minimum_yield >= wanted)?;
            Some(tasks.nodes_of(&packed.mapping))
        });
        annealing::cheapest(tasks, start.as_deref().unwrap_or(&tasks.home), self.annealing)
    }

    /// Computes a packing from scratch, which knows no rules.
    fn packed(&mut self, problem: &Adaptation) -> Option<Adapted> {
        if self.rules.is_some() {
            return None;
        }
        let Solved { mapping, minimum_yield } = self.packing.solve(&problem.instance).ok()??;
        let few = problem.instance.nodes.len() <= RELABEL_UP_TO;
        let mapping = if few { relabelled(problem, &mapping) } else { mapping };
        let moving = problem.migration_cost(&mapping);
        Some(Adapted { mapping, minimum_yield, moving })
    }

    fn climb(
        &mut self,
        problem: &Adaptation,
        tasks: &mut Tasks,
        budget: u64,
        highest: Yield,
        packed: Option<&[u32]>,
        effort: Effort,
    ) -> Option<Adapted> {
        let jobs = problem.instance.jobs.len();
        let mut step = (highest.units() / effort.steps).max(1);
        // A step of 0 would never terminate.
        let finest = (highest.units() / effort.finest_steps).max(1);
        let mut best: Option<(Yield, Vec<u32>)> = None;
        let mut last: Option<Vec<u32>> = None;
        let above = |from: Yield, step| {
            Yield::try_from_units(from.units() + step).map_or(highest, |next| next.min(highest))
        };
        // The sequence of targets must not depend on the budget, or a larger budget might find less.
        let (mut target, mut repaired, mut failures) = (Yield::ZERO, Yield::ZERO, 0);
        for (turn, styles) in effort.styles().enumerate() {
            tasks.size_at(problem, target);
            let others = [last.as_deref(), packed];
            let found = self.cheapest(tasks, others, styles, effort);
            let mut reached = target;
            let mut kept = false;
            if let Some((cost, node_of)) = found {
                let mapping = tasks.mapping(jobs, &node_of);
                reached =
                    minimum_yield(&problem.instance, &mapping).map_or(target, |exact| exact.max(target));
                kept = cost <= u128::from(budget);
                if kept && best.as_ref().is_none_or(|best| reached > best.0) {
                    self.report(|| adapted(problem, tasks, &node_of));
                    best = Some((reached, node_of.clone()));
                }
                last = Some(node_of);
                repaired = reached;
            } else if turn > 0 && step > finest {
                step /= 2;
                target = above(repaired, step);
                continue;
            }
            failures = if kept { 0 } else { failures + 1 };
            if failures == effort.max_failures || reached >= highest {
                break;
            }
            target = above(reached, step);
        }
        best.and_then(|(_, node_of)| adapted(problem, tasks, &node_of))
    }

    /// Returns the cheapest result of several repairs and, if enabled, of the search.
    fn cheapest(
        &mut self,
        tasks: &Tasks,
        others: [Option<&[u32]>; 2],
        styles: impl Iterator<Item = Style>,
        effort: Effort,
    ) -> Option<(u128, Vec<u32>)> {
        let mut cheapest: Option<(u128, Vec<u32>)> = None;
        for style in styles {
            for start in others.into_iter().flatten().chain([tasks.home.as_slice()]) {
                if self.repair.run(tasks, start, style) {
                    if effort.reduces_cost {
                        self.repair.reduce_cost(tasks, style);
                        self.partition.exchange(&mut self.repair.placement, tasks);
                    }
                    let Repair { placement, .. } = &self.repair;
                    if cheapest.as_ref().is_none_or(|cheapest| placement.cost < cheapest.0) {
                        cheapest = Some((placement.cost, placement.node_of.clone()));
                    }
                }
            }
        }
        let steps = if effort.reduces_cost { self.search_steps } else { 0 };
        if steps > 0 {
            let start = cheapest.as_ref().map_or(tasks.home.as_slice(), |cheapest| &cheapest.1);
            let placement = &mut self.repair.placement;
            placement.reset(tasks, start);
            let least = cheapest.as_ref().map_or(u128::MAX, |cheapest| cheapest.0);
            if self.partition.search(placement, tasks, least, steps) {
                cheapest = Some((placement.cost, placement.node_of.clone()));
            }
        }
        cheapest
    }
}

/// Converts a placement to a mapping.
pub(crate) fn adapted(problem: &Adaptation, tasks: &Tasks, node_of: &[u32]) -> Option<Adapted> {
    let mapping = tasks.mapping(problem.instance.jobs.len(), node_of);
    let minimum_yield = minimum_yield(&problem.instance, &mapping)?;
    let moving = problem.migration_cost(&mapping);
    Some(Adapted { mapping, minimum_yield, moving })
}

/// Returns the mapping with the higher yield; the first one if they are equal.
fn better(one: Option<Adapted>, other: Option<Adapted>) -> Option<Adapted> {
    let minimum_yield = |found: &Option<Adapted>| found.as_ref().map(|found| found.minimum_yield);
    if minimum_yield(&other) > minimum_yield(&one) { other } else { one }
}
