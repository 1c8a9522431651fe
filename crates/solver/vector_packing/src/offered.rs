//! Algorithms that a program provides: those of this crate, and those that other crates add.

use crate::{Algorithm, Outcome, Settings};
use dfrsim_model::named::UnknownName;
use dfrsim_model::offline::Instance;
use std::fmt;
use std::sync::Arc;

/// Packing algorithm that another crate implements.
pub trait Packer: Send + Sync {
    /// Returns the name of the algorithm.
    fn name(&self) -> String;
    /// Solves an instance.
    fn solve(&self, instance: &Instance, settings: &Settings) -> Outcome;
}

/// Algorithm that a program provides.
#[derive(Clone)]
pub enum Offered {
    /// An algorithm of this crate.
    Own(Algorithm),
    /// An algorithm of another crate.
    Added(Arc<dyn Packer>),
}

impl Offered {
    /// Solves an instance.
    #[must_use]
    pub fn solve(&self, instance: &Instance, settings: &Settings) -> Outcome {
        match self {
            Offered::Own(algorithm) => algorithm.solve(instance, settings),
            Offered::Added(packer) => packer.solve(instance, settings),
        }
    }

    /// Returns true if this is the given algorithm of this crate.
    pub fn is(&self, algorithm: Algorithm) -> bool {
        matches!(self, Offered::Own(own) if *own == algorithm)
    }
}

impl fmt::Display for Offered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Offered::Own(algorithm) => algorithm.fmt(f),
            Offered::Added(packer) => f.pad(&packer.name()),
        }
    }
}

/// Algorithms that a program provides, in listing order. The default has only the algorithms of this
/// crate.
#[derive(Clone)]
pub struct OfferedAlgorithms(pub Vec<Offered>);

impl Default for OfferedAlgorithms {
    fn default() -> OfferedAlgorithms {
        OfferedAlgorithms(Algorithm::all().map(Offered::Own).collect())
    }
}

impl OfferedAlgorithms {
    /// Finds an algorithm by its name.
    ///
    /// # Errors
    /// No algorithm has the name; the error suggests a similar one.
    pub fn find(&self, name: &str) -> Result<Offered, UnknownName> {
        if let Ok(own) = name.parse() {
            return Ok(Offered::Own(own));
        }
        let found = self.0.iter().find(|offered| offered.to_string() == name);
        let known = || self.0.iter().map(ToString::to_string);
        found.cloned().ok_or_else(|| UnknownName::new("algorithm", name, known()))
    }
}

/// Packing instance of a run, with everything that the results of algorithms depend on.
pub struct PackingProblem {
    /// Instance that is packed.
    pub instance: Instance,
    /// Settings of the algorithms.
    pub settings: Settings,
    /// Algorithms, with their parameters in the run.
    pub algorithms: OfferedAlgorithms,
}
