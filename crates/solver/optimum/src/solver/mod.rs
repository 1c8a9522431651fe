//! Solvers of linear programs behind a common trait.

mod microlp;

use crate::outcome::{Limits, Status};
use crate::program::{Answer, Program, Variable};
use dfrsim_model::named::UnknownName;
use std::fmt::{self, Debug};
use std::str::FromStr;

/// A failure of a solver.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{solver} could not solve the program: {reason}")]
pub struct SolverError {
    /// Name of the solver.
    pub solver: &'static str,
    /// Reason that the solver reports.
    pub reason: String,
}

/// A solver of linear programs with real and integer variables.
pub trait Solver: Debug + Send + Sync {
    /// Returns the name of the solver, which is that of its [`Backend`].
    fn name(&self) -> &'static str;

    /// Solves a program.
    ///
    /// # Errors
    ///
    /// A failure of the solver, for numerical reasons or because the program has coefficients that
    /// it does not support. An infeasible program or a reached limit is not an error but a
    /// [`Status`].
    fn solve(&self, program: &Program, limits: &Limits) -> Result<Answer, SolverError>;

    /// Starts a dive into a program without integer variables: solves it, and solves it again each
    /// time that variables are fixed, with a warm start. A time limit applies to each of these
    /// solutions.
    ///
    /// # Errors
    ///
    /// Those of [`solve`](Self::solve).
    fn dive(&self, program: &Program, limits: &Limits) -> Result<Box<dyn Dive>, SolverError>;
}

/// A program that is repeatedly solved while its variables are fixed one after the other.
pub trait Dive: Debug {
    /// Returns the status of the program with the variables fixed so far: [`Status::Optimal`], or
    /// one of [`Status::Infeasible`], [`Status::Unbounded`] and [`Status::TimedOut`], which are
    /// final.
    fn status(&self) -> Status;

    /// Returns the optimal vertex, one value per variable; empty if there is none.
    fn values(&self) -> &[f64];

    /// Fixes variables and solves the program again.
    ///
    /// # Errors
    ///
    /// A failure of the solver.
    fn fix(&mut self, fixed: &[(Variable, f64)]) -> Result<(), SolverError>;
}

/// Solvers of this build. Parsing and formatting use their names.
///
/// ```
/// use dfrsim_optimum::Backend;
///
/// assert_eq!("microlp".parse(), Ok(Backend::Microlp));
/// assert_eq!(Backend::default().to_string(), "microlp");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Backend {
    /// The crate `microlp`, which needs only cargo to build.
    #[default]
    Microlp,
}

impl Backend {
    /// All solvers of this build, the default first.
    pub const ALL: &[Backend] = &[Backend::Microlp];

    /// Returns the solver.
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
