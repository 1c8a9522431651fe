//! Which of the free nodes a starting job gets.

use crate::named;

named! {
    /// Which of the free nodes a starting job gets. On equal nodes it changes no start, only where jobs are.
    ///
    /// A *run* is as many free nodes as there are with numbers that follow each other. Where nodes differ or have maintenance windows,
    /// the rule is that of the nodes of a class with the same windows; see [`Place::Best`] for the choice among classes.
    #[derive(Default)]
    pub enum Place as "rule for places" {
        /// The lowest free nodes.
        #[default]
        First = "FIRST",
        /// The lowest run that is long enough; if there is none, the lowest free nodes: contiguity by best effort, as opposed to
        /// forced (Lucarelli, Mendonca, Trystram and Wagner 2015, "Contiguity and locality in backfilling scheduling", CCGrid).
        Contiguous = "CONTIGUOUS",
        /// The shortest run that is long enough; while there is none, all of the longest one, and the same again for the rest. That is
        /// as few runs as possible: Slurm's selection of nodes without a topology ("best-fit ... minimizes the number of sets of
        /// consecutive nodes", slurm.schedmd.com/topology.html). The lowest one of runs as long as each other.
        ///
        /// Where nodes differ, those come first, of the ones with which the job is as fast, that have the least beside what it asks
        /// for: fewest of each other resource in the order of the platform, then the least memory, then the fewest cores.
        Best = "BEST",
    }
}

impl Place {
    /// A description, in a few words.
    pub fn description(self) -> &'static str {
        match self {
            Place::First => "the lowest free nodes",
            Place::Contiguous => "the lowest run of free nodes that is long enough",
            Place::Best => "the fewest runs of free nodes, the shortest that is long enough",
        }
    }
}
