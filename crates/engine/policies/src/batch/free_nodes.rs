//! The nodes that no job occupies.

use dfrsim_cluster::NodeRange;
use dfrsim_model::NodeId;

/// A set of nodes, lowest first.
#[derive(Debug)]
pub(crate) struct FreeNodes {
    /// One bit a node, 64 nodes a word.
    words: Vec<u64>,
    /// No word before this one has a node.
    lowest: usize,
}

impl FreeNodes {
    pub(crate) fn all(nodes: u32) -> FreeNodes {
        let mut free = FreeNodes { words: vec![0; nodes.div_ceil(64) as usize], lowest: 0 };
        free.insert(NodeRange { first: NodeId(0), nodes, tasks: 1 });
        free
    }

    pub(crate) fn insert(&mut self, range: NodeRange) {
        let nodes = range.indices();
        self.lowest = self.lowest.min(nodes.start / 64);
        for word in nodes.start / 64..nodes.end.div_ceil(64) {
            let first = nodes.start.saturating_sub(word * 64);
            let end = (nodes.end - word * 64).min(64);
            self.words[word] |= ones(end - first) << first;
        }
    }

    /// Takes out the `width` lowest nodes, for one task on each; panics if there are not as many.
    pub(crate) fn take_lowest(&mut self, width: u32, placement: &mut Vec<NodeRange>) {
        placement.clear();
        let mut missing = width;
        while missing > 0 {
            let word = &mut self.words[self.lowest];
            if *word == 0 {
                self.lowest += 1;
                continue;
            }
            let first = word.trailing_zeros();
            let nodes = (*word >> first).trailing_ones().min(missing);
            *word &= !(ones(nodes as usize) << first);
            missing -= nodes;
            NodeRange { first: NodeId(self.lowest as u32 * 64 + first), nodes, tasks: 1 }
                .push_onto(placement);
        }
    }
}

/// A word whose lowest bits, at least one, are set.
fn ones(bits: usize) -> u64 {
    u64::MAX >> (64 - bits)
}

#[cfg(test)]
mod tests {
    use super::FreeNodes;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn the_lowest_nodes_agree_with_a_sorted_set(
            nodes in 1..400u32, steps in prop::collection::vec((any::<bool>(), any::<u16>()), 0..40),
        ) {
            let (mut free, mut twin) = (FreeNodes::all(nodes), (0..nodes).collect::<BTreeSet<u32>>());
            let mut taken = Vec::new();
            for (takes, number) in steps {
                if takes {
                    let width = u32::from(number) % (twin.len() as u32 + 1);
                    let mut placement = Vec::new();
                    free.take_lowest(width, &mut placement);
                    let lowest: Vec<u32> = (0..width).filter_map(|_| twin.pop_first()).collect();
                    let found = placement.iter().flat_map(|range| range.indices()).map(|node| node as u32);
                    prop_assert_eq!(found.collect::<Vec<_>>(), lowest);
                    taken.push(placement);
                } else if !taken.is_empty() {
                    for range in taken.swap_remove(usize::from(number) % taken.len()) {
                        free.insert(range);
                        twin.extend(range.indices().map(|node| node as u32));
                    }
                }
            }
        }
    }
}
