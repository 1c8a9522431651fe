//! Outcome of an algorithm for an instance. A search for the optimum also returns the best known
//! mapping and a bound.

use super::answer::Came;
use crate::commands::solve::time_limit::run_within;
use dfrsim_model::Yield;
use dfrsim_model::offline::Instance;
use dfrsim_optimum::{Limits, MAX_PATTERN_TASKS, PATTERN_ROUNDS, Status, lp_bound, optimum, pattern_bound};
use dfrsim_vector_packing::vector;
use dfrsim_vector_packing::{Algorithm, Offered, Outcome, Settings, Solved};
use std::time::Duration;

pub(super) struct AlgorithmOutcome {
    pub(super) came: Came,
    pub(super) solved: Option<Solved>,
    /// Proven upper bound on the minimum yield, from a search for the optimum.
    pub(super) bound: Option<Yield>,
}

impl AlgorithmOutcome {
    /// Runs an algorithm within a time limit.
    pub(super) fn of(
        algorithm: &Offered,
        instance: &Instance,
        settings: &Settings,
        limit: Duration,
    ) -> AlgorithmOutcome {
        if algorithm.is(Algorithm::Optimum) {
            return search_optimum(instance, settings, limit);
        }
        let (came, solved) = match solve_within(algorithm, instance, settings, limit) {
            Outcome::Solved(solved) => (Came::Solved, Some(solved)),
            Outcome::Failed => (Came::Failed, None),
            Outcome::Infeasible => (Came::Infeasible, None),
            Outcome::TimedOut => (Came::TimedOut, None),
        };
        AlgorithmOutcome { came, solved, bound: None }
    }
}

fn solve_within(algorithm: &Offered, instance: &Instance, settings: &Settings, limit: Duration) -> Outcome {
    let (all, settings, packer) = (instance.clone(), *settings, algorithm.clone());
    let outcome = run_within(limit, &algorithm.to_string(), move || packer.solve(&all, &settings));
    outcome.unwrap_or(Outcome::TimedOut)
}

/// Searches for the optimum. If the time limit is reached first, returns the better of the packings
/// that the search and VP_EJECT found, and the least upper bound; a quarter of the time is reserved
/// for each of these two.
fn search_optimum(instance: &Instance, settings: &Settings, limit: Duration) -> AlgorithmOutcome {
    let rest = limit / 4;
    let (all, limits) = (instance.clone(), Limits { time: Some(limit - rest), ..settings.limits });
    let outcome = run_within(limit - rest, "OPT", move || optimum(&all, &limits));
    let (status, found, bound) = outcome
        .map_or((Status::TimedOut, None, None), |outcome| (outcome.status, outcome.best, outcome.bound));
    match status {
        Status::Optimal => return AlgorithmOutcome { came: Came::Solved, solved: found, bound },
        Status::Infeasible => return AlgorithmOutcome { came: Came::Infeasible, solved: None, bound: None },
        Status::Feasible | Status::Unbounded | Status::TimedOut => {}
    }
    let eject = Offered::Own(Algorithm::Vector(vector::Algorithm::EJECT));
    let packed = match solve_within(&eject, instance, settings, rest) {
        Outcome::Solved(solved) => Some(solved),
        Outcome::Failed | Outcome::Infeasible | Outcome::TimedOut => None,
    };
    let best = found.into_iter().chain(packed).max_by_key(|solved| solved.minimum_yield);
    let known = best.as_ref().map_or(Yield::ZERO, |solved| solved.minimum_yield);
    let tasks: u64 = instance.jobs.iter().map(|job| u64::from(job.tasks)).sum();
    let all = instance.clone();
    let by_patterns = (tasks <= MAX_PATTERN_TASKS)
        .then(|| run_within(rest, "the bound", move || pattern_bound(&all, known, PATTERN_ROUNDS)))
        .flatten()
        .flatten();
    let bound = by_patterns.into_iter().chain(lp_bound(instance)).chain(bound).min();
    let is_proven = best.is_some() && bound == Some(known);
    AlgorithmOutcome { came: if is_proven { Came::Solved } else { Came::TimedOut }, solved: best, bound }
}
