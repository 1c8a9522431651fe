//! Outcomes of searches for the optimum.

use dfrsim_model::Yield;
use dfrsim_model::offline::Solved;
use std::time::Duration;

/// Limits after which a search stops without a proof. There are none by default.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limits {
    /// Wall-clock time limit; results under a time limit depend on the machine.
    pub time: Option<Duration>,
    /// Limit on the number of nodes of the search tree; reproducible on every machine.
    pub nodes: Option<u64>,
    /// Accepted relative gap, (bound - value) / value; 0 requires a proof of optimality.
    pub gap: f64,
}

/// Status of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The value is proven optimal.
    Optimal,
    /// A solution was found whose gap to the bound is within [`Limits::gap`].
    Feasible,
    /// Proven: there is no solution.
    Infeasible,
    /// The objective is unbounded, which cannot happen for the programs of this crate.
    Unbounded,
    /// A limit on time or nodes was reached, with or without a solution.
    TimedOut,
}

/// Outcome of a search for the largest minimum yield of an instance.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Outcome {
    /// Status; never [`Status::Unbounded`].
    pub status: Status,
    /// Best mapping found, with its [`mapping_yield`](crate::mapping_yield).
    pub best: Option<Solved>,
    /// Upper bound on the minimum yield of all mappings; `None` if there is no mapping.
    pub bound: Option<Yield>,
    /// Number of search tree nodes visited, if the solver reports it.
    pub nodes: Option<u64>,
}

/// Result of an attempt to find a mapping, or another object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Attempt<T = Solved> {
    /// The object found.
    Found(T),
    /// No object was found. After an exact search there is none; after a heuristic there may be one.
    Failed,
    /// A limit was reached.
    TimedOut,
}
