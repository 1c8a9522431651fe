//! The algorithms that start from linear programs, and the optimum, as outcomes.

use crate::{Outcome, Settings, Solved};
use dfrsim_model::offline::Instance;
use dfrsim_optimum::{
    Attempt, Diving, Placed, Relaxed, Solver, SolverError, Status, Zeros, dive, relaxed, rounded, vp_chekuri,
};

/// What RRND or RRNDNZ makes of an instance. Both draw from one stream.
pub(crate) fn rounding(instance: &Instance, zeros: Zeros, settings: &Settings) -> Outcome {
    match relaxed(instance, settings.relaxation, solver().as_ref(), &settings.limits) {
        Ok(Relaxed::Vertex(vertex)) => {
            rounded(instance, &vertex, zeros, settings.seed.fork("RRND")).map_or(Outcome::Failed, solved)
        }
        Ok(Relaxed::Infeasible) | Err(_) => Outcome::Failed,
        Ok(Relaxed::TimedOut) => Outcome::TimedOut,
    }
}

pub(crate) fn diving(instance: &Instance, diving: Diving, settings: &Settings) -> Outcome {
    attempted(dive(instance, diving, solver().as_ref(), &settings.limits))
}

pub(crate) fn chekuri(instance: &Instance, settings: &Settings) -> Outcome {
    attempted(vp_chekuri(instance, settings.precision, solver().as_ref(), &settings.limits))
}

/// A search for the optimum. Only what is proven counts.
pub(crate) fn proven(outcome: dfrsim_optimum::Outcome) -> Outcome {
    match (outcome.status, outcome.best) {
        (Status::Optimal, Some(best)) => solved(best),
        (Status::Infeasible, _) => Outcome::Infeasible,
        _ => Outcome::TimedOut,
    }
}

fn attempted(attempt: Result<Attempt, SolverError>) -> Outcome {
    match attempt {
        Ok(Attempt::Found(placed)) => solved(placed),
        Ok(Attempt::Failed) | Err(_) => Outcome::Failed,
        Ok(Attempt::TimedOut) => Outcome::TimedOut,
    }
}

fn solved(placed: Placed) -> Outcome {
    Outcome::Solved(Solved { mapping: placed.mapping, minimum_yield: placed.min_yield })
}

/// The default solver.
fn solver() -> Box<dyn Solver> {
    dfrsim_optimum::solver(dfrsim_optimum::SOLVERS[0]).expect("the listed solvers exist")
}
