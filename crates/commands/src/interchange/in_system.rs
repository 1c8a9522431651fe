//! Jobs in the system and the nodes that they have used.

use dfrsim_cluster::Occurrence;
use dfrsim_model::{Job, ranges};
use std::collections::{BTreeMap, BTreeSet};

/// Jobs in the system by their place in the order of submission, with all nodes that had a task of
/// theirs at any time.
#[derive(Debug, Default)]
pub(crate) struct InSystem(BTreeMap<u64, (Job, BTreeSet<u32>)>);

impl InSystem {
    /// Adds a submitted job, or the nodes of a job that starts, resumes or migrates.
    pub(crate) fn observe(&mut self, place: u64, occurrence: Occurrence<'_>) {
        match occurrence {
            Occurrence::Submitted(job, _) => {
                self.0.insert(place, (job.clone(), BTreeSet::new()));
            }
            Occurrence::Started(placement, _)
            | Occurrence::Resumed(placement, _)
            | Occurrence::Migrated(placement, ..) => {
                if let Some((_, nodes)) = self.0.get_mut(&place) {
                    nodes.extend(placement.iter().map(|part| part.node.0));
                }
            }
            _ => {}
        }
    }

    /// Removes a job, with its nodes as an interval set: `0-3 7`.
    pub(crate) fn remove(&mut self, place: u64) -> Option<(Job, String)> {
        let (job, nodes) = self.0.remove(&place)?;
        Some((job, ranges(&nodes.into_iter().collect::<Vec<_>>(), " ")))
    }
}
