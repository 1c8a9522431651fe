//! Sets of nodes, as Batsim writes them.

use std::fmt;

/// Nodes in rising order, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct NodeSet(Vec<u32>);

impl NodeSet {
    /// Puts in the nodes of a placement.
    pub(crate) fn add(&mut self, placement: impl IntoIterator<Item = u32>) {
        self.0.extend(placement);
        self.0.sort_unstable();
        self.0.dedup();
    }
}

impl fmt::Display for NodeSet {
    /// The canonical text of an interval set: maximal closed intervals `a-b`, or `a` where they are one node, by rising
    /// nodes, with blanks between them: `0-3 7`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let intervals = self.0.chunk_by(|&node, &next| node + 1 == next);
        for (index, interval) in intervals.enumerate() {
            let separator = if index == 0 { "" } else { " " };
            match interval {
                [first, .., last] => write!(f, "{separator}{first}-{last}")?,
                _ => write!(f, "{separator}{}", interval[0])?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn intervals_are_maximal() {
        let mut set = NodeSet::default();
        assert_eq!(set.to_string(), "");
        set.add([1, 2, 7]);
        assert_eq!(set.to_string(), "1-2 7");
        set.add([3, 5, 7]);
        assert_eq!(set.to_string(), "1-3 5 7");
        set.add([4, 6, u32::MAX]);
        assert_eq!(set.to_string(), "1-7 4294967295");
    }

    /// The set that a text means, by counting.
    fn read(text: &str) -> BTreeSet<u32> {
        let bounds = |interval: &str| {
            let (first, last) = interval.split_once('-').unwrap_or((interval, interval));
            first.parse::<u32>().unwrap()..=last.parse().unwrap()
        };
        text.split_whitespace().flat_map(bounds).collect()
    }

    proptest! {
        #[test]
        fn the_text_means_the_union(parts in prop::collection::vec(prop::collection::btree_set(0_u32..40, 0..20), 1..4)) {
            let mut set = NodeSet::default();
            for part in &parts {
                set.add(part.iter().copied());
            }
            let text = set.to_string();
            prop_assert_eq!(read(&text), parts.into_iter().flatten().collect::<BTreeSet<_>>());
            let bounds: Vec<u32> = text.split([' ', '-']).filter_map(|bound| bound.parse().ok()).collect();
            prop_assert!(bounds.is_sorted_by(|a, b| a < b), "{text}");
            let ends = text.split(' ').filter_map(|interval| interval.rsplit('-').next()?.parse::<u32>().ok());
            prop_assert!(ends.into_iter().all(|end| !read(&text).contains(&(end + 1))), "{text}");
        }
    }
}
