//! Neighbouring nodes that hold the same tasks.

use std::ops::Range;

/// Parts the nodes into segments of nodes with the same tasks: a segment begins where the tasks of some job begin or end. Jobs on
/// thousands of nodes leave some hundred segments, so that most of what is asked of all nodes is asked of these.
#[derive(Debug)]
pub(super) struct Segments {
    /// By node, and for the end of the last one: how many ranges of tasks begin or end there.
    ends: Vec<u32>,
    /// The same as bits: whether there are any. The first node and the end of the last one always have theirs.
    words: Vec<u64>,
}

impl Segments {
    /// All nodes without tasks.
    pub(super) fn new(nodes: u32) -> Segments {
        let nodes = nodes as usize;
        let mut segments = Segments { ends: vec![0; nodes + 1], words: vec![0; nodes / 64 + 1] };
        segments.begin_at(0);
        segments.begin_at(nodes);
        segments
    }

    /// How many nodes there are.
    pub(super) fn nodes(&self) -> usize {
        self.ends.len() - 1
    }

    /// The range of some tasks begins or ends at this node; the segment that is parted there, if it was whole, by its first node.
    pub(super) fn begin_at(&mut self, node: usize) -> Option<usize> {
        self.ends[node] += 1;
        if self.ends[node] > 1 {
            return None;
        }
        let parted = (node > 0).then(|| self.first_of(node));
        self.words[node / 64] |= 1 << (node % 64);
        parted
    }

    /// Takes back [`Segments::begin_at`].
    pub(super) fn join_at(&mut self, node: usize) {
        self.ends[node] -= 1;
        if self.ends[node] == 0 {
            self.words[node / 64] &= !(1 << (node % 64));
        }
    }

    /// The first node of the segment that this node is in.
    fn first_of(&self, node: usize) -> usize {
        let mut place = node / 64;
        let mut word = self.words[place] & (u64::MAX >> (63 - node % 64));
        while word == 0 {
            // The first node begins a segment, which ends the loop.
            place -= 1;
            word = self.words[place];
        }
        place * 64 + 63 - word.leading_zeros() as usize
    }

    /// The end of the segment that begins at this node.
    pub(super) fn end_of(&self, first: usize) -> usize {
        let mut place = first / 64;
        let mut word = self.words[place] & (u64::MAX << (first % 64) << 1);
        while word == 0 {
            // The end of the last node is an end, which ends the loop.
            place += 1;
            word = self.words[place];
        }
        place * 64 + word.trailing_zeros() as usize
    }

    /// The segments that these nodes are in, in their order: the first node of each, and those of its nodes that are among these.
    pub(super) fn within(&self, nodes: Range<usize>) -> impl Iterator<Item = (usize, Range<usize>)> + '_ {
        let mut place = nodes.start / 64;
        // The ends behind the first of these nodes, as far as one word has them.
        let mut word = self.words[place] & (u64::MAX << (nodes.start % 64) << 1);
        let (mut first, mut next) = (self.first_of(nodes.start), nodes.start);
        std::iter::from_fn(move || {
            if next >= nodes.end {
                return None;
            }
            while word == 0 {
                place += 1;
                word = self.words[place];
            }
            let end = place * 64 + word.trailing_zeros() as usize;
            word &= word - 1;
            let part = (first, next..end.min(nodes.end));
            (first, next) = (end, end);
            Some(part)
        })
    }

    /// All segments in their order.
    pub(super) fn all(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.within(0..self.nodes()).map(|(_, nodes)| nodes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The twin looks for the ends of ranges node by node.
        #[test]
        fn segments_lie_between_ends(
            nodes in 1_usize..300,
            ranges in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<bool>()), 0..12),
        ) {
            let mut segments = Segments::new(nodes as u32);
            let mut left: Vec<Range<usize>> = std::iter::once(0..nodes).collect();
            for (first, last, stays) in ranges {
                let (first, last) = (first.index(nodes), last.index(nodes));
                let range = first.min(last)..first.max(last) + 1;
                for end in [range.start, range.end] {
                    let begin = (0..end).rev().find(|node| left.iter().any(|range| range.start == *node || range.end == *node));
                    let is_new = left.iter().all(|range| range.start != end && range.end != end);
                    prop_assert_eq!(segments.begin_at(end), begin.filter(|_| is_new));
                    left.push(end..end);
                }
                if !stays {
                    segments.join_at(range.start);
                    segments.join_at(range.end);
                    left.truncate(left.len() - 2);
                }
            }
            let mut ends: Vec<usize> = left.iter().flat_map(|range| [range.start, range.end]).collect();
            ends.sort_unstable();
            ends.dedup();
            let expected: Vec<Range<usize>> = ends.windows(2).map(|pair| pair[0]..pair[1]).collect();
            prop_assert_eq!(segments.all().collect::<Vec<_>>(), &expected[..]);
            for nodes in [0..nodes / 2, nodes / 3..nodes] {
                let parts = expected.iter().map(|segment| {
                    (segment.start, segment.start.max(nodes.start)..segment.end.min(nodes.end))
                });
                let parts: Vec<_> = parts.filter(|(_, part)| !part.is_empty()).collect();
                prop_assert_eq!(segments.within(nodes).collect::<Vec<_>>(), parts);
            }
        }
    }
}
