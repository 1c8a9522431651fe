//! Manifest of results: their origin, run times, and digests of all files.

use super::seal::{self, SealError};
use crate::key::Digest;
use crate::record::Status;
use crate::study::{Audit, Input};
use dfrsim_model::account::AccountSummary;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Component, Path};

/// Name of the manifest in a results folder.
pub const MANIFEST: &str = "manifest.toml";

/// Description of a finished run, in `manifest.toml`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Manifest {
    /// Name of the program: `dfrsim`.
    pub program: String,
    /// Version of the program.
    pub version: String,
    /// Name of the study.
    pub study: String,
    /// Version of the semantics of the study's rows.
    pub semantics: u32,
    /// Title of the scenario.
    pub title: String,
    /// Seed of all random numbers.
    pub seed: u64,
    /// Use of the independent checker: `always`, `on` or `off`.
    pub audit: String,
    /// Counts of rows.
    pub rows: Counts,
    /// Machine and run times. Only this section and the paths of inputs differ between machines.
    pub host: Host,
    /// Files that were read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<InputSection>,
    /// SHA-256 of every file of the results, by name.
    pub files: BTreeMap<String, String>,
}

/// Counts of rows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Counts {
    /// Number of all rows.
    pub total: usize,
    /// Number of rows computed by the last run.
    pub computed: usize,
    /// Number of rows restored from earlier runs.
    pub restored: usize,
    /// Number of rows by status, in the order of [`Status::ALL`], for statuses that occur.
    pub by_status: BTreeMap<String, usize>,
}

/// Machine and run times.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Host {
    /// Number of threads.
    pub threads: usize,
    /// Elapsed time in seconds.
    pub wall_s: f64,
    /// Time for preparing instances in seconds, summed over the threads.
    pub preparing_s: f64,
    /// Time for running variants in seconds, summed over the threads.
    pub running_s: f64,
}

/// A file that was read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct InputSection {
    /// Name as given in the scenario.
    pub file: String,
    /// SHA-256 of the bytes.
    pub sha256: String,
    /// Path at which the file was found, relative to the folder in which the program ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Name of the copy in the results; logs are not copied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copy: Option<String>,
    /// Counts reported by the study for this file, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub counts: BTreeMap<String, u64>,
    /// Account of the lines of a log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<AccountSummary>,
}

impl Counts {
    /// Adds rows with this status.
    pub(crate) fn add(&mut self, status: Status, rows: usize) {
        self.total += rows;
        *self.by_status.entry(status.name().to_owned()).or_default() += rows;
    }
    /// Returns the number of rows with this status.
    pub fn of(&self, status: Status) -> usize {
        self.by_status.get(status.name()).copied().unwrap_or(0)
    }
    /// Returns the number of rows that are [failures](Status::is_failure).
    pub fn failures(&self) -> usize {
        Status::ALL.iter().filter(|status| status.is_failure()).map(|status| self.of(*status)).sum()
    }
}

impl InputSection {
    pub(crate) fn new(input: &Input) -> InputSection {
        let mut counts = BTreeMap::new();
        input.counts.iter().for_each(|(name, count)| _ = counts.insert(name.clone(), *count));
        let path = input.path.as_ref().map(|path| path.display().to_string());
        let (file, sha256, account) = (input.file.clone(), input.digest.to_string(), input.account.clone());
        InputSection { file, path, sha256, copy: None, counts, account }
    }
}

/// Returns the manifest's word for the use of the independent checker.
pub(crate) fn audit_word(audit: Audit, is_on: bool) -> &'static str {
    match (audit, is_on) {
        (Audit::Always, _) => "always",
        (Audit::Optional, true) => "on",
        (Audit::Optional, false) => "off",
    }
}

impl Manifest {
    /// Reads the manifest of a folder; `None` if there is none.
    ///
    /// # Errors
    /// Returns an error if it differs from what a run wrote.
    pub fn read(folder: &Path) -> Result<Option<Manifest>, SealError> {
        let manifest: Option<Manifest> = seal::read(&folder.join(MANIFEST))?;
        match manifest.as_ref().and_then(Manifest::text_with_control_character) {
            Some(text) => Err(SealError::Damaged(format!("the text {text:?} has a control character"))),
            None => Ok(manifest),
        }
    }
    /// Returns the first text with a control character, which no run writes: it could make a message
    /// of the program look like several lines.
    fn text_with_control_character(&self) -> Option<&str> {
        let Manifest { program, version, study, title, audit, inputs, files, .. } = self;
        let inputs =
            inputs.iter().flat_map(|input| [Some(&input.file), input.copy.as_ref(), Some(&input.sha256)]);
        let texts = [program, version, study, title, audit].into_iter().chain(inputs.flatten());
        let mut texts = texts.chain(files.keys()).chain(files.values()).map(String::as_str);
        texts.find(|text| text.contains(char::is_control))
    }
    /// Returns the first listed name that is not within the results folder. The digest does not
    /// protect against a manifest that was crafted to name any file.
    pub fn name_outside(&self) -> Option<&str> {
        let is_inside = |name: &str| {
            name != MANIFEST && Path::new(name).components().all(|part| matches!(part, Component::Normal(_)))
        };
        self.files.keys().map(String::as_str).find(|name| !is_inside(name))
    }
    /// Returns whether the content of a file is what the run wrote; false for files that are not
    /// listed.
    pub(crate) fn matches(&self, name: &str, content: &[u8]) -> bool {
        self.files.get(name).is_some_and(|digest| *digest == Digest::from_bytes(content).to_string())
    }
}
