//! Results folder of a run: locks, journals, and atomically written files.

use super::header::JournalHeader;
use super::inputs::COPIES;
use super::journal::{self, Journal, JournalContents};
use super::manifest::{MANIFEST, Manifest};
use super::options::{Part, RunOptions};
use super::seal::{self, SealError};
use super::times::TIMES;
use crate::RunError;
use crate::error::none_if_missing;
use crate::key::{Digest, Key};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

const LOCK: &str = ".lock";
/// Prefix of the names of incomplete files.
const PARTIAL: &str = ".partial-";
/// Files that every run writes, apart from folders.
const OWN_FILES: [&str; 6] = [MANIFEST, "scenario.toml", "rows.csv", "instances.csv", TIMES, "rows.journal"];
/// Folders of result files.
const FOLDERS: [&str; 3] = ["tables", "rows", COPIES];

/// A folder that is locked against other runs of the same part.
pub(crate) struct ResultsFolder {
    path: PathBuf,
    /// File name of the journal of this part.
    journal: String,
    /// Open lock files; closing them releases the locks.
    _locks: Vec<File>,
}

/// Files that are written but not yet visible under their final names.
pub(crate) struct Staged<'a> {
    folder: &'a ResultsFolder,
    files: Vec<(String, NamedTempFile)>,
    digests: BTreeMap<String, String>,
}

/// Finds the journals in a folder, sorted by name.
pub(crate) fn journals(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut journals = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if name.starts_with("rows") && name.ends_with(".journal") {
            journals.push(path);
        }
    }
    journals.sort_unstable();
    Ok(journals)
}

/// Opens the other folders from which a merge takes rows.
pub(crate) fn sources(options: &RunOptions) -> Result<Vec<ResultsFolder>, RunError> {
    let Part::Merged(folders) = &options.part else { return Ok(Vec::new()) };
    let resolved = |path: &Path| fs::canonicalize(path).map_err(|error| RunError::io(path, error));
    let mut seen = vec![resolved(&options.out)?];
    let mut sources = Vec::new();
    for path in folders {
        let place = resolved(path)?;
        if !seen.contains(&place) {
            sources.push(ResultsFolder::open_exclusive(path)?);
            seen.push(place);
        }
    }
    Ok(sources)
}

impl ResultsFolder {
    /// Creates the folder of a run if necessary, and locks it: a shard shares it with other shards,
    /// any other run has it exclusively.
    pub(crate) fn open(options: &RunOptions) -> Result<ResultsFolder, RunError> {
        let path = &options.out;
        fs::create_dir_all(path).map_err(|error| RunError::io(path, error))?;
        refuse_foreign_files(path)?;
        match options.part {
            Part::Shard(shard) => {
                let name = format!("-{}-of-{}", shard.number(), shard.count());
                let locks = vec![
                    lock(path, LOCK, File::try_lock_shared)?,
                    lock(path, &format!("{LOCK}{name}"), File::try_lock)?,
                ];
                Ok(ResultsFolder {
                    path: path.clone(),
                    journal: format!("rows{name}.journal"),
                    _locks: locks,
                })
            }
            Part::Whole | Part::Merged(_) => ResultsFolder::open_exclusive(path),
        }
    }

    /// Locks an existing folder exclusively.
    fn open_exclusive(path: &Path) -> Result<ResultsFolder, RunError> {
        let locks = vec![lock(path, LOCK, File::try_lock)?];
        remove_partial_files(path)?;
        Ok(ResultsFolder { path: path.to_owned(), journal: "rows.journal".to_owned(), _locks: locks })
    }

    /// Reads the manifest of the finished run in the folder; `None`, with a notice, if it is
    /// damaged.
    pub(crate) fn manifest(&self, notices: &mut Vec<String>) -> Result<Option<Manifest>, RunError> {
        match Manifest::read(&self.path) {
            Ok(manifest) => Ok(manifest),
            Err(SealError::Damaged(fault)) => {
                notices.push(format!(
                    "{}: damaged or from another version ({fault}); the results in this folder are not reused",
                    self.path.join(MANIFEST).display()
                ));
                Ok(None)
            }
            Err(SealError::Io(error)) => Err(RunError::io(&self.path.join(MANIFEST), error)),
        }
    }

    /// Reads a file of the finished run; `None`, with a notice, if it differs from what the run
    /// wrote.
    pub(crate) fn read(
        &self,
        manifest: &Manifest,
        name: &str,
        notices: &mut Vec<String>,
    ) -> Result<Option<String>, RunError> {
        let path = self.path.join(name);
        let bytes = none_if_missing(fs::read(&path)).map_err(|error| RunError::io(&path, error))?;
        let Some(bytes) = bytes else { return Ok(None) };
        match String::from_utf8(bytes) {
            Ok(text) if manifest.matches(name, text.as_bytes()) => Ok(Some(text)),
            _ => {
                notices.push(format!(
                    "{}: differs from what the run wrote (checksum mismatch); its rows are computed again",
                    path.display()
                ));
                Ok(None)
            }
        }
    }

    /// Returns the path of the journal of this part.
    pub(crate) fn journal(&self) -> PathBuf {
        self.path.join(&self.journal)
    }

    /// Opens the journal of this part for appending, creating it if necessary.
    pub(crate) fn open_journal(&self, header: &JournalHeader) -> Result<Journal, RunError> {
        let path = self.journal();
        let name = JournalHeader::path(Path::new(&self.journal));
        let mut staged = self.stage();
        staged.add(name.to_str().expect("names of journals are ASCII"), &seal::write(header))?;
        staged.publish()?;
        Journal::open(&path, &header.columns)
    }

    /// Reads all journals in the folder, including those of other parts; returns the columns and the
    /// contents of each. A journal without a readable header is assumed to have these columns.
    pub(crate) fn read_journals(
        &self,
        columns: &[String],
    ) -> Result<Vec<(Vec<String>, JournalContents)>, RunError> {
        let read = |path: &PathBuf| {
            let header = JournalHeader::read(path).ok().flatten();
            let columns = header.map_or_else(|| columns.to_vec(), |header| header.columns);
            let found = journal::read(path, &columns)?;
            Ok((columns, found))
        };
        let paths = journals(&self.path).map_err(|error| RunError::io(&self.path, error))?;
        paths.iter().map(read).collect()
    }

    /// Formats the notice about damaged journal lines; `None` if there are none.
    pub(crate) fn damage_notice(&self, damaged: usize) -> Option<String> {
        (damaged > 0).then(|| {
            format!(
                "{}: {damaged} damaged or outdated lines are skipped; their rows are computed again",
                self.path.join("rows.journal").display()
            )
        })
    }

    /// Reads the headers of the journals in the folder.
    fn headers(&self) -> Result<Vec<(PathBuf, JournalHeader)>, RunError> {
        let journals = journals(&self.path).map_err(|error| RunError::io(&self.path, error))?;
        let read = |journal: PathBuf| Ok(JournalHeader::read(&journal)?.map(|header| (journal, header)));
        journals.into_iter().filter_map(|journal| read(journal).transpose()).collect()
    }

    /// Checks that all journals in the folder belong to the run with this header.
    ///
    /// # Errors
    /// Returns an error that names the first difference.
    pub(crate) fn check_headers(&self, header: &JournalHeader) -> Result<(), RunError> {
        for (journal, found) in self.headers()? {
            if let Some((what, here, there)) = header.difference(&found) {
                return Err(RunError::unusable(
                    &journal,
                    format_args!(
                        "{what} differs: `{here}` in this run, `{there}` in the journal; only parts of one run can be merged"
                    ),
                ));
            }
        }
        Ok(())
    }

    /// Returns whether an independent checker verified all runs of the journals and of the results
    /// in the folder.
    pub(crate) fn is_audited(&self) -> Result<bool, RunError> {
        let is_off = |manifest: Option<Manifest>| manifest.is_some_and(|manifest| manifest.audit == "off");
        let has_others = Manifest::read(&self.path).is_ok_and(is_off);
        Ok(!has_others && self.headers()?.iter().all(|(_, header)| header.audit))
    }

    /// Returns the keys in the journal of this part.
    pub(crate) fn own_keys(&self, columns: &[String]) -> Result<FxHashSet<Key>, RunError> {
        let found = journal::read(&self.journal(), columns)?;
        Ok(found.records.iter().filter_map(|record| record.get(0)?.parse().ok()).collect())
    }

    /// Removes the journal of this part.
    pub(crate) fn remove_journal(&self) -> Result<(), RunError> {
        remove_journal(&self.journal())
    }

    /// Begins a set of result files that are published together.
    pub(crate) fn stage(&self) -> Staged<'_> {
        Staged { folder: self, files: Vec::new(), digests: BTreeMap::new() }
    }

    /// Removes all journals, and files of an earlier result that the new one does not have.
    pub(crate) fn clean(
        &self,
        earlier: Option<&Manifest>,
        files: &BTreeMap<String, String>,
    ) -> Result<(), RunError> {
        if let Some(earlier) = earlier.filter(|earlier| earlier.name_outside().is_none()) {
            let mut old = earlier.files.keys().filter(|name| !files.contains_key(*name));
            old.try_for_each(|name| remove(&self.path.join(name)))?;
        }
        let journals = journals(&self.path).map_err(|error| RunError::io(&self.path, error))?;
        journals.iter().try_for_each(|journal| remove_journal(journal))
    }

    #[cfg(unix)]
    fn permissions(&self) -> io::Result<fs::Permissions> {
        // The lock was created as an ordinary file, so its permissions follow the user's umask.
        fs::metadata(self.path.join(LOCK)).map(|metadata| metadata.permissions())
    }
}

impl Staged<'_> {
    /// Writes a file under a temporary name.
    pub(crate) fn add(&mut self, name: &str, content: &str) -> Result<(), RunError> {
        let path = self.folder.path.join(name);
        let write = || {
            let parent = path.parent().unwrap_or(&self.folder.path);
            fs::create_dir_all(parent)?;
            let mut file = tempfile::Builder::new().prefix(PARTIAL).tempfile_in(parent)?;
            file.write_all(content.as_bytes())?;
            file.as_file().sync_all()?;
            // Temporary files are private; results should be as readable as any other new file.
            #[cfg(unix)]
            file.as_file().set_permissions(self.folder.permissions()?)?;
            Ok(file)
        };
        let file = write().map_err(|error: io::Error| RunError::io(&path, error))?;
        self.digests.insert(name.to_owned(), Digest::from_bytes(content.as_bytes()).to_string());
        self.files.push((name.to_owned(), file));
        Ok(())
    }
    /// Returns the digests of the files, by name.
    pub(crate) fn digests(&self) -> &BTreeMap<String, String> {
        &self.digests
    }
    /// Renames all files to their final names, in the order in which they were added. Earlier files
    /// are not touched until all new ones are complete.
    pub(crate) fn publish(self) -> Result<(), RunError> {
        for (name, file) in self.files {
            let path = self.folder.path.join(name);
            file.persist(&path).map_err(|error| RunError::io(&path, error.error))?;
        }
        Ok(())
    }
}

/// Refuses a folder that contains files with the names of result files, but no lock, manifest or
/// journal of a run.
fn refuse_foreign_files(folder: &Path) -> Result<(), RunError> {
    let has = |name: &str| folder.join(name).symlink_metadata().is_ok();
    let is_of_runs = has(LOCK)
        || matches!(Manifest::read(folder), Ok(Some(_)))
        || journals(folder)
            .is_ok_and(|journals| journals.iter().any(|path| JournalHeader::path(path).exists()));
    let foreign = OWN_FILES.iter().chain(&FOLDERS).find(|name| has(name));
    match foreign {
        Some(name) if !is_of_runs => Err(RunError::Foreign { path: folder.join(name) }),
        _ => Ok(()),
    }
}

fn lock(
    folder: &Path,
    name: &str,
    take: impl Fn(&File) -> Result<(), TryLockError>,
) -> Result<File, RunError> {
    let path = folder.join(name);
    // Opening a symbolic link would modify its target.
    if path.is_symlink() {
        return Err(RunError::Link { path });
    }
    let open = File::options().write(true).create(true).truncate(false).open(&path);
    let file = open.map_err(|error| RunError::io(&path, error))?;
    match take(&file) {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(RunError::unusable(
            folder,
            "another run is using this folder; wait until it ends, or choose another folder",
        )),
        Err(TryLockError::Error(error)) => Err(RunError::io(&path, error)),
    }
}

/// Removes incomplete files of a killed run. No other process may be writing to the folder.
fn remove_partial_files(folder: &Path) -> Result<(), RunError> {
    let inner = FOLDERS.iter().map(|name| folder.join(name));
    for folder in std::iter::once(folder.to_owned()).chain(inner) {
        let remove = || -> io::Result<()> {
            for entry in fs::read_dir(&folder)? {
                let entry = entry?;
                if entry.file_name().to_str().is_some_and(|name| name.starts_with(PARTIAL)) {
                    fs::remove_file(entry.path())?;
                }
            }
            Ok(())
        };
        none_if_missing(remove()).map_err(|error| RunError::io(&folder, error))?;
    }
    Ok(())
}

/// Removes a file, if it exists.
fn remove(path: &Path) -> Result<(), RunError> {
    none_if_missing(fs::remove_file(path)).map(drop).map_err(|error| RunError::io(path, error))
}

/// Removes a journal before its header, so that no journal is left without one.
fn remove_journal(path: &Path) -> Result<(), RunError> {
    remove(path)?;
    remove(&JournalHeader::path(path))
}
