//! The nodes that no job occupies.

use dfrsim_model::{NodeId, NodeTasks};

/// A set of nodes, lowest first.
#[derive(Debug)]
pub(crate) struct FreeNodes {
    /// One bit a node, 64 nodes a word.
    words: Vec<u64>,
}

impl FreeNodes {
    pub(crate) fn all(nodes: u32) -> FreeNodes {
        let mut free = FreeNodes { words: vec![0; nodes.div_ceil(64) as usize] };
        for node in 0..nodes {
            free.insert(NodeId(node));
        }
        free
    }

    pub(crate) fn insert(&mut self, node: NodeId) {
        self.words[node.index() / 64] |= 1 << (node.0 % 64);
    }

    /// Takes out the `width` lowest nodes, one task on each; panics if there are not as many.
    pub(crate) fn take_lowest(&mut self, width: u32, placement: &mut Vec<NodeTasks>) {
        placement.clear();
        let mut word = 0;
        for _ in 0..width {
            while self.words[word] == 0 {
                word += 1;
            }
            let bit = self.words[word].trailing_zeros();
            self.words[word] &= self.words[word] - 1;
            placement.push(NodeTasks { node: NodeId(word as u32 * 64 + bit), tasks: 1 });
        }
    }
}
