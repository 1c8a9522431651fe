//! Vector packing algorithms and their names.

use super::order::{Criterion, Order};
use dfrsim_model::named::UnknownName;
use std::fmt;
use std::str::FromStr;

/// Rule that assigns items to nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Rule {
    BestFit,
    FirstFit,
    PermutationPack,
    ChoosePack,
    /// Node by node, the item with the largest weighted scalar product of its sizes and the free
    /// capacity.
    DotProduct,
    /// Node by node, the item that leaves the least weighted norm of the free capacity.
    Norm,
    /// Permutation Pack as in RR-6692, always against the imbalance.
    Mcb,
}

/// Vector packing algorithm: a rule and the order of its lists. Parses from its name and prints it.
///
/// `VP_{BF,FF}{SUM,MAX,LEX}` and `VP_{PP,CP}{SUM,MAX,DIFF,RATIO}` are the dissertation's (section
/// 4.2.5), for any number of resources. `MCB1` to `MCB8` are those of RR-6692 (section 3.4), designed for two
/// resources: two lists, those of Permutation Pack by rank, by ascending (1 to 4) or descending (5
/// to 8) sum, difference, ratio and maximum. So `MCB5` is `VP_PPSUM`, `MCB6` `VP_PPDIFF`, `MCB7`
/// `VP_PPRATIO` and `MCB8` `VP_PPMAX` with lists by rank. `VP_EJECT` is from neither source.
/// `VP_DOTPRODUCT` and `VP_NORM` are the bin-centric greedy algorithms of vector bin packing
/// (Panigrahy, Talwar, Uyeda and Wieder 2011): node by node, the item with the largest scalar
/// product with the free capacity, or the one that leaves the least Euclidean norm, with resources
/// weighted by mean demand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Algorithm {
    name: &'static str,
    pub(super) rule: Rule,
    pub(super) order: Order,
}

const fn of(name: &'static str, rule: Rule, criterion: Criterion) -> Algorithm {
    Algorithm { name, rule, order: Order { criterion, increasing: false } }
}

const fn increasing(name: &'static str, criterion: Criterion) -> Algorithm {
    Algorithm { order: Order { criterion, increasing: true }, ..of(name, Rule::Mcb, criterion) }
}

impl Algorithm {
    /// `VP_EJECT`: a repair by ejection chains, never worse than `VP_CPSUM`.
    pub const EJECT: Algorithm = of("VP_EJECT", Rule::PermutationPack, Criterion::Sum);

    /// `VP_CPSUM`, the starting point of `VP_EJECT`.
    pub(super) const EJECT_START: Algorithm = of("VP_CPSUM", Rule::ChoosePack, Criterion::Sum);

    /// All algorithms: those of the dissertation, of RR-6692, our own and others.
    pub const ALL: [Algorithm; 25] = {
        use Criterion::{Difference, Given, Lexicographic, Maximum, Ratio, Sum};
        use Rule::{BestFit, ChoosePack, DotProduct, FirstFit, Mcb, Norm, PermutationPack};
        [
            of("VP_BFSUM", BestFit, Sum),
            of("VP_BFMAX", BestFit, Maximum),
            of("VP_BFLEX", BestFit, Lexicographic),
            of("VP_FFSUM", FirstFit, Sum),
            of("VP_FFMAX", FirstFit, Maximum),
            of("VP_FFLEX", FirstFit, Lexicographic),
            of("VP_PPSUM", PermutationPack, Sum),
            of("VP_PPMAX", PermutationPack, Maximum),
            of("VP_PPDIFF", PermutationPack, Difference),
            of("VP_PPRATIO", PermutationPack, Ratio),
            Algorithm::EJECT_START,
            of("VP_CPMAX", ChoosePack, Maximum),
            of("VP_CPDIFF", ChoosePack, Difference),
            of("VP_CPRATIO", ChoosePack, Ratio),
            increasing("MCB1", Sum),
            increasing("MCB2", Difference),
            increasing("MCB3", Ratio),
            increasing("MCB4", Maximum),
            of("MCB5", Mcb, Sum),
            of("MCB6", Mcb, Difference),
            of("MCB7", Mcb, Ratio),
            of("MCB8", Mcb, Maximum),
            Algorithm::EJECT,
            of("VP_DOTPRODUCT", DotProduct, Given),
            of("VP_NORM", Norm, Given),
        ]
    };

    /// Returns true for First Fit and Best Fit, whose items are in a single list.
    pub(super) fn has_single_list(self) -> bool {
        matches!(self.rule, Rule::FirstFit | Rule::BestFit)
    }

    /// Returns the name of the algorithm, as in its source.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.name
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name)
    }
}

impl FromStr for Algorithm {
    type Err = UnknownName;
    fn from_str(name: &str) -> Result<Algorithm, UnknownName> {
        let known = Algorithm::ALL.into_iter().find(|algorithm| algorithm.name == name);
        known.ok_or_else(|| {
            UnknownName::new("vector packing algorithm", name, Algorithm::ALL.map(Algorithm::name))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_printed() {
        for algorithm in Algorithm::ALL {
            assert_eq!(algorithm.to_string().parse(), Ok(algorithm));
        }
        let error = "VP_CPLEX".parse::<Algorithm>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "unknown vector packing algorithm `VP_CPLEX`; did you mean `VP_CPMAX`?"
        );
    }
}
