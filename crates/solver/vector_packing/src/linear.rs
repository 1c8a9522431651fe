//! Algorithms based on linear programs, and the optimum, as outcomes.

use crate::vector::search;
use crate::{Outcome, Settings};
use dfrsim_model::offline::Instance;
use dfrsim_optimum::{
    Attempt, Diving, Limits, SolverError, Status, Zeros, chekuri_pack, dive, optimum_by_program, relaxed,
    rounded,
};
use std::time::Instant;

/// Solves an instance by RRND or RRNDNZ. Both use the same random stream.
pub(crate) fn rounding(instance: &Instance, zeros: Zeros, settings: &Settings) -> Outcome {
    match relaxed(instance, settings.relaxation, settings.solver.solver(), &settings.limits) {
        Ok(Attempt::Found(vertex)) => {
            let found = rounded(instance, &vertex, zeros, settings.seed.fork("RRND"));
            found.map_or(Outcome::Failed, Outcome::Solved)
        }
        Ok(Attempt::Failed) | Err(_) => Outcome::Failed,
        Ok(Attempt::TimedOut) => Outcome::TimedOut,
    }
}

pub(crate) fn diving(instance: &Instance, diving: Diving, settings: &Settings) -> Outcome {
    outcome_of(dive(instance, diving, settings.solver.solver(), &settings.limits))
}

/// Solves an instance by `VP_CHEKURI`, within the yield search of all vector packing algorithms. A
/// time limit applies to the search as a whole.
pub(crate) fn chekuri(instance: &Instance, settings: &Settings) -> Outcome {
    let Settings { vector, limits, .. } = *settings;
    let start = Instant::now();
    let left = || Limits { time: limits.time.map(|time| time.saturating_sub(start.elapsed())), ..limits };
    let (mut best, mut stopped) = (Attempt::Failed, None);
    search(instance, vector.precision, vector.probes, |at| {
        if stopped.is_some() {
            return false;
        }
        match chekuri_pack(instance, at, settings.solver.solver(), &left()) {
            Ok(Attempt::Failed) => false,
            Ok(found @ Attempt::Found(_)) => {
                best = found;
                true
            }
            other => {
                stopped = Some(other);
                false
            }
        }
    });
    outcome_of(stopped.unwrap_or(Ok(best)))
}

/// Solves an instance to optimality by the published program.
pub(crate) fn program(instance: &Instance, settings: &Settings) -> Outcome {
    optimum_by_program(instance, settings.solver.solver(), &settings.limits)
        .map_or(Outcome::Failed, outcome_if_proven)
}

/// Converts the outcome of a search for the optimum. Unproven solutions count as timed out.
pub(crate) fn outcome_if_proven(outcome: dfrsim_optimum::Outcome) -> Outcome {
    match (outcome.status, outcome.best) {
        (Status::Optimal, Some(best)) => Outcome::Solved(best),
        (Status::Infeasible, _) => Outcome::Infeasible,
        _ => Outcome::TimedOut,
    }
}

fn outcome_of(attempt: Result<Attempt, SolverError>) -> Outcome {
    match attempt {
        Ok(Attempt::Found(solved)) => Outcome::Solved(solved),
        Ok(Attempt::Failed) | Err(_) => Outcome::Failed,
        Ok(Attempt::TimedOut) => Outcome::TimedOut,
    }
}
