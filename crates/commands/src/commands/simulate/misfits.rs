//! Count of the jobs that no node can hold.

use dfrsim_cluster::{Observer, Occurrence};
use dfrsim_model::SimTime;
use dfrsim_model::platform::classes::{Misfits, UnequalNodes};

/// Observer that counts the submitted jobs that no node can hold.
#[derive(Debug)]
pub(super) struct MisfitCounts<'a> {
    nodes: &'a UnequalNodes,
    counts: Misfits,
}

impl<'a> MisfitCounts<'a> {
    pub(super) fn new(nodes: &'a UnequalNodes) -> MisfitCounts<'a> {
        MisfitCounts { nodes, counts: Misfits::default() }
    }

    /// Formats the counts, one line for each reason.
    pub(super) fn lines(&self) -> Vec<String> {
        self.counts.lines(&self.nodes.classes)
    }
}

impl Observer for MisfitCounts<'_> {
    fn observe(&mut self, _: SimTime, _: u64, occurrence: Occurrence<'_>) {
        if let Occurrence::Submitted(job, _) = occurrence {
            self.counts.add(&self.nodes.classes, job, &self.nodes.demand(job));
        }
    }
}
