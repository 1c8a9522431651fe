//! Rows as they stand in `rows.csv`: the key of their cell, which of its rows, and their own columns.

use crate::column::Columns;
use crate::key::Key;
use std::collections::BTreeMap;

/// The names of the columns of `rows.csv`.
pub(super) fn columns<R: Columns>() -> impl Iterator<Item = &'static str> {
    ["key", "row", "rows"].iter().chain(R::COLUMNS).copied()
}

/// The rows of a cell, as records.
pub(super) fn write<R: Columns>(key: Key, rows: &[R]) -> impl Iterator<Item = Vec<String>> {
    (1..).zip(rows).map(move |(place, row): (usize, _)| {
        let mut fields = vec![key.to_string(), place.to_string(), rows.len().to_string()];
        fields.extend(row.write());
        fields
    })
}

/// Rows of earlier runs, by cell; a cell counts when all of its rows are there.
pub(super) struct Earlier<R>(BTreeMap<Key, Vec<Option<R>>>);

impl<R> Default for Earlier<R> {
    fn default() -> Earlier<R> {
        Earlier(BTreeMap::new())
    }
}

impl<R: Columns> Earlier<R> {
    /// Takes a record; says whether it was one.
    pub(super) fn take(&mut self, fields: &[&str]) -> bool {
        let [key, place, rows, fields @ ..] = fields else { return false };
        let (Ok(key), Ok(place), Ok(rows)) = (key.parse(), place.parse::<usize>(), rows.parse::<usize>())
        else {
            return false;
        };
        // A damaged count must not make room for billions of rows.
        if !(1..=rows).contains(&place) || rows > 100_000 || fields.len() != R::COLUMNS.len() {
            return false;
        }
        let Ok(row) = R::read(fields.iter().copied()) else { return false };
        let of_cell = self.0.entry(key).or_default();
        if of_cell.len() != rows {
            of_cell.clear();
            of_cell.resize_with(rows, || None);
        }
        of_cell[place - 1] = Some(row);
        true
    }

    pub(super) fn cells(&self) -> impl Iterator<Item = &Key> {
        self.0.keys()
    }
}

impl<R: Clone> Earlier<R> {
    /// All rows of a cell.
    pub(super) fn rows(&self, key: Key) -> Option<Vec<R>> {
        self.0.get(&key)?.iter().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::column::columns;

    columns! {
        /// A row.
        struct Row {
            /// A name.
            name: String,
            /// A number.
            number: Option<f64>,
        }
    }

    #[test]
    fn a_cell_counts_when_all_of_its_rows_are_there() {
        let row = |name: &str, number| Row { name: name.to_owned(), number };
        let rows = [row("a", Some(0.1)), row("b", None)];
        let key = Key::of("a cell");
        let records: Vec<Vec<String>> = write(key, &rows).collect();
        let fields = |at: usize| records[at].iter().map(String::as_str).collect::<Vec<_>>();
        let mut earlier = Earlier::<Row>::default();
        assert_eq!(earlier.rows(key), None);
        assert!(earlier.take(&fields(1)));
        assert_eq!(earlier.rows(key), None);
        assert!(earlier.take(&fields(0)));
        assert_eq!(earlier.rows(key).unwrap(), rows);
        assert_eq!(columns::<Row>().count(), fields(0).len());

        for (at, spoilt) in [(0, "no key"), (1, "3"), (1, "0"), (2, "4000000000"), (4, "ten")] {
            let mut fields = fields(0);
            fields[at] = spoilt;
            assert!(!earlier.take(&fields), "{spoilt}");
        }
        assert!(!earlier.take(&fields(0)[..4]));
    }
}
