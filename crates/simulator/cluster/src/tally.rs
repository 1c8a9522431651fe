//! Exact distribution of values many of which are equal.

use crate::Distribution;
use std::collections::BTreeMap;

/// Exact histogram with one count per distinct value: memory grows with the distinct values, not
/// with all of them. Suited to processor counts and whole seconds.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Counts by the bits of the number. Their order is the order of the numbers, as none is
    /// negative.
    counts: BTreeMap<u64, usize>,
    count: usize,
    sum: f64,
}

impl Tally {
    /// Adds a value, which must not be negative or NaN.
    pub fn add(&mut self, value: f64) {
        *self.counts.entry(value.to_bits()).or_default() += 1;
        self.count += 1;
        self.sum += value;
    }
    /// Returns the distinct values in ascending order, each with its number of occurrences.
    pub fn counts(&self) -> impl DoubleEndedIterator<Item = (f64, usize)> + Clone {
        self.counts.iter().map(|(&bits, &count)| (f64::from_bits(bits), count))
    }
    /// Returns the number of values added.
    pub const fn len(&self) -> usize {
        self.count
    }
    /// Returns whether no value was added.
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Computes the statistics of the values, as [`Distribution::of`] does; `None` if there are
    /// none.
    pub fn distribution(&self) -> Option<Distribution> {
        let (max, _) = self.counts().next_back()?;
        Some(Distribution::of_counts(&self.counts(), self.count, self.sum, max))
    }
}

#[cfg(test)]
mod tests {
    use super::Tally;
    use crate::Distribution;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_agrees_with_the_sorted_values(values in prop::collection::vec(prop_oneof![0_u8..5, any::<u8>()], 0..300)) {
            let mut values: Vec<f64> = values.into_iter().map(|value| f64::from(value) / 4.0).collect();
            let mut tally = Tally::default();
            values.iter().for_each(|&value| tally.add(value));
            prop_assert_eq!(tally.len(), values.len());
            prop_assert_eq!(tally.distribution(), Distribution::of(&mut values));
        }
    }
}
