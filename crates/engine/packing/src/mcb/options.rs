//! What can be chosen about MCB.

use dfrsim_model::Yield;
use std::fmt;
use std::str::FromStr;

/// The rule by which nodes are filled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Packing {
    /// `cp`: Choose Pack with w = 2, that is one list by decreasing maximum of CPU and memory, of which a node
    /// takes the first fitting task again and again. The dissertation's VP_CPMAX (sections 4.2.5 and 5.2.2).
    #[default]
    ChoosePack,
    /// `mcb8`: two lists, tasks with more CPU than memory and the others (equal counts as memory), each by
    /// decreasing maximum; a node takes from the list against its imbalance, a balanced one from the memory
    /// list, and from the other list where nothing fits. MCB8 of RR-6692, section 3.4.
    TwoLists,
}

/// Which jobs are kept when not all can be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DropRule {
    /// `prefix`: jobs leave by rising priority until the others can be packed (dissertation, section 5.2.3).
    #[default]
    Prefix,
    /// `skip`: the same, and then each job that left is tried again by decreasing priority and stays if the
    /// packing at the lowest value succeeds with it.
    Skip,
}

/// The options of [`Mcb`](super::Mcb).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct McbOptions {
    /// How nodes are filled.
    pub packing: Packing,
    /// Who stays when not all can.
    pub drop: DropRule,
    /// The lowest yield that is tried; zero counts as the smallest yield above it.
    pub floor: Yield,
    /// How near to each other the last success and the last failure of the search are; zero counts as the
    /// smallest yield above it.
    pub precision: Yield,
}

impl Default for McbOptions {
    /// `cp`, `prefix`, a floor of 0.01 and a precision of 0.01.
    fn default() -> McbOptions {
        let hundredth = Yield::from_ratio(1, 100);
        McbOptions {
            packing: Packing::default(),
            drop: DropRule::default(),
            floor: hundredth,
            precision: hundredth,
        }
    }
}

/// A name that is none of the known ones.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown {what} {name:?}: expected {expected}")]
pub struct UnknownName {
    what: &'static str,
    name: String,
    expected: &'static str,
}

impl FromStr for Packing {
    type Err = UnknownName;
    fn from_str(name: &str) -> Result<Packing, UnknownName> {
        match name {
            "cp" => Ok(Packing::ChoosePack),
            "mcb8" => Ok(Packing::TwoLists),
            _ => Err(UnknownName { what: "packing", name: name.to_owned(), expected: "cp or mcb8" }),
        }
    }
}

impl fmt::Display for Packing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Packing::ChoosePack => "cp",
            Packing::TwoLists => "mcb8",
        })
    }
}

impl FromStr for DropRule {
    type Err = UnknownName;
    fn from_str(name: &str) -> Result<DropRule, UnknownName> {
        match name {
            "prefix" => Ok(DropRule::Prefix),
            "skip" => Ok(DropRule::Skip),
            _ => Err(UnknownName { what: "drop rule", name: name.to_owned(), expected: "prefix or skip" }),
        }
    }
}

impl fmt::Display for DropRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            DropRule::Prefix => "prefix",
            DropRule::Skip => "skip",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_printed() {
        for packing in [Packing::ChoosePack, Packing::TwoLists] {
            assert_eq!(packing.to_string().parse(), Ok(packing));
        }
        for drop in [DropRule::Prefix, DropRule::Skip] {
            assert_eq!(drop.to_string().parse(), Ok(drop));
        }
        let error = "mcb9".parse::<Packing>().unwrap_err();
        assert_eq!(error.to_string(), "unknown packing \"mcb9\": expected cp or mcb8");
    }
}
