//! Table lines whose cells carry the names of their columns.

use super::{Cell, Estimate, Table, comparison_cells, comparison_header};
use dfrsim_model::SimSpan;
use std::borrow::Cow;

/// A line of a table: cells with the names of their columns. Lines [collect](FromIterator) into a
/// [`Table`].
#[derive(Clone, Debug, Default)]
pub struct TableLine {
    names: Vec<Cow<'static, str>>,
    cells: Vec<Cell>,
}

impl TableLine {
    /// Creates a line without cells.
    pub fn new() -> TableLine {
        TableLine::default()
    }
    /// Adds a cell.
    #[must_use]
    pub fn with(mut self, name: impl Into<Cow<'static, str>>, cell: impl Into<Cell>) -> TableLine {
        self.names.push(name.into());
        self.cells.push(cell.into());
        self
    }
    /// Adds several cells.
    #[must_use]
    pub fn with_all<N: Into<Cow<'static, str>>, C: Into<Cell>>(
        self,
        cells: impl IntoIterator<Item = (N, C)>,
    ) -> TableLine {
        cells.into_iter().fold(self, |line, (name, cell)| line.with(name, cell))
    }
    /// Adds a value and the ends of its interval: `gap`, `gap_low`, `gap_high`.
    #[must_use]
    pub fn with_estimate(self, name: &str, estimate: Option<Estimate>) -> TableLine {
        let (low, high) = estimate.and_then(|estimate| estimate.interval).unzip();
        let names = [name.to_owned(), format!("{name}_low"), format!("{name}_high")];
        self.with_all(names.into_iter().zip([estimate.map(|estimate| estimate.value), low, high]))
    }
    /// Adds our value, the published one and their ratio: `mean`, `mean_published`, `mean_ratio`.
    #[must_use]
    pub fn with_published(self, name: &str, ours: Option<f64>, published: Option<f64>) -> TableLine {
        self.with_all(comparison_header(name).into_iter().zip(comparison_cells(ours, published)))
    }
}

/// Builds a line from fields of a value, each under its own name: `line_of!(row: policy,
/// replication)`, or after other cells, `line_of!(line, row: policy, replication)`.
#[macro_export]
macro_rules! line_of {
    ($value:ident: $($field:ident),+) => {
        $crate::line_of!($crate::TableLine::new(), $value: $($field),+)
    };
    ($line:expr, $value:ident: $($field:ident),+) => {
        $line$(.with(stringify!($field), $value.$field.clone()))+
    };
}

impl FromIterator<TableLine> for Table {
    /// Collects lines, which must have the same columns, into a table.
    fn from_iter<I: IntoIterator<Item = TableLine>>(lines: I) -> Table {
        let mut header = None;
        let cells = |TableLine { names, cells }: TableLine| {
            debug_assert!(header.as_ref().is_none_or(|header| *header == names), "{header:?} {names:?}");
            header.get_or_insert(names);
            cells
        };
        let lines = lines.into_iter().map(cells).collect();
        Table::new(header.unwrap_or_default(), lines)
    }
}

macro_rules! cells {
    ($($type:ty: |$value:ident| $cell:expr,)+) => {
        $(impl From<$type> for Cell {
            fn from($value: $type) -> Cell {
                $cell
            }
        })+
    };
}
cells!(
    &str: |text| Cell::Text(text.to_owned()),
    String: |text| Cell::Text(text),
    usize: |count| Cell::Count(count),
    u32: |count| Cell::Count(count as usize),
    u64: |count| Cell::Count(count as usize),
    f64: |number| Cell::Number(number),
    SimSpan: |span| Cell::Span(span),
);

impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Cell {
        value.map_or(Cell::Missing, Into::into)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_those_of_the_lines() {
        let line = |name: &str, mean: Option<Estimate>| {
            TableLine::new().with("name", name).with_estimate("mean", mean).with_published(
                "max",
                Some(2.0),
                None,
            )
        };
        let mean = Estimate { value: 1.5, interval: Some((1.0, 2.0)) };
        let table: Table = [line("a", Some(mean)), line("b", None)].into_iter().collect();
        let header = "name,mean,mean_low,mean_high,max,max_published,max_ratio";
        assert_eq!(table.csv(), format!("{header}\na,1.5,1,2,2,,\nb,,,,2,,\n"));
        assert!([].into_iter().collect::<Table>().is_empty());
    }
}
