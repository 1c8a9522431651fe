//! Ranges of values that a claim allows.

use crate::claims::{Claim, Verdict};
use crate::table::Estimate;
use serde::Deserialize;

/// A range of values: all of its bounds must be met. Without bounds every value is in the range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Limit {
    /// Exclusive lower bound.
    pub above: Option<f64>,
    /// Inclusive lower bound.
    pub at_least: Option<f64>,
    /// Exclusive upper bound.
    pub below: Option<f64>,
    /// Inclusive upper bound.
    pub at_most: Option<f64>,
    /// Value that the confidence interval must contain.
    pub equal: Option<f64>,
    /// Tolerance of `equal`, for values that were rounded for publication.
    #[serde(default)]
    pub rounded: f64,
}

impl Limit {
    /// Creates the range of values above this bound.
    pub fn above(bound: f64) -> Limit {
        Limit { above: Some(bound), ..Limit::default() }
    }
    /// Creates the range of values up to this bound.
    pub fn at_most(bound: f64) -> Limit {
        Limit { at_most: Some(bound), ..Limit::default() }
    }
    /// Creates the range between these bounds, inclusive.
    pub fn within(least: f64, most: f64) -> Limit {
        Limit { at_least: Some(least), ..Limit::at_most(most) }
    }
    fn is_above_lower_bound(&self, value: f64) -> bool {
        self.above.is_none_or(|bound| value > bound) && self.at_least.is_none_or(|bound| value >= bound)
    }
    fn is_below_upper_bound(&self, value: f64) -> bool {
        self.below.is_none_or(|bound| value < bound) && self.at_most.is_none_or(|bound| value <= bound)
    }
    /// Returns whether a value is in the range.
    pub fn holds(&self, value: f64) -> bool {
        let is_equal = self.equal.is_none_or(|other| (value - other).abs() <= self.rounded);
        self.is_above_lower_bound(value) && self.is_below_upper_bound(value) && is_equal
    }
    /// Returns the verdict on a value with an interval: it holds if the whole interval is in the
    /// range, and fails if none of it is.
    pub fn verdict(&self, (low, high): (f64, f64)) -> Verdict {
        if let Some(value) = self.equal {
            return Verdict::from_bool((low..=high).contains(&value));
        }
        if !self.is_above_lower_bound(high) || !self.is_below_upper_bound(low) {
            Verdict::Fails
        } else if self.is_above_lower_bound(low) && self.is_below_upper_bound(high) {
            Verdict::Holds
        } else {
            Verdict::Open
        }
    }
    /// Creates a claim that a mean is in the range; the verdict is `Open` if the mean has no
    /// interval.
    pub fn claim(
        &self,
        source: impl Into<String>,
        text: impl Into<String>,
        Estimate { value, interval }: Estimate,
        detail: impl Into<String>,
    ) -> Claim {
        let verdict = interval.map_or(Verdict::Open, |interval| self.verdict(interval));
        Claim::new(source, text, verdict, detail).with_values(Some(value), None).with_interval(interval)
    }
    /// Returns whether the range has a lower bound.
    pub fn has_lower_bound(&self) -> bool {
        self.above.or(self.at_least).is_some()
    }
    /// Returns `low` or `high`, whichever is the stronger evidence against the range.
    pub fn worst(&self, low: f64, high: f64) -> f64 {
        if self.has_lower_bound() && self.is_below_upper_bound(high) { low } else { high }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn either_end_may_decide_against_a_range() {
        let range = Limit::within(0.9, 1.1);
        let worst =
            [(0.95, 1.0), (0.8, 1.0), (1.0, 1.2), (0.8, 1.2)].map(|(low, high)| range.worst(low, high));
        assert_eq!(worst, [0.95, 0.8, 1.2, 1.2]);
        assert_eq!([Limit::above(1.0), Limit::at_most(1.0)].map(|limit| limit.worst(0.5, 1.5)), [0.5, 1.5]);
    }

    #[test]
    fn intervals_decide() {
        use Verdict::{Fails, Holds, Open};
        let verdicts =
            |limit: Limit| [(0.1, 0.4), (0.4, 0.5), (0.5, 0.5), (0.5, 0.6)].map(|it| limit.verdict(it));
        let below = Limit { below: Some(0.5), ..Limit::default() };
        let at_least = Limit { at_least: Some(0.5), ..Limit::default() };
        assert_eq!(verdicts(below), [Holds, Open, Fails, Fails]);
        assert_eq!(verdicts(Limit::at_most(0.5)), [Holds, Holds, Holds, Open]);
        assert_eq!(verdicts(Limit::above(0.5)), [Fails, Fails, Fails, Open]);
        assert_eq!(verdicts(at_least), [Fails, Open, Holds, Holds]);
        assert_eq!(verdicts(Limit { equal: Some(0.45), ..Limit::default() }), [Fails, Holds, Fails, Fails]);
        // The deviation of both ends is checked against a tenth of 100.
        let near = |interval| Limit::within(90.0, 110.0).verdict(interval);
        assert_eq!([(91.0, 109.0), (85.0, 95.0), (80.0, 120.0)].map(near), [Holds, Open, Open]);
        assert_eq!([(111.0, 120.0), (10.0, 80.0)].map(near), [Fails, Fails]);
    }
}
