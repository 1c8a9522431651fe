//! The folder of a run's results.

use crate::journal::Found;
use crate::results::{self, ROWS, ResultsError};
use crate::row::Row;
use crate::{RunError, Table, journal, table_file};
use std::fs::{self, File, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

const LOCK: &str = ".lock";
/// What an unfinished run leaves in its folder.
pub(crate) const JOURNAL: &str = "rows.journal";

/// A folder that no other run writes to.
pub(crate) struct Folder {
    path: PathBuf,
    /// Locked as long as it is open.
    _lock: File,
}

/// Rows of earlier runs.
#[derive(Debug, Default)]
pub(crate) struct Earlier {
    pub(crate) rows: Vec<Row>,
    pub(crate) notices: Vec<String>,
}

impl Folder {
    /// Makes the folder if it is not there, and locks it.
    pub(crate) fn lock(path: &Path) -> Result<Folder, RunError> {
        fs::create_dir_all(path.join("tables")).map_err(|error| RunError::io(path, error))?;
        let lock_path = path.join(LOCK);
        let lock = File::create(&lock_path).map_err(|error| RunError::io(&lock_path, error))?;
        match lock.try_lock() {
            Ok(()) => Ok(Folder { path: path.to_owned(), _lock: lock }),
            Err(TryLockError::WouldBlock) => Err(RunError::Locked { folder: path.to_owned() }),
            Err(TryLockError::Error(error)) => Err(RunError::io(&lock_path, error)),
        }
    }

    pub(crate) fn journal(&self) -> PathBuf {
        self.path.join(JOURNAL)
    }

    /// The rows that earlier runs left here: of the last one that was finished, then of those that were not.
    pub(crate) fn earlier(&self) -> Result<Earlier, RunError> {
        let mut journal = journal::read(&self.journal(), Row::columns())?;
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
                self.journal().display()
            )
        })
    }

    fn read_rows(&self, earlier: &mut Earlier) -> Result<(), RunError> {
        match results::read_rows(&self.path.join(ROWS)) {
            Ok(rows) => earlier.rows = rows,
            Err(ResultsError::Io { error, .. }) if error.kind() == io::ErrorKind::NotFound => {}
            Err(ResultsError::Io { path, error }) => return Err(RunError::io(&path, error)),
            Err(ResultsError::Columns { path }) => earlier
                .notices
                .push(format!("{}: has other columns; its rows are not reused", path.display())),
            Err(ResultsError::Faults { path, rows, faults }) => {
                earlier.rows = rows;
                let damaged = faults.len();
                earlier
                    .notices
                    .push(format!("{}: {damaged} damaged rows are computed again", path.display()));
            }
        }
        Ok(())
    }

    /// Forgets what an interrupted run left.
    pub(crate) fn remove_journal(&self) -> Result<(), RunError> {
        let path = self.journal();
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(RunError::io(&path, error)),
            _ => Ok(()),
        }
    }

    pub(crate) fn write_rows(&self, rows: &[Row]) -> Result<(), RunError> {
        self.write_records(ROWS, Row::columns(), rows.iter().map(Row::write))
    }

    /// Writes records with their columns, as a whole.
    pub(crate) fn write_records<'a>(
        &self,
        name: &str,
        columns: impl IntoIterator<Item = &'a str>,
        records: impl IntoIterator<Item = Vec<String>>,
    ) -> Result<(), RunError> {
        let header = columns.into_iter().map(str::to_owned).collect();
        let records: Vec<Vec<String>> = std::iter::once(header).chain(records).collect();
        self.write(name, &table_file::lines(records.iter().map(Vec::as_slice)))
    }

    /// A file of the folder, if it is there.
    pub(crate) fn read(&self, name: &str) -> Result<Option<String>, RunError> {
        let path = self.path.join(name);
        match fs::read_to_string(&path) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(RunError::io(&path, error)),
        }
    }

    /// Writes a table as `tables/NAME.csv` and `tables/NAME.md`; one without lines is left out.
    pub(crate) fn write_table(&self, name: &str, table: &Table) -> Result<(), RunError> {
        if table.is_empty() {
            return Ok(());
        }
        self.write(&format!("tables/{name}.csv"), &table.csv())?;
        self.write(&format!("tables/{name}.md"), &table.markdown())
    }

    /// Writes a file as a whole: whoever looks sees the old one or the new one, whatever happens in between.
    pub(crate) fn write(&self, name: &str, content: &str) -> Result<(), RunError> {
        let path = self.path.join(name);
        let write = || {
            let folder = path.parent().unwrap_or(&self.path);
            let mut file = tempfile::Builder::new().prefix(".partial-").tempfile_in(folder)?;
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
