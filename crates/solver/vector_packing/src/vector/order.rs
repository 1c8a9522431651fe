//! Orders of items in lists.

use std::cmp::Ordering;

/// Sort key of items.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Criterion {
    /// No key: items stay in the order of their jobs.
    Given,
    Sum,
    Maximum,
    Lexicographic,
    /// Largest size minus smallest size.
    Difference,
    /// Largest size divided by the smallest: infinite if only the smallest is zero, 1 if all are.
    Ratio,
}

/// Order of items by their sizes in all dimensions: by the criterion, if there is one, then by sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Order {
    pub(super) criterion: Criterion,
    /// True if small items are first.
    pub(super) increasing: bool,
}

impl Order {
    /// Largest number of bits of an [`Order::prefix`].
    pub(super) const PREFIX_BITS: u32 = 54;

    /// Computes an approximate sort key: a number that is never smaller for an item that comes
    /// later. Sizes must be below 2^52, and dimensions at most 32.
    pub(super) fn prefix(self, size: &[u64]) -> u64 {
        let prefix = match self.criterion {
            Criterion::Given => 0,
            Criterion::Sum => sum(size) >> 3,
            Criterion::Maximum => extremes(size).0,
            Criterion::Lexicographic => size[0],
            Criterion::Difference => difference(size),
            Criterion::Ratio => {
                let (max, min) = ratio(size);
                // Both are exact as floats, division rounds correctly, and the bits of nonnegative
                // floats are ordered like the floats. So a larger ratio never has a smaller prefix,
                // and equal ratios have equal prefixes.
                let bits = (max as f64 / min as f64).to_bits();
                (bits - 1f64.to_bits()) >> 9
            }
        };
        if self.increasing { prefix } else { (1 << Order::PREFIX_BITS) - 1 - prefix }
    }

    /// Compares two items exactly.
    pub(super) fn compare(self, a: &[u64], b: &[u64]) -> Ordering {
        let rising = match self.criterion {
            Criterion::Given => return Ordering::Equal,
            Criterion::Sum => Ordering::Equal,
            Criterion::Maximum => extremes(a).0.cmp(&extremes(b).0),
            Criterion::Lexicographic => a.cmp(b),
            Criterion::Difference => difference(a).cmp(&difference(b)),
            Criterion::Ratio => {
                let (a, b) = (ratio(a), ratio(b));
                let product = |x, y| u128::from(x) * u128::from(y);
                product(a.0, b.1).cmp(&product(b.0, a.1))
            }
        };
        let rising = rising.then_with(|| sum(a).cmp(&sum(b)));
        if self.increasing { rising } else { rising.reverse() }
    }
}

pub(super) fn sum(size: &[u64]) -> u64 {
    size.iter().sum()
}

/// Returns the largest and the smallest size.
fn extremes(size: &[u64]) -> (u64, u64) {
    size.iter().fold((0, u64::MAX), |(max, min), &size| (max.max(size), min.min(size)))
}

fn difference(size: &[u64]) -> u64 {
    let (max, min) = extremes(size);
    max - min
}

/// Returns numerator and denominator of the ratio; they are not both zero.
fn ratio(size: &[u64]) -> (u64, u64) {
    match extremes(size) {
        (0, _) => (1, 1),
        extremes => extremes,
    }
}
