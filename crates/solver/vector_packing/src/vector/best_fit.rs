//! Best Fit: each item goes to the fullest node in which it fits.

use dfrsim_packing::filling::{ItemLists, NodeRuns, fits, spare, take_most};
use std::cmp::Ordering;

/// A node with what it has free.
#[derive(Clone, Copy, Debug)]
struct Node<const D: usize> {
    free: [u64; D],
    free_sum: u64,
    number: u32,
}

impl<const D: usize> Node<D> {
    fn compare(&self, other: &Node<D>) -> Ordering {
        (self.free_sum, self.number).cmp(&(other.free_sum, other.number))
    }
}

/// Some tasks of an item on a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    pub(super) item: u32,
    pub(super) node: u32,
    pub(super) count: u64,
}

/// Packs the items of one list; the fullest node is the one with the least sum of free capacities.
#[derive(Debug, Default)]
pub(super) struct BestFit<const D: usize> {
    /// Fullest first, of equal ones the first; from `first_useful` on.
    nodes: Vec<Node<D>>,
    first_useful: usize,
}

impl<const D: usize> BestFit<D> {
    /// Says whether all items found a place; `placed` is meaningful only then.
    pub(super) fn pack(
        &mut self,
        items: &ItemLists<D>,
        nodes: &NodeRuns<D>,
        placed: &mut Vec<Placed>,
    ) -> bool {
        placed.clear();
        let Some(mut spare) = spare(items, nodes) else { return false };
        self.nodes.clear();
        self.first_useful = 0;
        for run in nodes.runs() {
            let free = nodes.kinds()[run.kind as usize];
            for _ in 0..run.nodes {
                let number = self.nodes.len() as u32;
                self.nodes.push(Node { free, free_sum: free.iter().sum(), number });
            }
        }
        self.nodes.sort_unstable_by(Node::compare);
        for (position, item) in items.items().iter().enumerate() {
            if !self.retire(&item.least, &mut spare) {
                return false;
            }
            let mut left = item.left;
            while left > 0 {
                let useful = &self.nodes[self.first_useful..];
                let Some(found) = useful.iter().position(|node| fits(&item.size, &node.free)) else {
                    return false;
                };
                // The node was the fullest that had room and is fuller now: it stays the best until it has none.
                let found = self.first_useful + found;
                let node = &mut self.nodes[found];
                let count = take_most(&item.size, left, &mut node.free);
                node.free_sum = node.free.iter().sum();
                placed.push(Placed { item: position as u32, node: node.number, count });
                left -= count;
                let node = *node;
                let before = &self.nodes[self.first_useful..found];
                let place = before.partition_point(|other| other.compare(&node).is_lt());
                self.nodes[self.first_useful + place..=found].rotate_right(1);
            }
        }
        true
    }

    /// Leaves the fullest nodes out as long as they have no room for anything that may come. What is free on them is
    /// lost: `false` if that is more than the nodes have beyond the volume of the items.
    fn retire(&mut self, least: &[u64; D], spare: &mut [u128; D]) -> bool {
        while let Some(node) = self.nodes.get(self.first_useful).filter(|node| !fits(least, &node.free)) {
            for (spare, free) in spare.iter_mut().zip(node.free) {
                let Some(rest) = spare.checked_sub(free.into()) else { return false };
                *spare = rest;
            }
            self.first_useful += 1;
        }
        true
    }
}
