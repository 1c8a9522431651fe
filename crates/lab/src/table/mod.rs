//! Tables and statistics.

mod bootstrap;
mod comparison;
mod json;
mod latex;
mod line;
mod plain;
mod reference;
mod statistics;

pub use bootstrap::{Bootstrap, Confidence, Estimate, Estimates};
pub use comparison::{comparison_cells, comparison_header};
pub use line::TableLine;
pub(crate) use plain::decimals;
pub use plain::{Cell, Table, rounded};
pub use reference::Reference;
pub use statistics::{Statistics, average, mean, range, rank_correlation};

/// A table with the name of its files: `tables/NAME.csv`, `tables/NAME.md` and `tables/NAME.tex`.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedTable {
    /// Name of the files, without folder and extension.
    pub name: String,
    /// Title, in one line.
    pub title: String,
    /// Contents of the CSV file, and of the others unless there is a summary.
    pub table: Table,
    /// Contents of the Markdown and LaTeX files, if the table is too long for readers.
    pub summary: Option<Table>,
    /// True if the table is printed at the end of a run.
    pub is_printed: bool,
}

impl NamedTable {
    /// Creates a table that is printed at the end of a run.
    pub fn printed(name: impl Into<String>, title: impl Into<String>, table: Table) -> NamedTable {
        NamedTable { is_printed: true, ..NamedTable::new(name, title, table) }
    }
    /// Creates a table that is only written to its files.
    pub fn new(name: impl Into<String>, title: impl Into<String>, table: Table) -> NamedTable {
        NamedTable { name: name.into(), title: title.into(), table, summary: None, is_printed: false }
    }
    /// Sets a shorter table for the Markdown and LaTeX files.
    #[must_use]
    pub fn with_summary(self, summary: Table) -> NamedTable {
        NamedTable { summary: Some(summary), ..self }
    }
}
