//! Aggregates of a series of values, and the text of their results.

use super::template::{TemplateValue, fill};
use super::{LabelledValues, Limit};
use crate::table::average;
use serde::Deserialize;

/// Aggregate of values, or of each side of pairs.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Aggregate {
    /// Arithmetic mean.
    Mean,
    /// Largest value.
    Max,
    /// Smallest value.
    Min,
    /// Value that decides whether all values are in the range.
    Worst,
    /// Value that decides whether any value is in the range.
    Best,
    /// Number of values in a range.
    Count(Limit),
    /// Percentage of values in a range.
    Share(Limit),
    /// Difference of the largest and the smallest value.
    Spread,
    /// Ratio of the largest to the smallest value.
    Factor,
    /// Largest increase from one value to the next.
    Rise,
    /// Largest decrease from one value to the next.
    Fall,
    /// 1 if the smallest values have these names, in this order; otherwise 0. Details list the
    /// values in ascending order.
    Lowest(Vec<String>),
    /// Largest distance of a value from a range; negative if all values are inside.
    Outside([f64; 2]),
}

/// Operation on each pair, or on the aggregates of both sides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PairOperation {
    /// First value minus second value.
    #[default]
    Difference,
    /// First value divided by second value.
    Ratio,
    /// Second value minus first value.
    Lead,
}

impl PairOperation {
    pub(super) fn of(self, one: f64, other: f64) -> f64 {
        match self {
            PairOperation::Difference => one - other,
            PairOperation::Ratio => one / other,
            PairOperation::Lead => other - one,
        }
    }
    /// Returns the default template of the details of pairs.
    pub(super) fn detail(self) -> Option<&'static str> {
        let ratios = "{met} of {all}; ratios from {low:.3} ({low_name}) to {high:.3} ({high_name})";
        (self == PairOperation::Ratio).then_some(ratios)
    }
}

/// Result of a query or check.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryResult {
    /// Number that decides the verdict.
    pub value: f64,
    /// Range that the number must lie in.
    pub limit: Limit,
    /// Evidence, as text.
    pub detail: String,
    /// Number shown to readers, if any.
    pub shown: Option<f64>,
    /// True if all other parts of the claim hold.
    pub rest_holds: bool,
}

impl QueryResult {
    /// Creates a numeric result.
    pub fn new(value: f64, limit: Limit, detail: impl Into<String>) -> QueryResult {
        QueryResult { value, limit, detail: detail.into(), shown: Some(value), rest_holds: true }
    }
    /// Creates a yes/no result.
    pub fn fact(is_so: bool, detail: impl Into<String>) -> QueryResult {
        let value = f64::from(u8::from(is_so));
        QueryResult { shown: None, ..QueryResult::new(value, Limit::within(1.0, 1.0), detail) }
    }
    /// Sets the number shown to readers, if it differs from the deciding number.
    #[must_use]
    pub fn with_shown(self, shown: Option<f64>) -> QueryResult {
        QueryResult { shown, ..self }
    }
    /// Returns whether the claim holds.
    pub fn holds(&self) -> bool {
        self.rest_holds && self.limit.holds(self.value)
    }
}

fn max(values: &[f64]) -> Option<f64> {
    values.iter().copied().reduce(f64::max)
}

fn min(values: &[f64]) -> Option<f64> {
    values.iter().copied().reduce(f64::min)
}

impl Aggregate {
    /// Aggregates one side of pairs; `None` if it has no values or the aggregate does not apply to
    /// sides.
    fn of_side(&self, side: &LabelledValues) -> Option<f64> {
        match self {
            Aggregate::Mean => average(side.values()),
            Aggregate::Max => max(&side.values()),
            Aggregate::Min => min(&side.values()),
            Aggregate::Count(limit) => (!side.points.is_empty()).then(|| side.count(limit) as f64),
            Aggregate::Share(limit) => {
                let all = side.points.len();
                (all > 0).then(|| 100.0 * side.count(limit) as f64 / all as f64)
            }
            _ => None,
        }
    }

    /// Aggregates both sides and combines the results.
    pub(super) fn of_both(
        &self,
        second: &Aggregate,
        series: &LabelledValues,
        sides: [&LabelledValues; 2],
        combine: PairOperation,
        is: Limit,
        detail: Option<&str>,
    ) -> Option<QueryResult> {
        let [one, other] = sides;
        let (a, b) = (self.of_side(one)?, second.of_side(other)?);
        let value = combine.of(a, b);
        let mut values = vec![("value", value.into()), ("a", a.into()), ("b", b.into())];
        let naming = series.naming_columns();
        for (place, take, side, value) in [("a_name", self, one, a), ("b_name", second, other, b)] {
            let mut places = (0..side.points.len()).filter(|&at| side.points[at].1 == value);
            // Ties are resolved as in [`LabelledValues::largest`] and [`LabelledValues::smallest`].
            let at = if *take == Aggregate::Max { places.next_back() } else { places.next() };
            values.extend(at.map(|at| (place, (&side.name_by(&naming, at)).into())));
        }
        let points = [one.named(), other.named(), series.named()];
        values.extend(points.iter().flatten().map(|(name, value)| (name.as_str(), (*value).into())));
        values.extend([
            ("named", TemplateValue::Named(series.named())),
            ("list", TemplateValue::List(series.values())),
        ]);
        values.push(("others", TemplateValue::Named(other.named())));
        let standard = "{a_name} {a:.2}, {b_name} {b:.2}";
        Some(QueryResult::new(value, is, fill(detail.unwrap_or(standard), &values)))
    }
    /// Aggregates the values; `None` if there are none.
    pub(super) fn of(
        &self,
        series: &LabelledValues,
        is: Limit,
        detail: Option<&str>,
        sides: &[(&str, TemplateValue)],
    ) -> Option<QueryResult> {
        let values = series.values();
        let (low, high, all) = (min(&values)?, max(&values)?, values.len());
        let mut named = vec![("low", low.into()), ("high", high.into()), ("all", all.into())];
        named.extend_from_slice(sides);
        let mut points = series.named();
        named.push(("low_name", (&series.name(series.smallest()?)).into()));
        named.push(("high_name", (&series.name(series.largest()?)).into()));
        let (value, standard) = match self {
            Aggregate::Mean | Aggregate::Max | Aggregate::Min => (self.of_side(series)?, "{value:.2}"),
            Aggregate::Worst => {
                named.push(("met", series.count(&is).into()));
                (is.worst(low, high), "{met} of {all} cases")
            }
            Aggregate::Best => {
                (if is.has_lower_bound() { high } else { low }, "{value:.2} in the best of {all} cases")
            }
            Aggregate::Count(limit) | Aggregate::Share(limit) => {
                named.push(("met", series.count(limit).into()));
                (self.of_side(series)?, "{met} of {all} cases")
            }
            Aggregate::Factor => (high / low, "from {low:.2} to {high:.2}"),
            Aggregate::Rise | Aggregate::Fall => {
                let up = if *self == Aggregate::Rise { 1.0 } else { -1.0 };
                let steps = values.windows(2).map(|pair| up * (pair[1] - pair[0]));
                (steps.reduce(f64::max)?, "{list:.2}")
            }
            Aggregate::Lowest(names) => {
                points.sort_by(|a, b| a.1.total_cmp(&b.1));
                let is_so = points.len() >= names.len() && points.iter().zip(names).all(|(a, b)| a.0 == *b);
                (f64::from(u8::from(is_so)), "{named:.2}")
            }
            Aggregate::Spread => (high - low, "from {low:.2} to {high:.2}"),
            Aggregate::Outside([least, most]) => {
                ((least - low).max(high - most), "from {low:.2} to {high:.2}")
            }
        };
        named.push(("value", value.into()));
        named.extend(points.iter().map(|(name, value)| (name.as_str(), (*value).into())));
        named
            .extend([("named", TemplateValue::Named(points.clone())), ("list", TemplateValue::List(values))]);
        Some(QueryResult::new(value, is, fill(detail.unwrap_or(standard), &named)))
    }
}
