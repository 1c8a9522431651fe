//! Shards: parts of a run for several machines.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt;
use std::str::FromStr;

/// Largest number of shards.
const MOST: u32 = 1_000_000;

/// One of several parts of a run that take about equally long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shard {
    number: u32,
    count: u32,
}

/// Error for a text that is not a shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected i/n, the i-th of n shards, with i from 1 to n and n up to {MOST}")]
pub struct ParseShardError;

impl FromStr for Shard {
    type Err = ParseShardError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (number, of) = text.split_once('/').ok_or(ParseShardError)?;
        let number = number.trim().parse().map_err(|_| ParseShardError)?;
        let of = of.trim().parse().map_err(|_| ParseShardError)?;
        Shard::new(number, of).ok_or(ParseShardError)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.count)
    }
}

impl Shard {
    /// Creates shard `number`, from 1 to `of`; `None` if it is out of range.
    pub fn new(number: u32, of: u32) -> Option<Shard> {
        ((1..=of).contains(&number) && of <= MOST).then_some(Shard { number, count: of })
    }
    /// Returns the number of the shard, from 1.
    #[must_use]
    pub fn number(self) -> u32 {
        self.number
    }
    /// Returns the number of shards.
    #[must_use]
    pub fn count(self) -> u32 {
        self.count
    }

    /// Selects the cells of this shard. Cells are assigned by decreasing weight, each to the shard
    /// with the least load so far. The assignment is deterministic, so shards need not communicate.
    pub(crate) fn select(self, weights: &[u64]) -> Vec<bool> {
        let mut shards: BinaryHeap<Reverse<(u64, u32)>> =
            (1..=self.count).map(|number| Reverse((0, number))).collect();
        let mut own = vec![false; weights.len()];
        for cell in heaviest_first(weights) {
            let Reverse((load, number)) = shards.pop().expect("there is at least one shard");
            own[cell] = number == self.number;
            shards.push(Reverse((load + weights[cell].max(1), number)));
        }
        own
    }
}

/// Returns the indices of the weights, heaviest first.
pub(crate) fn heaviest_first(weights: &[u64]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..weights.len()).collect();
    places.sort_unstable_by_key(|&place| (Reverse(weights[place]), place));
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn shards_have_names() {
        let third: Shard = "3/8".parse().unwrap();
        assert_eq!((third.number(), third.count(), third.to_string().as_str()), (3, 8, "3/8"));
        for text in ["", "3", "0/8", "9/8", "1/0", "-1/8", "1/8/2", "1/1000001", "a/b"] {
            assert_eq!(text.parse::<Shard>(), Err(ParseShardError), "{text}");
        }
    }

    proptest! {
        /// Checks that each cell belongs to one shard, and that no shard exceeds the least loaded
        /// one by more than one cell.
        #[test]
        fn cells_are_dealt_evenly(weights in prop::collection::vec(0_u64..100, 0..200), of in 1_u32..12) {
            let shards: Vec<Vec<bool>> =
                (1..=of).map(|number| Shard::new(number, of).unwrap().select(&weights)).collect();
            for cell in 0..weights.len() {
                prop_assert_eq!(shards.iter().filter(|own| own[cell]).count(), 1);
            }
            let load = |own: &Vec<bool>| own.iter().zip(&weights).filter(|(own, _)| **own).map(|(_, weight)| weight.max(&1)).sum::<u64>();
            let loads: Vec<u64> = shards.iter().map(load).collect();
            let heaviest = weights.iter().max().copied().unwrap_or(0).max(1);
            prop_assert!(loads.iter().max().unwrap() - loads.iter().min().unwrap() <= heaviest);
        }
    }
}
