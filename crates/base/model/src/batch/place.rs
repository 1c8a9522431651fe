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
    }
}

impl Place {
    /// Returns a short description.
    pub fn description(self) -> &'static str {
        match self {
            Place::First => "the lowest free nodes",
            Place::Contiguous => "the lowest run of free nodes that is long enough",
            Place::Best => "the fewest runs of free nodes, the shortest that is long enough",
        }
    }
}
