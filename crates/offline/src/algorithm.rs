//! Algorithms as data, and their names.

use crate::genetic::{self, GeneticParameters};
use crate::greedy::Greedy;
use crate::{Outcome, UnknownName};
use dfrsim_model::Seed;
use dfrsim_model::offline::Instance;
use std::fmt;
use std::str::FromStr;

/// An algorithm for the off-line problem, as its printed name says it: a family, and a member of it.
///
/// A family is a type of its own with a list of its members, `Display` for their names, and a method that makes an
/// [`Outcome`] of an instance; here it has one variant.
///
/// ```
/// use dfrsim_model::Seed;
/// use dfrsim_offline::instances::InstanceSet;
/// use dfrsim_offline::{Algorithm, Settings};
///
/// let algorithm: Algorithm = "GREEDY_S5_P1".parse()?;
/// let instance = InstanceSet::Rr6692Small.instance(Seed::new(1), 4, 0).unwrap();
/// let outcome = algorithm.solve(&instance, &Settings::new(Seed::new(1)));
/// assert!(outcome.minimum_yield().is_some());
/// # Ok::<(), dfrsim_offline::UnknownName>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Algorithm {
    /// One of the greedy algorithms.
    Greedy(Greedy),
    /// `GA`, the genetic algorithm.
    Genetic,
}

/// What the names of algorithms leave open.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The seed of all that is random in an algorithm. Each algorithm forks streams of its own from it.
    pub seed: Seed,
    /// The most placements of `GB` and `SGB`.
    pub placements: u64,
    /// The numbers of `GA`.
    pub genetic: GeneticParameters,
}

impl Settings {
    /// As published, with this seed: 500,000 placements, and the [default](GeneticParameters::default) genetic
    /// algorithm.
    #[must_use]
    pub fn new(seed: Seed) -> Settings {
        Settings { seed, placements: 500_000, genetic: GeneticParameters::default() }
    }
}

impl Algorithm {
    /// All algorithms, in the order of the texts.
    pub fn all() -> impl Iterator<Item = Algorithm> {
        Greedy::all().map(Algorithm::Greedy).chain([Algorithm::Genetic])
    }

    /// Solves an instance, or does not.
    #[must_use]
    pub fn solve(self, instance: &Instance, settings: &Settings) -> Outcome {
        match self {
            Algorithm::Greedy(greedy) => greedy.solve(instance, settings.seed, settings.placements),
            Algorithm::Genetic => genetic::solve(instance, settings.seed, &settings.genetic),
        }
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Algorithm::Greedy(greedy) => greedy.fmt(f),
            Algorithm::Genetic => f.pad("GA"),
        }
    }
}

impl FromStr for Algorithm {
    type Err = UnknownName;
    fn from_str(name: &str) -> Result<Algorithm, UnknownName> {
        let known = || Algorithm::all().map(|algorithm| algorithm.to_string());
        let found = Algorithm::all().find(|algorithm| algorithm.to_string() == name);
        found.ok_or_else(|| UnknownName::new("algorithm", name, known()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_listed_name_parses_and_prints_back() {
        let names: BTreeSet<String> = Algorithm::all().map(|algorithm| algorithm.to_string()).collect();
        assert_eq!(names.len(), Algorithm::all().count(), "names are unique");
        assert_eq!(names.len(), 49 + 2 + 4 + 1);
        for algorithm in Algorithm::all() {
            assert_eq!(algorithm.to_string().parse(), Ok(algorithm));
        }
        for name in ["GREEDY_S1_P1", "GREEDY_S7_P7", "GREEDY", "GREEDYLIGHT", "GR", "SG", "GB", "SGB", "GA"] {
            assert!(names.contains(name), "{name}");
        }
    }

    #[test]
    fn a_wrong_name_is_answered_with_the_nearest_right_one() {
        for (wrong, nearest) in
            [("greedy", "GREEDY"), ("GREEDY_S5P1", "GREEDY_S5_P1"), ("GREEDYLITE", "GREEDYLIGHT")]
        {
            assert_eq!(wrong.parse::<Algorithm>().unwrap_err().nearest, nearest);
        }
    }
}
