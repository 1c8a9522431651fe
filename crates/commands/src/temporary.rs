//! Temporary folders that are removed even if the program ends early.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use tempfile::{Builder, TempDir};

/// Folders that exist. A thread that ends the program removes them, as no destructor runs then.
static FOLDERS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Temporary folder, which is removed with its contents when it is dropped.
pub(crate) struct TemporaryFolder(TempDir);

impl TemporaryFolder {
    /// Creates a folder where the system keeps temporary files.
    pub(crate) fn new() -> io::Result<TemporaryFolder> {
        Ok(TemporaryFolder::of(tempfile::tempdir()?))
    }
    /// Creates a folder in another one.
    pub(crate) fn within(folder: &Path) -> io::Result<TemporaryFolder> {
        Ok(TemporaryFolder::of(Builder::new().prefix(".dfrsim-").tempdir_in(folder)?))
    }
    fn of(folder: TempDir) -> TemporaryFolder {
        FOLDERS.lock().unwrap_or_else(PoisonError::into_inner).push(folder.path().to_owned());
        TemporaryFolder(folder)
    }
    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        FOLDERS.lock().unwrap_or_else(PoisonError::into_inner).retain(|folder| folder != self.0.path());
    }
}

/// Removes all temporary folders, before the program ends without running destructors.
pub(crate) fn remove_all() {
    for folder in FOLDERS.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
        // The program ends with a message about something else.
        _ = std::fs::remove_dir_all(folder);
    }
}
