//! What is told of a run: how far it is, and what it came to.

use crate::Table;
use serde::Serialize;

/// What a run came to.
#[derive(Clone, Debug)]
pub struct RunReport {
    /// The tables, to be read in a terminal.
    pub tables: Vec<NamedTable>,
    /// What there is.
    pub counts: Counts,
    /// What a cell is, in the plural.
    pub unit: &'static str,
    /// What the user should know besides.
    pub notices: Vec<String>,
    /// Cells without rows, and why: something was wrong with what was computed.
    pub faults: Vec<String>,
}

/// How many cells and rows there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Cells in all.
    pub cells: usize,
    /// Cells computed by this run.
    pub computed: usize,
    /// Cells without rows, because something was wrong with what was computed.
    pub failed: usize,
    /// Rows in all.
    pub rows: usize,
}

/// A table and its name.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedTable {
    /// The name of its files.
    pub name: &'static str,
    /// What it is, in one line.
    pub title: &'static str,
    /// The table.
    pub table: Table,
    /// Whether it is short enough to be read in a terminal.
    pub is_short: bool,
}

impl NamedTable {
    /// A table that is printed at the end of a run.
    pub(crate) fn short(name: &'static str, title: &'static str, table: Table) -> NamedTable {
        NamedTable { name, title, table, is_short: true }
    }
    /// A table that only stands in its files.
    pub(crate) fn long(name: &'static str, title: &'static str, table: Table) -> NamedTable {
        NamedTable { name, title, table, is_short: false }
    }
}

/// One more cell is finished.
#[derive(Clone, Copy, Debug)]
pub struct News {
    /// How many cells are finished by now.
    pub finished: usize,
    /// How many there are in all.
    pub total: usize,
}

/// Hears of every cell that is finished, from any thread.
pub trait Progress: Sync {
    /// A cell is finished, or its rows were taken over from an earlier run. Calls of different threads may overtake each
    /// other.
    fn finished(&self, news: News);
}

/// Hears nothing.
impl Progress for () {
    fn finished(&self, _: News) {}
}

impl<F: Fn(News) + Sync> Progress for F {
    fn finished(&self, news: News) {
        self(news);
    }
}
