//! What is made of a series of values, and what a statement's text says of it.

use super::template::{Value, fill};
use super::{Limit, Series};
use crate::table::average;
use serde::Deserialize;

/// What is made of values, or of those of both sides of pairs.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Take {
    /// Their mean.
    Mean,
    /// The largest one.
    Max,
    /// The smallest one.
    Min,
    /// The one that decides whether all are as stated.
    Worst,
    /// The one that decides whether any is as stated.
    Best,
    /// How many are in a range.
    Count(Limit),
    /// The part that is in a range, in percent.
    Share(Limit),
    /// The largest less the smallest one.
    Spread,
    /// The largest by the smallest one.
    Factor,
    /// The largest step up from one to the next.
    Rise,
    /// The largest step down from one to the next.
    Fall,
    /// Whether the smallest ones are of these names, in this order: 1 or 0. Details have the values in rising order.
    Lowest(Vec<String>),
    /// How far the farthest one is outside a range.
    Outside([f64; 2]),
}

/// What is made of each pair, or of what is taken of both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Combine {
    /// The first less the second value.
    Difference,
    /// The first by the second value.
    Ratio,
    /// The second less the first value.
    Lead,
}

impl Combine {
    pub(super) fn of(self, one: f64, other: f64) -> f64 {
        match self {
            Combine::Difference => one - other,
            Combine::Ratio => one / other,
            Combine::Lead => other - one,
        }
    }
    /// What is said of all pairs.
    pub(super) fn detail(self) -> Option<&'static str> {
        let ratios = "{met} of {all}; ratios from {low:.3} ({low_name}) to {high:.3} ({high_name})";
        (self == Combine::Ratio).then_some(ratios)
    }
}

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The number that decides.
    pub value: f64,
    /// What is stated of it.
    pub is: Limit,
    /// What it rests on.
    pub detail: String,
    /// The number that readers see, if any.
    pub shown: Option<f64>,
    /// Whether what else is stated holds.
    pub rest_holds: bool,
}

impl Finding {
    /// A number.
    pub fn new(value: f64, is: Limit, detail: impl Into<String>) -> Finding {
        Finding { value, is, detail: detail.into(), shown: Some(value), rest_holds: true }
    }
    /// A fact, which is so or not.
    pub fn fact(is_so: bool, detail: impl Into<String>) -> Finding {
        let value = f64::from(u8::from(is_so));
        Finding { shown: None, ..Finding::new(value, Limit::within(1.0, 1.0), detail) }
    }
    /// With another number for readers than the one that decides.
    #[must_use]
    pub fn showing(self, shown: Option<f64>) -> Finding {
        Finding { shown, ..self }
    }
    /// Whether what is stated holds.
    pub fn holds(&self) -> bool {
        self.rest_holds && self.is.holds(self.value)
    }
}

fn max(values: &[f64]) -> Option<f64> {
    values.iter().copied().reduce(f64::max)
}

fn min(values: &[f64]) -> Option<f64> {
    values.iter().copied().reduce(f64::min)
}

impl Take {
    /// The number that is made of one side of pairs; `None` if it has no values.
    fn of_side(&self, side: &Series) -> Option<f64> {
        match self {
            Take::Mean => average(side.values()),
            Take::Max => max(&side.values()),
            Take::Min => min(&side.values()),
            Take::Count(limit) => (!side.points.is_empty()).then(|| side.count(limit) as f64),
            Take::Share(limit) => {
                let all = side.points.len();
                (all > 0).then(|| 100.0 * side.count(limit) as f64 / all as f64)
            }
            _ => None,
        }
    }

    /// The difference, or what else is said, of what is made of both sides of a series.
    pub(super) fn of_both(
        &self,
        second: &Take,
        series: &Series,
        sides: [&Series; 2],
        combine: Option<Combine>,
        is: Limit,
        detail: Option<&str>,
    ) -> Option<Finding> {
        let [one, other] = sides;
        let (a, b) = (self.of_side(one)?, second.of_side(other)?);
        let value = combine.unwrap_or(Combine::Difference).of(a, b);
        let mut values = vec![("value", value.into()), ("a", a.into()), ("b", b.into())];
        let naming = series.naming();
        for (place, take, side, value) in [("a_name", self, one, a), ("b_name", second, other, b)] {
            let mut places = (0..side.points.len()).filter(|&at| side.points[at].1 == value);
            // As [`Series::largest`] and [`Series::smallest`] have it.
            let at = if *take == Take::Max { places.next_back() } else { places.next() };
            values.extend(at.map(|at| (place, (&side.name_by(&naming, at)).into())));
        }
        let points = [one.named(), other.named(), series.named()];
        values.extend(points.iter().flatten().map(|(name, value)| (name.as_str(), (*value).into())));
        values.extend([("named", Value::Named(series.named())), ("list", Value::List(series.values()))]);
        values.push(("others", Value::Named(other.named())));
        let standard = "{a_name} {a:.2}, {b_name} {b:.2}";
        Some(Finding::new(value, is, fill(detail.unwrap_or(standard), &values)))
    }
    /// What is made of values; `None` if there are none.
    pub(super) fn of(
        &self,
        series: &Series,
        is: Limit,
        detail: Option<&str>,
        sides: &[(&str, Value)],
    ) -> Option<Finding> {
        let values = series.values();
        let (low, high, all) = (min(&values)?, max(&values)?, values.len());
        let mut named = vec![("low", low.into()), ("high", high.into()), ("all", all.into())];
        named.extend_from_slice(sides);
        let mut points = series.named();
        named.push(("low_name", (&series.name(series.smallest()?)).into()));
        named.push(("high_name", (&series.name(series.largest()?)).into()));
        let (value, standard) = match self {
            Take::Mean | Take::Max | Take::Min => (self.of_side(series)?, "{value:.2}"),
            Take::Worst => {
                named.push(("met", series.count(&is).into()));
                (is.worst(low, high), "{met} of {all} cases")
            }
            Take::Best => {
                (if is.is_from_below() { high } else { low }, "{value:.2} in the best of {all} cases")
            }
            Take::Count(limit) | Take::Share(limit) => {
                named.push(("met", series.count(limit).into()));
                (self.of_side(series)?, "{met} of {all} cases")
            }
            Take::Factor => (high / low, "from {low:.2} to {high:.2}"),
            Take::Rise | Take::Fall => {
                let up = if *self == Take::Rise { 1.0 } else { -1.0 };
                let steps = values.windows(2).map(|pair| up * (pair[1] - pair[0]));
                (steps.reduce(f64::max)?, "{list:.2}")
            }
            Take::Lowest(names) => {
                points.sort_by(|a, b| a.1.total_cmp(&b.1));
                let is_so = points.len() >= names.len() && points.iter().zip(names).all(|(a, b)| a.0 == *b);
                (f64::from(u8::from(is_so)), "{named:.2}")
            }
            Take::Spread => (high - low, "from {low:.2} to {high:.2}"),
            Take::Outside([least, most]) => ((least - low).max(high - most), "from {low:.2} to {high:.2}"),
        };
        named.push(("value", value.into()));
        named.extend(points.iter().map(|(name, value)| (name.as_str(), (*value).into())));
        named.extend([("named", Value::Named(points.clone())), ("list", Value::List(values))]);
        Some(Finding::new(value, is, fill(detail.unwrap_or(standard), &named)))
    }
}
