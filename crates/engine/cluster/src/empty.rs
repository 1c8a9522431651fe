//! A cluster without jobs.

use crate::View;
use crate::job_table::JobTable;
use crate::node_loads::NodeLoads;
use dfrsim_model::SimTime;

/// Equal nodes without a job, for callers that drive a policy's parts without a simulated cluster and know the jobs themselves.
#[derive(Debug)]
pub struct EmptyCluster {
    jobs: JobTable,
    nodes: NodeLoads,
}

impl EmptyCluster {
    /// A cluster of this many nodes.
    #[must_use]
    pub fn new(nodes: u32) -> EmptyCluster {
        EmptyCluster { jobs: JobTable::default(), nodes: NodeLoads::new(nodes) }
    }
    /// What a scheduler sees of it at a moment.
    #[must_use]
    pub fn view(&self, now: SimTime) -> View<'_> {
        View { now, jobs: &self.jobs, nodes: &self.nodes, platform: None, unequal: None, weighted: false }
    }
}
