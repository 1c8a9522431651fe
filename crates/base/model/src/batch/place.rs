//! Node selection for a starting job.

use crate::named;

named! {
    /// Node selection for a starting job. On identical nodes it changes only the placement, not the
    /// start times.
    ///
    /// A *run* is a maximal set of free nodes with consecutive numbers. If nodes differ or have
    /// maintenance windows, the rule applies to the nodes of a class with identical windows.
    /// [`Place::Best`] describes the choice among classes.
    #[derive(Default)]
    pub enum Place as "node selection" {
        /// Free nodes with the lowest numbers.
        #[default]
        First = "FIRST",
        /// Lowest run that is long enough; if there is none, the free nodes with the lowest numbers.
        /// This is best-effort contiguity, as opposed to forced contiguity (Lucarelli, Mendonca,
        /// Trystram and Wagner 2015, "Contiguity and locality in backfilling scheduling", CCGrid).
        Contiguous = "CONTIGUOUS",
        /// Best fit: the shortest run that is long enough. While there is none, it takes the whole
        /// longest run and repeats the search for the remaining tasks. The result is as few runs as
        /// possible: Slurm's node selection without a topology ("best-fit ... minimizes the number
        /// of sets of consecutive nodes", slurm.schedmd.com/topology.html). Ties are broken by the
        /// lowest run.
        ///
        /// If nodes differ, the job runs on the nodes on which it is fastest. Among these, the nodes
        /// with the least surplus come first: the fewest of each resource that the job does not
        /// request, in the order of the platform, then the least memory, then the fewest cores.
        Best = "BEST",
        /// Node with the least left of cores and devices together (best fit), if tasks share nodes.
        Fit = "FIT",
        /// Devices in use, the fullest first, then free devices of nodes in use, then idle nodes with
        /// few devices; if tasks share nodes.
        Pack = "PACK",
        /// Node whose free cores and devices are the least like those that the task requests, by their
        /// dot product (Grandl et al. 2014, SIGCOMM), if tasks share nodes.
        Dot = "DOT",
        /// Node with the most left of cores and devices together, if tasks share nodes.
        Spread = "SPREAD",
        /// Node whose free devices lose the least of their use to the tasks submitted so far, if tasks
        /// share nodes (fragmentation gradient descent, Weng et al. 2023, ATC).
        Fgd = "FGD",
    }
}

impl Place {
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
            Place::Best => "the fewest runs of free nodes, the shortest that is long enough",
        }
    }
}
