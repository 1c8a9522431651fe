//! The manifest: where results come from, what they took, and the digests of all of their files.

use super::seal::{self, SealError};
use crate::key::Digest;
use crate::record::Status;
use crate::study::{Audit, Input};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Component, Path};

/// The name of the manifest in a folder of results.
pub const MANIFEST: &str = "manifest.toml";

/// The description of a finished run, in `manifest.toml`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Manifest {
    /// The name of the program: `dfrsim`.
    pub program: String,
    /// The version of the program.
    pub version: String,
    /// The study.
    pub study: String,
    /// The version of the semantics of the study's rows.
    pub semantics: u32,
    /// The title of the scenario.
    pub title: String,
    /// The seed of all random numbers.
    pub seed: u64,
    /// Whether an independent checker followed the runs: `always`, `on` or `off`.
    pub audit: String,
    /// The counts of rows.
    pub rows: Counts,
    /// The machine and its times; the only part that differs between machines.
    pub host: Host,
    /// The files that were read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<InputSection>,
    /// The SHA-256 of every file of the results, by name.
    pub files: BTreeMap<String, String>,
}

/// The counts of rows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Counts {
    /// All rows.
    pub total: usize,
    /// Rows computed by the last run.
    pub computed: usize,
    /// Rows taken over from earlier runs.
    pub restored: usize,
    /// Rows by status, in the order of [`Status::ALL`], for statuses that occur.
    pub by_status: BTreeMap<String, usize>,
}

/// The machine, and the time that it took.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Host {
    /// The number of threads.
    pub threads: usize,
    /// The elapsed time, in seconds.
    pub wall_s: f64,
    /// Preparing instances, in seconds, added up over the threads.
    pub preparing_s: f64,
    /// Running variants, in seconds, added up over the threads.
    pub running_s: f64,
}

/// A file that was read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct InputSection {
    /// Its name as the scenario gives it.
    pub file: String,
    /// The SHA-256 of its bytes.
    pub sha256: String,
    /// The copy that the results keep; they keep none of logs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copy: Option<String>,
    /// The counts of the study for this file, as text.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub counts: BTreeMap<String, u64>,
}

impl Counts {
    /// Adds rows of a status.
    pub(crate) fn add(&mut self, status: Status, rows: usize) {
        self.total += rows;
        *self.by_status.entry(status.name().to_owned()).or_default() += rows;
    }
    /// The number of rows with this status.
    pub fn of(&self, status: Status) -> usize {
        self.by_status.get(status.name()).copied().unwrap_or(0)
    }
    /// The number of rows that are [failures](Status::is_failure).
    pub fn failures(&self) -> usize {
        Status::ALL.iter().filter(|status| status.is_failure()).map(|status| self.of(*status)).sum()
    }
}

impl InputSection {
    pub(crate) fn new(input: &Input) -> InputSection {
        let mut counts = BTreeMap::new();
        input.counts.iter().for_each(|(name, count)| _ = counts.insert(name.clone(), *count));
        InputSection { file: input.file.clone(), sha256: input.digest.to_string(), copy: None, counts }
    }
}

/// The text in the manifest for whether runs were audited.
pub(crate) fn audit_word(audit: Audit, is_on: bool) -> &'static str {
    match (audit, is_on) {
        (Audit::Always, _) => "always",
        (Audit::Optional, true) => "on",
        (Audit::Optional, false) => "off",
    }
}

impl Manifest {
    /// The manifest of a folder, if there is one.
    ///
    /// # Errors
    /// If it is not what a run wrote.
    pub fn read(folder: &Path) -> Result<Option<Manifest>, SealError> {
        seal::read(&folder.join(MANIFEST))
    }
    /// The first name of a file that is not one in the folder of the results. The digest of a manifest does not protect against
    /// one that names any file.
    pub fn outside(&self) -> Option<&str> {
        let is_inside = |name: &str| {
            name != MANIFEST && Path::new(name).components().all(|part| matches!(part, Component::Normal(_)))
        };
        self.files.keys().map(String::as_str).find(|name| !is_inside(name))
    }
    /// Whether a file of the results is what the run wrote. A file that is not listed is not.
    pub(crate) fn matches(&self, name: &str, content: &[u8]) -> bool {
        self.files.get(name).is_some_and(|digest| *digest == Digest::from_bytes(content).to_string())
    }
}
