//! Algorithms and their names.

use crate::greedy::Greedy;
use crate::linear;
use crate::vector::{self, VectorPacking};
use crate::{Outcome, Settings};
use dfrsim_model::named::UnknownName;
use dfrsim_model::offline::Instance;
use dfrsim_optimum::{Zeros, optimum};
use std::fmt;
use std::str::FromStr;

/// An algorithm for the off-line problem, identified by its published name: a family and a member of
/// it.
///
/// A family is a type with a list of its members, `Display` for their names, and a method that
/// computes an [`Outcome`] from an instance; each family has one variant here.
///
/// ```
/// use dfrsim_model::Seed;
/// use dfrsim_vector_packing::instances::InstanceSet;
/// use dfrsim_vector_packing::{Algorithm, Settings};
///
/// let algorithm: Algorithm = "GREEDY_S5_P1".parse()?;
/// let instance = InstanceSet::Rr6692Small.instance(Seed::new(1), 4, 0).unwrap();
/// let outcome = algorithm.solve(&instance, &Settings::new(Seed::new(1)));
/// assert!(outcome.minimum_yield().is_some());
/// # Ok::<(), dfrsim_model::named::UnknownName>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// A greedy algorithm.
    Greedy(Greedy),
    /// A vector packing algorithm within a search for the yield.
    Vector(vector::Algorithm),
    /// `RRND` or `RRNDNZ` (`RRNZ` in RR-6692): randomised rounding of a vertex of the relaxed
    /// program.
    Rounding(Zeros),
    /// `OPT`, the proven optimum, by exact search.
    Optimum,
    /// `MILP`, the optimum by a solver of the published mixed integer program (dissertation, 4.1 to
    /// 4.6); thousands of times slower than `OPT`.
    Program,
}

impl Algorithm {
    /// Returns all algorithms, in the order of the texts.
    pub fn all() -> impl Iterator<Item = Algorithm> {
        let rounding = [Zeros::Kept, Zeros::Raised].map(Algorithm::Rounding);
        Greedy::all()
            .map(Algorithm::Greedy)
            .chain(rounding)
            .chain(vector::Algorithm::ALL.map(Algorithm::Vector))
            .chain([Algorithm::Optimum, Algorithm::Program])
    }

    /// Solves an instance. Fails if the algorithm does not support this number of resources, or if
    /// the solver of its linear program fails.
    #[must_use]
    pub fn solve(self, instance: &Instance, settings: &Settings) -> Outcome {
        match self {
            Algorithm::Greedy(greedy) => {
                greedy.solve_as(settings.greedy, instance, settings.seed, settings.placements)
            }
            Algorithm::Vector(algorithm) => {
                let solved = VectorPacking::new(algorithm, settings.vector).solve(instance);
                solved.ok().flatten().map_or(Outcome::Failed, Outcome::Solved)
            }
            Algorithm::Rounding(zeros) => linear::rounding(instance, zeros, settings),
            Algorithm::Optimum => linear::outcome_if_proven(optimum(instance, &settings.limits)),
            Algorithm::Program => linear::program(instance, settings),
        }
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Algorithm::Greedy(greedy) => greedy.fmt(f),
            Algorithm::Vector(algorithm) => algorithm.fmt(f),
            Algorithm::Rounding(Zeros::Kept) => f.pad("RRND"),
            Algorithm::Rounding(Zeros::Raised) => f.pad("RRNDNZ"),
            Algorithm::Optimum => f.pad("OPT"),
            Algorithm::Program => f.pad("MILP"),
        }
    }
}

impl FromStr for Algorithm {
    type Err = UnknownName;
    fn from_str(name: &str) -> Result<Algorithm, UnknownName> {
        let name = if name == "RRNZ" { "RRNDNZ" } else { name };
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
        assert_eq!(names.len(), 49 + 2 + 4 + 2 + vector::Algorithm::ALL.len() + 2);
        for algorithm in Algorithm::all() {
            assert_eq!(algorithm.to_string().parse(), Ok(algorithm));
        }
        let some = ["GREEDY_S1_P1", "GREEDY_S7_P7", "GREEDY", "GREEDYLIGHT", "GR", "SG", "GB", "SGB"];
        let others = ["RRND", "RRNDNZ", "VP_CPSUM", "MCB8", "OPT"];
        for name in some.into_iter().chain(others) {
            assert!(names.contains(name), "{name}");
        }
    }

    #[test]
    fn a_wrong_name_is_answered_with_the_nearest_right_one() {
        for (wrong, nearest) in
            [("greedy", "GREEDY"), ("GREEDY_S5P1", "GREEDY_S5_P1"), ("GREEDYLITE", "GREEDYLIGHT")]
        {
            assert_eq!(wrong.parse::<Algorithm>().unwrap_err().nearest.as_deref(), Some(nearest));
        }
    }
}
