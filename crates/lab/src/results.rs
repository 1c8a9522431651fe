//! Results read back from a folder. No other module reads results.

mod selection;

use self::selection::RowSelection;
use crate::column::{Kind, Role};
use crate::data::DataFrame;
use crate::drawing::Drawing;
use crate::fields::{Faults, FileLocator, LocatedFile, ScenarioSource};
use crate::registry::Registry;
use crate::study::{AnyScenario, AnyStudy, RowTexts};
use crate::sweep::{MANIFEST, Manifest, SealError, TIMES, journals};
use crate::text::csv::{self, ReadFile};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Display;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Results of a finished run. Every file has been checked against its digest in the manifest.
#[derive(Clone)]
pub struct Results<'a> {
    /// Folder of the results.
    pub folder: PathBuf,
    /// The manifest, `manifest.toml`.
    pub manifest: Manifest,
    /// The scenario with every field written out.
    pub scenario: String,
    /// True if a later run into this folder has started but not finished: the results are those of
    /// an earlier run.
    pub has_newer_run: bool,
    /// The study that wrote the results.
    pub study: &'a AnyStudy,
    /// Selection of the rows that are read.
    selection: RowSelection,
}

/// Reason why results cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{}: {message}{remedy}", path.display())]
pub struct ResultsError {
    /// The folder or file.
    pub path: PathBuf,
    /// The problem.
    pub message: String,
    /// Advice, beginning with `;`; may be empty.
    pub remedy: &'static str,
    /// True if this program lacks the study, or has another version of it.
    pub is_foreign: bool,
}

/// Largest length of a line of a CSV file of results, in bytes. Parsing a longer one would take a multiple
/// of its memory.
const LONGEST_LINE: usize = 1 << 20;

impl ResultsError {
    /// Creates the error for a file, or for a request that the results in a folder cannot fulfil.
    pub fn new(path: impl Into<PathBuf>, message: impl Display) -> ResultsError {
        ResultsError { path: path.into(), message: message.to_string(), remedy: "", is_foreign: false }
    }
    /// Creates the error for results of a study that this program lacks or has in another version.
    fn foreign(path: &Path, message: String) -> ResultsError {
        ResultsError { is_foreign: true, ..ResultsError::new(path, message) }
    }
    /// Creates the error for a file that differs from what the run wrote.
    fn file_altered(path: impl Into<PathBuf>, fault: impl Display) -> ResultsError {
        let remedy = "; run the scenario again into this folder, or restore the file";
        ResultsError { remedy, ..ResultsError::new(path, fault) }
    }
}

impl<'a> Results<'a> {
    /// Reads a folder that a run wrote, and checks all of its files against their digests.
    ///
    /// # Errors
    /// Returns an error if there are no results, a file differs from what the run wrote, or the
    /// registry lacks the study or has another version of it.
    pub fn read(folder: &Path, registry: &'a Registry) -> Result<Results<'a>, ResultsError> {
        let path = folder.join(MANIFEST);
        let manifest = Manifest::read(folder).map_err(|error| match error {
            SealError::Damaged(_) => ResultsError::file_altered(path, error),
            SealError::Io(_) => ResultsError::new(path, format_args!("cannot read: {error}")),
        })?;
        let Some(manifest) = manifest else {
            let message = format!("no results in this folder (no {MANIFEST}); run a scenario into it first");
            return Err(ResultsError::new(folder, message));
        };
        if let Some(name) = manifest.name_outside() {
            let message =
                format!("{MANIFEST} lists `{}`, which lies outside the results", name.escape_debug());
            return Err(ResultsError::new(folder, message));
        }
        let (name, found) = (&manifest.study, manifest.semantics);
        let Some(study) = registry.study_named(name) else {
            let known: Vec<&str> = registry.studies().map(|study| study.name).collect();
            let message =
                format!("unknown study `{}`; this program has: {}", name.escape_debug(), known.join(", "));
            return Err(ResultsError::foreign(folder, message));
        };
        let expected = study.semantics;
        if expected != found {
            let message = format!(
                "results of version {found} of the study `{name}`, but this program has version {expected}; run the scenario again"
            );
            return Err(ResultsError::foreign(folder, message));
        }
        let mut results = Results {
            folder: folder.to_owned(),
            manifest,
            scenario: String::new(),
            has_newer_run: false,
            study,
            selection: RowSelection::default(),
        };
        for name in results.manifest.files.keys() {
            results.file(name)?;
        }
        results.scenario = results.file("scenario.toml")?;
        let journals = journals(folder).map_err(|error| ResultsError::new(folder, error))?;
        results.has_newer_run = !journals.is_empty();
        Ok(results)
    }

    /// Returns the scenario, ready to be run again. File names refer to the copies in the results,
    /// or, if there is no copy, to files in the current environment.
    ///
    /// # Errors
    /// Returns an error if a file is not found; otherwise every error in the scenario.
    pub fn scenario(&self, registry: &Registry) -> Result<AnyScenario, Faults> {
        registry.parse_with_copies(&self.scenario, self.copies())
    }

    /// Returns the paths of the copies of input files, by their names in the scenario.
    fn copies(&self) -> FxHashMap<String, PathBuf> {
        let copy =
            |input: &crate::InputSection| Some((input.file.clone(), self.folder.join(input.copy.as_ref()?)));
        self.manifest.inputs.iter().filter_map(copy).collect()
    }

    /// Counts the rows in all row files.
    ///
    /// # Errors
    /// Returns an error if they are not valid rows of the study.
    pub fn count_rows(&self) -> Result<usize, ResultsError> {
        let frames = (self.study.frames)(&self.row_files()?).map_err(|fault| self.invalid_rows(fault))?;
        Ok(frames.iter().map(DataFrame::len).sum())
    }

    /// Reads a file of the results.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, differs from what the run wrote, or does not
    /// belong to the results.
    pub fn file(&self, name: &str) -> Result<String, ResultsError> {
        let path = self.folder.join(name);
        match fs::read(&path) {
            Ok(bytes) if self.manifest.matches(name, &bytes) => {
                let long = bytes.split(|byte| *byte == b'\n').position(|line| line.len() > LONGEST_LINE);
                let has_lines = name.ends_with(".csv") || name.ends_with(".toml");
                if let Some(place) = long.filter(|_| has_lines) {
                    let fault = format!("line {} is longer than 1 MB, as no line of results is", place + 1);
                    return Err(ResultsError::file_altered(path, fault));
                }
                String::from_utf8(bytes).map_err(|error| ResultsError::file_altered(path, error))
            }
            Ok(_) => {
                Err(ResultsError::file_altered(path, "differs from what the run wrote (checksum mismatch)"))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(ResultsError::file_altered(path, "is missing"))
            }
            Err(error) => Err(ResultsError::new(path, format_args!("cannot read: {error}"))),
        }
    }

    /// Returns the names of the tables, without folder and extension, in alphabetical order.
    pub fn tables(&self) -> impl Iterator<Item = &str> {
        let files = self.manifest.files.keys();
        files.filter_map(|name| name.strip_prefix("tables/")?.strip_suffix(".csv"))
    }

    /// Reads a table: its header and lines. `None` if the results have no table with this name.
    ///
    /// # Errors
    /// Returns an error if the file differs from what the run wrote.
    pub fn table(&self, name: &str) -> Result<Option<ReadFile>, ResultsError> {
        let name = format!("tables/{name}.csv");
        if !self.manifest.files.contains_key(&name) {
            return Ok(None);
        }
        self.read_file(&name).map(Some)
    }

    /// Reads the instances: their labels, and the digest of each in the column `sha256`.
    ///
    /// # Errors
    /// Returns an error if the file differs from what the run wrote.
    pub fn instances(&self) -> Result<ReadFile, ResultsError> {
        self.read_file("instances.csv")
    }

    /// Reads all row files.
    ///
    /// # Errors
    /// Returns an error if a file differs from what the run wrote.
    pub fn row_files(&self) -> Result<RowTexts, ResultsError> {
        let is_rows = |name: &&String| *name == "rows.csv" || name.starts_with("rows/");
        let mut files = RowTexts::new();
        for name in self.manifest.files.keys().filter(is_rows) {
            files.insert(name.clone(), self.selection.apply(self.file(name)?));
        }
        Ok(files)
    }

    /// Selects the rows that fulfil conditions `column=value`: one of the values of each column.
    ///
    /// # Errors
    /// Returns an error that names what there is if no row has a column or a value, or if no row is
    /// left.
    pub fn select(&self, conditions: &[String]) -> Result<Results<'a>, ResultsError> {
        let selection = RowSelection::new(conditions, &self.row_files()?);
        let selection = selection.map_err(|fault| ResultsError::new(&self.folder, fault))?;
        Ok(Results { selection, ..self.clone() })
    }

    /// Returns the values of a column in the rows, in the order of their first appearance.
    ///
    /// # Errors
    /// Returns an error that names the columns if there is none of this name.
    pub fn values(&self, column: &str) -> Result<Vec<String>, ResultsError> {
        let values = selection::values(column, &self.row_files()?);
        values.map_err(|fault| ResultsError::new(&self.folder, fault))
    }

    /// Returns the values of the first text column of variants in all rows, also in those that are not
    /// selected, in the order of their first appearance.
    ///
    /// # Errors
    /// Returns an error if the rows are not valid rows of the study.
    pub fn variant_names(&self) -> Result<Vec<String>, ResultsError> {
        let mut names = Vec::new();
        for frame in (Results { selection: RowSelection::default(), ..self.clone() }).rows()? {
            let is_text = |column: &usize| frame.columns()[*column].kind == Kind::Text;
            if let Some(column) = frame.with_role(&[Role::Variant]).into_iter().find(is_text) {
                names.extend(frame.distinct(column, 0..frame.len()));
            }
        }
        let mut seen = FxHashSet::default();
        names.retain(|name| seen.insert(name.clone()));
        Ok(names)
    }

    /// Reads the run times; `None` if the study does not measure them.
    ///
    /// # Errors
    /// Returns an error if the file differs from what the run wrote.
    pub fn times(&self) -> Result<Option<ReadFile>, ResultsError> {
        self.manifest.files.contains_key(TIMES).then(|| self.read_file(TIMES)).transpose()
    }

    /// Reads the rows, one frame per row type; types without rows are left out.
    ///
    /// # Errors
    /// Returns an error if they are not valid rows of the study.
    pub fn rows(&self) -> Result<Vec<DataFrame>, ResultsError> {
        let files = self.row_files()?;
        let mut frames = (self.study.frames)(&files).map_err(|fault| self.invalid_rows(fault))?;
        frames.retain(|frame| !frame.is_empty());
        frames = frames.into_iter().map(DataFrame::with_own_metrics).collect();
        if let Some(objective) = self.objective() {
            frames = frames.into_iter().map(|frame| frame.with_objective(&objective)).collect();
        }
        Ok(frames)
    }

    /// Returns the metric by which variants are ranked, if the scenario names one.
    pub fn objective(&self) -> Option<String> {
        let table: toml::Table = self.scenario.parse().ok()?;
        table.get("objective")?.as_str().map(str::to_owned)
    }

    /// Draws the figures that the study defines in addition to the default ones.
    ///
    /// # Errors
    /// Returns an error if the scenario or the rows cannot be read.
    pub fn drawings(&self, registry: &Registry) -> Result<Vec<Drawing>, ResultsError> {
        // The input files of the scenario may no longer exist; figures need only those that are copied.
        let copies = self.copies();
        let anywhere = FileLocator::new(move |request| {
            let path = copies.get(request.name).map_or_else(|| request.name.into(), PathBuf::clone);
            Ok(LocatedFile::new(request.name, path))
        });
        let source = ScenarioSource {
            text: &self.scenario,
            name: "scenario.toml",
            folder: Some(&self.folder),
            overrides: &[],
            environment: &registry.environment().clone().with(anywhere),
        };
        let (rows, times) = (self.row_files()?, self.times()?);
        (self.study.drawings)(&source, &rows, times.as_ref()).map_err(|fault| self.invalid_rows(fault))
    }

    fn invalid_rows(&self, fault: impl Display) -> ResultsError {
        let remedy = "; run the scenario again into this folder";
        ResultsError { remedy, ..ResultsError::new(&self.folder, fault) }
    }

    fn read_file(&self, name: &str) -> Result<ReadFile, ResultsError> {
        let text = self.file(name)?;
        let mut records = csv::records(&text).map(|record| record.iter().map(str::to_owned).collect());
        let header: Vec<String> = records.next().unwrap_or_default();
        let lines: Vec<Vec<String>> = records.collect();
        if let Some(line) = lines.iter().find(|line| line.len() != header.len()) {
            let (there, expected) = (line.len(), header.len());
            let fault = format!(
                "has a line with {there} fields, but the header has {expected}: `{}`",
                line.join(",")
            );
            return Err(ResultsError::file_altered(self.folder.join(name), fault));
        }
        Ok(ReadFile { name: name.to_owned(), header, lines })
    }
}
