//! CPU capacities of nodes.

use dfrsim_model::event::ClassOfNodes;
use dfrsim_model::{CpuUse, Yield};

/// CPU of the nodes of a run. If the nodes have classes, each entry is the end of a class
/// (exclusive) with the CPU of its nodes; otherwise every node is a reference node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeCpus(Vec<(u32, CpuUse)>);

impl NodeCpus {
    /// Creates the capacities of classes of consecutive nodes.
    pub(super) fn new(classes: &[ClassOfNodes]) -> NodeCpus {
        let mut end = 0_u32;
        let class = |class: &ClassOfNodes| {
            end = end.saturating_add(class.nodes);
            (end, CpuUse::from_units(class.cpu.max(1).saturating_mul(Yield::ONE.units().into())))
        };
        NodeCpus(classes.iter().map(class).collect())
    }
    /// Returns the CPU of a node.
    pub(super) fn of(&self, node: u32) -> CpuUse {
        self.0.get(self.0.partition_point(|(end, _)| *end <= node)).map_or(CpuUse::ONE, |(_, cpu)| *cpu)
    }
    /// Returns node counts in node order, with the CPU of each node relative to the reference node.
    pub fn parts(&self, nodes: u32) -> Vec<(u32, f64)> {
        if self.0.is_empty() {
            return vec![(nodes, 1.0)];
        }
        let begins = std::iter::once(0).chain(self.0.iter().map(|(end, _)| *end));
        self.0.iter().zip(begins).map(|((end, cpu), begin)| (end - begin, cpu.as_f64())).collect()
    }
}

/// CPU in use on each node, in units of 2^-20 share units; 64 bits could overflow between records
/// with equal times. Memory is allocated only for blocks of nodes that occur.
#[derive(Default)]
pub(super) struct UsedCpu(Vec<Vec<u128>>);

impl UsedCpu {
    const BLOCK: usize = 1 << 12;

    /// Returns the CPU in use on a node.
    pub(super) fn on(&mut self, node: u32) -> &mut u128 {
        let (block, place) = (node as usize / Self::BLOCK, node as usize % Self::BLOCK);
        if self.0.len() <= block {
            self.0.resize(block + 1, Vec::new());
        }
        self.0[block].resize(Self::BLOCK, 0);
        &mut self.0[block][place]
    }
}
