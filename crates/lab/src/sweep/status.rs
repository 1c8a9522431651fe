//! Status of unfinished runs, from their journals.

use super::folder::journals;
use super::header::JournalHeader;
use super::journal;
use super::manifest::MANIFEST;
use crate::RunError;
use crate::key::Key;
use rustc_hash::FxHashSet;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Progress of the runs in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunStatus {
    /// True if there are results of a finished run.
    pub has_results: bool,
    /// Parts that have started, by shard: a whole run, or shards of it.
    pub parts: Vec<PartStatus>,
}

/// Progress of a part of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PartStatus {
    /// Shard, such as `2/8`; `null` for a whole run.
    pub shard: Option<String>,
    /// Number of finished units.
    pub done: usize,
    /// Number of all units.
    pub total: usize,
    /// Plural name of the units.
    pub unit: String,
    /// Number of unusable lines in the journal.
    pub damaged_lines: usize,
    /// Path of the journal.
    pub journal: String,
}

impl PartStatus {
    /// Returns whether the part has finished.
    pub fn is_complete(&self) -> bool {
        self.done >= self.total
    }
}

impl RunStatus {
    /// Reads the progress of the runs in a folder, which may still be running.
    ///
    /// # Errors
    /// Returns an error if the folder or a file in it cannot be read.
    pub fn read(folder: &Path) -> Result<RunStatus, RunError> {
        let mut parts = Vec::new();
        for path in journals(folder).map_err(|error| RunError::io(folder, error))? {
            let Some(JournalHeader { shard, keys: total, unit, columns, .. }) = JournalHeader::read(&path)?
            else {
                continue;
            };
            let found = journal::read(&path, &columns)?;
            let keys: FxHashSet<Key> =
                found.records.iter().filter_map(|record| record.get(0)?.parse().ok()).collect();
            parts.push(PartStatus {
                shard,
                done: keys.len(),
                total,
                unit,
                damaged_lines: found.damaged,
                journal: path.display().to_string(),
            });
        }
        parts.sort_by_key(|part| part.shard.as_deref().and_then(|shard| shard.parse::<super::Shard>().ok()));
        Ok(RunStatus { has_results: folder.join(MANIFEST).exists(), parts })
    }
}

/// Returns the scenario of the first journal in these folders, with the name of the file that
/// contains it.
///
/// # Errors
/// Returns an error if a file cannot be read, or none of the folders has a journal.
pub fn unfinished_scenario(folders: &[PathBuf]) -> Result<(String, String), RunError> {
    for folder in folders {
        for path in journals(folder).map_err(|error| RunError::io(folder, error))? {
            if let Some(header) = JournalHeader::read(&path)? {
                return Ok((JournalHeader::path(&path).display().to_string(), header.scenario));
            }
        }
    }
    let names: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
    let finished = folders.iter().any(|folder| folder.join(MANIFEST).is_file());
    let advice =
        if finished { "; its results are complete" } else { "; `dfrsim run` or `dfrsim submit` starts one" };
    Err(RunError::input(format_args!("no unfinished run in {}{advice}", names.join(", "))))
}
