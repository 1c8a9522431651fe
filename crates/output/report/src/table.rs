//! Tables: from the comma-separated files of a run to HTML.

use crate::names;
use dfrsim_lab::{Column, ReadFile, Results, ResultsError, Verdict, rounded};
use maud::{Markup, html};

/// The table of claims, which all studies have.
const CLAIMS: &str = "claims";

/// The most lines of a table in the page: more make it slow, and are too many to read.
const SHOWN: usize = 5_000;

/// A table of the results.
pub(crate) struct Table {
    /// The name of the file without its extension.
    pub(crate) name: String,
    /// The columns, in words.
    headings: Vec<String>,
    names: Vec<String>,
    lines: Vec<Vec<String>>,
    /// Whether columns in which all lines agree are taken out of the table and named above it.
    is_compact: bool,
}

/// The table of claims, if there is one, and all others: first those whose names begin with a primary metric's, which is what
/// most readers look for, then the rest, both in alphabetical order.
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
    tables.sort_by_key(|table| !is_first(table));
    let claims = tables.iter().position(|table| table.name == CLAIMS).map(|place| tables.remove(place));
    Ok((claims, tables))
}

impl Table {
    fn new(name: &str, file: ReadFile, columns: &[&Column]) -> Table {
        let mut lines = file.lines;
        // Lines of other lengths are not written by the frame, but a folder may have them.
        lines.iter_mut().for_each(|line| line.resize(file.header.len(), String::new()));
        Table {
            name: name.to_owned(),
            headings: file.header.iter().map(|name| names::heading(name, columns)).collect(),
            names: file.header,
            lines,
            is_compact: name != CLAIMS,
        }
    }

    /// What all lines have in common, and the columns in which they differ.
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

    /// The table, to be sorted and filtered by the page's script.
    pub(crate) fn html(&self) -> Markup {
        let (common, different) = self.columns();
        let common: Vec<String> = common
            .into_iter()
            .filter(|&column| !self.lines[0][column].is_empty())
            .map(|column| format!("{} {}", self.headings[column], shown(&self.lines[0][column])))
            .collect();
        let is_number: Vec<bool> = (0..self.headings.len()).map(|column| self.is_number(column)).collect();
        html! {
            @if !common.is_empty() { p.common { "In all lines: " (common.join(", ")) "." } }
            @if self.len() > SHOWN { p.left-out {
                "The first " (SHOWN) " of " (self.len()) " lines; tables/" (self.name) ".csv has all of them."
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
                        @for line in self.lines.iter().take(SHOWN) { tr {
                            @for &column in &different {
                                @if is_number[column] {
                                    td.number data-value=(line[column]) { (shown(&line[column])) }
                                } @else {
                                    td class=[self.verdict_class(column, &line[column])] { (line[column]) }
                                }
                            }
                        } }
                    }
                }
            }
        }
    }

    /// How many lines it has.
    pub(crate) fn len(&self) -> usize {
        self.lines.len()
    }

    /// How many claims have this verdict.
    pub(crate) fn verdicts(&self, verdict: Verdict) -> usize {
        let Some(column) = self.names.iter().position(|name| name == "verdict") else { return 0 };
        self.lines.iter().filter(|line| line[column] == verdict.to_string()).count()
    }

    /// The class that colours a verdict; `None` for other cells.
    fn verdict_class(&self, column: usize, cell: &str) -> Option<&'static str> {
        let is_verdict = self.name == CLAIMS && self.names[column].starts_with("verdict");
        let class = match cell {
            "holds" => "verdict holds",
            "fails" => "verdict fails",
            "open" => "verdict open",
            _ => return None,
        };
        is_verdict.then_some(class)
    }
}

/// A number to about four significant digits; anything else, and what is short already, as it is.
fn shown(cell: &str) -> String {
    let long = Some(cell).filter(|cell| cell.len() > 6);
    let number = long.and_then(|cell| cell.parse::<f64>().ok()).filter(|number| number.fract() != 0.0);
    number.map_or_else(|| cell.to_owned(), rounded)
}
