//! Tables of results, converted from CSV to HTML.

use crate::names;
use dfrsim_lab::{Column, ReadFile, Results, ResultsError, Verdict, rounded};
use maud::{Markup, html};

/// Name of the table of claims, which all studies share.
const CLAIMS: &str = "claims";

/// Largest number of lines shown per table: more would make the page slow, and are too many to read.
const MAX_LINES: usize = 5_000;

/// A table of the results.
pub(crate) struct Table {
    /// Name of the file without extension.
    pub(crate) name: String,
    /// Readable names of the columns.
    headings: Vec<String>,
    names: Vec<String>,
    lines: Vec<Vec<String>>,
    /// True if columns in which all lines agree are removed from the table and listed above it.
    is_compact: bool,
}

/// Reads the table of claims, if there is one, and all other tables: first the one that the objective
/// of the scenario is about ([`is_of_objective`]), then those whose names begin with a primary
/// metric, as most readers look for them, then the rest, both in alphabetical order.
pub(crate) fn read_all(
    results: &Results<'_>,
    columns: &[&Column],
) -> Result<(Option<Table>, Vec<Table>), ResultsError> {
    let mut tables = Vec::new();
    for name in results.tables() {
        if let Some(file) = results.table(name)? {
            tables.push(Table::new(name, file, columns));
        }
    }
    let is_first =
        |table: &Table| columns.iter().any(|it| it.is_primary() && table.name.starts_with(it.name));
    let objective = results.objective();
    let is_leading = |table: &Table| objective.as_deref().is_some_and(|it| is_of_objective(&table.name, it));
    tables.sort_by_key(|table| (!is_leading(table), !is_first(table)));
    let claims = tables.iter().position(|table| table.name == CLAIMS).map(|place| tables.remove(place));
    Ok((claims, tables))
}

/// Returns whether a table is about an objective: its name in the singular is a word of it, such as
/// `waits` of `mean_wait_s`.
pub(crate) fn is_of_objective(table: &str, objective: &str) -> bool {
    let word = table.strip_suffix('s').unwrap_or(table);
    objective.split('_').any(|part| part == word)
}

impl Table {
    fn new(name: &str, file: ReadFile, columns: &[&Column]) -> Table {
        let mut lines = file.lines;
        // The framework never writes lines of other lengths, but a folder may contain them.
        lines.iter_mut().for_each(|line| line.resize(file.header.len(), String::new()));
        Table {
            name: name.to_owned(),
            headings: file.header.iter().map(|name| names::heading(name, columns)).collect(),
            names: file.header,
            lines,
            is_compact: name != CLAIMS,
        }
    }

    /// Splits the columns into those in which all lines agree, and the others.
    fn columns(&self) -> (Vec<usize>, Vec<usize>) {
        let all_agree = |column: usize| self.lines.iter().all(|line| line[column] == self.lines[0][column]);
        (0..self.headings.len())
            .partition(|&column| self.is_compact && self.lines.len() > 1 && all_agree(column))
    }

    fn is_number(&self, column: usize) -> bool {
        let mut cells =
            self.lines.iter().map(|line| &line[column]).filter(|cell| !cell.is_empty()).peekable();
        cells.peek().is_some() && cells.all(|cell| cell.parse::<f64>().is_ok())
    }

    /// Formats the table as HTML, which the page's script can sort and filter.
    pub(crate) fn html(&self) -> Markup {
        let (common, different) = self.columns();
        let common: Vec<String> = common
            .into_iter()
            .filter(|&column| !self.lines[0][column].is_empty())
            .map(|column| format!("{} {}", self.headings[column], rounded_cell(&self.lines[0][column])))
            .collect();
        let is_number: Vec<bool> = (0..self.headings.len()).map(|column| self.is_number(column)).collect();
        html! {
            @if !common.is_empty() { p.common { "In all lines: " (common.join(", ")) "." } }
            @if self.len() > MAX_LINES { p.left-out {
                "The first " (MAX_LINES) " of " (self.len()) " lines; tables/" (self.name) ".csv has all of them."
            } }
            div.scroll tabindex="0" role="region" aria-label={ "Table " (names::words(&self.name)) } {
                table.data {
                    thead { tr {
                        @for &column in &different {
                            th scope="col" class=[is_number[column].then_some("number")] {
                                button type="button" { (self.headings[column]) }
                            }
                        }
                    } }
                    tbody {
                        @for line in self.lines.iter().take(MAX_LINES) { tr {
                            @for &column in &different {
                                @if is_number[column] {
                                    td.number data-value=(line[column]) { (rounded_cell(&line[column])) }
                                } @else {
                                    td class=[self.verdict_class(column, &line[column])] { (self.words(&line[column])) }
                                }
                            }
                        } }
                    }
                }
            }
        }
    }

    /// Returns the number of lines.
    pub(crate) fn len(&self) -> usize {
        self.lines.len()
    }

    /// Counts the claims with this verdict.
    pub(crate) fn count_verdicts(&self, verdict: Verdict) -> usize {
        let Some(column) = self.names.iter().position(|name| name == "verdict") else { return 0 };
        self.lines.iter().filter(|line| line[column] == verdict.to_string()).count()
    }

    /// Formats a text; in claims, what is between backticks is code.
    fn words(&self, text: &str) -> Markup {
        let parts: Vec<&str> = text.split('`').collect();
        let is_paired = parts.len() % 2 == 1;
        html! {
            @if self.name == CLAIMS && is_paired {
                @for (place, part) in parts.iter().enumerate() {
                    @if place % 2 == 1 { code { (part) } } @else { (part) }
                }
            } @else { (text) }
        }
    }

    /// Returns the CSS class that colours a verdict; `None` for other cells.
    fn verdict_class(&self, column: usize, cell: &str) -> Option<&'static str> {
        let is_verdict = self.name == CLAIMS && self.names[column].starts_with("verdict");
        let class = match cell {
            "holds" => "verdict holds",
            "fails" => "verdict fails",
            "open" | "undecided" => "verdict open",
            _ => return None,
        };
        is_verdict.then_some(class)
    }
}

/// Rounds long numbers to about four significant digits; leaves other cells unchanged.
fn rounded_cell(cell: &str) -> String {
    let long = Some(cell).filter(|cell| cell.len() > 6);
    let number = long.and_then(|cell| cell.parse::<f64>().ok()).filter(|number| number.fract() != 0.0);
    number.map_or_else(|| cell.to_owned(), rounded)
}

#[cfg(test)]
mod tests {
    use super::{CLAIMS, Table};
    use dfrsim_lab::ReadFile;

    #[test]
    fn claims_have_code_between_backticks() {
        let words = |name: &str, text: &str| {
            let file = ReadFile { name: name.to_owned(), header: Vec::new(), lines: Vec::new() };
            Table::new(name, file, &[]).words(text).into_string()
        };
        assert_eq!(words(CLAIMS, "as `EASY` <is>"), "as <code>EASY</code> &lt;is&gt;");
        assert_eq!(words(CLAIMS, "one ` alone"), "one ` alone");
        assert_eq!(words("other", "`EASY`"), "`EASY`");
    }
}
