//! What a run left in a folder, read again: the only reader of results.

use crate::data::DataFrame;
use crate::drawing::Drawing;
use crate::fields::{Faults, FileLocator, ScenarioSource};
use crate::registry::Registry;
use crate::study::{AnyScenario, AnyStudy, RowTexts};
use crate::sweep::{MANIFEST, Manifest, SealError, TIMES, journals};
use crate::text::csv::{self, ReadFile};
use rustc_hash::FxHashMap;
use std::fmt::Display;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The results of a finished run. Every file was compared with the digest in the manifest.
#[derive(Clone)]
pub struct Results<'a> {
    /// The folder.
    pub folder: PathBuf,
    /// The manifest.
    pub manifest: Manifest,
    /// The scenario with every field spelt out.
    pub scenario: String,
    /// Whether a run into this folder has begun since and has not finished: the results are those of an earlier run.
    pub is_outdated: bool,
    /// The study.
    pub study: &'a AnyStudy,
}

/// Why results cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{}: {message}{remedy}", path.display())]
pub struct ResultsError {
    /// The folder or file.
    pub path: PathBuf,
    /// The fault.
    pub message: String,
    /// What to do in a folder of results, from the `;` on; may be empty.
    pub remedy: &'static str,
}

impl ResultsError {
    pub(crate) fn new(path: impl Into<PathBuf>, message: impl Display) -> ResultsError {
        ResultsError { path: path.into(), message: message.to_string(), remedy: "" }
    }
    /// A file that is not what the run wrote.
    fn altered(path: impl Into<PathBuf>, fault: impl Display) -> ResultsError {
        let remedy = "; run the scenario again into this folder, or restore the file";
        ResultsError { remedy, ..ResultsError::new(path, fault) }
    }
}

impl<'a> Results<'a> {
    /// Reads a folder that a run wrote, and compares all of its files with their digests.
    ///
    /// # Errors
    /// If there are no results, a file is not what the run wrote, or the study or its version is not one of the registry's.
    pub fn read(folder: &Path, registry: &'a Registry) -> Result<Results<'a>, ResultsError> {
        let path = folder.join(MANIFEST);
        let manifest = Manifest::read(folder).map_err(|error| match error {
            SealError::Damaged(_) => ResultsError::altered(path, error),
            SealError::Io(_) => ResultsError::new(path, format_args!("cannot be read: {error}")),
        })?;
        let Some(manifest) = manifest else {
            let message =
                format!("there are no results here (no {MANIFEST}); run a scenario into this folder first");
            return Err(ResultsError::new(folder, message));
        };
        if let Some(name) = manifest.outside() {
            let message =
                format!("{MANIFEST} names `{}`, which is not a file of results", name.escape_debug());
            return Err(ResultsError::new(folder, message));
        }
        let (name, found) = (&manifest.study, manifest.semantics);
        let Some(study) = registry.study_named(name) else {
            let known: Vec<&str> = registry.studies().map(|study| study.name).collect();
            let message = format!(
                "results of the study `{name}`, which this program does not have; it has: {}",
                known.join(", ")
            );
            return Err(ResultsError::new(folder, message));
        };
        let expected = study.semantics;
        if expected != found {
            let message = format!(
                "results of version {found} of the study `{name}`, but this program has version {expected}; run the scenario again"
            );
            return Err(ResultsError::new(folder, message));
        }
        let mut results = Results {
            folder: folder.to_owned(),
            manifest,
            scenario: String::new(),
            is_outdated: false,
            study,
        };
        for name in results.manifest.files.keys() {
            results.file(name)?;
        }
        results.scenario = results.file("scenario.toml")?;
        let journals = journals(folder).map_err(|error| ResultsError::new(folder, error))?;
        results.is_outdated = !journals.is_empty();
        Ok(results)
    }

    /// The scenario, to be run again: the files that it names are the copies that the results keep, and where they keep none
    /// the files of these names here.
    ///
    /// # Errors
    /// If a file is nowhere, or all that is wrong with the scenario.
    pub fn scenario(&self, registry: &Registry) -> Result<AnyScenario, Faults> {
        let copies: FxHashMap<String, PathBuf> = self
            .manifest
            .inputs
            .iter()
            .filter_map(|input| Some((input.file.clone(), self.folder.join(input.copy.as_ref()?))))
            .collect();
        registry.parse_with_copies(&self.scenario, copies)
    }

    /// Counts the rows in the files of rows.
    ///
    /// # Errors
    /// If they are not rows of the study.
    pub fn count_rows(&self) -> Result<usize, ResultsError> {
        let frames = (self.study.frames)(&self.row_files()?).map_err(|fault| self.bad_rows(fault))?;
        Ok(frames.iter().map(DataFrame::len).sum())
    }

    /// A file of the results.
    ///
    /// # Errors
    /// If it cannot be read, is not what the run wrote, or is not one of the results.
    pub fn file(&self, name: &str) -> Result<String, ResultsError> {
        let path = self.folder.join(name);
        match fs::read(&path) {
            Ok(bytes) if self.manifest.matches(name, &bytes) => {
                String::from_utf8(bytes).map_err(|error| ResultsError::altered(path, error))
            }
            Ok(_) => Err(ResultsError::altered(path, "is not what the run wrote (checksum mismatch)")),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(ResultsError::altered(path, "is missing"))
            }
            Err(error) => Err(ResultsError::new(path, format_args!("cannot be read: {error}"))),
        }
    }

    /// The names of the tables, without folder and extension, in alphabetical order.
    pub fn tables(&self) -> impl Iterator<Item = &str> {
        let files = self.manifest.files.keys();
        files.filter_map(|name| name.strip_prefix("tables/")?.strip_suffix(".csv"))
    }

    /// A table: its header and lines. `None` if the results have none of this name.
    ///
    /// # Errors
    /// If it is not what the run wrote.
    pub fn table(&self, name: &str) -> Result<Option<ReadFile>, ResultsError> {
        let name = format!("tables/{name}.csv");
        if !self.manifest.files.contains_key(&name) {
            return Ok(None);
        }
        self.read_file(&name).map(Some)
    }

    /// The instances: their labels, and the digest of each in the column `sha256`.
    ///
    /// # Errors
    /// If the file is not what the run wrote.
    pub fn instances(&self) -> Result<ReadFile, ResultsError> {
        self.read_file("instances.csv")
    }

    /// The files of rows.
    ///
    /// # Errors
    /// If they are not what the run wrote.
    pub fn row_files(&self) -> Result<RowTexts, ResultsError> {
        let is_rows = |name: &&String| *name == "rows.csv" || name.starts_with("rows/");
        let mut files = RowTexts::new();
        for name in self.manifest.files.keys().filter(is_rows) {
            files.insert(name.clone(), self.file(name)?);
        }
        Ok(files)
    }

    /// How long runs took; `None` if the study does not measure it.
    ///
    /// # Errors
    /// If the file is not what the run wrote.
    pub fn times(&self) -> Result<Option<ReadFile>, ResultsError> {
        self.manifest.files.contains_key(TIMES).then(|| self.read_file(TIMES)).transpose()
    }

    /// The rows, type by type; those without rows are left out.
    ///
    /// # Errors
    /// If they are not rows of the study.
    pub fn rows(&self) -> Result<Vec<DataFrame>, ResultsError> {
        let files = self.row_files()?;
        let mut frames = (self.study.frames)(&files).map_err(|fault| self.bad_rows(fault))?;
        frames.retain(|frame| !frame.is_empty());
        frames = frames.into_iter().map(DataFrame::with_own_metrics).collect();
        if let Some(objective) = self.objective() {
            frames = frames.into_iter().map(|frame| frame.with_objective(&objective)).collect();
        }
        Ok(frames)
    }

    /// The metric by which variants are ranked, if the scenario names one.
    pub fn objective(&self) -> Option<String> {
        let table: toml::Table = self.scenario.parse().ok()?;
        table.get("objective")?.as_str().map(str::to_owned)
    }

    /// What the study draws besides what follows from the roles of columns.
    ///
    /// # Errors
    /// If the scenario or the rows cannot be read.
    pub fn drawings(&self, registry: &Registry) -> Result<Vec<Drawing>, ResultsError> {
        // The files that it names need not be there.
        let anywhere = FileLocator::new(|name, _| Ok(name.into()));
        let source = ScenarioSource {
            text: &self.scenario,
            name: "scenario.toml",
            folder: Some(&self.folder),
            overrides: &[],
            environment: &registry.environment().clone().with(anywhere),
        };
        let (rows, times) = (self.row_files()?, self.times()?);
        (self.study.drawings)(&source, &rows, times.as_ref()).map_err(|fault| self.bad_rows(fault))
    }

    fn bad_rows(&self, fault: impl Display) -> ResultsError {
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
                "has a line with {there} fields where the header has {expected}: `{}`",
                line.join(",")
            );
            return Err(ResultsError::altered(self.folder.join(name), fault));
        }
        Ok(ReadFile { name: name.to_owned(), header, lines })
    }
}
