//! How an algorithm ends on an instance; a search for the optimum always with a mapping, if one is known, and a bound.

use super::answer::Came;
use crate::commands::solve::time_limit::within;
use dfrsim_model::Yield;
use dfrsim_model::offline::Instance;
use dfrsim_optimum::{Limits, PATTERN_ROUNDS, PATTERNS_UP_TO, Status, lp_bound, optimum, pattern_bound};
use dfrsim_vector_packing::vector;
use dfrsim_vector_packing::{Algorithm, Outcome, Settings, Solved};
use std::time::Duration;

pub(super) struct Ended {
    pub(super) came: Came,
    pub(super) solved: Option<Solved>,
    /// Of a search for the optimum: no packing has a larger minimum yield.
    pub(super) bound: Option<Yield>,
}

impl Ended {
    /// What comes of an algorithm within a limit of time.
    pub(super) fn of(
        algorithm: Algorithm,
        instance: &Instance,
        settings: &Settings,
        limit: Duration,
    ) -> Ended {
        if algorithm == Algorithm::Optimum {
            return searched(instance, settings, limit);
        }
        let (came, solved) = match solved(algorithm, instance, settings, limit) {
            Outcome::Solved(solved) => (Came::Solved, Some(solved)),
            Outcome::Failed => (Came::Failed, None),
            Outcome::Infeasible => (Came::Infeasible, None),
            Outcome::TimedOut => (Came::TimedOut, None),
        };
        Ended { came, solved, bound: None }
    }
}

fn solved(algorithm: Algorithm, instance: &Instance, settings: &Settings, limit: Duration) -> Outcome {
    let (all, settings) = (instance.clone(), *settings);
    let outcome = within(limit, &algorithm.to_string(), move || algorithm.solve(&all, &settings));
    outcome.unwrap_or(Outcome::TimedOut)
}

/// The optimum; where the time is over first the better of what the search and VP_EJECT found, and the least bound, for both of
/// which a quarter of the time is kept.
fn searched(instance: &Instance, settings: &Settings, limit: Duration) -> Ended {
    let rest = limit / 4;
    let (all, limits) = (instance.clone(), Limits { time: Some(limit - rest), ..settings.limits });
    let outcome = within(limit - rest, "OPT", move || optimum(&all, &limits));
    let (status, found, bound) = outcome
        .map_or((Status::TimedOut, None, None), |outcome| (outcome.status, outcome.best, outcome.bound));
    match status {
        Status::Optimal => return Ended { came: Came::Solved, solved: found, bound },
        Status::Infeasible => return Ended { came: Came::Infeasible, solved: None, bound: None },
        Status::Feasible | Status::Unbounded | Status::TimedOut => {}
    }
    let packed = match solved(Algorithm::Vector(vector::Algorithm::EJECT), instance, settings, rest) {
        Outcome::Solved(solved) => Some(solved),
        Outcome::Failed | Outcome::Infeasible | Outcome::TimedOut => None,
    };
    let best = found.into_iter().chain(packed).max_by_key(|solved| solved.minimum_yield);
    let known = best.as_ref().map_or(Yield::ZERO, |solved| solved.minimum_yield);
    let tasks: u64 = instance.jobs.iter().map(|job| u64::from(job.tasks)).sum();
    let all = instance.clone();
    let by_patterns = (tasks <= PATTERNS_UP_TO)
        .then(|| within(rest, "the bound", move || pattern_bound(&all, known, PATTERN_ROUNDS)))
        .flatten()
        .flatten();
    let bound = by_patterns.into_iter().chain(lp_bound(instance)).chain(bound).min();
    let is_proven = best.is_some() && bound == Some(known);
    Ended { came: if is_proven { Came::Solved } else { Came::TimedOut }, solved: best, bound }
}
