//! Algorithms based on linear programs, and the optimum, as outcomes.

use crate::{Outcome, Settings};
use dfrsim_model::offline::Instance;
use dfrsim_optimum::{Attempt, Status, Zeros, optimum_by_program, relaxed, rounded};

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
