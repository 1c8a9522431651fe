//! Placements: the nodes of a job's tasks.

use dfrsim_model::{NodeId, NodeTasks};
use std::ops::Range;

/// Consecutive nodes with the same number of tasks of one job. Batch policies need few ranges for a
/// job, however many tasks it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeRange {
    /// Lowest node.
    pub first: NodeId,
    /// Number of nodes; at least one.
    pub nodes: u32,
    /// Tasks on each node; at least one.
    pub tasks: u32,
}

impl NodeRange {
    /// Returns the number after the highest node; 64 bits, since an invalid range may exceed the
    /// largest node number.
    pub(crate) fn end(self) -> u64 {
        u64::from(self.first.0) + u64::from(self.nodes)
    }
    /// Returns the nodes as indices into a vector with one entry per node.
    #[must_use]
    pub fn indices(self) -> Range<usize> {
        self.first.index()..self.end() as usize
    }
    /// Appends the range to those of a placement, merged into the last one if possible.
    #[inline]
    pub fn push_onto(self, ranges: &mut Vec<NodeRange>) {
        match ranges.last_mut() {
            Some(last) if last.is_continued_by(self) => last.nodes += self.nodes,
            _ => ranges.push(self),
        }
    }
    /// Returns whether `next` begins right after this range and has the same number of tasks on each
    /// node.
    pub(crate) fn is_continued_by(self, next: NodeRange) -> bool {
        self.end() == u64::from(next.first.0) && self.tasks == next.tasks
    }
}

impl From<NodeTasks> for NodeRange {
    fn from(part: NodeTasks) -> NodeRange {
        NodeRange { first: part.node, nodes: 1, tasks: part.tasks }
    }
}

impl From<&NodeTasks> for NodeRange {
    fn from(part: &NodeTasks) -> NodeRange {
        NodeRange::from(*part)
    }
}

/// Placement of a job's tasks: ranges of nodes in ascending order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Placement<'a> {
    ranges: &'a [NodeRange],
}

impl<'a> Placement<'a> {
    /// Creates a placement from ranges in ascending order.
    pub const fn new(ranges: &'a [NodeRange]) -> Placement<'a> {
        Placement { ranges }
    }
    /// Returns the ranges; adjacent ones with equal task counts are merged.
    #[must_use]
    pub const fn ranges(self) -> &'a [NodeRange] {
        self.ranges
    }
    /// Counts the contiguous ranges of nodes, regardless of the number of tasks on each node.
    pub(crate) fn contiguous_ranges(self) -> u64 {
        let joined =
            self.ranges.windows(2).filter(|pair| pair[0].end() == u64::from(pair[1].first.0)).count();
        (self.ranges.len() - joined) as u64
    }
    /// Iterates over the nodes, each with its number of tasks.
    #[must_use]
    pub fn iter(self) -> Parts<'a> {
        Parts { ranges: self.ranges, returned: 0 }
    }
    /// Collects the nodes with their numbers of tasks.
    #[must_use]
    pub fn to_vec(self) -> Vec<NodeTasks> {
        self.iter().collect()
    }
    /// Counts the tasks that change node between this placement and `after`: the sum over the nodes
    /// of max(0, before - after). Both must be in ascending order.
    #[must_use]
    pub fn moved_to(self, after: Placement<'_>) -> u32 {
        let mut after = after.iter().peekable();
        self.iter()
            .map(|old| {
                while after.next_if(|new| new.node < old.node).is_some() {}
                let stay = after.next_if(|new| new.node == old.node).map_or(0, |new| new.tasks);
                old.tasks.saturating_sub(stay)
            })
            .sum()
    }
    /// Returns whether the job is on no node.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.ranges.is_empty()
    }
    /// Counts the tasks.
    pub(crate) fn tasks(self) -> u64 {
        self.ranges.iter().map(|range| u64::from(range.nodes) * u64::from(range.tasks)).sum()
    }
}

impl<'a> IntoIterator for Placement<'a> {
    type Item = NodeTasks;
    type IntoIter = Parts<'a>;
    fn into_iter(self) -> Parts<'a> {
        self.iter()
    }
}

/// Iterator over the nodes of a [`Placement`].
#[derive(Clone, Debug)]
pub struct Parts<'a> {
    /// Ranges that are left, with the current one first.
    ranges: &'a [NodeRange],
    /// Number of nodes of the first range already returned.
    returned: u32,
}

impl Iterator for Parts<'_> {
    type Item = NodeTasks;
    fn next(&mut self) -> Option<NodeTasks> {
        let (range, later) = self.ranges.split_first()?;
        let part = NodeTasks { node: NodeId(range.first.0 + self.returned), tasks: range.tasks };
        self.returned += 1;
        if self.returned >= range.nodes {
            *self = Parts { ranges: later, returned: 0 };
        }
        Some(part)
    }
}

/// Comparison with a list of nodes and their tasks.
impl PartialEq<&[NodeTasks]> for Placement<'_> {
    /// Compares range by range. The list must be in ascending order: then it covers a range exactly
    /// if its first and last node match.
    fn eq(&self, parts: &&[NodeTasks]) -> bool {
        let mut rest = *parts;
        let mut begins_with = |range: &NodeRange| {
            let Some((own, others)) = rest.split_at_checked(range.nodes as usize) else { return false };
            rest = others;
            let ends = own.first().zip(own.last()).map(|(first, last)| (first.node, last.node.index() + 1));
            ends == Some((range.first, range.end() as usize))
                && own.iter().all(|part| part.tasks == range.tasks)
        };
        self.ranges.iter().all(&mut begins_with) && rest.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ranges(counts: impl Iterator<Item = u32>) -> Vec<NodeRange> {
        let mut ranges = Vec::new();
        for (node, tasks) in (0..).zip(counts).filter(|&(_, tasks)| tasks > 0) {
            NodeRange { first: NodeId(node), nodes: 1, tasks }.push_onto(&mut ranges);
        }
        ranges
    }

    proptest! {
        #[test]
        fn moved_tasks_agree_with_counting_by_node(pairs in prop::collection::vec((0..3u32, 0..3u32), 0..8)) {
            let (before, after) = (ranges(pairs.iter().map(|pair| pair.0)), ranges(pairs.iter().map(|pair| pair.1)));
            let expected: u32 = pairs.iter().map(|(before, after)| before.saturating_sub(*after)).sum();
            prop_assert_eq!(Placement::new(&before).moved_to(Placement::new(&after)), expected);
        }

        #[test]
        fn ranges_mean_the_nodes_that_they_were_made_of(counts in prop::collection::vec(0..3u32, 0..40)) {
            let parts: Vec<NodeTasks> = (0..)
                .zip(&counts)
                .filter(|&(_, &tasks)| tasks > 0)
                .map(|(node, &tasks)| NodeTasks { node: NodeId(node), tasks })
                .collect();
            let mut ranges = Vec::new();
            parts.iter().for_each(|part| NodeRange::from(part).push_onto(&mut ranges));
            let placement = Placement::new(&ranges);
            prop_assert_eq!(placement.to_vec(), &parts[..]);
            prop_assert!(placement == &parts[..]);
            prop_assert_eq!(placement.tasks(), u64::from(counts.iter().sum::<u32>()));
            let changes = counts.windows(2).filter(|pair| pair[1] > 0 && pair[0] != pair[1]).count();
            prop_assert_eq!(ranges.len(), changes + usize::from(counts.first().is_some_and(|&tasks| tasks > 0)));
        }
    }
}
