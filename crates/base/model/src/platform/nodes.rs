//! Sets of nodes as users write them.

use std::fmt;

/// Nodes with consecutive numbers; at least one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NodeSpan {
    /// Lowest node.
    pub first: u32,
    /// Number of nodes.
    pub nodes: u32,
}

impl NodeSpan {
    /// Returns the number after the highest node. It has 64 bits, since an invalid span may reach
    /// beyond the last node number.
    #[must_use]
    pub fn end(self) -> u64 {
        u64::from(self.first) + u64::from(self.nodes)
    }
    /// Returns whether a node is in the span.
    #[must_use]
    pub fn contains(self, node: u32) -> bool {
        self.first <= node && u64::from(node) < self.end()
    }
    /// Iterates over the nodes.
    pub fn iter(self) -> impl Iterator<Item = u32> {
        (u64::from(self.first)..self.end()).map(|node| node as u32)
    }
}

/// Set of nodes: all nodes of a cluster, or ascending spans that do not touch.
///
/// ```
/// use dfrsim_model::platform::NodeSet;
/// let set: NodeSet = "8 0-3 2-5".parse().unwrap();
/// assert_eq!(set.to_string(), "0-5 8");
/// assert_eq!(set.spans(64).len(), 2);
/// assert_eq!("all".parse::<NodeSet>().unwrap().spans(64)[0].nodes, 64);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeSet(Option<Vec<NodeSpan>>);

impl NodeSet {
    /// All nodes of a cluster.
    pub const ALL: NodeSet = NodeSet(None);

    /// Creates a set from spans, which may overlap.
    pub fn of(mut nodes: Vec<NodeSpan>) -> NodeSet {
        nodes.sort_unstable();
        let mut spans: Vec<NodeSpan> = Vec::new();
        for span in nodes {
            match spans.last_mut().filter(|last| last.end() >= u64::from(span.first)) {
                Some(last) => {
                    let end = last.end().max(span.end());
                    last.nodes = (end - u64::from(last.first)) as u32;
                }
                None => spans.push(span),
            }
        }
        NodeSet(Some(spans))
    }
    /// Returns the spans on a cluster with this number of nodes.
    pub fn spans(&self, nodes: u32) -> Vec<NodeSpan> {
        self.0.clone().unwrap_or_else(|| vec![NodeSpan { first: 0, nodes }])
    }
}

impl fmt::Display for NodeSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(spans) = &self.0 else { return f.write_str("all") };
        for (place, span) in spans.iter().enumerate() {
            let space = if place > 0 { " " } else { "" };
            match span.nodes {
                1 => write!(f, "{space}{}", span.first)?,
                _ => write!(f, "{space}{}-{}", span.first, span.end() - 1)?,
            }
        }
        Ok(())
    }
}

crate::parses!(
    NodeSet,
    "invalid nodes `{text}`; expected `all`, or numbers and ranges such as `0-15 20`",
    |text| {
        if text.trim() == "all" {
            return Some(NodeSet::ALL);
        }
        let number = |digits: &str| digits.parse::<u32>().ok().filter(|_| !digits.starts_with('+'));
        let span = |word: &str| {
            let (first, last) = word.split_once('-').unwrap_or((word, word));
            let (first, last) = (number(first)?, number(last)?);
            Some(NodeSpan { first, nodes: last.checked_sub(first)?.checked_add(1)? })
        };
        let words = text.split([' ', ',', '+']).filter(|word| !word.is_empty());
        let spans: Vec<NodeSpan> = words.map(span).collect::<Option<_>>()?;
        (!spans.is_empty()).then(|| NodeSet::of(spans))
    }
);

#[cfg(test)]
mod tests {
    use super::NodeSet;

    #[test]
    fn sets_print_as_they_parse() {
        for text in ["all", "0", "0-15", "0-3 8 10-12"] {
            assert_eq!(text.parse::<NodeSet>().unwrap().to_string(), text);
        }
        assert_eq!("3,1,2".parse::<NodeSet>().unwrap().to_string(), "1-3");
        for text in ["", " ", "-1", "3-1", "1-2-3", "x", "+1-2x", "1-4294967296", "0-4294967295"] {
            assert!(text.parse::<NodeSet>().is_err(), "{text}");
        }
    }
}
