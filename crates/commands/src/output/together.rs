//! Output files that appear together.

use super::OutputFile;
use crate::failure::Failure;
use std::fs;
use std::io::Write as _;
use std::path::Path;

/// Output files of one command, which appear when all of them are complete: if the disk is full,
/// none appears.
#[derive(Default)]
pub(crate) struct OutputFiles(Vec<OutputFile>);

impl OutputFiles {
    /// Creates the folder if it is missing, and an empty set of files.
    pub(crate) fn in_folder(folder: &Path) -> Result<OutputFiles, Failure> {
        fs::create_dir_all(folder).map_err(|error| Failure::output(folder.display(), &error))?;
        Ok(OutputFiles::default())
    }

    /// Adds a file that was written.
    pub(crate) fn add(&mut self, mut file: OutputFile) -> Result<(), Failure> {
        file.flush().map_err(|error| file.failure(&error))?;
        self.0.push(file);
        Ok(())
    }

    /// Writes and adds another file.
    pub(crate) fn add_bytes(&mut self, path: &Path, bytes: impl AsRef<[u8]>) -> Result<(), Failure> {
        let mut file = OutputFile::create(path)?;
        file.write_all(bytes.as_ref()).map_err(|error| file.failure(&error))?;
        self.add(file)
    }

    /// Completes all files and moves them to their paths. Pipes and devices come first, because they
    /// may still fail.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        let (direct, regular): (Vec<_>, Vec<_>) = self.0.into_iter().partition(OutputFile::is_direct);
        direct.into_iter().chain(regular).try_for_each(OutputFile::finish)
    }
}
