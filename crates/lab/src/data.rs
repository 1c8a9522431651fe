//! Rows of any study as typed columns: the basis of comparison, baselines, export and figures.

mod own;

use crate::column::{Column, Kind, Role, RowType};
use crate::record::Status;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

/// A typed value, for output formats that distinguish types.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Datum {
    /// A non-empty text.
    Text(String),
    /// A non-negative integer.
    Integer(u64),
    /// A number. Durations are in seconds, rounded to the nearest `f64`: exact to the microsecond
    /// for up to 285 years.
    Number(f64),
    /// Truth value.
    Boolean(bool),
    /// No value.
    Missing,
}

/// Rows of one type, stored by column.
#[derive(Clone, Debug)]
pub struct DataFrame {
    /// Row type that all rows have, with its columns.
    pub row_type: &'static RowType,
    /// Status of each run.
    pub status: Vec<Status>,
    /// Non-empty messages of failed runs, as (row, message), in the order of the rows.
    messages: Vec<(usize, Box<str>)>,
    columns: Vec<ColumnValues>,
    /// Index of the metric that replaces the primary one, if any.
    objective: Option<usize>,
}

/// Values of one column. Texts are interned: a row stores the index of its text among the distinct
/// texts of the column. All other values are numbers.
#[derive(Clone, Debug)]
struct ColumnValues {
    names: Vec<Box<str>>,
    places: FxHashMap<Box<str>, u32>,
    /// NaN for missing values; booleans are 0 and 1.
    numbers: Numbers,
}

/// Numbers, one per row. Labels rarely change from one row to the next, and most rows lack the
/// metrics that few runs have; for such columns only the changes are stored.
#[derive(Clone, Debug)]
enum Numbers {
    Each(Vec<f64>),
    Changes { rows: Vec<usize>, numbers: Vec<f64> },
}

/// A parsed value in the column's internal representation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StoredValue(f64);

impl StoredValue {
    /// A missing value in a column of numbers.
    pub(crate) const MISSING: StoredValue = StoredValue(f64::NAN);
    /// Wraps a number for a numeric column; NaN stands for a missing value.
    pub(crate) fn number(number: f64) -> StoredValue {
        StoredValue(number)
    }
}

impl Numbers {
    fn push(&mut self, row: usize, number: f64) {
        match self {
            Numbers::Each(numbers) => numbers.push(number),
            Numbers::Changes { rows, numbers } => {
                if numbers.last().is_none_or(|last| last.to_bits() != number.to_bits()) {
                    rows.push(row);
                    numbers.push(number);
                }
            }
        }
    }
    fn get(&self, row: usize) -> f64 {
        match self {
            Numbers::Each(numbers) => numbers[row],
            Numbers::Changes { rows, numbers } => numbers[rows.partition_point(|&begin| begin <= row) - 1],
        }
    }
}

impl DataFrame {
    /// Creates an empty frame for a row type.
    pub fn new(row_type: &'static RowType) -> DataFrame {
        let values = |column: &Column| {
            let numbers = match column.role {
                Role::Variant | Role::Primary(_) => Numbers::Each(Vec::new()),
                Role::Label | Role::Instance | Role::Fact | Role::Metric(_) => {
                    Numbers::Changes { rows: Vec::new(), numbers: Vec::new() }
                }
            };
            ColumnValues { names: Vec::new(), places: FxHashMap::default(), numbers }
        };
        let columns = row_type.columns.iter().map(values).collect();
        DataFrame { row_type, status: Vec::new(), messages: Vec::new(), columns, objective: None }
    }

    /// Appends a row with one field per column. Returns `false`, without appending it, if the number
    /// of fields is wrong or a field is not a valid value of its column.
    pub fn push<'a>(
        &mut self,
        status: Status,
        message: &str,
        fields: impl Iterator<Item = &'a str> + Clone,
    ) -> bool {
        if fields.clone().count() != self.columns.len() {
            return false;
        }
        let entries: Option<Vec<StoredValue>> =
            fields.enumerate().map(|(column, field)| self.entry(column, field)).collect();
        let Some(entries) = entries else { return false };
        self.push_entries(status, message, &entries);
        true
    }
    /// Converts a field to the column's internal representation, interning texts; `None` if it is
    /// not a valid value.
    pub(crate) fn entry(&mut self, column: usize, field: &str) -> Option<StoredValue> {
        let kind = self.row_type.columns[column].kind;
        let ColumnValues { names, places, .. } = &mut self.columns[column];
        Some(StoredValue(match (kind, field) {
            (Kind::Text, _) => match places.get(field) {
                Some(&place) => place.into(),
                None => {
                    let place = names.len() as u32;
                    names.push(field.into());
                    places.insert(field.into(), place);
                    place.into()
                }
            },
            (_, "") => f64::NAN,
            (Kind::Boolean, "false") => 0.0,
            (Kind::Boolean, "true") => 1.0,
            (Kind::Boolean, _) => return None,
            (Kind::Integer | Kind::Number, _) => field.parse().ok()?,
        }))
    }
    /// Appends a row with one entry per column.
    pub(crate) fn push_entries(&mut self, status: Status, message: &str, entries: &[StoredValue]) {
        let row = self.len();
        for (values, entry) in self.columns.iter_mut().zip(entries) {
            values.numbers.push(row, entry.0);
        }
        self.status.push(status);
        if !message.is_empty() {
            self.messages.push((row, message.into()));
        }
    }

    /// Returns the number of rows, including those of failed runs.
    pub fn len(&self) -> usize {
        self.status.len()
    }
    /// Returns whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.status.is_empty()
    }
    /// Returns the columns of the row type.
    pub fn columns(&self) -> &'static [Column] {
        self.row_type.columns
    }
    /// Returns the index of the column with this name.
    pub fn column_index(&self, column: &str) -> Option<usize> {
        self.columns().iter().position(|each| each.name == column)
    }
    /// Lets the metric with this name replace the primary one; has no effect if the rows do not have
    /// it.
    #[must_use]
    pub fn with_objective(mut self, metric: &str) -> DataFrame {
        self.objective = self.column_index(metric).filter(|&place| self.columns()[place].is_metric());
        self
    }
    /// Returns the index of the primary metric or of its replacement.
    pub fn primary(&self) -> Option<usize> {
        self.objective.or_else(|| self.columns().iter().position(Column::is_primary))
    }
    /// Returns the message of a failed run; empty if the run has a row or its status needs no
    /// message.
    pub fn message(&self, row: usize) -> &str {
        let place = self.messages.binary_search_by_key(&row, |(row, _)| *row);
        place.map_or("", |place| &self.messages[place].1)
    }
    /// Returns the number in a row; `None` if the column holds texts or the value is missing.
    pub fn number(&self, row: usize, column: usize) -> Option<f64> {
        let number = self.columns[column].numbers.get(row);
        (self.columns()[column].kind != Kind::Text && !number.is_nan()).then_some(number)
    }
    /// Collects the numbers of these rows, without missing ones.
    pub fn numbers(&self, rows: &[usize], column: usize) -> Vec<f64> {
        rows.iter().filter_map(|&row| self.number(row, column)).collect()
    }
    /// Returns the value as a text; empty if it is missing.
    pub fn text(&self, row: usize, column: usize) -> String {
        let ColumnValues { names, numbers, .. } = &self.columns[column];
        match (numbers.get(row), self.columns()[column].kind) {
            (place, Kind::Text) => names[place as usize].to_string(),
            (number, _) if number.is_nan() => String::new(),
            (number, Kind::Boolean) => (number != 0.0).to_string(),
            (number, Kind::Integer | Kind::Number) => number.to_string(),
        }
    }
    /// Formats the values of these columns for readers, without missing ones: `lublin, load 0.7`.
    pub fn readable(&self, row: usize, columns: &[usize]) -> String {
        let texts = columns.iter().map(|&column| (&self.columns()[column], self.text(row, column)));
        let known = texts.filter(|(_, text)| !text.is_empty());
        known.map(|(column, text)| column.readable(&text)).collect::<Vec<_>>().join(", ")
    }
    /// Returns a number that is equal for equal values of the column, for grouping.
    pub fn code(&self, row: usize, column: usize) -> u64 {
        self.columns[column].numbers.get(row).to_bits()
    }
    /// Returns the grouping codes of a row in these columns.
    pub(crate) fn codes(&self, row: usize, columns: &[usize]) -> Vec<u64> {
        columns.iter().map(|&column| self.code(row, column)).collect()
    }
    /// Returns a value with its type, for output formats that distinguish types.
    pub fn datum(&self, row: usize, column: usize) -> Datum {
        match (self.columns()[column].kind, self.number(row, column)) {
            (Kind::Text, _) => match self.text(row, column) {
                text if text.is_empty() => Datum::Missing,
                text => Datum::Text(text),
            },
            (_, None) => Datum::Missing,
            (Kind::Integer, Some(number)) => Datum::Integer(number as u64),
            (Kind::Number, Some(number)) => Datum::Number(number),
            (Kind::Boolean, Some(number)) => Datum::Boolean(number != 0.0),
        }
    }
    /// Returns the indices of the columns that have one of these roles.
    pub fn with_role(&self, roles: &[Role]) -> Vec<usize> {
        (0..self.columns().len()).filter(|&column| roles.contains(&self.columns()[column].role)).collect()
    }
    /// Returns the indices of all metrics, including the primary one.
    pub(crate) fn metrics(&self) -> Vec<usize> {
        (0..self.columns().len()).filter(|&column| self.columns()[column].is_metric()).collect()
    }
    /// Returns the distinct values of a column in these rows, in order of first appearance, without
    /// missing ones.
    pub(crate) fn distinct(&self, column: usize, rows: impl IntoIterator<Item = usize>) -> Vec<String> {
        let mut seen = FxHashSet::default();
        let first = rows.into_iter().filter(|&row| seen.insert(self.code(row, column)));
        let first: Vec<usize> = first.collect();
        first.into_iter().map(|row| self.text(row, column)).filter(|text| !text.is_empty()).collect()
    }
}
