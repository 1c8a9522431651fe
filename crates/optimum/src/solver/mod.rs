//! Solvers of linear programs behind one trait.

#[cfg(feature = "highs")]
mod highs;
mod microlp;

use crate::outcome::{Limits, Status};
use crate::program::{Answer, Program, Variable};
use std::fmt::Debug;

/// A solver that gave up for a reason of its own.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{solver} could not solve the program: {reason}")]
pub struct SolverError {
    /// The solver's name.
    pub solver: &'static str,
    /// What it says.
    pub reason: String,
}

/// A solver of linear programs, with integer variables or without.
pub trait Solver: Debug + Send + Sync {
    /// The name by which [`solver`] finds it.
    fn name(&self) -> &'static str;

    /// Solves a program.
    ///
    /// # Errors
    ///
    /// When the solver fails, for numerical reasons or because the program has numbers that it does not take. That a
    /// program has no solution or a limit comes first is no error but a [`Status`].
    fn solve(&self, program: &Program, limits: &Limits) -> Result<Answer, SolverError>;

    /// Begins to dive into a program without integer variables: solves it, and again each time that variables were fixed,
    /// from where it stands. A limit of time holds for each of these.
    ///
    /// # Errors
    ///
    /// As [`solve`](Self::solve).
    fn dive(&self, program: &Program, limits: &Limits) -> Result<Box<dyn Dive>, SolverError>;
}

/// A program that is solved again and again while its variables are fixed one after the other.
pub trait Dive: Debug {
    /// Whether the program has an optimum as fixed so far: [`Status::Optimal`], or, for good, [`Status::Infeasible`],
    /// [`Status::Unbounded`] or [`Status::TimedOut`].
    fn status(&self) -> Status;

    /// The optimal vertex, one value a variable; empty if there is none.
    fn values(&self) -> &[f64];

    /// Fixes variables and solves the program again.
    ///
    /// # Errors
    ///
    /// When the solver fails.
    fn fix(&mut self, fixed: &[(Variable, f64)]) -> Result<(), SolverError>;
}

/// The names of all solvers in this build; the first is the default.
pub const SOLVERS: &[&str] = &[
    "microlp",
    #[cfg(feature = "highs")]
    "highs",
];

/// The solver of this name, if this build has it.
#[must_use]
pub fn solver(name: &str) -> Option<Box<dyn Solver>> {
    match name {
        "microlp" => Some(Box::new(microlp::Microlp)),
        #[cfg(feature = "highs")]
        "highs" => Some(Box::new(highs::Highs)),
        _ => None,
    }
}
