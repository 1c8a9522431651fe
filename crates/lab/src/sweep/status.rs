//! Runs that have not finished, from their journals.

use super::folder::journals;
use super::header::Header;
use super::journal;
use super::manifest::MANIFEST;
use crate::RunError;
use crate::key::Key;
use rustc_hash::FxHashSet;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// How far the runs of a folder have come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunStatus {
    /// Whether there are results of a finished run.
    pub has_results: bool,
    /// The parts that have begun, by shard: all of a run, or shards of it.
    pub parts: Vec<PartStatus>,
}

/// How far a part of a run has come.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PartStatus {
    /// The shard: `2/8`; `null` for a whole run.
    pub shard: Option<String>,
    /// The number of finished units.
    pub done: usize,
    /// The number of all units.
    pub total: usize,
    /// The name of the units, in the plural.
    pub unit: String,
    /// Lines of the journal that cannot be used.
    pub damaged_lines: usize,
    /// The journal.
    pub journal: String,
}

impl PartStatus {
    /// Whether it has finished.
    pub fn is_complete(&self) -> bool {
        self.done >= self.total
    }
}

impl RunStatus {
    /// Reads how far the runs of a folder have come, whether they are running or not.
    ///
    /// # Errors
    /// If the folder or a file in it cannot be read.
    pub fn read(folder: &Path) -> Result<RunStatus, RunError> {
        let mut parts = Vec::new();
        for path in journals(folder).map_err(|error| RunError::io(folder, error))? {
            let Some(Header { shard, keys: total, unit, columns, .. }) = Header::read(&path)? else {
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

/// The scenario that the journals in these folders belong to: that of the first one, with the name of the file that contains
/// it.
///
/// # Errors
/// If a file cannot be read, or there is no journal in any of the folders.
pub fn unfinished_scenario(folders: &[PathBuf]) -> Result<(String, String), RunError> {
    for folder in folders {
        for path in journals(folder).map_err(|error| RunError::io(folder, error))? {
            if let Some(header) = Header::read(&path)? {
                return Ok((Header::path(&path).display().to_string(), header.scenario));
            }
        }
    }
    let names: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
    Err(RunError::input(format_args!("there is no unfinished run in {}", names.join(", "))))
}
