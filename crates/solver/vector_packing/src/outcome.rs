//! Outcomes of algorithms.

use crate::minimum_yield;
use dfrsim_model::Yield;
use dfrsim_model::offline::{Instance, Mapping, Solved};

/// Outcome of an algorithm on an instance. A solution with a yield of 0 counts as solved; an
/// unsolved instance has no yield.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All tasks have a node.
    Solved(Solved),
    /// No mapping was found, although one may exist.
    Failed,
    /// Proven: there is no mapping.
    Infeasible,
    /// The time limit was reached.
    TimedOut,
}

impl Outcome {
    /// Creates the outcome from a mapping, if one was found, with its minimum yield. A mapping that
    /// overloads a node counts as a failure.
    pub fn of_mapping(instance: &Instance, mapping: Option<Mapping>) -> Outcome {
        let solved = mapping.and_then(|mapping| {
            let minimum_yield = minimum_yield(instance, &mapping)?;
            Some(Solved { mapping, minimum_yield })
        });
        solved.map_or(Outcome::Failed, Outcome::Solved)
    }
    /// Returns the mapping and its yield, if the instance is solved.
    pub fn solved(&self) -> Option<&Solved> {
        match self {
            Outcome::Solved(solved) => Some(solved),
            Outcome::Failed | Outcome::Infeasible | Outcome::TimedOut => None,
        }
    }
    /// Returns the minimum yield, if the instance is solved.
    pub fn minimum_yield(&self) -> Option<Yield> {
        self.solved().map(|solved| solved.minimum_yield)
    }
}
