//! Best Fit: each item goes to the fullest node in which it fits.

use dfrsim_packing::filling::{ItemLists, NodeRuns, fits, slack, take_most};
use std::cmp::Ordering;

/// Node with its free capacity.
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

/// Tasks of an item placed on a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    pub(super) item: u32,
    pub(super) node: u32,
    pub(super) count: u64,
}

/// Best Fit packer for the items of one list; the fullest node is the one with the smallest sum of
/// free capacities.
#[derive(Debug, Default)]
pub(super) struct BestFit<const D: usize> {
    /// Nodes from fullest to emptiest, ties by number; valid from `first_useful` on.
    nodes: Vec<Node<D>>,
    first_useful: usize,
}

impl<const D: usize> BestFit<D> {
    /// Packs the items and returns whether all were placed; `placed` is meaningful only then.
    pub(super) fn pack(
        &mut self,
        items: &ItemLists<D>,
        nodes: &NodeRuns<D>,
        placed: &mut Vec<Placed>,
    ) -> bool {
        placed.clear();
        let Some(mut spare) = slack(items, nodes) else { return false };
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
                // The node was the fullest that could hold the item and is fuller now, so it stays
                // the best until it cannot.
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

    /// Drops the fullest nodes that cannot hold any later item. Their free capacity is lost: returns
    /// false once the loss exceeds the slack of the nodes over the volume of the items.
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
