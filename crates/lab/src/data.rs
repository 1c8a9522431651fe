//! Rows of any study as columns of values: what comparison, baselines, export and figures work on.

mod own;

use crate::column::{Column, Kind, Role, RowType};
use crate::record::Status;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

/// A value of a column, for formats that distinguish types.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Datum {
    /// A text.
    Text(String),
    /// A whole number.
    Integer(u64),
    /// A number. Spans are seconds, rounded to the nearest `f64`: to the microsecond for up to 285 years.
    Number(f64),
    /// A truth value.
    Boolean(bool),
    /// No value.
    Missing,
}

/// Rows of one type, column by column.
#[derive(Clone, Debug)]
pub struct DataFrame {
    /// The type of the rows.
    pub row_type: &'static RowType,
    /// The outcome of each run.
    pub status: Vec<Status>,
    /// Why, where it has no row: the row, and the message if it is not empty.
    messages: Vec<(usize, Box<str>)>,
    columns: Vec<Values>,
    /// The place of the metric that takes the place of the primary one.
    objective: Option<usize>,
}

/// The values of a column: texts by their places among all texts of the column, everything else as numbers.
#[derive(Clone, Debug)]
struct Values {
    names: Vec<Box<str>>,
    places: FxHashMap<Box<str>, u32>,
    /// NaN where there is none; truth values are 0 and 1.
    numbers: Numbers,
}

/// Numbers, a row each. Labels are the same in many rows, one after the other, and most rows lack metrics that few runs
/// have, so that of these only changes are kept.
#[derive(Clone, Debug)]
enum Numbers {
    Each(Vec<f64>),
    Changes { rows: Vec<usize>, numbers: Vec<f64> },
}

/// A value that was read, as its column keeps it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry(f64);

impl Entry {
    /// No value in a column of numbers.
    pub(crate) const MISSING: Entry = Entry(f64::NAN);
    /// A number, in a column of numbers; NaN if there is none.
    pub(crate) fn number(number: f64) -> Entry {
        Entry(number)
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
    /// No rows of a type.
    pub fn new(row_type: &'static RowType) -> DataFrame {
        let values = |column: &Column| {
            let numbers = match column.role {
                Role::Variant | Role::Primary(_) => Numbers::Each(Vec::new()),
                Role::Label | Role::Instance | Role::Fact | Role::Metric(_) => {
                    Numbers::Changes { rows: Vec::new(), numbers: Vec::new() }
                }
            };
            Values { names: Vec::new(), places: FxHashMap::default(), numbers }
        };
        let columns = row_type.columns.iter().map(values).collect();
        DataFrame { row_type, status: Vec::new(), messages: Vec::new(), columns, objective: None }
    }

    /// Adds a row with a field for each column; `false`, without adding it, unless all fields are values of their
    /// columns.
    pub fn push<'a>(
        &mut self,
        status: Status,
        message: &str,
        fields: impl Iterator<Item = &'a str> + Clone,
    ) -> bool {
        if fields.clone().count() != self.columns.len() {
            return false;
        }
        let entries: Option<Vec<Entry>> =
            fields.enumerate().map(|(column, field)| self.entry(column, field)).collect();
        let Some(entries) = entries else { return false };
        self.push_entries(status, message, &entries);
        true
    }
    /// What a column keeps of a field; `None` if that is not a value of it.
    pub(crate) fn entry(&mut self, column: usize, field: &str) -> Option<Entry> {
        let kind = self.row_type.columns[column].kind;
        let Values { names, places, .. } = &mut self.columns[column];
        Some(Entry(match (kind, field) {
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
    /// Adds a row with an entry for each column.
    pub(crate) fn push_entries(&mut self, status: Status, message: &str, entries: &[Entry]) {
        let row = self.len();
        for (values, entry) in self.columns.iter_mut().zip(entries) {
            values.numbers.push(row, entry.0);
        }
        self.status.push(status);
        if !message.is_empty() {
            self.messages.push((row, message.into()));
        }
    }

    /// How many rows there are, those of failed runs included.
    pub fn len(&self) -> usize {
        self.status.len()
    }
    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.status.is_empty()
    }
    /// The columns.
    pub fn columns(&self) -> &'static [Column] {
        self.row_type.columns
    }
    /// The place of the column of this name.
    pub fn place(&self, column: &str) -> Option<usize> {
        self.columns().iter().position(|each| each.name == column)
    }
    /// Lets the metric of this name take the place of the primary one; without effect on rows that do not have it.
    #[must_use]
    pub fn with_objective(mut self, metric: &str) -> DataFrame {
        self.objective = self.place(metric).filter(|&place| self.columns()[place].is_metric());
        self
    }
    /// The place of the primary metric, or of the one that takes its place.
    pub fn primary(&self) -> Option<usize> {
        self.objective.or_else(|| self.columns().iter().position(Column::is_primary))
    }
    /// Why there is no row; empty if there is one, or the status says it all.
    pub fn message(&self, row: usize) -> &str {
        let place = self.messages.binary_search_by_key(&row, |(row, _)| *row);
        place.map_or("", |place| &self.messages[place].1)
    }
    /// The number in a row, if the column has numbers and there is one.
    pub fn number(&self, row: usize, column: usize) -> Option<f64> {
        let number = self.columns[column].numbers.get(row);
        (self.columns()[column].kind != Kind::Text && !number.is_nan()).then_some(number)
    }
    /// The numbers in these rows, without those that are missing.
    pub fn numbers(&self, rows: &[usize], column: usize) -> Vec<f64> {
        rows.iter().filter_map(|&row| self.number(row, column)).collect()
    }
    /// The value in a row as a text; empty if there is none.
    pub fn text(&self, row: usize, column: usize) -> String {
        let Values { names, numbers, .. } = &self.columns[column];
        match (numbers.get(row), self.columns()[column].kind) {
            (place, Kind::Text) => names[place as usize].to_string(),
            (number, _) if number.is_nan() => String::new(),
            (number, Kind::Boolean) => (number != 0.0).to_string(),
            (number, Kind::Integer | Kind::Number) => number.to_string(),
        }
    }
    /// The values in a row of these columns for readers, without missing ones: `lublin, load 0.7`.
    pub fn readable(&self, row: usize, columns: &[usize]) -> String {
        let texts = columns.iter().map(|&column| (&self.columns()[column], self.text(row, column)));
        let known = texts.filter(|(_, text)| !text.is_empty());
        known.map(|(column, text)| column.readable(&text)).collect::<Vec<_>>().join(", ")
    }
    /// Numbers that are equal where the values of a column are: for grouping.
    pub fn code(&self, row: usize, column: usize) -> u64 {
        self.columns[column].numbers.get(row).to_bits()
    }
    /// The codes of a row in some columns.
    pub(crate) fn codes(&self, row: usize, columns: &[usize]) -> Vec<u64> {
        columns.iter().map(|&column| self.code(row, column)).collect()
    }
    /// The value in a row, for formats that distinguish types.
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
    /// The places of the columns whose role is one of these.
    pub fn with_role(&self, roles: &[Role]) -> Vec<usize> {
        (0..self.columns().len()).filter(|&column| roles.contains(&self.columns()[column].role)).collect()
    }
    /// The places of the metrics, the primary one included.
    pub(crate) fn metrics(&self) -> Vec<usize> {
        (0..self.columns().len()).filter(|&column| self.columns()[column].is_metric()).collect()
    }
    /// The different values of a column in these rows, in the order in which they come first; missing ones are left out.
    pub(crate) fn distinct(&self, column: usize, rows: impl IntoIterator<Item = usize>) -> Vec<String> {
        let mut seen = FxHashSet::default();
        let first = rows.into_iter().filter(|&row| seen.insert(self.code(row, column)));
        let first: Vec<usize> = first.collect();
        first.into_iter().map(|row| self.text(row, column)).filter(|text| !text.is_empty()).collect()
    }
}
