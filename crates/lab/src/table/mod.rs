//! Tables, and the statistics in them.

mod beside;
mod bootstrap;
mod json;
mod line;
mod plain;
mod reference;
mod statistics;

pub use beside::{beside, beside_header};
pub use bootstrap::{Bootstrap, Confidence, Estimate, Estimates};
pub use line::TableLine;
pub(crate) use plain::decimals;
pub use plain::{Cell, Table, rounded};
pub use reference::Reference;
pub use statistics::{Statistics, average, mean, range, rank_correlation};

/// A table and the name of its files, `tables/NAME.csv` and `tables/NAME.md`.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedTable {
    /// The name of its files.
    pub name: String,
    /// Its subject, in one line.
    pub title: String,
    /// The table.
    pub table: Table,
    /// What is written as Markdown in place of the table, where that is too long to be read.
    pub summary: Option<Table>,
    /// Whether it is printed at the end of a run.
    pub is_printed: bool,
}

impl NamedTable {
    /// A table that is printed at the end of a run.
    pub fn printed(name: impl Into<String>, title: impl Into<String>, table: Table) -> NamedTable {
        NamedTable { is_printed: true, ..NamedTable::new(name, title, table) }
    }
    /// A table that is only in its files.
    pub fn new(name: impl Into<String>, title: impl Into<String>, table: Table) -> NamedTable {
        NamedTable { name: name.into(), title: title.into(), table, summary: None, is_printed: false }
    }
    /// With a shorter table as its Markdown.
    #[must_use]
    pub fn with_summary(self, summary: Table) -> NamedTable {
        NamedTable { summary: Some(summary), ..self }
    }
}
