//! How an algorithm ends on an instance; a search for the optimum always with a mapping, if one is known, and a bound.

use super::answer::Came;
use dfrsim_model::Yield;
use dfrsim_model::offline::Instance;
use dfrsim_offline::{Algorithm, Outcome, Settings, Solved};
use dfrsim_optimum::{Placed, Status, lp_bound, optimum, pattern_bound};
use dfrsim_packing::vector;

/// With more tasks than this the bound of patterns takes too long.
const PATTERNS_UP_TO: u64 = 64;

/// Rounds of the bound of patterns at each yield.
const ROUNDS: u32 = 12;

pub(super) struct Ended {
    pub(super) came: Came,
    pub(super) solved: Option<Solved>,
    /// Of a search for the optimum: no packing has a larger minimum yield.
    pub(super) bound: Option<Yield>,
}

impl Ended {
    pub(super) fn of(algorithm: Algorithm, instance: &Instance, settings: &Settings) -> Ended {
        if algorithm == Algorithm::Optimum {
            return searched(instance, settings);
        }
        let (came, solved) = match algorithm.solve(instance, settings) {
            Outcome::Solved(solved) => (Came::Solved, Some(solved)),
            Outcome::Failed => (Came::Failed, None),
            Outcome::Infeasible => (Came::Infeasible, None),
            Outcome::TimedOut => (Came::TimedOut, None),
        };
        Ended { came, solved, bound: None }
    }
}

/// The optimum; where the time is over first the better of what the search and VP_EJECT found, and the least bound.
fn searched(instance: &Instance, settings: &Settings) -> Ended {
    let outcome = optimum(instance, &settings.limits);
    let found =
        outcome.best.map(|Placed { mapping, min_yield }| Solved { mapping, minimum_yield: min_yield });
    match outcome.status {
        Status::Optimal => return Ended { came: Came::Solved, solved: found, bound: outcome.bound },
        Status::Infeasible => return Ended { came: Came::Infeasible, solved: None, bound: None },
        Status::Feasible | Status::Unbounded | Status::TimedOut => {}
    }
    let packed = match Algorithm::Vector(vector::Algorithm::EJECT).solve(instance, settings) {
        Outcome::Solved(solved) => Some(solved),
        Outcome::Failed | Outcome::Infeasible | Outcome::TimedOut => None,
    };
    let solved = found.into_iter().chain(packed).max_by_key(|solved| solved.minimum_yield);
    let known = solved.as_ref().map_or(Yield::ZERO, |solved| solved.minimum_yield);
    let tasks: u64 = instance.jobs.iter().map(|job| u64::from(job.tasks)).sum();
    let bound =
        if tasks <= PATTERNS_UP_TO { pattern_bound(instance, known, ROUNDS) } else { lp_bound(instance) };
    let bound = bound.into_iter().chain(outcome.bound).min();
    let is_proven = solved.is_some() && bound == Some(known);
    Ended { came: if is_proven { Came::Solved } else { Came::TimedOut }, solved, bound }
}
