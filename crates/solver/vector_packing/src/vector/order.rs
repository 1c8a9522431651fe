//! The orders in which lists are sorted.

use std::cmp::Ordering;

/// The sort key of items.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Criterion {
    /// None: items stay in the order of their jobs.
    Given,
    Sum,
    Maximum,
    Lexicographic,
    /// The largest size less the smallest.
    Difference,
    /// The largest size by the smallest: infinite if that is zero, 1 if all are.
    Ratio,
}

/// An order of items by their sizes in all dimensions: by the criterion, if there is one, then by sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Order {
    pub(super) criterion: Criterion,
    /// Small items first; otherwise large ones.
    pub(super) increasing: bool,
}

impl Order {
    /// How many bits an [`Order::prefix`] has at most.
    pub(super) const PREFIX_BITS: u32 = 54;

    /// A number that is never smaller for an item that comes later. Sizes are below 2^52, dimensions at most 32.
    pub(super) fn prefix(self, size: &[u64]) -> u64 {
        let prefix = match self.criterion {
            Criterion::Given => 0,
            Criterion::Sum => sum(size) >> 3,
            Criterion::Maximum => extremes(size).0,
            Criterion::Lexicographic => size[0],
            Criterion::Difference => difference(size),
            Criterion::Ratio => {
                let (max, min) = ratio(size);
                // Both are exact as floats, division rounds correctly, and the bits of floats that are not negative are
                // in their order: a larger ratio never has fewer bits, and exactly equal ratios have the same.
                let bits = (max as f64 / min as f64).to_bits();
                (bits - 1f64.to_bits()) >> 9
            }
        };
        if self.increasing { prefix } else { (1 << Order::PREFIX_BITS) - 1 - prefix }
    }

    /// The order itself; exact.
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

/// The largest and the smallest size.
fn extremes(size: &[u64]) -> (u64, u64) {
    size.iter().fold((0, u64::MAX), |(max, min), &size| (max.max(size), min.min(size)))
}

fn difference(size: &[u64]) -> u64 {
    let (max, min) = extremes(size);
    max - min
}

/// Numerator and denominator of the ratio; they are not both zero.
fn ratio(size: &[u64]) -> (u64, u64) {
    match extremes(size) {
        (0, _) => (1, 1),
        extremes => extremes,
    }
}
