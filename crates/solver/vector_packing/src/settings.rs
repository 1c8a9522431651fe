//! Parameters of algorithms that their names do not give.

use crate::genetic::GeneticParameters;
use crate::greedy::Readings;
use crate::vector;
use dfrsim_model::Seed;
use dfrsim_optimum::{Backend, Limits, Relaxation};

/// Parameters of algorithms that their names do not give.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The seed of all that is random in an algorithm. Each algorithm forks streams of its own from it.
    pub seed: Seed,
    /// The most placements of `GB` and `SGB`.
    pub placements: u64,
    /// The readings of the dissertation's greedy algorithms.
    pub greedy: Readings,
    /// The numbers of `GA`.
    pub genetic: GeneticParameters,
    /// Those of vector packing; `VP_CHEKURI` searches with their precision and probes.
    pub vector: vector::Options,
    /// The solver of linear programs.
    pub solver: Backend,
    /// The program that `RRND` and `RRNDNZ` round.
    pub relaxation: Relaxation,
    /// When linear programs and the search for the optimum stop.
    pub limits: Limits,
}

impl Settings {
    /// With this seed, what the published numbers were made with but for exact yields: 500,000 placements, the
    /// [default](GeneticParameters::default) genetic algorithm, a precision of 0.001, the printed program, no limits.
    pub fn new(seed: Seed) -> Settings {
        Settings {
            seed,
            placements: 500_000,
            greedy: Readings::default(),
            genetic: GeneticParameters::default(),
            vector: vector::Options::default(),
            solver: Backend::default(),
            relaxation: Relaxation::default(),
            limits: Limits::default(),
        }
    }
}
