//! The folder of a run's results.

use crate::digests::{ALTERED, Digests, MANIFEST};
use crate::header::Header;
use crate::journal::{Found, Journal};
use crate::key::Key;
use crate::results::{ROWS, RowsFault, rows_of};
use crate::row::Row;
use crate::{Part, RunError, RunOptions, Table, journal, table_file};
use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

const LOCK: &str = ".lock";
/// How the names of files begin that are not whole yet.
const PARTIAL: &str = ".partial-";
/// What an unfinished run leaves in its folder; those of shards have their number in the name.
pub(crate) const JOURNAL: &str = "rows.journal";

/// A folder that no other run of the same part writes to.
pub(crate) struct Folder {
    path: PathBuf,
    /// The name of the journal of this part.
    journal: String,
    /// Of the result files that were written.
    digests: Digests,
    /// Locked as long as they are open.
    _locks: Vec<File>,
}

/// Rows of earlier runs.
#[derive(Debug, Default)]
pub(crate) struct Earlier {
    pub(crate) rows: Vec<Row>,
    pub(crate) notices: Vec<String>,
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
    journals.sort();
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
    /// Makes the folder of a run if it is not there, and locks it: shards may share it with other shards, everything else
    /// has it alone.
    pub(crate) fn of(options: &RunOptions) -> Result<Folder, RunError> {
        let path = &options.out;
        fs::create_dir_all(path.join("tables")).map_err(|error| RunError::io(path, error))?;
        match options.part {
            Part::Shard(shard) => {
                let name = format!("-{}-of-{}", shard.number(), shard.of());
                let locks = vec![
                    lock(path, LOCK, File::try_lock_shared)?,
                    lock(path, &format!("{LOCK}{name}"), File::try_lock)?,
                ];
                let journal = format!("rows{name}.journal");
                Ok(Folder { path: path.clone(), journal, digests: Digests::default(), _locks: locks })
            }
            Part::Whole | Part::Merged(_) => Folder::alone(path),
        }
    }

    /// Locks a folder that is there.
    fn alone(path: &Path) -> Result<Folder, RunError> {
        let locks = vec![lock(path, LOCK, File::try_lock)?];
        remove_partial_files(path)?;
        let (path, journal) = (path.to_owned(), JOURNAL.to_owned());
        Ok(Folder { path, journal, digests: Digests::default(), _locks: locks })
    }

    /// Where records of this part are kept until it is through.
    pub(crate) fn journal(&self) -> PathBuf {
        self.path.join(&self.journal)
    }

    /// Begins the journal of this part, or goes on with it.
    pub(crate) fn open_journal(&self, header: &Header) -> Result<Journal, RunError> {
        let path = self.journal();
        let name = Header::path(Path::new(&self.journal));
        self.replace(name.to_str().expect("names of journals are ASCII"), &header.to_toml())?;
        Journal::open(&path, header.columns.iter().map(String::as_str))
    }

    /// What all journals in the folder have, this part's own and those of others.
    pub(crate) fn read_journals(&self, columns: &[&str]) -> Result<Found, RunError> {
        let mut all = Found::default();
        for path in journals(&self.path).map_err(|error| RunError::io(&self.path, error))? {
            let found = journal::read(&path, columns.iter().copied())?;
            all.records.extend(found.records);
            all.damaged += found.damaged;
        }
        Ok(all)
    }

    /// Whether what the journals in the folder are of is what this run is of.
    ///
    /// # Errors
    /// If one is of something else.
    pub(crate) fn check_headers(&self, header: &Header) -> Result<(), RunError> {
        for journal in journals(&self.path).map_err(|error| RunError::io(&self.path, error))? {
            let Some(found) = Header::read(&journal)? else { continue };
            if let Some((what, here, there)) = header.difference(&found) {
                return Err(RunError::Mixture { journal, what, here, there });
            }
        }
        Ok(())
    }

    /// The keys in this part's own journal.
    pub(crate) fn own_keys<'a>(
        &self,
        columns: impl IntoIterator<Item = &'a str>,
    ) -> Result<BTreeSet<Key>, RunError> {
        let found = journal::read(&self.journal(), columns)?;
        Ok(found.records.iter().filter_map(|record| record.get(0)?.parse().ok()).collect())
    }

    /// The rows that earlier runs left here: of the last one that was finished, then of those that were not.
    pub(crate) fn earlier(&self) -> Result<Earlier, RunError> {
        let mut journal = self.read_journals(&Row::columns().collect::<Vec<_>>())?;
        let mut earlier = Earlier::default();
        self.read_rows(&mut earlier)?;
        for record in &journal.records {
            match Row::read(&record.iter().collect::<Vec<_>>()) {
                Ok(row) => earlier.rows.push(row),
                Err(_) => journal.damaged += 1,
            }
        }
        earlier.notices.extend(self.damage(&journal));
        Ok(earlier)
    }

    /// What is to be said of a journal.
    pub(crate) fn damage(&self, journal: &Found) -> Option<String> {
        let Found { damaged, .. } = *journal;
        (damaged > 0).then(|| {
            format!(
                "{}: {damaged} damaged or outdated lines are left out; their rows are computed again",
                self.path.join(JOURNAL).display()
            )
        })
    }

    fn read_rows(&self, earlier: &mut Earlier) -> Result<(), RunError> {
        let Some(text) = self.read(ROWS, &mut earlier.notices)? else { return Ok(()) };
        match rows_of(&self.path.join(ROWS), &text) {
            Ok(rows) => earlier.rows = rows,
            Err(RowsFault::Columns { path }) => earlier
                .notices
                .push(format!("{}: has other columns; its rows are not reused", path.display())),
            Err(RowsFault::Lines { path, rows, faults }) => {
                earlier.rows = rows;
                let damaged = faults.len();
                earlier
                    .notices
                    .push(format!("{}: {damaged} damaged rows are computed again", path.display()));
            }
        }
        Ok(())
    }

    /// Forgets what this part left when it was interrupted.
    pub(crate) fn remove_journal(&self) -> Result<(), RunError> {
        remove_journal(&self.journal())
    }

    pub(crate) fn write_rows(&mut self, rows: &[Row]) -> Result<(), RunError> {
        self.write_records(ROWS, Row::columns(), rows.iter().map(Row::write))
    }

    /// Writes records with their columns, as a whole.
    pub(crate) fn write_records<'a>(
        &mut self,
        name: &str,
        columns: impl IntoIterator<Item = &'a str>,
        records: impl IntoIterator<Item = Vec<String>>,
    ) -> Result<(), RunError> {
        let header = columns.into_iter().map(str::to_owned).collect();
        let records: Vec<Vec<String>> = std::iter::once(header).chain(records).collect();
        self.write(name, &table_file::lines(records.iter().map(Vec::as_slice)))
    }

    /// A file of the run that was finished here, if it is there and is what that run wrote.
    pub(crate) fn read(&self, name: &str, notices: &mut Vec<String>) -> Result<Option<String>, RunError> {
        let path = self.path.join(name);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(RunError::io(&path, error)),
        };
        let digests =
            Digests::of_folder(&self.path).map_err(|error| RunError::io(&self.path.join(MANIFEST), error))?;
        if digests.differ(name, &bytes) {
            notices.push(format!("{}: {ALTERED}; it is not reused", path.display()));
            return Ok(None);
        }
        Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// Writes a table as `tables/NAME.csv` and `tables/NAME.md`; one without lines is left out.
    pub(crate) fn write_table(&mut self, name: &str, table: &Table) -> Result<(), RunError> {
        if table.is_empty() {
            return Ok(());
        }
        self.write(&format!("tables/{name}.csv"), &table.csv())?;
        self.write(&format!("tables/{name}.md"), &table.markdown())
    }

    /// Writes a result file as a whole.
    pub(crate) fn write(&mut self, name: &str, content: &str) -> Result<(), RunError> {
        self.digests.note(name, content);
        self.replace(name, content)
    }

    /// Writes the manifest when all result files are there, and forgets what the parts left.
    pub(crate) fn finish(&self, manifest: &str) -> Result<(), RunError> {
        self.replace(MANIFEST, &format!("{manifest}\n{}", self.digests.to_toml()))?;
        let journals = journals(&self.path).map_err(|error| RunError::io(&self.path, error))?;
        journals.iter().try_for_each(|journal| remove_journal(journal))
    }

    /// Writes a file as a whole: whoever looks sees the old one or the new one, whatever happens in between.
    fn replace(&self, name: &str, content: &str) -> Result<(), RunError> {
        let path = self.path.join(name);
        let write = || {
            let folder = path.parent().unwrap_or(&self.path);
            let mut file = tempfile::Builder::new().prefix(PARTIAL).tempfile_in(folder)?;
            file.write_all(content.as_bytes())?;
            file.as_file().sync_all()?;
            // Temporary files are private; results are as readable as any other new file.
            #[cfg(unix)]
            file.as_file().set_permissions(self.permissions()?)?;
            file.persist(&path)?;
            Ok(())
        };
        write().map_err(|error: io::Error| RunError::io(&path, error))
    }

    #[cfg(unix)]
    fn permissions(&self) -> io::Result<fs::Permissions> {
        // The lock was made as an ordinary file, under the user's mask.
        fs::metadata(self.path.join(LOCK)).map(|metadata| metadata.permissions())
    }
}

fn lock(
    folder: &Path,
    name: &str,
    take: impl Fn(&File) -> Result<(), TryLockError>,
) -> Result<File, RunError> {
    let path = folder.join(name);
    let file = File::create(&path).map_err(|error| RunError::io(&path, error))?;
    match take(&file) {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(RunError::Locked { folder: folder.to_owned() }),
        Err(TryLockError::Error(error)) => Err(RunError::io(&path, error)),
    }
}

/// Removes files that a run was killed over before they were whole. Nobody else may be writing.
fn remove_partial_files(folder: &Path) -> Result<(), RunError> {
    for folder in [folder.to_owned(), folder.join("tables")] {
        let remove = || -> io::Result<()> {
            for entry in fs::read_dir(&folder)? {
                let entry = entry?;
                if entry.file_name().to_str().is_some_and(|name| name.starts_with(PARTIAL)) {
                    fs::remove_file(entry.path())?;
                }
            }
            Ok(())
        };
        match remove() {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(RunError::io(&folder, error));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Removes a journal, then its header.
fn remove_journal(path: &Path) -> Result<(), RunError> {
    for path in [path, &Header::path(path)] {
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(RunError::io(path, error)),
            _ => {}
        }
    }
    Ok(())
}
