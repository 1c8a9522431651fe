//! How a search for the optimum ends.

use dfrsim_model::Yield;
use dfrsim_model::offline::Solved;
use std::time::Duration;

/// When a search stops without having proven anything. By default it never does.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limits {
    /// After this much time on the wall clock; what is found until then depends on the machine.
    pub time: Option<Duration>,
    /// After this many nodes of the search tree; the same on every machine.
    pub nodes: Option<u64>,
    /// When (bound - value) / value is no more than this; 0 asks for the proof.
    pub gap: f64,
}

/// The result of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The value is the largest there is.
    Optimal,
    /// There is a solution, and a bound not too far above it: stopped by [`Limits::gap`].
    Feasible,
    /// It is proven that there is no solution.
    Infeasible,
    /// The objective is unbounded, which is only possible for other programs than those of this crate.
    Unbounded,
    /// A limit of time or nodes came first, with or without a solution.
    TimedOut,
}

/// The end of a search for the largest minimum yield of an instance.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Outcome {
    /// The result; never [`Status::Unbounded`].
    pub status: Status,
    /// The best mapping found, with its [`mapping_yield`](crate::mapping_yield).
    pub best: Option<Solved>,
    /// No mapping has a larger minimum yield than this; `None` if there is no mapping.
    pub bound: Option<Yield>,
    /// Nodes of the search tree that were visited, where the solver reports them.
    pub nodes: Option<u64>,
}

/// The result of an attempt to find a mapping, or something else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Attempt<T = Solved> {
    /// This one.
    Found(T),
    /// None. After an exact search there is none; after a heuristic there may be one.
    Failed,
    /// A limit came first.
    TimedOut,
}
