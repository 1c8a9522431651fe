//! The outcome of an algorithm.

use crate::minimum_yield;
use dfrsim_model::Yield;
use dfrsim_model::offline::{Instance, Mapping, Solved};

/// The result of an algorithm on an instance. An instance that is solved with a yield of 0 is solved, and one that is not
/// has no yield.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All tasks have a node.
    Solved(Solved),
    /// No mapping was found, whether or not there is one.
    Failed,
    /// There is no mapping, and that is proven.
    Infeasible,
    /// The time limit came first.
    TimedOut,
}

impl Outcome {
    /// The outcome of an algorithm that may have found a mapping, with the mapping's own minimum yield. One that
    /// overloads a node is a failure.
    pub fn of_mapping(instance: &Instance, mapping: Option<Mapping>) -> Outcome {
        let solved = mapping.and_then(|mapping| {
            let minimum_yield = minimum_yield(instance, &mapping)?;
            Some(Solved { mapping, minimum_yield })
        });
        solved.map_or(Outcome::Failed, Outcome::Solved)
    }
    /// The mapping and its yield, if there is one.
    pub fn solved(&self) -> Option<&Solved> {
        match self {
            Outcome::Solved(solved) => Some(solved),
            Outcome::Failed | Outcome::Infeasible | Outcome::TimedOut => None,
        }
    }
    /// The minimum yield, if the instance is solved.
    pub fn minimum_yield(&self) -> Option<Yield> {
        self.solved().map(|solved| solved.minimum_yield)
    }
}
