//! Selection of rows by the values of their columns.

use crate::fields::unknown;
use crate::study::RowTexts;
use crate::text::csv;

/// Conditions on rows: the accepted values, by column. All rows are selected without conditions.
#[derive(Clone, Debug, Default)]
pub(super) struct RowSelection(Vec<(String, Vec<String>)>);

impl RowSelection {
    /// Parses conditions `column=value`.
    ///
    /// # Errors
    /// Returns a message of one line if no row has a column or a value, or all of the values.
    pub(super) fn new(conditions: &[String], files: &RowTexts) -> Result<RowSelection, String> {
        let mut selection = RowSelection::default();
        for condition in conditions {
            let Some((column, value)) = condition.split_once('=') else {
                return Err(format!("expected column=value, such as load=0.7, found {condition:?}"));
            };
            let (column, value) = (column.trim(), value.trim());
            let known = values(column, files)?;
            if !known.iter().any(|known| is_equal(known, value)) {
                let fault = unknown("value", value, known.iter().map(String::as_str));
                return Err(format!("{column}: {fault}"));
            }
            match selection.0.iter_mut().find(|(name, _)| name == column) {
                Some((_, values)) => values.push(value.to_owned()),
                None => selection.0.push((column.to_owned(), vec![value.to_owned()])),
            }
        }
        let lines = files.values().map(|text| selection.apply(text.clone()).lines().count());
        match lines.max().unwrap_or(0) > 1 {
            true => Ok(selection),
            false => Err(format!("no row fulfils all of: {}", conditions.join(", "))),
        }
    }

    /// Returns the rows of a file that fulfil the conditions, with its header. A file without a column
    /// of the conditions keeps all of its rows.
    pub(super) fn apply(&self, text: String) -> String {
        if self.0.is_empty() {
            return text;
        }
        let mut records = csv::records(&text);
        let Some(header) = records.next() else { return String::new() };
        let place = |(column, values)| Some((header.iter().position(|name| name == column)?, values));
        let conditions: Vec<(usize, &Vec<String>)> =
            self.0.iter().filter_map(|(column, values)| place((column, values))).collect();
        let is_selected = |record: &::csv::StringRecord| {
            conditions.iter().all(|(place, values)| {
                let found = record.get(*place).unwrap_or_default();
                values.iter().any(|value| is_equal(found, value))
            })
        };
        let selected: Vec<Vec<String>> = std::iter::once(header.clone())
            .chain(records.filter(is_selected))
            .map(|record| record.iter().map(str::to_owned).collect())
            .collect();
        csv::lines(selected.iter().map(Vec::as_slice))
    }
}

/// Returns the values of a column, in the order of their first appearance.
///
/// # Errors
/// Returns a message of one line that names the columns if there is none of this name.
pub(super) fn values(column: &str, files: &RowTexts) -> Result<Vec<String>, String> {
    let (mut values, mut columns, mut is_known) = (Vec::new(), Vec::new(), false);
    for text in files.values() {
        let mut records = csv::records(text);
        let header = records.next().unwrap_or_default();
        for name in &header {
            if !columns.iter().any(|known| known == name) {
                columns.push(name.to_owned());
            }
        }
        let Some(place) = header.iter().position(|name| name == column) else { continue };
        is_known = true;
        let mut seen = rustc_hash::FxHashSet::default();
        for value in records.filter_map(|record| record.get(place).map(str::to_owned)) {
            if seen.insert(value.clone()) && !values.contains(&value) {
                values.push(value);
            }
        }
    }
    match is_known {
        true => Ok(values),
        false => Err(unknown("column", column, columns.iter().map(String::as_str))),
    }
}

/// Returns whether two values are the same text or the same number.
fn is_equal(found: &str, wanted: &str) -> bool {
    let number = |text: &str| text.parse::<f64>().ok();
    found == wanted || number(found).is_some_and(|found| number(wanted) == Some(found))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files() -> RowTexts {
        let text = "key,policy,load\n1,EASY,0.5\n2,\"a,b\",0.5\n3,EASY,0.70\n";
        RowTexts::from([("rows.csv".to_owned(), text.to_owned())])
    }

    fn selected(conditions: &[&str]) -> Result<String, String> {
        let conditions: Vec<String> = conditions.iter().map(|each| (*each).to_owned()).collect();
        Ok(RowSelection::new(&conditions, &files())?.apply(files()["rows.csv"].clone()))
    }

    #[test]
    fn rows_have_one_value_of_each_column() {
        assert_eq!(selected(&[]).unwrap(), files()["rows.csv"]);
        assert_eq!(selected(&["load=0.7"]).unwrap(), "key,policy,load\n3,EASY,0.70\n");
        assert_eq!(selected(&["load=0.5", "policy=a,b"]).unwrap(), "key,policy,load\n2,\"a,b\",0.5\n");
        assert_eq!(selected(&["load=0.5", "load=0.7", "policy=EASY"]).unwrap().lines().count(), 3);
    }

    #[test]
    fn what_is_there_is_named() {
        let unknown_column = selected(&["loads=1"]).unwrap_err();
        assert!(unknown_column.contains("loads") && unknown_column.contains("load"), "{unknown_column}");
        let unknown_value = selected(&["policy=EAST"]).unwrap_err();
        assert!(unknown_value.contains("EAST") && unknown_value.contains("EASY"), "{unknown_value}");
        let none = selected(&["load=0.7", "policy=a,b"]).unwrap_err();
        assert_eq!(none, "no row fulfils all of: load=0.7, policy=a,b");
    }
}
