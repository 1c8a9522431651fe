//! Rows of any study as columns of values: what comparison, baselines, export and figures work on.

use crate::column::{Column, Kind, RowType};
use crate::record::Status;
use std::collections::BTreeMap;

/// Rows of one type, column by column.
#[derive(Clone, Debug)]
pub struct DataFrame {
    /// The type of the rows.
    pub row_type: &'static RowType,
    /// What became of each run.
    pub status: Vec<Status>,
    /// Why, where it has no row.
    pub message: Vec<Box<str>>,
    values: Vec<Values>,
}

/// The values of a column.
#[derive(Clone, Debug)]
enum Values {
    /// Texts, each different one once.
    Texts { names: Vec<Box<str>>, places: BTreeMap<Box<str>, u32>, codes: Vec<u32> },
    /// Numbers, and truth values as 0 and 1; NaN where there is none.
    Numbers(Vec<f64>),
}

impl DataFrame {
    /// No rows of a type.
    #[must_use]
    pub fn new(row_type: &'static RowType) -> DataFrame {
        let values = |column: &Column| match column.kind {
            Kind::Text => Values::Texts { names: Vec::new(), places: BTreeMap::new(), codes: Vec::new() },
            Kind::Integer | Kind::Number | Kind::Boolean => Values::Numbers(Vec::new()),
        };
        DataFrame {
            row_type,
            status: Vec::new(),
            message: Vec::new(),
            values: row_type.columns.iter().map(values).collect(),
        }
    }

    /// Adds a row with a field for each column; whether all fields are values of their columns. Otherwise nothing is added.
    pub fn push<'a>(
        &mut self,
        status: Status,
        message: &str,
        fields: impl Iterator<Item = &'a str> + Clone,
    ) -> bool {
        let columns = self.row_type.columns;
        let is_value = |(column, field): (&Column, &str)| match column.kind {
            Kind::Text => true,
            Kind::Boolean => matches!(field, "" | "true" | "false"),
            Kind::Integer | Kind::Number => field.is_empty() || field.parse::<f64>().is_ok(),
        };
        if fields.clone().count() != columns.len() || !columns.iter().zip(fields.clone()).all(is_value) {
            return false;
        }
        for (values, field) in self.values.iter_mut().zip(fields) {
            match values {
                Values::Texts { names, places, codes } => {
                    let code = places.get(field).copied().unwrap_or_else(|| {
                        names.push(field.into());
                        places.insert(field.into(), names.len() as u32 - 1);
                        names.len() as u32 - 1
                    });
                    codes.push(code);
                }
                Values::Numbers(numbers) => numbers.push(match field {
                    "true" => 1.0,
                    "false" => 0.0,
                    _ => field.parse().unwrap_or(f64::NAN),
                }),
            }
        }
        self.status.push(status);
        self.message.push(message.into());
        true
    }

    /// How many rows there are, those of failed runs included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.status.len()
    }
    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.status.is_empty()
    }
    /// The columns.
    #[must_use]
    pub fn columns(&self) -> &'static [Column] {
        self.row_type.columns
    }
    /// The place of the column of this name.
    #[must_use]
    pub fn place(&self, column: &str) -> Option<usize> {
        self.columns().iter().position(|each| each.name == column)
    }
    /// The place of the primary metric.
    #[must_use]
    pub fn primary(&self) -> Option<usize> {
        self.columns().iter().position(Column::is_primary)
    }
    /// The number in a row, if the column has numbers and there is one.
    #[must_use]
    pub fn number(&self, row: usize, column: usize) -> Option<f64> {
        match &self.values[column] {
            Values::Numbers(numbers) => Some(numbers[row]).filter(|number| !number.is_nan()),
            Values::Texts { .. } => None,
        }
    }
    /// The value in a row as a text; empty if there is none.
    #[must_use]
    pub fn text(&self, row: usize, column: usize) -> String {
        match &self.values[column] {
            Values::Texts { names, codes, .. } => names[codes[row] as usize].to_string(),
            Values::Numbers(numbers) => match (numbers[row], self.columns()[column].kind) {
                (number, _) if number.is_nan() => String::new(),
                (number, Kind::Boolean) => (number != 0.0).to_string(),
                (number, _) => number.to_string(),
            },
        }
    }
    /// Numbers that are equal where the values of a column are: for grouping.
    #[must_use]
    pub fn code(&self, row: usize, column: usize) -> u64 {
        match &self.values[column] {
            Values::Texts { codes, .. } => codes[row].into(),
            Values::Numbers(numbers) => numbers[row].to_bits(),
        }
    }
}
