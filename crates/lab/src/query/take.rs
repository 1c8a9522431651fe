//! What is made of a series of values, and what a statement's text says of it.

use super::template::{Value, fill};
use super::{Combine, Limit, Series};
use crate::table::average;
use serde::Deserialize;
use std::collections::BTreeMap;

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
    /// By how much the one with a label is above the next largest one.
    Most(BTreeMap<String, String>),
    /// By how much the one with a label is below the next smallest one.
    Least(BTreeMap<String, String>),
    /// How many times the one with a label the next smallest one is.
    Times(BTreeMap<String, String>),
    /// By how much the largest one with any of these labels is above the smallest of the others.
    Over(BTreeMap<String, Vec<String>>),
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
    /// The columns that it names.
    pub(super) fn columns(&self) -> Vec<&str> {
        match self {
            Take::Most(of) | Take::Least(of) | Take::Times(of) => of.keys().map(String::as_str).collect(),
            Take::Over(of) => of.keys().map(String::as_str).collect(),
            _ => Vec::new(),
        }
    }

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

    /// The difference, or what else is said, of what is made of both sides.
    pub(super) fn of_both(
        &self,
        second: &Take,
        sides: (&Series, &Series),
        combine: Option<Combine>,
        is: Limit,
        detail: &str,
    ) -> Option<Finding> {
        let (one, other) = (self.of_side(sides.0)?, second.of_side(sides.1)?);
        let value = combine.unwrap_or(Combine::Difference).of(one, other);
        let points = [sides.0.named(), sides.1.named()].concat();
        let mut values = vec![("value", value.into()), ("a", one.into()), ("b", other.into())];
        let name = |side: &Series, value: f64| side.values().iter().position(|own| *own == value);
        for (place, side, value) in [("a_name", sides.0, one), ("b_name", sides.1, other)] {
            values.extend(name(side, value).map(|at| (place, (&side.name(at)).into())));
        }
        values.extend(points.iter().map(|(name, value)| (name.as_str(), (*value).into())));
        Some(Finding::new(value, is, fill(detail, &values)))
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
            Take::Most(of) | Take::Least(of) | Take::Times(of) => {
                let labels: Vec<(&str, &str)> = of.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
                let own = series.only(&labels);
                let its = own.points.first()?.1;
                let others = series.except(&labels);
                let is_most = matches!(self, Take::Most(_));
                let rival = if is_most { others.largest()? } else { others.last_smallest()? };
                let theirs = others.points[rival].1;
                let column = labels.first()?.0;
                named.extend([("its", its.into()), ("theirs", theirs.into())]);
                named.extend([
                    ("name", (&own.label(0, column)).into()),
                    ("other", (&others.label(rival, column)).into()),
                ]);
                named.push(("others", Value::Named(others.named())));
                let lead = match self {
                    Take::Most(_) => its - theirs,
                    Take::Least(_) => theirs - its,
                    _ => theirs / its,
                };
                (lead, "{name} {its:.2}, {other} {theirs:.2}")
            }
            Take::Over(of) => {
                let (column, names) = of.first_key_value()?;
                let is_own = |at: &usize| names.iter().any(|name| series.label(*at, column) == name);
                let (own, others): (Vec<usize>, Vec<usize>) = (0..all).partition(is_own);
                let values_of = &values;
                let values = |places: &[usize]| places.iter().map(|&at| values_of[at]).collect::<Vec<f64>>();
                let (most, least) = (max(&values(&own))?, min(&values(&others))?);
                named.extend([("most", most.into()), ("least", least.into())]);
                let name = |of: &[usize], value| {
                    series.name(*of.iter().rfind(|&&at| values_of[at] == value).unwrap_or(&of[0]))
                };
                named.push(("most_name", (&name(&own, most)).into()));
                named.push(("least_name", (&name(&others, least)).into()));
                (most - least, "at most {most:.2}, others at least {least:.2}")
            }
        };
        named.push(("value", value.into()));
        named.extend(points.iter().map(|(name, value)| (name.as_str(), (*value).into())));
        named.extend([("named", Value::Named(points.clone())), ("list", Value::List(values))]);
        Some(Finding::new(value, is, fill(detail.unwrap_or(standard), &named)))
    }
}
