//! Segments of adjacent nodes that hold the same tasks.

use std::ops::Range;

/// Partition of the nodes into segments with the same tasks: a segment begins where the tasks of
/// some job begin or end. Jobs on thousands of nodes leave a few hundred segments, so that most
/// queries about all nodes need only these.
#[derive(Debug)]
pub(super) struct Segments {
    /// Number of task ranges that begin or end at each node, and at the end of the last one.
    boundaries: Vec<u32>,
    /// Bit set of the positions where the count is positive. The first node and the end of the last
    /// one are always in it.
    words: Vec<u64>,
}

impl Segments {
    /// Creates a single segment of nodes without tasks.
    pub(super) fn new(nodes: u32) -> Segments {
        let nodes = nodes as usize;
        let mut segments = Segments { boundaries: vec![0; nodes + 1], words: vec![0; nodes / 64 + 1] };
        segments.add_boundary(0);
        segments.add_boundary(nodes);
        segments
    }

    /// Returns the number of nodes.
    pub(super) fn nodes(&self) -> usize {
        self.boundaries.len() - 1
    }

    /// Adds a boundary of a task range at this node; returns the first node of the segment that is
    /// split there, if any.
    pub(super) fn add_boundary(&mut self, node: usize) -> Option<usize> {
        self.boundaries[node] += 1;
        if self.boundaries[node] > 1 {
            return None;
        }
        let parted = (node > 0).then(|| self.first_of(node));
        self.words[node / 64] |= 1 << (node % 64);
        parted
    }

    /// Undoes [`Segments::add_boundary`].
    pub(super) fn remove_boundary(&mut self, node: usize) {
        self.boundaries[node] -= 1;
        if self.boundaries[node] == 0 {
            self.words[node / 64] &= !(1 << (node % 64));
        }
    }

    /// Returns the first node of the segment that contains this node.
    fn first_of(&self, node: usize) -> usize {
        let mut place = node / 64;
        let mut word = self.words[place] & (u64::MAX >> (63 - node % 64));
        while word == 0 {
            // The loop ends at node 0, which always begins a segment.
            place -= 1;
            word = self.words[place];
        }
        place * 64 + 63 - word.leading_zeros() as usize
    }

    /// Returns the end of the segment that begins at this node.
    pub(super) fn end_of(&self, first: usize) -> usize {
        let mut place = first / 64;
        let mut word = self.words[place] & (u64::MAX << (first % 64) << 1);
        while word == 0 {
            // The loop ends at the end of the last node, which is always a boundary.
            place += 1;
            word = self.words[place];
        }
        place * 64 + word.trailing_zeros() as usize
    }

    /// Iterates over the segments that overlap these nodes, in order: the first node of each
    /// segment, and its overlap.
    pub(super) fn within(&self, nodes: Range<usize>) -> impl Iterator<Item = (usize, Range<usize>)> + '_ {
        let mut place = nodes.start / 64;
        // Boundaries after the first of these nodes within its word.
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

    /// Iterates over all segments in order.
    pub(super) fn all(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.within(0..self.nodes()).map(|(_, nodes)| nodes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The reference implementation searches for boundaries node by node.
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
                    prop_assert_eq!(segments.add_boundary(end), begin.filter(|_| is_new));
                    left.push(end..end);
                }
                if !stays {
                    segments.remove_boundary(range.start);
                    segments.remove_boundary(range.end);
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
