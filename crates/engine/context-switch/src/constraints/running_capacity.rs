//! A limit on the number of VMs on some nodes.

use super::{Budget, Lowered, Taken, Translate, Viewed};
use dfrsim_model::NodeId;
use serde::{Deserialize, Serialize};

/// At most `limit` VMs run on these nodes together, at any moment. A VM that moves from one of them to another counts once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunningCapacity<N = NodeId> {
    /// The nodes.
    pub nodes: Vec<N>,
    /// How many VMs.
    pub limit: u32,
}

impl RunningCapacity {
    pub(super) fn lower(&self, lowered: &mut Lowered) {
        lowered.share(Budget { limit: self.limit.into(), nodes: self.nodes.clone(), taken: Taken::One });
    }

    pub(super) fn broken(&self, viewed: &Viewed<'_>) -> Option<String> {
        let running = viewed.taken(&Taken::One, &self.nodes);
        (running > i64::from(self.limit))
            .then(|| format!("{running} VMs run on these nodes, and {} may", self.limit))
    }
}

impl<N> RunningCapacity<N> {
    pub(super) fn map<V, W, M>(&self, to: &mut impl Translate<V, N, W, M>) -> RunningCapacity<M> {
        RunningCapacity { nodes: to.nodes("nodes", &self.nodes), limit: self.limit }
    }
}
