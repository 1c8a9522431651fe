//! How much CPU nodes have.

use dfrsim_model::event::ClassOfNodes;
use dfrsim_model::{CpuUse, Yield};

/// The CPU of the nodes of a run: that of the reference node each, unless they are of classes, which have the node after their last one
/// and the CPU of each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cpus(Vec<(u32, CpuUse)>);

impl Cpus {
    /// Those of the nodes of some classes, one class after the other.
    pub(super) fn new(classes: &[ClassOfNodes]) -> Cpus {
        let mut end = 0_u32;
        let class = |class: &ClassOfNodes| {
            end = end.saturating_add(class.nodes);
            (end, CpuUse::from_units(class.cpu.max(1).saturating_mul(Yield::ONE.units().into())))
        };
        Cpus(classes.iter().map(class).collect())
    }
    /// The CPU of a node.
    pub(super) fn of(&self, node: u32) -> CpuUse {
        self.0.get(self.0.partition_point(|(end, _)| *end <= node)).map_or(CpuUse::ONE, |(_, cpu)| *cpu)
    }
    /// Nodes in their order, and the CPU of each in parts of that of the reference node.
    pub fn parts(&self, nodes: u32) -> Vec<(u32, f64)> {
        if self.0.is_empty() {
            return vec![(nodes, 1.0)];
        }
        let begins = std::iter::once(0).chain(self.0.iter().map(|(end, _)| *end));
        self.0.iter().zip(begins).map(|((end, cpu), begin)| (end - begin, cpu.as_f64())).collect()
    }
}

/// The CPU in use on each node, in units of 2^-20 share units; 64 bits may not be enough within a moment. Only blocks of nodes
/// that occur take memory.
#[derive(Default)]
pub(super) struct Used(Vec<Vec<u128>>);

impl Used {
    const BLOCK: usize = 1 << 12;

    /// That of a node.
    pub(super) fn on(&mut self, node: u32) -> &mut u128 {
        let (block, place) = (node as usize / Self::BLOCK, node as usize % Self::BLOCK);
        if self.0.len() <= block {
            self.0.resize(block + 1, Vec::new());
        }
        self.0[block].resize(Self::BLOCK, 0);
        &mut self.0[block][place]
    }
}
