//! Tables: from the comma-separated files of a run to HTML.

use super::error::ReportError;
use maud::{Markup, html};
use std::fs;
use std::path::Path;

/// A table as it stands in its file.
pub(crate) struct Table {
    /// The name of the file without its ending.
    pub(crate) name: String,
    header: Vec<String>,
    lines: Vec<Vec<String>>,
}

/// What most readers look for comes first; other tables follow in the order of their names.
const ORDER: [&str; 5] = ["degradation", "findings", "bandwidth", "bandwidth_compared", "metrics"];

/// All tables of a folder of results.
pub(crate) fn read_all(folder: &Path) -> Result<Vec<Table>, ReportError> {
    let folder = folder.join("tables");
    let failed = |error| ReportError::Io { path: folder.clone(), error };
    let mut tables = Vec::new();
    for entry in fs::read_dir(&folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        // Files that are being written begin with a dot.
        let stem = path.file_stem().and_then(|stem| stem.to_str()).filter(|stem| !stem.starts_with('.'));
        if let Some(stem) = stem.filter(|_| path.extension().is_some_and(|extension| extension == "csv")) {
            tables.push(read(&path, stem.to_owned())?);
        }
    }
    let rank = |table: &Table| ORDER.iter().position(|name| *name == table.name).unwrap_or(ORDER.len());
    tables.sort_by(|a, b| (rank(a), &a.name).cmp(&(rank(b), &b.name)));
    Ok(tables)
}

fn read(path: &Path, name: String) -> Result<Table, ReportError> {
    let damaged = |error| ReportError::Table { path: path.to_owned(), error };
    let mut reader = csv::Reader::from_path(path).map_err(damaged)?;
    let header = reader.headers().map_err(damaged)?.iter().map(str::to_owned).collect();
    let line = |record: csv::Result<csv::StringRecord>| {
        record.map(|record| record.iter().map(str::to_owned).collect())
    };
    let lines = reader.into_records().map(line).collect::<csv::Result<_>>().map_err(damaged)?;
    Ok(Table { name, header, lines })
}

impl Table {
    /// What all lines have in common, and the columns in which they differ.
    fn columns(&self) -> (Vec<usize>, Vec<usize>) {
        (0..self.header.len()).partition(|&column| {
            self.lines.len() > 1 && self.lines.iter().all(|line| line[column] == self.lines[0][column])
        })
    }

    /// The table, to be sorted and filtered by the page's script.
    pub(crate) fn html(&self) -> Markup {
        let (common, different) = self.columns();
        let common: Vec<String> = common
            .into_iter()
            .filter(|&column| !self.lines[0][column].is_empty())
            .map(|column| format!("{} {}", spoken(&self.header[column]), shown(&self.lines[0][column])))
            .collect();
        let is_number: Vec<bool> = (0..self.header.len())
            .map(|column| {
                let mut cells = self.lines.iter().map(|line| &line[column]).filter(|cell| !cell.is_empty());
                cells.clone().next().is_some() && cells.all(|cell| cell.parse::<f64>().is_ok())
            })
            .collect();
        html! {
            @if !common.is_empty() { p.common { "In all lines: " (common.join(", ")) "." } }
            div.scroll tabindex="0" role="region" aria-label={ "Table " (spoken(&self.name)) } {
                table.data {
                    thead { tr {
                        @for &column in &different {
                            th scope="col" class=[is_number[column].then_some("number")] {
                                button type="button" { (spoken(&self.header[column])) }
                            }
                        }
                    } }
                    tbody {
                        @for line in &self.lines { tr {
                            @for &column in &different {
                                @if is_number[column] {
                                    td.number data-value=(line[column]) { (shown(&line[column])) }
                                } @else { td { (line[column]) } }
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
}

/// A name of a column or file in words, with its unit.
pub(crate) fn spoken(name: &str) -> String {
    let (name, unit) = if let Some(name) = name.strip_suffix("_gb_per_s") {
        (name, " (GB/s)")
    } else if let Some(name) = name.strip_suffix("_s") {
        (name, " (s)")
    } else {
        (name, "")
    };
    name.replace('_', " ") + unit
}

/// A number to about four significant digits; anything else, and what is short already, as it is.
fn shown(cell: &str) -> String {
    let long = Some(cell).filter(|cell| cell.len() > 6);
    let Some(number) = long.and_then(|cell| cell.parse::<f64>().ok()).filter(|number| number.fract() != 0.0)
    else {
        return cell.to_owned();
    };
    let decimals = match number.abs() {
        size if size < 1.0 => 4,
        size if size < 10.0 => 3,
        size if size < 100.0 => 2,
        _ => 1,
    };
    format!("{number:.decimals$}")
}
