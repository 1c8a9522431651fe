//! Cells of rows, and the receiver of the rows of a table.

use super::path::Path;
use crate::log::Problem;
use dfrsim_model::named::nearest;
use std::borrow::Cow;

/// A value of a column in one row.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Cell<'a> {
    /// A single value; empty if it is absent.
    One(Cow<'a, str>),
    /// Values of a list.
    Many(Vec<Cow<'a, str>>),
}

impl Cell<'_> {
    pub(super) const ABSENT: Cell<'static> = Cell::One(Cow::Borrowed(""));

    /// Iterates over the values.
    pub(super) fn values(&self) -> impl Iterator<Item = &str> {
        let (one, many) = match self {
            Cell::One(value) => (Some(value.as_ref()), None),
            Cell::Many(values) => (None, Some(values)),
        };
        one.into_iter().chain(many.into_iter().flatten().map(AsRef::as_ref))
    }
}

/// Receiver of the rows of a table.
pub(super) trait Rows {
    /// Receives the names of all columns, before the first row. The positions of the requested
    /// columns follow, `None` for one that the table lacks.
    fn columns(&mut self, line: u64, names: &[String], places: &[Option<usize>]);
    /// Receives the cells of the requested columns.
    fn row(&mut self, line: u64, cells: &[Cell<'_>]);
    /// Receives a row that cannot be split into cells.
    fn broken(&mut self, line: u64, problem: Problem);
}

/// Finds the requested columns. Names that differ in case alone are found if no other one fits.
pub(super) fn places(names: &[String], wanted: &[&Path]) -> Vec<Option<usize>> {
    let exact = |path: &Path| names.iter().position(|name| name == path.text());
    let similar = |path: &Path| names.iter().position(|name| name.eq_ignore_ascii_case(path.text()));
    wanted.iter().map(|path| exact(path).or_else(|| similar(path))).collect()
}

/// Finds the name that is most similar to that of a column.
pub(super) fn nearest_column<'a>(path: &Path, names: &'a [String]) -> Option<&'a str> {
    nearest(path.text(), names.iter().map(String::as_str))
}
