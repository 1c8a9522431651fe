//! Exact solution by branch and bound in integer arithmetic.

mod items;
mod search;

use crate::bound::simple_bound;
use crate::outcome::{Attempt, Limits, Outcome, Status};
use crate::tasks::{LARGEST_TABLE, jobs_of_tasks};
use dfrsim_model::Yield;
use dfrsim_model::offline::{Adaptation, Instance, Solved};
use items::{Home, Items};
use search::Search;
use std::time::Instant;

/// Computes the largest minimum yield of an instance with a mapping that attains it: OPT
/// (dissertation, section 4.2.1).
///
/// Depth-first search over the tasks: jobs by decreasing largest demand, and for each task the nodes
/// by decreasing free capacity. All amounts are those at the *target*, the smallest yield above that
/// of the incumbent. So a branch is pruned if no node has the capacity for an improvement, or if the
/// remaining demand exceeds the free capacity of the nodes that can still hold any task. Of
/// identical empty nodes only the first is tried, and identical tasks are placed on nodes in
/// non-descending order. Nodes may be heterogeneous. The arithmetic is exact.
///
/// The search is meant for small instances. An instance with more than 2^26 tasks times nodes is
/// returned at once as timed out.
///
/// ```
/// use dfrsim_model::Yield;
/// use dfrsim_model::offline::{Instance, OfflineJob};
/// use dfrsim_optimum::{Limits, Status, optimum};
///
/// let job = |memory, need| OfflineJob { tasks: 1, demand: [memory, need].into(), least_yield: Yield::ZERO };
/// // The two large jobs cannot share a node's memory, so one of them shares its CPU with the third: 10 of 16 or 10 of 14.
/// let jobs = vec![job(6, 8), job(6, 6), job(3, 8)];
/// let instance = Instance { fixed: 1, fluid: 1, nodes: vec![[10, 10].into(); 2], jobs };
/// let outcome = optimum(&instance, &Limits::default());
/// assert_eq!(outcome.status, Status::Optimal);
/// assert_eq!(outcome.best.unwrap().minimum_yield, Yield::from_ratio(10, 14));
/// ```
pub fn optimum(instance: &Instance, limits: &Limits) -> Outcome {
    let tasks = jobs_of_tasks(instance, LARGEST_TABLE);
    best_of(instance, tasks.map(|tasks| Items::new(instance, tasks.into_iter().map(new_task))), 0, limits)
}

/// Creates a task without a home.
fn new_task(job: usize) -> (usize, Home) {
    (job, None)
}

/// Computes the largest minimum yield of an adaptation problem within a budget, with a mapping that
/// attains it: the optimum of (6.1) to (6.7) (dissertation, section 6.2.2).
///
/// The search is that of [`optimum`], which also tracks the spent budget. Each task tries its home
/// first, placements that exceed the budget are pruned, and the symmetry of identical nodes is not
/// used for nodes that are homes. Tasks of one job with different homes are distinct.
///
/// ```
/// use dfrsim_model::offline::{Adaptation, Instance, OfflineJob};
/// use dfrsim_model::{NodeId, NodeTasks, Yield};
/// use dfrsim_optimum::{Limits, adapted_optimum};
///
/// let job = |need| OfflineJob { tasks: 1, demand: [need].into(), least_yield: Yield::ZERO };
/// let instance = Instance { fixed: 0, fluid: 1, nodes: vec![[10].into(); 2], jobs: vec![job(10), job(6)] };
/// let current = vec![vec![NodeTasks { node: NodeId(0), tasks: 1 }]; 2];
/// let problem = Adaptation { instance, current, cost: vec![9, 3] };
/// let min_yield = |budget| adapted_optimum(&problem, budget, &Limits::default()).best.unwrap().minimum_yield;
/// assert_eq!([min_yield(2), min_yield(3)], [Yield::from_ratio(10, 16), Yield::ONE]);
/// ```
pub fn adapted_optimum(problem: &Adaptation, budget: u64, limits: &Limits) -> Outcome {
    let instance = &problem.instance;
    let tasks = jobs_of_tasks(instance, LARGEST_TABLE);
    let items = tasks.map(|tasks| Items::new(instance, tasks.into_iter().zip(homes(problem))));
    best_of(instance, items, budget, limits)
}

/// Returns the home of each task, in the order of jobs.
fn homes(problem: &Adaptation) -> impl Iterator<Item = Home> {
    let jobs = problem.instance.jobs.iter().zip(&problem.current).zip(&problem.cost);
    jobs.flat_map(|((job, current), &cost)| {
        let standing =
            current.iter().flat_map(move |part| (0..part.tasks).map(move |_| Some((part.node.0, cost))));
        standing.chain(std::iter::repeat(None)).take(job.tasks as usize)
    })
}

/// Searches for the best mapping of items; `items` is `None` if the instance is too large.
fn best_of(instance: &Instance, items: Option<Items>, budget: u64, limits: &Limits) -> Outcome {
    let start = Instant::now();
    let outcome = |status, best, bound, nodes| Outcome { status, best, bound, nodes: Some(nodes) };
    let Some(bound) = simple_bound(instance) else {
        return outcome(Status::Infeasible, None, None, 0);
    };
    let Some(items) = items else {
        return outcome(Status::TimedOut, None, Some(bound), 0);
    };
    let enough = stopping_yield(bound, limits.gap);
    let mut search = Search::new(instance, &items, budget, Yield::ZERO, limits, start);
    let mut best: Option<Solved> = None;
    loop {
        match search.next_mapping() {
            Attempt::Found(found) => {
                let minimum_yield = found.minimum_yield;
                best = Some(found);
                let next = Yield::try_from_units(minimum_yield.units() + 1);
                match next {
                    Some(next) if minimum_yield < enough => search.raise(next),
                    _ if minimum_yield < bound => {
                        return outcome(Status::Feasible, best, Some(bound), search.visited());
                    }
                    _ => return outcome(Status::Optimal, best, Some(minimum_yield), search.visited()),
                }
            }
            Attempt::Failed => {
                let proven = best.as_ref().map(|best| best.minimum_yield);
                let status = if best.is_some() { Status::Optimal } else { Status::Infeasible };
                return outcome(status, best, proven, search.visited());
            }
            Attempt::TimedOut => return outcome(Status::TimedOut, best, Some(bound), search.visited()),
        }
    }
}

/// Decides if some mapping has at least this minimum yield: the decision version of [`optimum`].
/// [`Attempt::Failed`] is a proof that there is none.
pub fn is_feasible(instance: &Instance, min_yield: Yield, limits: &Limits) -> Attempt {
    if simple_bound(instance).is_none_or(|bound| bound < min_yield) {
        return Attempt::Failed;
    }
    let Some(tasks) = jobs_of_tasks(instance, LARGEST_TABLE) else { return Attempt::TimedOut };
    let items = Items::new(instance, tasks.into_iter().map(new_task));
    Search::new(instance, &items, 0, min_yield, limits, Instant::now()).next_mapping()
}

/// Returns the smallest yield at which a search with this bound may stop.
fn stopping_yield(bound: Yield, gap: f64) -> Yield {
    if gap > 0.0 { Yield::from_f64(bound.as_f64() / (1.0 + gap)).min(bound) } else { bound }
}
