//! Algorithms of both texts, including those that [`dfrsim_vector_packing`] does not provide.

mod chekuri;
mod diving;
mod dominance;
pub mod genetic;
mod linear;

pub use chekuri::chekuri_pack;
pub use diving::{Diving, dive};
pub use dominance::Dominance;

use dfrsim_model::named::UnknownName;
use dfrsim_model::offline::Instance;
use dfrsim_optimum::Zeros;
use dfrsim_vector_packing::greedy::Greedy;
use dfrsim_vector_packing::{
    Algorithm as OwnAlgorithm, Offered, OfferedAlgorithms, Outcome, Packer, Settings, vector,
};
use genetic::GeneticParameters;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// An algorithm of the texts, identified by its published name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// An algorithm of [`dfrsim_vector_packing`].
    Own(OwnAlgorithm),
    /// `FASTDIVING` or `SLOWDIVING`.
    Diving(Diving),
    /// First Fit or Best Fit with the degree of dominance.
    Dominance(Dominance),
    /// `GA`, the genetic algorithm.
    Genetic,
    /// `VP_CHEKURI`.
    Chekuri,
}

/// Number of vector packing algorithms up to and including `VP_EJECT`; algorithms of other texts
/// follow.
const VECTOR_OF_THE_TEXTS: usize = 23;

/// Settings of all algorithms, including `GA`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PaperSettings {
    /// Settings of all other algorithms; `VP_CHEKURI` uses the precision and the probes of vector
    /// packing.
    pub shared: Settings,
    /// Parameters of `GA`.
    pub genetic: GeneticParameters,
}

impl Algorithm {
    /// `GREEDY`, the best of its passes.
    pub(crate) const GREEDY: Algorithm = Algorithm::Own(OwnAlgorithm::Greedy(Greedy::Best));
    /// `OPT`, the proven optimum.
    pub(crate) const OPTIMUM: Algorithm = Algorithm::Own(OwnAlgorithm::Optimum);

    /// Returns all algorithms, in the order of the texts.
    pub fn all() -> impl Iterator<Item = Algorithm> {
        let greedy = Greedy::all().map(OwnAlgorithm::Greedy);
        let rounding = [Zeros::Kept, Zeros::Raised].map(OwnAlgorithm::Rounding);
        // The algorithms with the degree of dominance are listed before those of other texts.
        let (before, after) = vector::Algorithm::ALL.split_at(VECTOR_OF_THE_TEXTS);
        let of_vector = |each: &[vector::Algorithm]| -> Vec<Algorithm> {
            each.iter().map(|&each| Algorithm::Own(OwnAlgorithm::Vector(each))).collect()
        };
        let exact = [OwnAlgorithm::Optimum, OwnAlgorithm::Program];
        let own = |own: OwnAlgorithm| Algorithm::Own(own);
        greedy
            .chain(rounding)
            .map(own)
            .chain([Diving::Fast, Diving::Slow].map(Algorithm::Diving))
            .chain([Algorithm::Genetic])
            .chain(of_vector(before))
            .chain(Dominance::ALL.map(Algorithm::Dominance))
            .chain(of_vector(after))
            .chain([Algorithm::Chekuri])
            .chain(exact.map(own))
    }

    /// Returns true for the passes of `GREEDY`.
    pub(crate) fn is_greedy_pass(self) -> bool {
        matches!(self, Algorithm::Own(OwnAlgorithm::Greedy(Greedy::Pass(..))))
    }

    /// Solves an instance. Fails if the algorithm does not support this number of resources, or if
    /// the solver of its linear program fails.
    #[must_use]
    pub fn solve(self, instance: &Instance, settings: &PaperSettings) -> Outcome {
        let PaperSettings { shared, genetic } = settings;
        match self {
            Algorithm::Own(own) => own.solve(instance, shared),
            Algorithm::Diving(diving) => diving::solve(instance, diving, shared),
            Algorithm::Dominance(dominance) => dominance.solve(instance, shared),
            Algorithm::Genetic => genetic::solve(instance, shared.seed, genetic),
            Algorithm::Chekuri => chekuri::solve(instance, shared),
        }
    }

    /// Returns the algorithm as commands run it, with these parameters of `GA`.
    fn offered(self, genetic: GeneticParameters) -> Offered {
        match self {
            Algorithm::Own(own) => Offered::Own(own),
            algorithm => Offered::Added(Arc::new(OfPaper { algorithm, genetic })),
        }
    }
}

/// Returns all algorithms as commands run them, with these parameters of `GA`.
pub(crate) fn offered(genetic: GeneticParameters) -> OfferedAlgorithms {
    OfferedAlgorithms(Algorithm::all().map(|algorithm| algorithm.offered(genetic)).collect())
}

/// An algorithm of the texts, with the parameters that the shared settings do not include.
struct OfPaper {
    algorithm: Algorithm,
    genetic: GeneticParameters,
}

impl Packer for OfPaper {
    fn name(&self) -> String {
        self.algorithm.to_string()
    }
    fn solve(&self, instance: &Instance, settings: &Settings) -> Outcome {
        self.algorithm.solve(instance, &PaperSettings { shared: *settings, genetic: self.genetic })
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Algorithm::Own(own) => own.fmt(f),
            Algorithm::Diving(Diving::Fast) => f.pad("FASTDIVING"),
            Algorithm::Diving(Diving::Slow) => f.pad("SLOWDIVING"),
            Algorithm::Dominance(dominance) => f.pad(dominance.name),
            Algorithm::Genetic => f.pad("GA"),
            Algorithm::Chekuri => f.pad("VP_CHEKURI"),
        }
    }
}

impl FromStr for Algorithm {
    type Err = UnknownName;
    fn from_str(name: &str) -> Result<Algorithm, UnknownName> {
        if let Ok(own) = name.parse() {
            return Ok(Algorithm::Own(own));
        }
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
        assert_eq!(names.len(), OwnAlgorithm::all().count() + 4 + Dominance::ALL.len());
        for algorithm in Algorithm::all() {
            assert_eq!(algorithm.to_string().parse(), Ok(algorithm));
        }
        for name in ["GA", "FASTDIVING", "SLOWDIVING", "VP_CHEKURI", "VP_FFLEX_DD", "GREEDY", "OPT", "RRNZ"] {
            assert!(name.parse::<Algorithm>().is_ok(), "{name}");
        }
        assert_eq!(vector::Algorithm::ALL[VECTOR_OF_THE_TEXTS - 1], vector::Algorithm::EJECT);
        assert_eq!("SLOWDIVNG".parse::<Algorithm>().unwrap_err().nearest.as_deref(), Some("SLOWDIVING"));
    }
}
