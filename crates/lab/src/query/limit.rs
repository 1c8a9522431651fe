//! Which values a statement allows.

use crate::claims::{Claim, Verdict};
use crate::table::Estimate;
use serde::Deserialize;

/// A range of values: all of its bounds must be met. Without bounds it is met by every value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Limit {
    /// Values are larger.
    pub above: Option<f64>,
    /// Values are not smaller.
    pub at_least: Option<f64>,
    /// Values are smaller.
    pub below: Option<f64>,
    /// Values are not larger.
    pub at_most: Option<f64>,
    /// The interval of the value contains this one.
    pub equal: Option<f64>,
    /// How far published values, which are rounded, may be from `equal`.
    #[serde(default)]
    pub rounded: f64,
}

impl Limit {
    /// Larger values than this one.
    pub fn above(bound: f64) -> Limit {
        Limit { above: Some(bound), ..Limit::default() }
    }
    /// Values up to this one.
    pub fn at_most(bound: f64) -> Limit {
        Limit { at_most: Some(bound), ..Limit::default() }
    }
    /// Values in this range.
    pub fn within(least: f64, most: f64) -> Limit {
        Limit { at_least: Some(least), ..Limit::at_most(most) }
    }
    fn exceeds_low(&self, value: f64) -> bool {
        self.above.is_none_or(|bound| value > bound) && self.at_least.is_none_or(|bound| value >= bound)
    }
    fn is_under_high(&self, value: f64) -> bool {
        self.below.is_none_or(|bound| value < bound) && self.at_most.is_none_or(|bound| value <= bound)
    }
    /// Whether a value is in the range.
    pub fn holds(&self, value: f64) -> bool {
        let is_equal = self.equal.is_none_or(|other| (value - other).abs() <= self.rounded);
        self.exceeds_low(value) && self.is_under_high(value) && is_equal
    }
    /// The verdict on a value with an interval: it holds if the whole interval is in the range, and fails if none of it is.
    pub fn verdict(&self, (low, high): (f64, f64)) -> Verdict {
        if let Some(value) = self.equal {
            return Verdict::from_bool((low..=high).contains(&value));
        }
        if !self.exceeds_low(high) || !self.is_under_high(low) {
            Verdict::Fails
        } else if self.exceeds_low(low) && self.is_under_high(high) {
            Verdict::Holds
        } else {
            Verdict::Open
        }
    }
    /// A statement that a mean is in the range; open where it has no interval.
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
    /// Whether it has a lower bound.
    pub fn is_from_below(&self) -> bool {
        self.above.or(self.at_least).is_some()
    }
    /// Of the ends of some values the one that decides against it.
    pub fn worst(&self, low: f64, high: f64) -> f64 {
        if self.is_from_below() && self.is_under_high(high) { low } else { high }
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
        // A tenth around 100, both ends judged together.
        let near = |interval| Limit::within(90.0, 110.0).verdict(interval);
        assert_eq!([(91.0, 109.0), (85.0, 95.0), (80.0, 120.0)].map(near), [Holds, Open, Open]);
        assert_eq!([(111.0, 120.0), (10.0, 80.0)].map(near), [Fails, Fails]);
    }
}
