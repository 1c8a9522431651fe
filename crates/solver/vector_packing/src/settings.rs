//! Parameters of algorithms that are not part of their names.

use crate::greedy::Interpretation;
use crate::vector;
use dfrsim_model::Seed;
use dfrsim_optimum::{Backend, Limits, Relaxation};

/// Parameters of algorithms that are not part of their names.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Seed of all random choices; each algorithm forks its own streams.
    pub seed: Seed,
    /// Maximum number of placements of `GB` and `SGB`.
    pub placements: u64,
    /// Interpretations of the dissertation's greedy algorithms.
    pub greedy: Interpretation,
    /// Parameters of vector packing.
    pub vector: vector::Options,
    /// Solver of linear programs.
    pub solver: Backend,
    /// Program whose vertices `RRND` and `RRNDNZ` round.
    pub relaxation: Relaxation,
    /// Limits of linear programs and of the search for the optimum.
    pub limits: Limits,
}

impl Settings {
    /// Creates the settings of the published results, except for exact yields: 500,000 placements,
    /// a precision of 0.001, the published program, no limits.
    pub fn new(seed: Seed) -> Settings {
        Settings {
            seed,
            placements: 500_000,
            greedy: Interpretation::default(),
            vector: vector::Options::default(),
            solver: Backend::default(),
            relaxation: Relaxation::default(),
            limits: Limits::default(),
        }
    }
}
