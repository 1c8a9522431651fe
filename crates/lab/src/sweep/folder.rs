//! The folder of a run's results: locks, journals, and files that appear whole or not at all.

use super::header::Header;
use super::inputs::COPIES;
use super::journal::{self, Found, Journal};
use super::manifest::{MANIFEST, Manifest};
use super::options::{Part, RunOptions};
use super::seal::{self, SealError};
use super::times::TIMES;
use crate::RunError;
use crate::error::existing;
use crate::key::{Digest, Key};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

const LOCK: &str = ".lock";
/// How the names of files begin that are not whole yet.
const PARTIAL: &str = ".partial-";
/// The files that every run writes, beside folders.
const OWN_FILES: [&str; 6] = [MANIFEST, "scenario.toml", "rows.csv", "instances.csv", TIMES, "rows.journal"];
/// The folders of result files.
const FOLDERS: [&str; 3] = ["tables", "rows", COPIES];

/// A folder that no other run of the same part writes to.
pub(crate) struct Folder {
    path: PathBuf,
    /// The name of the journal of this part.
    journal: String,
    /// Locked as long as they are open.
    _locks: Vec<File>,
}

/// Files that are written but not yet visible under their names.
pub(crate) struct Staged<'a> {
    folder: &'a Folder,
    files: Vec<(String, NamedTempFile)>,
    digests: BTreeMap<String, String>,
}

/// The journals in a folder, by name.
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

/// The other folders that a run takes rows from: those that are merged.
pub(crate) fn sources(options: &RunOptions) -> Result<Vec<Folder>, RunError> {
    let Part::Merged(folders) = &options.part else { return Ok(Vec::new()) };
    let resolved = |path: &Path| fs::canonicalize(path).map_err(|error| RunError::io(path, error));
    let mut seen = vec![resolved(&options.out)?];
    let mut sources = Vec::new();
    for path in folders {
        let place = resolved(path)?;
        if !seen.contains(&place) {
            sources.push(Folder::alone(path)?);
            seen.push(place);
        }
    }
    Ok(sources)
}

impl Folder {
    /// Makes the folder of a run if it does not exist, and locks it: shards may share it with other shards, everything else
    /// has it alone.
    pub(crate) fn open(options: &RunOptions) -> Result<Folder, RunError> {
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
                Ok(Folder { path: path.clone(), journal: format!("rows{name}.journal"), _locks: locks })
            }
            Part::Whole | Part::Merged(_) => Folder::alone(path),
        }
    }

    /// Locks an existing folder.
    fn alone(path: &Path) -> Result<Folder, RunError> {
        let locks = vec![lock(path, LOCK, File::try_lock)?];
        remove_partial_files(path)?;
        Ok(Folder { path: path.to_owned(), journal: "rows.journal".to_owned(), _locks: locks })
    }

    /// The manifest of the finished run in the folder; `None` with a notice if it is damaged.
    pub(crate) fn manifest(&self, notices: &mut Vec<String>) -> Result<Option<Manifest>, RunError> {
        match Manifest::read(&self.path) {
            Ok(manifest) => Ok(manifest),
            Err(SealError::Damaged(fault)) => {
                notices.push(format!(
                    "{}: damaged or of another version ({fault}); the results in this folder are not reused",
                    self.path.join(MANIFEST).display()
                ));
                Ok(None)
            }
            Err(SealError::Io(error)) => Err(RunError::io(&self.path.join(MANIFEST), error)),
        }
    }

    /// A file of the finished run in the folder, if it is what that run wrote; otherwise `None`, with a notice.
    pub(crate) fn read(
        &self,
        manifest: &Manifest,
        name: &str,
        notices: &mut Vec<String>,
    ) -> Result<Option<String>, RunError> {
        let path = self.path.join(name);
        let bytes = existing(fs::read(&path)).map_err(|error| RunError::io(&path, error))?;
        let Some(bytes) = bytes else { return Ok(None) };
        match String::from_utf8(bytes) {
            Ok(text) if manifest.matches(name, text.as_bytes()) => Ok(Some(text)),
            _ => {
                notices.push(format!(
                    "{}: is not what the run wrote (checksum mismatch); its rows are computed again",
                    path.display()
                ));
                Ok(None)
            }
        }
    }

    /// The path of the journal of this part.
    pub(crate) fn journal(&self) -> PathBuf {
        self.path.join(&self.journal)
    }

    /// Begins the journal of this part, or goes on with it.
    pub(crate) fn open_journal(&self, header: &Header) -> Result<Journal, RunError> {
        let path = self.journal();
        let name = Header::path(Path::new(&self.journal));
        let mut staged = self.stage();
        staged.add(name.to_str().expect("names of journals are ASCII"), &seal::write(header))?;
        staged.publish()?;
        Journal::open(&path, &header.columns)
    }

    /// The journals in the folder, of this part and of others: the columns of each, and what was found in it. One without a
    /// readable header is taken to have these columns.
    pub(crate) fn read_journals(&self, columns: &[String]) -> Result<Vec<(Vec<String>, Found)>, RunError> {
        let read = |path: &PathBuf| {
            let header = Header::read(path).ok().flatten();
            let columns = header.map_or_else(|| columns.to_vec(), |header| header.columns);
            let found = journal::read(path, &columns)?;
            Ok((columns, found))
        };
        let paths = journals(&self.path).map_err(|error| RunError::io(&self.path, error))?;
        paths.iter().map(read).collect()
    }

    /// The notice about damaged lines of the journals.
    pub(crate) fn damage(&self, damaged: usize) -> Option<String> {
        (damaged > 0).then(|| {
            format!(
                "{}: {damaged} damaged or outdated lines are skipped; their rows are computed again",
                self.path.join("rows.journal").display()
            )
        })
    }

    /// The headers of the journals in the folder.
    fn headers(&self) -> Result<Vec<(PathBuf, Header)>, RunError> {
        let journals = journals(&self.path).map_err(|error| RunError::io(&self.path, error))?;
        let read = |journal: PathBuf| Ok(Header::read(&journal)?.map(|header| (journal, header)));
        journals.into_iter().filter_map(|journal| read(journal).transpose()).collect()
    }

    /// Checks that all journals in the folder belong to the run of this header.
    ///
    /// # Errors
    /// If one does not.
    pub(crate) fn check_headers(&self, header: &Header) -> Result<(), RunError> {
        for (journal, found) in self.headers()? {
            if let Some((what, here, there)) = header.difference(&found) {
                return Err(RunError::unusable(
                    &journal,
                    format_args!(
                        "{what} differs: `{here}` here, `{there}` there; only parts of one run can be merged"
                    ),
                ));
            }
        }
        Ok(())
    }

    /// Whether an independent checker followed all runs of the journals and of the results in the folder.
    pub(crate) fn is_audited(&self) -> Result<bool, RunError> {
        let is_off = |manifest: Option<Manifest>| manifest.is_some_and(|manifest| manifest.audit == "off");
        let has_others = Manifest::read(&self.path).is_ok_and(is_off);
        Ok(!has_others && self.headers()?.iter().all(|(_, header)| header.audit))
    }

    /// The keys in this part's own journal.
    pub(crate) fn own_keys(&self, columns: &[String]) -> Result<FxHashSet<Key>, RunError> {
        let found = journal::read(&self.journal(), columns)?;
        Ok(found.records.iter().filter_map(|record| record.get(0)?.parse().ok()).collect())
    }

    /// Removes what this part left when it was interrupted.
    pub(crate) fn remove_journal(&self) -> Result<(), RunError> {
        remove_journal(&self.journal())
    }

    /// Begins to write result files.
    pub(crate) fn stage(&self) -> Staged<'_> {
        Staged { folder: self, files: Vec::new(), digests: BTreeMap::new() }
    }

    /// Removes files of an earlier result that a new one does not have, and all journals.
    pub(crate) fn clean(
        &self,
        earlier: Option<&Manifest>,
        files: &BTreeMap<String, String>,
    ) -> Result<(), RunError> {
        if let Some(earlier) = earlier.filter(|earlier| earlier.outside().is_none()) {
            let mut old = earlier.files.keys().filter(|name| !files.contains_key(*name));
            old.try_for_each(|name| remove(&self.path.join(name)))?;
        }
        let journals = journals(&self.path).map_err(|error| RunError::io(&self.path, error))?;
        journals.iter().try_for_each(|journal| remove_journal(journal))
    }

    #[cfg(unix)]
    fn permissions(&self) -> io::Result<fs::Permissions> {
        // The lock was made as an ordinary file, under the user's mask.
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
            // Temporary files are private; results are as readable as any other new file.
            #[cfg(unix)]
            file.as_file().set_permissions(self.folder.permissions()?)?;
            Ok(file)
        };
        let file = write().map_err(|error: io::Error| RunError::io(&path, error))?;
        self.digests.insert(name.to_owned(), Digest::from_bytes(content.as_bytes()).to_string());
        self.files.push((name.to_owned(), file));
        Ok(())
    }
    /// The digests of the files, by name.
    pub(crate) fn digests(&self) -> &BTreeMap<String, String> {
        &self.digests
    }
    /// Gives all files their names, in the order in which they were added: earlier files are not touched until all
    /// of them are whole.
    pub(crate) fn publish(self) -> Result<(), RunError> {
        for (name, file) in self.files {
            let path = self.folder.path.join(name);
            file.persist(&path).map_err(|error| RunError::io(&path, error.error))?;
        }
        Ok(())
    }
}

/// Refuses a folder with files that a run would replace and that no run left there: it has neither the lock, nor a manifest,
/// nor a journal of a run.
fn refuse_foreign_files(folder: &Path) -> Result<(), RunError> {
    let has = |name: &str| folder.join(name).symlink_metadata().is_ok();
    let is_of_runs = has(LOCK)
        || matches!(Manifest::read(folder), Ok(Some(_)))
        || journals(folder).is_ok_and(|journals| journals.iter().any(|path| Header::path(path).exists()));
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
    // Opening a link would touch what it leads to.
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

/// Removes files that were not complete when a run was killed. No other process may be writing.
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
        existing(remove()).map_err(|error| RunError::io(&folder, error))?;
    }
    Ok(())
}

/// Removes a file, if it exists.
fn remove(path: &Path) -> Result<(), RunError> {
    existing(fs::remove_file(path)).map(drop).map_err(|error| RunError::io(path, error))
}

/// Removes a journal, then its header.
fn remove_journal(path: &Path) -> Result<(), RunError> {
    remove(path)?;
    remove(&Header::path(path))
}
