//! Free nodes as a bit set.

use super::place::choose;
use dfrsim_cluster::NodeRange;
use dfrsim_model::NodeId;
use dfrsim_model::batch::Place;
use std::ops::Range;

/// A set of nodes, from which jobs are allocated by a placement rule.
#[derive(Clone, Debug, Default)]
pub(crate) struct FreeNodes {
    /// One bit per node, 64 nodes per word.
    words: Vec<u64>,
    /// Index of the first word that may contain a free node.
    lowest: usize,
    place: Place,
}

impl FreeNodes {
    pub(crate) fn all(nodes: u32, place: Place) -> FreeNodes {
        let mut free = FreeNodes { words: vec![0; nodes.div_ceil(64) as usize], lowest: 0, place };
        free.insert(NodeRange { first: NodeId(0), nodes, tasks: 1 });
        free
    }

    #[inline]
    pub(crate) fn insert(&mut self, range: NodeRange) {
        let nodes = range.indices();
        self.lowest = self.lowest.min(nodes.start / 64);
        self.change(nodes, |word, bits| *word |= bits);
    }

    /// Applies `change` to the bits of a non-empty range of nodes, word by word.
    #[inline]
    fn change(&mut self, nodes: Range<usize>, change: impl Fn(&mut u64, u64)) {
        let (first, last) = (nodes.start / 64, (nodes.end - 1) / 64);
        let (from_first, to_last) = (u64::MAX << (nodes.start % 64), u64::MAX >> (63 - (nodes.end - 1) % 64));
        if first == last {
            return change(&mut self.words[first], from_first & to_last);
        }
        change(&mut self.words[first], from_first);
        self.words[first + 1..last].iter_mut().for_each(|word| change(word, u64::MAX));
        change(&mut self.words[last], to_last);
    }

    /// Removes `width` nodes from the set and stores them in `placement`, with one task each. Panics
    /// if the set has too few nodes.
    pub(crate) fn take(&mut self, width: u32, placement: &mut Vec<NodeRange>) {
        placement.clear();
        if self.place == Place::First {
            return self.take_lowest(width, placement);
        }
        for part in choose(self.place, &self.runs(), width) {
            let nodes = part.end - part.start;
            self.remove(part.clone());
            placement.push(NodeRange { first: NodeId(part.start), nodes, tasks: 1 });
        }
    }

    /// Returns the nodes of the set as maximal ranges in ascending order.
    fn runs(&self) -> Vec<Range<u32>> {
        let mut runs: Vec<Range<u32>> = Vec::new();
        for (word, at) in self.words.iter().zip((0..).step_by(64)).skip(self.lowest) {
            let mut rest = *word;
            while rest > 0 {
                let first = rest.trailing_zeros();
                let nodes = (rest >> first).trailing_ones();
                rest &= !(ones(nodes as usize) << first);
                match runs.last_mut().filter(|run| run.end == at + first) {
                    Some(run) => run.end += nodes,
                    None => runs.push(at + first..at + first + nodes),
                }
            }
        }
        runs
    }

    /// Returns whether a node is in the set.
    pub(crate) fn contains(&self, node: u32) -> bool {
        self.words[node as usize / 64] >> (node % 64) & 1 == 1
    }

    /// Removes a range of nodes from the set.
    pub(crate) fn remove(&mut self, nodes: Range<u32>) {
        self.change(nodes.start as usize..nodes.end as usize, |word, bits| *word &= !bits);
    }

    fn take_lowest(&mut self, width: u32, placement: &mut Vec<NodeRange>) {
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

/// Returns a word with the lowest `bits` bits set; `bits` must be at least 1.
fn ones(bits: usize) -> u64 {
    u64::MAX >> (64 - bits)
}

#[cfg(test)]
mod tests {
    use super::FreeNodes;
    use crate::batch::Place;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// Selects nodes from a sorted set, as a reference implementation: computes the length of the
    /// consecutive run at each node, then applies the rule as it is worded.
    fn twin(free: &BTreeSet<u32>, width: u32, place: Place) -> Vec<u32> {
        let run_from = |first: u32| (first..).take_while(|node| free.contains(node)).count() as u32;
        let begins = free.iter().copied().filter(|&node| node == 0 || !free.contains(&(node - 1)));
        let runs: Vec<(u32, u32)> = begins.map(|first| (run_from(first), first)).collect();
        let lowest = || free.iter().copied().take(width as usize).collect();
        let enough = runs.iter().filter(|(length, _)| *length >= width);
        match place {
            place if place == Place::First || place.is_scored() => lowest(),
            Place::Contiguous => enough
                .min_by_key(|(_, first)| first)
                .map_or_else(lowest, |&(_, first)| (first..first + width).collect()),
            _ => {
                if let Some(&(_, first)) = enough.min() {
                    return (first..first + width).collect();
                }
                let Some(longest) = runs.iter().map(|(length, _)| *length).max() else { return Vec::new() };
                let &(length, first) = runs.iter().find(|(length, _)| *length == longest).unwrap();
                let whole: BTreeSet<u32> = (first..first + length).collect();
                let mut taken = twin(&(free - &whole), width - length, place);
                taken.extend(whole);
                taken.sort_unstable();
                taken
            }
        }
    }

    proptest! {
        #[test]
        fn the_nodes_agree_with_a_sorted_set(
            nodes in 1..400u32,
            place in prop::sample::select(Place::ALL.to_vec()),
            steps in prop::collection::vec((any::<bool>(), any::<u16>()), 0..40),
        ) {
            let (mut free, mut set) = (FreeNodes::all(nodes, place), (0..nodes).collect::<BTreeSet<u32>>());
            let mut taken = Vec::new();
            for (takes, number) in steps {
                if takes && !set.is_empty() {
                    let width = u32::from(number) % set.len() as u32 + 1;
                    let mut placement = Vec::new();
                    free.take(width, &mut placement);
                    let found: Vec<u32> =
                        placement.iter().flat_map(|range| range.indices()).map(|node| node as u32).collect();
                    prop_assert_eq!(&found, &twin(&set, width, place));
                    set.retain(|node| !found.contains(node));
                    taken.push(placement);
                } else if !taken.is_empty() {
                    for range in taken.swap_remove(usize::from(number) % taken.len()) {
                        free.insert(range);
                        set.extend(range.indices().map(|node| node as u32));
                    }
                }
            }
        }
    }
}
