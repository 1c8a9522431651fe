//! The exact solution by a search of our own.

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

/// The largest minimum yield of an instance, with a mapping that reaches it: OPT (dissertation, section 4.2.1).
///
/// Depth first over the tasks, jobs by decreasing largest demand, each task on the nodes by decreasing free capacity. All
/// amounts are those at the *target*, the least yield above that of the best mapping yet, so that a branch ends where a
/// node has no room to be any better, or where what is left to place exceeds what is left on nodes that can still take
/// anything. Of equal empty nodes only the first is tried, and identical tasks are on nodes that do not fall. Nodes may
/// differ. The arithmetic is exact.
///
/// The search is meant for small instances; one of more than 2^26 tasks times nodes is given up at once, as timed out.
///
/// ```
/// use dfrsim_model::Yield;
/// use dfrsim_model::offline::{Instance, OfflineJob};
/// use dfrsim_optimum::{Limits, Status, optimum};
///
/// let job = |memory, need| OfflineJob { tasks: 1, demand: [memory, need].into(), least_yield: Yield::ZERO };
/// // Memory parts the two large jobs, and then one of them shares its node's CPU: 10 of 16 or 10 of 14.
/// let jobs = vec![job(6, 8), job(6, 6), job(3, 8)];
/// let instance = Instance { fixed: 1, fluid: 1, nodes: vec![[10, 10].into(); 2], jobs };
/// let outcome = optimum(&instance, &Limits::default());
/// assert_eq!(outcome.status, Status::Optimal);
/// assert_eq!(outcome.best.unwrap().minimum_yield, Yield::from_ratio(10, 14));
/// ```
pub fn optimum(instance: &Instance, limits: &Limits) -> Outcome {
    let tasks = jobs_of_tasks(instance, LARGEST_TABLE);
    best_of(instance, tasks.map(|tasks| Items::new(instance, tasks.into_iter().map(new))), 0, limits)
}

/// A task without a home.
fn new(job: usize) -> (usize, Home) {
    (job, None)
}

/// The largest minimum yield of an adaptation problem within a budget, with a mapping that reaches it: the optimum of (6.1) to
/// (6.7) (dissertation, section 6.2.2).
///
/// The search of [`optimum`] with what is spent beside the free amounts: each task tries its home first, none goes where it
/// cannot be paid for, and nodes where tasks are at home are not exchanged. Of tasks of one job with several homes each is
/// one of its own.
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

/// The home of each task, in the order of the jobs.
fn homes(problem: &Adaptation) -> impl Iterator<Item = Home> {
    let jobs = problem.instance.jobs.iter().zip(&problem.current).zip(&problem.cost);
    jobs.flat_map(|((job, current), &cost)| {
        let standing =
            current.iter().flat_map(move |part| (0..part.tasks).map(move |_| Some((part.node.0, cost))));
        standing.chain(std::iter::repeat(None)).take(job.tasks as usize)
    })
}

/// The search for the best mapping of items; without items the instance is too large.
fn best_of(instance: &Instance, items: Option<Items>, budget: u64, limits: &Limits) -> Outcome {
    let start = Instant::now();
    let outcome = |status, best, bound, nodes| Outcome { status, best, bound, nodes: Some(nodes) };
    let Some(bound) = simple_bound(instance) else {
        return outcome(Status::Infeasible, None, None, 0);
    };
    let Some(items) = items else {
        return outcome(Status::TimedOut, None, Some(bound), 0);
    };
    let enough = enough(bound, limits.gap);
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

/// Whether some mapping has at least this minimum yield: the decision version of [`optimum`]. A failure is proven.
pub fn is_feasible(instance: &Instance, min_yield: Yield, limits: &Limits) -> Attempt {
    if simple_bound(instance).is_none_or(|bound| bound < min_yield) {
        return Attempt::Failed;
    }
    let Some(tasks) = jobs_of_tasks(instance, LARGEST_TABLE) else { return Attempt::TimedOut };
    let items = Items::new(instance, tasks.into_iter().map(new));
    Search::new(instance, &items, 0, min_yield, limits, Instant::now()).next_mapping()
}

/// The least yield with which a search under this bound may stop.
fn enough(bound: Yield, gap: f64) -> Yield {
    if gap > 0.0 { Yield::from_f64(bound.as_f64() / (1.0 + gap)).min(bound) } else { bound }
}
