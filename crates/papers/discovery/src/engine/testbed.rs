//! Workloads of the dissertation.

use crate::engine::{Needs, Vm, Workload, WorkloadError};
use dfrsim_model::{NodeId, Seed, Share, SimSpan};

/// Machines with random needs, the same number on each node, and hogs: machines that always need a
/// whole node (dissertation, section 7.3).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Testbed {
    /// Number of nodes.
    pub nodes: u32,
    /// Number of machines with random needs on each node.
    pub vms_per_node: u32,
    /// Number of hogs, one on each of the first nodes.
    pub hogs: u32,
    /// Memory that each machine reserves.
    pub memory: Share,
    /// Mean time between changes of a need.
    pub mean_change: SimSpan,
    /// Time during which the machines run.
    pub span: SimSpan,
}

impl Default for Testbed {
    /// Returns the balanced scenario: 4 nodes, 3 machines on each, no hogs, a quarter of the memory,
    /// 20 minutes, 12 hours.
    fn default() -> Testbed {
        Testbed {
            nodes: 4,
            vms_per_node: 3,
            hogs: 0,
            memory: Share::from_ratio(1, 4),
            mean_change: SimSpan::from_secs(20 * 60),
            span: SimSpan::from_secs(12 * 3600),
        }
    }
}

impl Testbed {
    /// Generates the workload of a seed. Hogs come last, so that the other machines have the same
    /// needs without them.
    ///
    /// # Errors
    /// If the machines do not fit on their nodes, or there is no machine or no time to simulate.
    pub fn workload(&self, seed: Seed) -> Result<Workload, WorkloadError> {
        let vm = |node, needs| Vm { node: NodeId(node), memory: self.memory, needs };
        let random = (0..self.nodes).flat_map(|node| (0..self.vms_per_node).map(move |_| node)).zip(0..).map(
            |(node, number)| {
                vm(node, Needs::poisson(self.mean_change, self.span, seed.fork("needs").numbered(number)))
            },
        );
        let hogs = (0..self.hogs).map(|node| vm(node, Needs::constant(Share::ONE)));
        Workload::new(self.nodes, self.span, random.chain(hogs).collect())
    }
}
