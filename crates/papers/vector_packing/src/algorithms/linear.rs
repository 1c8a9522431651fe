//! Conversion of attempts on linear programs to outcomes.

use dfrsim_optimum::{Attempt, SolverError};
use dfrsim_vector_packing::Outcome;

/// Converts an attempt to an outcome; an error of the solver becomes a failure of the algorithm.
pub(super) fn outcome_of(attempt: Result<Attempt, SolverError>) -> Outcome {
    match attempt {
        Ok(Attempt::Found(solved)) => Outcome::Solved(solved),
        Ok(Attempt::Failed) | Err(_) => Outcome::Failed,
        Ok(Attempt::TimedOut) => Outcome::TimedOut,
    }
}
