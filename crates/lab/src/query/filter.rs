//! Filters of lines by their labels.

use super::{LabelColumn, LabelledValues, Limit};
use serde::{Deserialize, Deserializer};
use serde_json::{Value, from_value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Filter: the accepted labels, by column.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(transparent)]
pub struct LabelFilter(BTreeMap<String, AcceptedLabels>);

/// Accepted labels of a column.
#[derive(Clone, Debug, PartialEq)]
enum AcceptedLabels {
    /// Any of these labels.
    Labels(Vec<String>),
    /// Labels that are numbers in a range.
    Range(Limit),
}

impl<'de> Deserialize<'de> for AcceptedLabels {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<AcceptedLabels, D::Error> {
        Ok(match Value::deserialize(from)? {
            range @ Value::Object(_) => {
                AcceptedLabels::Range(from_value(range).map_err(serde::de::Error::custom)?)
            }
            Value::Array(labels) => AcceptedLabels::Labels(labels.iter().map(label).collect()),
            one => AcceptedLabels::Labels(vec![label(&one)]),
        })
    }
}

/// Columns that a filter restricts, each with whether the filter accepts the label of an index.
pub(super) struct AcceptedCodes(Vec<(usize, Vec<bool>)>);

impl AcceptedCodes {
    /// Returns whether all labels of a line are accepted.
    pub(super) fn contain(&self, codes: &[usize]) -> bool {
        self.0.iter().all(|(place, is_accepted)| is_accepted[codes[*place]])
    }
}

/// Converts a label to the text it has in the rows.
fn label(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) if number.is_f64() => number.as_f64().unwrap_or_default().to_string(),
        other => other.to_string(),
    }
}

impl LabelFilter {
    /// Returns whether the filter accepts a label of a column.
    pub fn allows(&self, column: &str, label: &str) -> bool {
        match self.0.get(column) {
            None => true,
            Some(AcceptedLabels::Labels(labels)) => labels.iter().any(|wanted| wanted == label),
            Some(AcceptedLabels::Range(limit)) => label.parse().is_ok_and(|number| limit.holds(number)),
        }
    }
    /// Returns the labels that the filter accepts, by their indices in the columns that it restricts.
    pub(super) fn accepted_codes(&self, columns: &[Arc<LabelColumn>]) -> AcceptedCodes {
        let restricted = columns.iter().enumerate().filter(|(_, labels)| self.restricts(labels.column));
        let accepted = restricted.map(|(place, labels)| {
            let is_accepted = labels.names.iter().map(|name| self.allows(labels.column, name));
            (place, is_accepted.collect())
        });
        AcceptedCodes(accepted.collect())
    }
    /// Returns whether every label named in the filter is present, for the columns that the series
    /// has.
    pub fn is_complete(&self, series: &LabelledValues) -> bool {
        let has = |column: &str, label: &String| {
            !series.has(column) || !series.only(&[(column, label)]).points.is_empty()
        };
        self.0.iter().all(|(column, wanted)| match wanted {
            AcceptedLabels::Labels(labels) => labels.iter().all(|label| has(column, label)),
            AcceptedLabels::Range(_) => true,
        })
    }
    /// Splits a series into the points that the filter accepts, and the others.
    pub(super) fn partition(&self, series: &LabelledValues) -> [LabelledValues; 2] {
        let accepted = self.accepted_codes(&series.columns);
        let (meant, others) =
            series.points.iter().partition::<Vec<_>, _>(|(codes, _)| accepted.contain(codes));
        [meant, others].map(|points| LabelledValues {
            columns: series.columns.clone(),
            points: points.into_iter().cloned().collect(),
        })
    }
    /// Sorts the points by the order of the labels named in the filter; the first column is the
    /// primary sort key.
    pub(super) fn sort(&self, series: LabelledValues) -> LabelledValues {
        self.0.iter().rev().fold(series, |series, (column, wanted)| match wanted {
            AcceptedLabels::Labels(labels) if labels.len() > 1 => series.in_order(column, labels),
            _ => series,
        })
    }
    /// Returns the labels named for a column; empty if the filter accepts all labels or a range.
    pub fn labels(&self, column: &str) -> &[String] {
        match self.0.get(column) {
            Some(AcceptedLabels::Labels(labels)) => labels,
            Some(AcceptedLabels::Range(_)) | None => &[],
        }
    }
    /// Returns whether the filter restricts a column.
    pub fn restricts(&self, column: &str) -> bool {
        self.0.contains_key(column)
    }
    /// Returns the restricted columns.
    pub(super) fn columns(&self) -> impl Iterator<Item = &String> {
        self.0.keys()
    }
    /// Restricts a column to one label.
    pub(super) fn restrict_to(&mut self, column: &str, label: &str) {
        self.0.insert(column.to_owned(), AcceptedLabels::Labels(vec![label.to_owned()]));
    }
    /// Adds the restrictions of another filter for the columns that this one does not restrict.
    pub(super) fn inherit(&mut self, from: &LabelFilter) {
        for (column, wanted) in &from.0 {
            self.0.entry(column.clone()).or_insert_with(|| wanted.clone());
        }
    }
    /// Returns the label of a column, if the filter names exactly one.
    pub fn label(&self, column: &str) -> Option<&str> {
        match self.0.get(column)? {
            AcceptedLabels::Labels(labels) if labels.len() == 1 => Some(&labels[0]),
            _ => None,
        }
    }
}
