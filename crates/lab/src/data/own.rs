//! Metrics reported by a user's program that ran a scenario, as columns.

use super::{ColumnValues, DataFrame, Numbers};
use crate::column::{Better, Column, Kind, Role, RowType};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Column that holds these metrics: a JSON object of values by name.
const OWN: &str = "own";

/// Row types extended by such columns, without duplicates. Row types are `'static`, so each
/// extension is leaked once.
static EXTENDED: Mutex<Vec<&RowType>> = Mutex::new(Vec::new());

impl DataFrame {
    /// Adds a column for each metric in the column `own`, if there is one; smaller values are
    /// better. A metric whose name is already a column is not added.
    pub(crate) fn with_own_metrics(mut self) -> DataFrame {
        let Some(own) = self.column_index(OWN) else { return self };
        let texts = self.columns[own].names.iter();
        let values: Vec<BTreeMap<String, f64>> =
            texts.map(|text| serde_json::from_str(text).unwrap_or_default()).collect();
        let names = values.iter().flat_map(BTreeMap::keys).map(String::as_str);
        let mut names: Vec<&str> = names.filter(|name| self.column_index(name).is_none()).collect();
        names.sort_unstable();
        names.dedup();
        if names.is_empty() {
            return self;
        }
        for &name in &names {
            let mut numbers = Numbers::Changes { rows: Vec::new(), numbers: Vec::new() };
            for row in 0..self.len() {
                let text = self.columns[own].numbers.get(row) as usize;
                numbers.push(row, values[text].get(name).copied().unwrap_or(f64::NAN));
            }
            self.columns.push(ColumnValues { names: Vec::new(), places: FxHashMap::default(), numbers });
        }
        self.row_type = extended_row_type(self.row_type, &names);
        self
    }
}

/// Returns the row type extended by columns with these names.
fn extended_row_type(row_type: &RowType, names: &[&str]) -> &'static RowType {
    let mut extended = EXTENDED.lock().unwrap_or_else(PoisonError::into_inner);
    let has_names = |it: &RowType| {
        let own = it.columns.strip_prefix(row_type.columns);
        own.is_some_and(|own| own.iter().map(|column| column.name).eq(names.iter().copied()))
    };
    if let Some(known) = extended.iter().find(|it| it.name == row_type.name && has_names(it)) {
        return known;
    }
    let column = |name: &&str| Column {
        name: (*name).to_owned().leak(),
        kind: Kind::Number,
        is_optional: true,
        role: Role::Metric(Better::Less),
        unit: "",
        doc: "A metric of the program that ran the scenario.",
    };
    let columns: Vec<Column> = row_type.columns.iter().copied().chain(names.iter().map(column)).collect();
    let made = Box::leak(Box::new(RowType { name: row_type.name, columns: columns.leak() }));
    extended.push(made);
    made
}
