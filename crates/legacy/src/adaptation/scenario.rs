//! Scenarios of the adaptation study, checked and with all defaults filled in.

use super::file;
use crate::scenario::{ScenarioErrors, ScenarioText};
use dfrsim_model::offline::Adaptation;
use std::fmt;
use std::str::FromStr;

/// A scenario of the adaptation study.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// What it is about, in one line; may be empty.
    pub title: String,
    /// The seed of all that is random in it.
    pub seed: u64,
    /// How many changes; at least one. Those that cannot be made, because the first packing fails, are not counted.
    pub instances: u64,
    /// By what moves are counted; at least one.
    pub costs: Vec<Cost>,
    /// What may be moved, in percent of everything, from 0 to 100; rising, at least one.
    pub budgets: Vec<f64>,
    /// The most nodes of the search tree of the exact search.
    pub search_nodes: u64,
    /// How long the heuristic searches at each yield ([`dfrsim_adaptation::Adapter::searching`]); 0 for repairs alone.
    pub heuristic_steps: u32,
}

/// By what moves are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cost {
    /// Memory: each task costs what it occupies.
    Bytes,
    /// Each task costs one.
    Moves,
}

impl Cost {
    const ALL: [Cost; 2] = [Cost::Bytes, Cost::Moves];

    const fn name(self) -> &'static str {
        match self {
            Cost::Bytes => "bytes",
            Cost::Moves => "moves",
        }
    }
    /// The problem with this cost; it has that of memory.
    pub(super) fn of(self, mut problem: Adaptation) -> Adaptation {
        if self == Cost::Moves {
            problem.cost.fill(1);
        }
        problem
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that no cost has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("moves are not counted by `{0}`, but by bytes or moves")]
pub struct UnknownCost(String);

impl FromStr for Cost {
    type Err = UnknownCost;
    fn from_str(name: &str) -> Result<Cost, UnknownCost> {
        Cost::ALL.into_iter().find(|cost| cost.name() == name).ok_or_else(|| UnknownCost(name.to_owned()))
    }
}

impl Scenario {
    pub(crate) fn read(source: &ScenarioText<'_>) -> Result<Scenario, ScenarioErrors> {
        file::scenario(source)
    }
}
