//! A table, and the two ways in which it is written.

use crate::table_file;

/// A table: a header and lines of cells.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    header: Vec<&'static str>,
    lines: Vec<Vec<Cell>>,
}

/// What stands in a table.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Cell {
    Text(String),
    Count(usize),
    Number(f64),
    Nothing,
}

impl Cell {
    /// A number, or nothing.
    pub(super) fn maybe(value: Option<f64>) -> Cell {
        value.map_or(Cell::Nothing, Cell::Number)
    }
    /// In full: numbers read back as they are.
    fn exact(&self) -> String {
        match self {
            Cell::Text(text) => text.clone(),
            Cell::Count(count) => count.to_string(),
            Cell::Number(number) => number.to_string(),
            Cell::Nothing => String::new(),
        }
    }
    /// To be read: about four significant digits, and no exponents.
    fn rounded(&self) -> String {
        match self {
            Cell::Number(number) => {
                let decimals = match number.abs() {
                    0.0 => 0,
                    size if size < 1.0 => 4,
                    size if size < 10.0 => 3,
                    size if size < 100.0 => 2,
                    _ => 1,
                };
                format!("{number:.decimals$}")
            }
            // A bar would end the cell.
            Cell::Text(text) => text.replace('|', "\\|"),
            _ => self.exact(),
        }
    }
    fn is_text(&self) -> bool {
        matches!(self, Cell::Text(_))
    }
}

impl Table {
    pub(super) fn new(header: Vec<&'static str>, lines: Vec<Vec<Cell>>) -> Table {
        debug_assert!(lines.iter().all(|line| line.len() == header.len()));
        Table { header, lines }
    }

    /// As comma-separated values, numbers in full.
    #[must_use]
    pub fn csv(&self) -> String {
        let header = self.header.iter().map(|name| (*name).to_owned()).collect();
        let lines = self.lines.iter().map(|line| line.iter().map(Cell::exact).collect());
        let records: Vec<Vec<String>> = std::iter::once(header).chain(lines).collect();
        table_file::lines(records.iter().map(Vec::as_slice))
    }

    /// As Markdown, numbers rounded, columns aligned so that it reads well as plain text too. Columns with nothing in
    /// them are left out.
    #[must_use]
    pub fn markdown(&self) -> String {
        let columns = (0..self.header.len()).filter(|&column| {
            self.lines.is_empty() || self.lines.iter().any(|line| line[column] != Cell::Nothing)
        });
        let columns: Vec<Column> = columns.map(|column| self.column(column)).collect();
        let mut text = String::new();
        for line in 0..self.lines.len() + 2 {
            for column in &columns {
                text.push_str("| ");
                text.push_str(&column.lines[line]);
                text.push(' ');
            }
            text.push_str("|\n");
        }
        text
    }
    fn column(&self, column: usize) -> Column {
        let cells = || self.lines.iter().map(|line| &line[column]);
        let texts: Vec<String> = cells().map(Cell::rounded).collect();
        let name = self.header[column];
        let width = texts.iter().map(|text| text.chars().count()).chain([name.len(), 3]).max().unwrap_or(3);
        let left = cells().any(Cell::is_text);
        let align = |text: &str| if left { format!("{text:width$}") } else { format!("{text:>width$}") };
        let rule = if left { "-".repeat(width) } else { format!("{}:", "-".repeat(width - 1)) };
        let mut lines = vec![align(name), rule];
        lines.extend(texts.iter().map(|text| align(text)));
        Column { lines }
    }
}

/// The lines of one column, all of one width.
struct Column {
    lines: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_is_aligned_and_csv_is_exact() {
        let text = |text: &str| Cell::Text(text.to_owned());
        let table = Table::new(
            vec!["policy", "load", "n", "mean"],
            vec![
                vec![text("EASY"), Cell::Nothing, Cell::Count(182), Cell::Number(1767.123_45)],
                vec![text("a|b,c"), Cell::Nothing, Cell::Count(2), Cell::Number(0.1)],
            ],
        );
        assert_eq!(
            table.markdown(),
            "| policy |   n |   mean |\n\
             | ------ | --: | -----: |\n\
             | EASY   | 182 | 1767.1 |\n\
             | a\\|b,c |   2 | 0.1000 |\n"
        );
        assert_eq!(table.csv(), "policy,load,n,mean\nEASY,,182,1767.12345\n\"a|b,c\",,2,0.1\n");
    }
}
