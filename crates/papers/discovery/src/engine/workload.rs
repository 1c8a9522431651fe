//! Nodes, and the virtual machines on them.

use crate::engine::Needs;
use crate::engine::points::POINTS;
use dfrsim_model::{NodeId, Share, SimSpan};

/// A virtual machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vm {
    /// First node of the machine.
    pub node: NodeId,
    /// Reserved memory, of which the machine occupies half. The other half is free for machines that
    /// arrive while others have not yet left (dissertation, section 7.3). At least a hundredth of a
    /// node.
    pub memory: Share,
    /// CPU that the machine could use.
    pub needs: Needs,
}

/// Virtual machines on identical nodes, for some time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workload {
    nodes: u32,
    span: SimSpan,
    vms: Vec<Vm>,
}

/// Error of an invalid workload. Machines are counted from 0.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WorkloadError {
    /// There is no machine or no time to simulate.
    #[error("a workload needs at least one virtual machine and a duration above 0 s")]
    Empty,
    /// A machine is on a node that does not exist.
    #[error("machine {vm} is placed on node {node}, but there are {nodes} nodes")]
    NoNode {
        /// Number of the machine.
        vm: usize,
        /// Node of the machine.
        node: NodeId,
        /// Number of nodes.
        nodes: u32,
    },
    /// More memory is reserved on a node than it has.
    #[error("the machines on node {0} reserve more memory than it has")]
    Memory(NodeId),
    /// A machine reserves so little memory that a node could hold more machines than there are
    /// points of weight.
    #[error(
        "machine {vm} reserves {memory} of a node's memory: expected at least 0.01, since 100 points of weight are shared"
    )]
    Tiny {
        /// Number of the machine.
        vm: usize,
        /// Memory of the machine.
        memory: Share,
    },
}

impl Workload {
    /// Creates a workload of these machines on this many nodes.
    ///
    /// # Errors
    /// If the machines do not fit on their nodes, or there is no machine or no time to simulate.
    pub fn new(nodes: u32, span: SimSpan, vms: Vec<Vm>) -> Result<Workload, WorkloadError> {
        if vms.is_empty() || span.is_zero() {
            return Err(WorkloadError::Empty);
        }
        let least = Share::from_ratio(1, u64::from(POINTS));
        let mut memory = vec![0; nodes as usize];
        for (at, vm) in vms.iter().enumerate() {
            if vm.memory < least {
                return Err(WorkloadError::Tiny { vm: at, memory: vm.memory });
            }
            let Some(memory) = memory.get_mut(vm.node.index()) else {
                return Err(WorkloadError::NoNode { vm: at, node: vm.node, nodes });
            };
            *memory += u64::from(vm.memory.units());
            if *memory > u64::from(Share::ONE.units()) {
                return Err(WorkloadError::Memory(vm.node));
            }
        }
        Ok(Workload { nodes, span, vms })
    }
    /// Returns the number of nodes.
    pub const fn nodes(&self) -> u32 {
        self.nodes
    }
    /// Returns the time during which the machines run.
    pub const fn span(&self) -> SimSpan {
        self.span
    }
    /// Returns the machines; there is at least one.
    pub fn vms(&self) -> &[Vm] {
        &self.vms
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_workloads_are_refused() {
        let vm = |node, hundredths| Vm {
            node: NodeId(node),
            memory: Share::from_ratio(hundredths, 100),
            needs: Needs::constant(Share::ONE),
        };
        let hour = SimSpan::from_secs(3600);
        let error = |vms: &[Vm]| Workload::new(2, hour, vms.to_vec()).unwrap_err().to_string();
        assert!(Workload::new(2, hour, vec![vm(0, 100), vm(1, 1)]).is_ok());
        assert_eq!(error(&[]), "a workload needs at least one virtual machine and a duration above 0 s");
        assert_eq!(error(&[vm(2, 50)]), "machine 0 is placed on node 2, but there are 2 nodes");
        assert_eq!(error(&[vm(1, 60), vm(1, 60)]), "the machines on node 1 reserve more memory than it has");
        assert!(error(&[vm(0, 0)]).starts_with("machine 0 reserves 0.000000 of a node's memory"));
        assert_eq!(Workload::new(2, SimSpan::ZERO, vec![vm(0, 1)]), Err(WorkloadError::Empty));
    }
}
