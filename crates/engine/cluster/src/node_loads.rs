//! What the nodes hold.

use dfrsim_model::{CpuUse, NodeId, NodeTasks, Share, Yield};

/// Memory and CPU in use on each node, exact.
#[derive(Debug)]
pub(crate) struct NodeLoads {
    nodes: Vec<NodeLoad>,
    /// Nodes that were added to since the last check, each once.
    touched: Vec<NodeId>,
}

#[derive(Clone, Copy, Debug, Default)]
struct NodeLoad {
    /// In share units; 64 bits, since a wrong decision may pile several nodes' worth on one.
    memory: u64,
    cpu: CpuUse,
    touched: bool,
}

/// Which capacity of which node a decision would exceed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Excess {
    Memory(NodeId),
    Cpu(NodeId),
}

impl NodeLoads {
    pub(crate) fn new(nodes: u32) -> NodeLoads {
        NodeLoads { nodes: vec![NodeLoad::default(); nodes as usize], touched: Vec::new() }
    }
    pub(crate) fn len(&self) -> u32 {
        self.nodes.len() as u32
    }
    /// In share units.
    pub(crate) fn memory_in_use(&self, node: NodeId) -> u64 {
        self.nodes[node.index()].memory
    }
    pub(crate) fn cpu_in_use(&self, node: NodeId) -> CpuUse {
        self.nodes[node.index()].cpu
    }

    pub(crate) fn remove(&mut self, placement: &[NodeTasks], need: Share, memory: Share, at: Yield) {
        for part in placement {
            let load = &mut self.nodes[part.node.index()];
            load.memory -= u64::from(memory.units()) * u64::from(part.tasks);
            load.cpu -= need.used_by(part.tasks, at);
        }
    }

    /// Adds without looking at the capacity; [`NodeLoads::take_excess`] does that when all is added.
    pub(crate) fn add(&mut self, placement: &[NodeTasks], need: Share, memory: Share, at: Yield) {
        for part in placement {
            let load = &mut self.nodes[part.node.index()];
            load.memory += u64::from(memory.units()) * u64::from(part.tasks);
            load.cpu += need.used_by(part.tasks, at);
            if !load.touched {
                load.touched = true;
                self.touched.push(part.node);
            }
        }
    }

    /// The first node, in the order of adding, whose capacity is exceeded since the last call.
    pub(crate) fn take_excess(&mut self) -> Option<Excess> {
        let mut excess = None;
        for &node in &self.touched {
            let load = &mut self.nodes[node.index()];
            load.touched = false;
            if excess.is_none() {
                if load.memory > u64::from(Share::ONE.units()) {
                    excess = Some(Excess::Memory(node));
                } else if load.cpu > CpuUse::ONE {
                    excess = Some(Excess::Cpu(node));
                }
            }
        }
        self.touched.clear();
        excess
    }
}
