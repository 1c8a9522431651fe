//! CPU and memory in use on the nodes.

use crate::{Placement, Rule};
use dfrsim_model::{CpuUse, NodeId, Share, Yield};
use std::ops::{Add, Range, Sub};

/// Memory and CPU in use on each node, exact.
///
/// Nodes are divided into blocks. A load that a range adds to all nodes of a block is stored once
/// for the block; a load on part of a block is stored with each node. A range therefore costs no
/// more than two blocks of nodes and the blocks between them. A range must be removed exactly as it
/// was added.
#[derive(Debug)]
pub(crate) struct NodeLoads {
    /// Load of each node in addition to that of its block.
    nodes: Vec<Load>,
    blocks: Vec<Block>,
}

/// Number of nodes in a block.
const BLOCK: usize = 64;

#[derive(Clone, Copy, Debug, Default)]
struct Block {
    /// Load that every node of the block has.
    common: Load,
    /// Number of additions to single nodes of the block. If it is 0, all nodes have exactly the
    /// common load.
    partial_additions: usize,
}

/// CPU and memory in use on one node.
#[derive(Clone, Copy, Debug, Default)]
struct Load {
    /// Memory in share units; 64 bits, since an invalid decision may put several nodes' worth on one
    /// node.
    memory: u64,
    cpu: CpuUse,
}

impl Add for Load {
    type Output = Load;
    fn add(self, other: Load) -> Load {
        Load { memory: self.memory + other.memory, cpu: self.cpu + other.cpu }
    }
}

impl Sub for Load {
    type Output = Load;
    fn sub(self, other: Load) -> Load {
        Load { memory: self.memory - other.memory, cpu: self.cpu - other.cpu }
    }
}

impl Load {
    /// Returns the load of this number of tasks.
    fn of(tasks: u32, need: Share, memory: Share, at: Yield) -> Load {
        Load { memory: u64::from(memory.units()) * u64::from(tasks), cpu: need.used_by(tasks, at) }
    }
    /// Returns the rule that this load of a node violates if the node has so much memory and CPU.
    #[inline]
    fn excess(self, node: usize, (memory, cpu): (u64, CpuUse)) -> Option<Rule> {
        let node = NodeId(node as u32);
        if self.memory > memory {
            Some(Rule::Memory(node))
        } else {
            (self.cpu > cpu).then_some(Rule::Cpu(node))
        }
    }
}

impl NodeLoads {
    pub(crate) fn new(nodes: u32) -> NodeLoads {
        let nodes = vec![Load::default(); nodes as usize];
        NodeLoads { blocks: vec![Block::default(); nodes.len().div_ceil(BLOCK)], nodes }
    }
    pub(crate) fn len(&self) -> u32 {
        self.nodes.len() as u32
    }
    /// Returns the memory in use on a node, in share units.
    pub(crate) fn memory_in_use(&self, node: NodeId) -> u64 {
        self.load(node.index()).memory
    }
    pub(crate) fn cpu_in_use(&self, node: NodeId) -> CpuUse {
        self.load(node.index()).cpu
    }
    fn load(&self, node: usize) -> Load {
        self.blocks[node / BLOCK].common + self.nodes[node]
    }

    /// Removes the load that was added with the same placement.
    pub(crate) fn remove(&mut self, placement: Placement<'_>, need: Share, memory: Share, at: Yield) {
        let tasks = |tasks| Load::of(tasks, need, memory, at);
        self.change(placement, tasks, |load, less| load - less, |single, nodes| single - nodes);
    }

    /// Adds a load without checking capacities; [`NodeLoads::excess`] does so once everything is
    /// added.
    pub(crate) fn add(&mut self, placement: Placement<'_>, need: Share, memory: Share, at: Yield) {
        let tasks = |tasks| Load::of(tasks, need, memory, at);
        self.change(placement, tasks, |load, more| load + more, |single, nodes| single + nodes);
    }

    #[inline]
    fn change(
        &mut self,
        placement: Placement<'_>,
        load_of: impl Fn(u32) -> Load,
        change: impl Fn(Load, Load) -> Load,
        count: impl Fn(usize, usize) -> usize,
    ) {
        for range in placement.ranges() {
            let load = load_of(range.tasks);
            for (block, nodes) in by_block(range.indices()) {
                let block = &mut self.blocks[block];
                if nodes.len() == BLOCK {
                    block.common = change(block.common, load);
                } else {
                    block.partial_additions = count(block.partial_additions, nodes.len());
                    self.nodes[nodes].iter_mut().for_each(|node| *node = change(*node, load));
                }
            }
        }
    }

    /// Finds the first node of the placement whose capacity is exceeded.
    pub(crate) fn excess(&self, placement: Placement<'_>) -> Option<Rule> {
        let whole = (u64::from(Share::ONE.units()), CpuUse::ONE);
        placement.ranges().iter().find_map(|range| self.excess_in(range.indices(), whole))
    }

    /// Finds the first of some consecutive nodes whose memory or CPU is exceeded if each has so much.
    #[inline]
    pub(crate) fn excess_in(&self, nodes: Range<usize>, capacity: (u64, CpuUse)) -> Option<Rule> {
        for (block, nodes) in by_block(nodes) {
            let Block { common, partial_additions: single } = self.blocks[block];
            if single == 0 {
                // All nodes of the block have the same load.
                if let Some(excess) = common.excess(nodes.start, capacity) {
                    return Some(excess);
                }
                continue;
            }
            for (node, &load) in nodes.clone().zip(&self.nodes[nodes]) {
                if let Some(excess) = (common + load).excess(node, capacity) {
                    return Some(excess);
                }
            }
        }
        None
    }
}

/// Splits a range of nodes at block boundaries: pairs of a block and its nodes in the range.
fn by_block(nodes: Range<usize>) -> impl Iterator<Item = (usize, Range<usize>)> {
    let blocks = nodes.start / BLOCK..nodes.end.div_ceil(BLOCK);
    blocks.map(move |block| (block, nodes.start.max(block * BLOCK)..nodes.end.min((block + 1) * BLOCK)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NodeRange;
    use proptest::prelude::*;

    const NODES: u32 = 300;

    proptest! {
        /// Ranges over several blocks are added and removed in random order; the reference
        /// implementation counts node by node.
        #[test]
        fn loads_agree_with_counting_by_node(
            jobs in prop::collection::vec((0..NODES, 1..=NODES, 1..3u32, any::<bool>()), 1..12),
        ) {
            let (need, memory) = (Share::from_ratio(1, 4), Share::from_ratio(1, 3));
            let mut loads = NodeLoads::new(NODES);
            let mut tasks_on = vec![0_u32; NODES as usize];
            let mut kept = Vec::new();
            for (first, nodes, tasks, stays) in jobs {
                let range = [NodeRange { first: NodeId(first), nodes: nodes.min(NODES - first), tasks }];
                loads.add(Placement::new(&range), need, memory, Yield::ONE);
                tasks_on[range[0].indices()].iter_mut().for_each(|count| *count += tasks);
                kept.push((range, stays));
                let excess = (range[0].indices()).find(|&node| tasks_on[node] > 3).map(|node| NodeId(node as u32));
                prop_assert_eq!(loads.excess(Placement::new(&range)), excess.map(Rule::Memory));
            }
            for (range, _) in kept.iter().filter(|(_, stays)| !stays) {
                loads.remove(Placement::new(range), need, memory, Yield::ONE);
                tasks_on[range[0].indices()].iter_mut().for_each(|count| *count -= range[0].tasks);
            }
            for node in 0..NODES {
                let tasks = tasks_on[node as usize];
                let expected = u64::from(memory.units()) * u64::from(tasks);
                prop_assert_eq!(loads.memory_in_use(NodeId(node)), expected);
                prop_assert_eq!(loads.cpu_in_use(NodeId(node)), need.used_by(tasks, Yield::ONE));
            }
        }
    }
}
