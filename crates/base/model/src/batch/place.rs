//! Node selection for a starting job.

use crate::named::UnknownName;
use std::fmt;
use std::str::FromStr;

/// Node selection for a starting job. On identical nodes it changes only the placement, not the
/// start times.
///
/// A *run* is a maximal set of free nodes with consecutive numbers. If nodes differ or have
/// maintenance windows, the rule applies to the nodes of a class with identical windows.
/// [`Place::Best`] describes the choice among classes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// Free nodes with the lowest numbers.
    #[default]
    First,
    /// Lowest run that is long enough; if there is none, the free nodes with the lowest numbers.
    /// This is best-effort contiguity, as opposed to forced contiguity (Lucarelli, Mendonca,
    /// Trystram and Wagner 2015, "Contiguity and locality in backfilling scheduling", CCGrid).
    Contiguous,
    /// Best fit: the shortest run that is long enough. While there is none, it takes the whole
    /// longest run and repeats the search for the remaining tasks. The result is as few runs as
    /// possible: Slurm's node selection without a topology ("best-fit ... minimizes the number
    /// of sets of consecutive nodes", slurm.schedmd.com/topology.html). Ties are broken by the
    /// lowest run.
    ///
    /// If nodes differ, the job runs on the nodes on which it is fastest. Among these, the nodes
    /// with the least surplus come first: the fewest of each resource that the job does not
    /// request, in the order of the platform, then the least memory, then the fewest cores.
    Best,
    /// Node with the least left of cores and devices together (best fit), if tasks share nodes.
    Fit,
    /// Devices in use, the fullest first, then free devices of nodes in use, then idle nodes with
    /// few devices; if tasks share nodes.
    Pack,
    /// Node whose free cores and devices are the least like those that the task requests, by their
    /// dot product (Grandl et al. 2014, SIGCOMM), if tasks share nodes.
    Dot,
    /// Node with the most left of cores and devices together, if tasks share nodes.
    Spread,
    /// Node whose free devices lose the least of their use to the tasks submitted so far, if tasks
    /// share nodes (fragmentation gradient descent, Weng et al. 2023, ATC).
    Fgd,
    /// Node on which a task adds the least power, if tasks share nodes and their power is known.
    Power,
    /// Node with the least weighted sum of [`Place::Power`] and [`Place::Fgd`], each normalised to 0 to
    /// 100 over the nodes with room, as Kubernetes weighs scores (Lettich et al. 2025, CCGrid). The
    /// weight of the power is in hundredths, from 1 to 99; that of FGD is the rest.
    Mix(u8),
}

impl Place {
    /// All choices in the order of their definition; of the weighted sums, one.
    pub const ALL: &'static [Place] = &[
        Place::First,
        Place::Contiguous,
        Place::Best,
        Place::Fit,
        Place::Pack,
        Place::Dot,
        Place::Spread,
        Place::Fgd,
        Place::Power,
        Place::Mix(10),
    ];

    /// Returns the name of this choice, without a weight.
    fn name(self) -> &'static str {
        match self {
            Place::First => "FIRST",
            Place::Contiguous => "CONTIGUOUS",
            Place::Best => "BEST",
            Place::Fit => "FIT",
            Place::Pack => "PACK",
            Place::Dot => "DOT",
            Place::Spread => "SPREAD",
            Place::Fgd => "FGD",
            Place::Power => "POWER",
            Place::Mix(_) => "MIX",
        }
    }

    /// Returns whether the choice depends on the tasks submitted so far.
    #[must_use]
    pub fn depends_on_tasks(self) -> bool {
        matches!(self, Place::Fgd | Place::Mix(_))
    }
    /// Returns whether the choice depends on the power of nodes.
    #[must_use]
    pub fn depends_on_power(self) -> bool {
        matches!(self, Place::Power | Place::Mix(_))
    }
    /// Returns whether nodes are ranked by what is free of each: such a placement requires that tasks
    /// share nodes. Equal nodes are ranked by [`Place::Fit`], then by their numbers.
    #[must_use]
    pub fn is_scored(self) -> bool {
        !matches!(self, Place::First | Place::Contiguous | Place::Best)
    }
    /// Returns a short description.
    pub fn description(self) -> &'static str {
        match self {
            Place::First => "the lowest free nodes",
            Place::Contiguous => "the lowest run of free nodes that is long enough",
            Place::Fit => "the node with the least left of cores and devices",
            Place::Pack => "devices in use first, then nodes in use",
            Place::Dot => "the node whose free amounts are the least like those requested",
            Place::Spread => "the node with the most left of cores and devices",
            Place::Fgd => "the node on which the fewest free devices become useless to the tasks seen so far",
            Place::Power => "the node on which a task adds the least power",
            Place::Mix(_) => "the node with the least weighted sum of added power and useless devices",
            Place::Best => "the fewest runs of free nodes, the shortest that is long enough",
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Mix(weight) => f.pad(&format!("MIX({})", f64::from(*weight) / 100.0)),
            place => f.pad(place.name()),
        }
    }
}

impl FromStr for Place {
    type Err = UnknownName;

    /// Reads a name such as `FGD` or `MIX(0.1)`. A weight has at most two decimals and no further zeros,
    /// so that each choice has one name.
    fn from_str(name: &str) -> Result<Place, UnknownName> {
        let weights = (1..=99).map(Place::Mix);
        let found = Place::ALL.iter().copied().chain(weights).find(|place| place.to_string() == name);
        let names = || Place::ALL.iter().map(ToString::to_string).collect::<Vec<_>>();
        found.ok_or_else(|| UnknownName::new("node selection", name, names()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_have_one_name() {
        for place in Place::ALL.iter().copied().chain([1, 5, 50, 99].map(Place::Mix)) {
            assert_eq!(place.to_string().parse(), Ok(place));
        }
        assert_eq!(Place::Mix(5).to_string(), "MIX(0.05)");
        for wrong in
            ["MIX", "MIX(0)", "MIX(1)", "MIX(0.10)", "MIX(.1)", "MIX(0.005)", "MIX(-0.1)", "mix(0.1)"]
        {
            assert!(wrong.parse::<Place>().is_err(), "{wrong}");
        }
    }
}
