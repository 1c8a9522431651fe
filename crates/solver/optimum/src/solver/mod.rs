//! Solvers of linear programs behind one trait.

mod microlp;

use crate::outcome::{Limits, Status};
use crate::program::{Answer, Program, Variable};
use dfrsim_model::named::UnknownName;
use std::fmt::{self, Debug};
use std::str::FromStr;

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
    /// Its name, that of its [`Backend`].
    fn name(&self) -> &'static str;

    /// Solves a program.
    ///
    /// # Errors
    ///
    /// When the solver fails, for numerical reasons or because the program has numbers that it does not take. That a
    /// program has no solution or a limit comes first is not an error but a [`Status`].
    fn solve(&self, program: &Program, limits: &Limits) -> Result<Answer, SolverError>;

    /// Begins to dive into a program without integer variables: solves it, and again each time that variables were fixed,
    /// from where it is. A limit of time holds for each of these.
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

/// One of the solvers of this build. Parses from its name and prints it.
///
/// ```
/// use dfrsim_optimum::Backend;
///
/// assert_eq!("microlp".parse(), Ok(Backend::Microlp));
/// assert_eq!(Backend::default().to_string(), "microlp");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Backend {
    /// The crate `microlp`, which cargo alone builds.
    #[default]
    Microlp,
}

impl Backend {
    /// All of this build, the default first.
    pub const ALL: &[Backend] = &[Backend::Microlp];

    /// The solver itself.
    #[must_use]
    pub fn solver(self) -> &'static dyn Solver {
        match self {
            Backend::Microlp => &microlp::Microlp,
        }
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.solver().name())
    }
}

impl FromStr for Backend {
    type Err = UnknownName;
    fn from_str(name: &str) -> Result<Backend, UnknownName> {
        let known = Backend::ALL.iter().copied().find(|backend| backend.solver().name() == name);
        known.ok_or_else(|| {
            UnknownName::new("solver", name, Backend::ALL.iter().map(|backend| backend.solver().name()))
        })
    }
}
