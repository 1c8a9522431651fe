//! Which nodes a starting job gets.

use super::BatchRule;
use std::fmt;

dfrsim_model::named! {
    /// Which of the free nodes a job gets that starts under a batch policy.
    #[derive(Default)]
    pub enum Placing as "rule for nodes" {
        /// The lowest ones.
        #[default]
        First = "FIRST",
        /// The lowest nodes that follow each other, if there are enough in a row; otherwise the lowest ones.
        Contiguous = "CONTIGUOUS",
        /// Nodes of the shortest row that is long enough; while none is, the longest row, and the same for the rest. The lowest of rows of
        /// the same length.
        Best = "BEST",
    }
}

dfrsim_model::named! {
    /// How many tasks a node has under a batch policy.
    #[derive(Default)]
    pub enum Packing as "use of nodes" {
        /// One.
        #[default]
        Whole = "WHOLE",
        /// As many of any jobs as its cores, its memory and its other resources allow.
        Shared = "SHARED",
        /// The same, of one job.
        Exclusive = "EXCLUSIVE",
    }
}

/// How a batch policy uses nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OnNodes {
    /// Which nodes a job gets; [`Placing::First`] unless each task has a node.
    pub placing: Placing,
    /// How many tasks they have.
    pub packing: Packing,
}

impl OnNodes {
    /// The parts of a name behind those of the [batch policy](super::BatchPolicy), which are the other text.
    pub(crate) fn parse(name: &str) -> Option<(&str, OnNodes)> {
        if let Some((base, placing)) = name.split_once("/PLACE=") {
            let placing = placing.parse().ok().filter(|&placing| placing != Placing::First)?;
            return Some((base, OnNodes { placing, ..OnNodes::default() }));
        }
        let Some((base, packing)) = name.split_once("/NODES=") else {
            return Some((name, OnNodes::default()));
        };
        let packing = packing.parse().ok().filter(|&packing| packing != Packing::Whole)?;
        Some((base, OnNodes { packing, ..OnNodes::default() }))
    }
}

impl fmt::Display for OnNodes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OnNodes { placing: Placing::First, packing: Packing::Whole } => Ok(()),
            OnNodes { placing, packing: Packing::Whole } => write!(f, "/PLACE={placing}"),
            OnNodes { packing, .. } => write!(f, "/NODES={packing}"),
        }
    }
}

impl Placing {
    /// The nodes of a job that gets this many of these, which rise. Fewer if there are not as many.
    pub(super) fn nodes(self, free: impl Iterator<Item = u32>, width: usize) -> Vec<u32> {
        if self == Placing::First {
            return free.take(width).collect();
        }
        let mut free: Vec<u32> = free.collect();
        let mut chosen = Vec::new();
        while chosen.len() < width && !free.is_empty() {
            let missing = width - chosen.len();
            let rows: Vec<&[u32]> = free.chunk_by(|a, b| a + 1 == *b).collect();
            let enough = rows.iter().filter(|row| row.len() >= missing);
            let row = match self {
                Placing::First => None,
                Placing::Contiguous => enough.min_by_key(|row| row[0]),
                Placing::Best => enough.min_by_key(|row| (row.len(), row[0])),
            };
            let longest = || rows.iter().max_by_key(|row| (row.len(), u32::MAX - row[0]));
            let row = row.or_else(|| longest().filter(|_| self == Placing::Best)).copied();
            let row = row.unwrap_or(&free);
            let taken: Vec<u32> = row[..row.len().min(missing)].to_vec();
            free.retain(|node| !taken.contains(node));
            chosen.extend(taken);
        }
        chosen.sort_unstable();
        chosen
    }

    /// What is wrong with the nodes of a job that should have these.
    pub(super) fn fault(self, found: impl Iterator<Item = u32>, expected: &[u32]) -> Option<BatchRule> {
        let mut pairs = found.zip(expected);
        let (node, &expected) = pairs.find(|(node, expected)| node != *expected)?;
        Some(BatchRule::OtherNode { node, expected, rule: self })
    }
}
