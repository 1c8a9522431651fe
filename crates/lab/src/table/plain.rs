//! Tables, and their output as CSV and Markdown.

use crate::text::csv;
use dfrsim_model::SimSpan;
use std::borrow::Cow;

/// A table: a header, lines of cells, and notes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    header: Vec<Cow<'static, str>>,
    lines: Vec<Vec<Cell>>,
    notes: Vec<String>,
}

/// A cell of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// A text, aligned to the left.
    Text(String),
    /// A non-negative integer.
    Count(usize),
    /// A number; at full precision in CSV, rounded in Markdown and LaTeX.
    Number(f64),
    /// A duration in seconds.
    Span(SimSpan),
    /// A formatted number, aligned to the right.
    Formatted(String),
    /// No value.
    Missing,
}

impl Cell {
    /// Converts a number; `None` becomes [`Cell::Missing`].
    pub fn optional(value: Option<f64>) -> Cell {
        value.map_or(Cell::Missing, Cell::Number)
    }
    /// Formats at full precision: numbers read back exactly.
    fn exact(&self) -> String {
        match self {
            Cell::Text(text) | Cell::Formatted(text) => text.clone(),
            Cell::Count(count) => count.to_string(),
            Cell::Number(number) => number.to_string(),
            Cell::Span(span) => span.to_string(),
            Cell::Missing => String::new(),
        }
    }
    /// Formats a cell of a CSV file, as [`Cell::exact`]. Spreadsheets would compute a text that begins
    /// like a formula, so it gets an apostrophe; names in logs may begin so.
    fn csv(&self) -> String {
        let begins_formula =
            |text: &String| text.starts_with(['=', '+', '-', '@']) && text.parse::<f64>().is_err();
        match self {
            Cell::Text(text) if begins_formula(text) => format!("'{text}"),
            other => other.exact(),
        }
    }
    /// Formats for readers: about four significant digits, without exponents.
    pub(super) fn rounded(&self) -> String {
        match self {
            Cell::Number(number) => rounded(*number),
            Cell::Text(text) => escape_markdown(text),
            _ => self.exact(),
        }
    }
    pub(super) fn is_text(&self) -> bool {
        matches!(self, Cell::Text(_))
    }
}

/// Escapes a text for Markdown: a bar would end the cell, and a `<` could begin a tag.
fn escape_markdown(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let begins_tag = |next: &char| next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?');
        if character == '|' || character == '<' && characters.peek().is_some_and(begins_tag) {
            shown.push('\\');
        }
        shown.push(character);
    }
    shown
}

/// Formats a number for readers: about four significant digits, without exponents.
pub fn rounded(number: f64) -> String {
    format!("{number:.*}", decimals(number.abs()))
}

/// Returns the number of decimals for a number of this size: about four significant digits.
pub(crate) fn decimals(size: f64) -> usize {
    match size {
        0.0 => 0,
        size if size < 1.0 => 4,
        size if size < 10.0 => 3,
        size if size < 100.0 => 2,
        _ => 1,
    }
}

impl Table {
    /// Creates a table with these distinct column names, and lines with as many cells.
    ///
    /// # Panics
    /// Panics in debug builds if a line has another number of cells or two columns have the same
    /// name.
    pub fn new<N: Into<Cow<'static, str>>>(
        header: impl IntoIterator<Item = N>,
        lines: Vec<Vec<Cell>>,
    ) -> Table {
        let header: Vec<Cow<'static, str>> = header.into_iter().map(Into::into).collect();
        debug_assert!(lines.iter().all(|line| line.len() == header.len()), "{header:?}");
        debug_assert!(
            header.iter().enumerate().all(|(at, name)| !header[..at].contains(name)),
            "two columns have the same name: {header:?}"
        );
        Table { header, lines, notes: Vec::new() }
    }

    /// Returns the names of the columns.
    pub fn header(&self) -> impl Iterator<Item = &str> {
        self.header.iter().map(AsRef::as_ref)
    }
    /// Returns the lines.
    pub fn lines(&self) -> &[Vec<Cell>] {
        &self.lines
    }

    /// Returns the notes below the table.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Returns whether the table has no lines.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Appends notes below the Markdown table.
    #[must_use]
    pub fn with_notes(mut self, notes: Vec<String>) -> Table {
        self.notes.extend(notes);
        self
    }

    /// Formats the table as CSV, with numbers at full precision.
    pub fn csv(&self) -> String {
        let header = self.header().map(str::to_owned).collect();
        let lines = self.lines.iter().map(|line| line.iter().map(Cell::csv).collect());
        let records: Vec<Vec<String>> = std::iter::once(header).chain(lines).collect();
        csv::lines(records.iter().map(Vec::as_slice))
    }

    /// Formats the table as Markdown, with rounded numbers and columns aligned for plain text.
    /// Columns that are constant are stated once, above the table.
    pub fn markdown(&self) -> String {
        let (same, different) = self.constant_columns();
        let common: Vec<String> = same.into_iter().map(|(name, value)| format!("{name}: {value}")).collect();
        let mut text = String::new();
        if !common.is_empty() {
            text = format!("{}\n\n", common.join(", "));
        }
        let columns: Vec<Vec<String>> = different.into_iter().map(|column| self.column(column)).collect();
        for line in 0..self.lines.len() + 2 {
            for column in &columns {
                text.push_str("| ");
                text.push_str(&column[line]);
                text.push(' ');
            }
            text.push_str("|\n");
        }
        for note in &self.notes {
            text.push_str(&format!("\n{note}\n"));
        }
        text
    }
    /// Returns the names and values of the columns that are constant, without empty ones, and the
    /// indices of the others.
    pub(super) fn constant_columns(&self) -> (Vec<(String, String)>, Vec<usize>) {
        let (same, different): (Vec<usize>, Vec<usize>) =
            (0..self.header.len()).partition(|&column| self.is_constant(column));
        let value = |column: usize| (self.header[column].to_string(), self.lines[0][column].rounded());
        let same = same.into_iter().map(value).filter(|(_, value)| !value.is_empty()).collect();
        (same, different)
    }
    /// Returns whether all of several lines have the same cell in this column, or the only line has
    /// none.
    fn is_constant(&self, column: usize) -> bool {
        self.lines.first().is_some_and(|first| {
            (self.lines.len() > 1 || first[column] == Cell::Missing)
                && self.lines.iter().all(|line| line[column] == first[column])
        })
    }
    /// Formats one column; all lines have the same width.
    fn column(&self, column: usize) -> Vec<String> {
        let cells = || self.lines.iter().map(|line| &line[column]);
        let texts: Vec<String> = cells().map(Cell::rounded).collect();
        let name = &self.header[column];
        let width = texts.iter().map(|text| text.chars().count()).chain([name.len(), 3]).max().unwrap_or(3);
        let left = cells().any(Cell::is_text);
        let align = |text: &str| if left { format!("{text:width$}") } else { format!("{text:>width$}") };
        let rule = if left { "-".repeat(width) } else { format!("{}:", "-".repeat(width - 1)) };
        let mut lines = vec![align(name), rule];
        lines.extend(texts.iter().map(|text| align(text)));
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_has_no_html_of_names() {
        let cells = ["<script>alert(1)</script>", "a < b", "<1e-3", "x<!--"]
            .map(|name| vec![Cell::Text(name.to_owned())]);
        let markdown = Table::new(vec!["name"], cells.to_vec()).markdown();
        let shown: Vec<&str> = markdown.lines().skip(2).map(|line| line.trim_matches(['|', ' '])).collect();
        assert_eq!(shown, ["\\<script>alert(1)\\</script>", "a < b", "<1e-3", "x\\<!--"]);
    }

    #[test]
    fn csv_has_no_formulas_of_names() {
        let cells = ["=1+1", "@x", "-5", "- x", "a=b"].map(|name| vec![Cell::Text(name.to_owned())]);
        assert_eq!(Table::new(vec!["name"], cells.to_vec()).csv(), "name\n'=1+1\n'@x\n-5\n'- x\na=b\n");
    }

    #[test]
    fn markdown_is_aligned_and_csv_is_exact() {
        let text = |text: &str| Cell::Text(text.to_owned());
        let tau = SimSpan::from_secs(10);
        let table = Table::new(
            vec!["policy", "load", "n", "mean", "tau_s"],
            vec![
                vec![text("EASY"), Cell::Missing, Cell::Count(182), Cell::Number(1_767.125), Cell::Span(tau)],
                vec![text("a|b,c"), Cell::Missing, Cell::Count(2), Cell::Number(0.1), Cell::Span(tau)],
            ],
        )
        .with_notes(vec!["hpc2n: 3 jobs".to_owned()])
        .with_notes(vec!["2 of 40 lines".to_owned()]);
        assert_eq!(
            table.markdown(),
            "tau_s: 10\n\n\
             | policy |   n |   mean |\n\
             | ------ | --: | -----: |\n\
             | EASY   | 182 | 1767.1 |\n\
             | a\\|b,c |   2 | 0.1000 |\n\nhpc2n: 3 jobs\n\n2 of 40 lines\n"
        );
        assert_eq!(table.csv(), "policy,load,n,mean,tau_s\nEASY,,182,1767.125,10\n\"a|b,c\",,2,0.1,10\n");
    }
}
