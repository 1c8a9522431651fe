//! Which labels a question is about.

use super::{Limit, Series};
use serde::{Deserialize, Deserializer};
use serde_json::{Value, from_value};
use std::collections::BTreeMap;

/// Which labels are asked for, by column.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(transparent)]
pub struct Where(BTreeMap<String, Wanted>);

/// The labels of a column that are asked for.
#[derive(Clone, Debug, PartialEq)]
enum Wanted {
    /// Any of these.
    Labels(Vec<String>),
    /// Numbers in a range.
    Range(Limit),
}

impl<'de> Deserialize<'de> for Wanted {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Wanted, D::Error> {
        Ok(match Value::deserialize(from)? {
            range @ Value::Object(_) => Wanted::Range(from_value(range).map_err(serde::de::Error::custom)?),
            Value::Array(labels) => Wanted::Labels(labels.iter().map(label).collect()),
            one => Wanted::Labels(vec![label(&one)]),
        })
    }
}

/// A label as rows write it.
fn label(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) if number.is_f64() => number.as_f64().unwrap_or_default().to_string(),
        other => other.to_string(),
    }
}

impl Where {
    /// Whether a label of a column is asked for.
    pub fn allows(&self, column: &str, label: &str) -> bool {
        match self.0.get(column) {
            None => true,
            Some(Wanted::Labels(labels)) => labels.iter().any(|wanted| wanted == label),
            Some(Wanted::Range(limit)) => label.parse().is_ok_and(|number| limit.holds(number)),
        }
    }
    /// Whether each label that is asked for is there, of the columns that a series has.
    pub fn is_complete(&self, series: &Series) -> bool {
        let has = |column: &str, label: &String| {
            !series.has(column) || !series.only(&[(column, label)]).points.is_empty()
        };
        self.0.iter().all(|(column, wanted)| match wanted {
            Wanted::Labels(labels) => labels.iter().all(|label| has(column, label)),
            Wanted::Range(_) => true,
        })
    }
    /// The points of a series with labels that are asked for, and the others.
    pub(super) fn parted(&self, series: &Series) -> [Series; 2] {
        let is_meant = |(codes, _): &&(Vec<usize>, f64)| {
            let mut labels = series.columns.iter().zip(codes);
            labels.all(|(labels, code)| self.allows(labels.column, &labels.names[*code]))
        };
        let (meant, others) = series.points.iter().partition::<Vec<_>, _>(is_meant);
        [meant, others].map(|points| Series {
            columns: series.columns.clone(),
            points: points.into_iter().cloned().collect(),
        })
    }
    /// Points in the order of the labels that are asked for, the first column first.
    pub(super) fn sort(&self, series: Series) -> Series {
        self.0.iter().rev().fold(series, |series, (column, wanted)| match wanted {
            Wanted::Labels(labels) if labels.len() > 1 => series.in_order(column, labels),
            _ => series,
        })
    }
    /// The labels of a column that are asked for; none if all are, or a range.
    pub fn labels(&self, column: &str) -> &[String] {
        match self.0.get(column) {
            Some(Wanted::Labels(labels)) => labels,
            Some(Wanted::Range(_)) | None => &[],
        }
    }
    /// Whether anything is asked of a column.
    pub fn asks_of(&self, column: &str) -> bool {
        self.0.contains_key(column)
    }
    /// The columns of which labels are asked for.
    pub(super) fn columns(&self) -> impl Iterator<Item = &String> {
        self.0.keys()
    }
    /// Asks for this label of a column, and no other one.
    pub(super) fn ask(&mut self, column: &str, label: &str) {
        self.0.insert(column.to_owned(), Wanted::Labels(vec![label.to_owned()]));
    }
    /// Adds what another one asks of the other columns.
    pub(super) fn inherit(&mut self, from: &Where) {
        for (column, wanted) in &from.0 {
            self.0.entry(column.clone()).or_insert_with(|| wanted.clone());
        }
    }
    /// The label of a column, if one is asked for.
    pub fn label(&self, column: &str) -> Option<&str> {
        match self.0.get(column)? {
            Wanted::Labels(labels) if labels.len() == 1 => Some(&labels[0]),
            _ => None,
        }
    }
}
