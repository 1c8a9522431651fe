//! Results of a study as its tables: what reports and figures need of studies whose rows are their own.

use crate::folder::JOURNAL;
use crate::results::ResultsError;
use crate::{Results, table_file};
use csv::StringRecord;
use std::fs;
use std::path::{Path, PathBuf};

/// What a run of any study left in its folder.
#[derive(Clone, Debug, PartialEq)]
pub enum AnyResults {
    /// Of the on-line study, row by row.
    Online(Results),
    /// Of another study.
    Tabled(TabledResults),
}

/// What a run left in its folder, but for the rows.
#[derive(Clone, Debug, PartialEq)]
pub struct TabledResults {
    /// The folder; its tables are read when they are asked for.
    pub folder: PathBuf,
    /// The study, as scenarios name it.
    pub study: String,
    /// The scenario with every field spelt out, as TOML.
    pub scenario: String,
    /// Where the results come from, as TOML.
    pub manifest: String,
    /// Whether a later run in this folder is unfinished: the tables are those of the one before.
    pub is_outdated: bool,
}

/// A table as it stands in its file.
#[derive(Clone, Debug, PartialEq)]
pub struct ResultTable {
    header: StringRecord,
    records: Vec<StringRecord>,
}

/// A line of a table.
#[derive(Clone, Copy, Debug)]
pub struct TableLine<'a> {
    header: &'a StringRecord,
    fields: &'a StringRecord,
}

impl AnyResults {
    /// Reads a folder that a run wrote. Its scenario says of which study it is.
    ///
    /// # Errors
    /// If the scenario or the manifest are missing, or rows of the on-line study are missing or damaged.
    pub fn read(folder: &Path) -> Result<AnyResults, ResultsError> {
        let text = |name: &str| {
            let path = folder.join(name);
            fs::read_to_string(&path).map_err(|error| ResultsError::Io { path, error })
        };
        let scenario = text("scenario.toml")?;
        match study(&scenario) {
            Some(study) if study != "online" => Ok(AnyResults::Tabled(TabledResults {
                folder: folder.to_owned(),
                study,
                scenario,
                manifest: text("manifest.toml")?,
                is_outdated: folder.join(JOURNAL).exists(),
            })),
            _ => Results::read(folder).map(AnyResults::Online),
        }
    }
}

fn study(scenario: &str) -> Option<String> {
    let scenario: toml::Table = scenario.parse().ok()?;
    Some(scenario.get("study")?.as_str()?.to_owned())
}

impl TabledResults {
    /// One of the tables, or another file of the folder: `times`, `instances`; nothing if the run has none of this name.
    #[must_use]
    pub fn table(&self, name: &str) -> Option<ResultTable> {
        let file = format!("{name}.csv");
        let tables = [self.folder.join("tables").join(&file), self.folder.join(&file)];
        let text = tables.iter().find_map(|path| fs::read_to_string(path).ok())?;
        let mut records = table_file::records(&text);
        Some(ResultTable { header: records.next()?, records: records.collect() })
    }
}

impl ResultTable {
    /// The names of its columns.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.header.iter()
    }
    /// Its lines.
    pub fn lines(&self) -> impl Iterator<Item = TableLine<'_>> + Clone {
        self.records.iter().map(|fields| TableLine { header: &self.header, fields })
    }
}

impl<'a> TableLine<'a> {
    /// The field of a column; empty if the table has no such column.
    #[must_use]
    pub fn text(&self, column: &str) -> &'a str {
        let at = self.header.iter().position(|name| name == column);
        at.and_then(|at| self.fields.get(at)).unwrap_or_default()
    }
    /// The number in a column, if there is one.
    #[must_use]
    pub fn number(&self, column: &str) -> Option<f64> {
        self.text(column).parse().ok().filter(|number: &f64| number.is_finite())
    }
}
