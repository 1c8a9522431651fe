//! What is asked of a batch system.

use super::sweep::{Sweep, UnfitText};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A batch system.
pub(super) trait Engine {
    /// Its name, as `dfrsim submit --engine` takes it.
    fn name(&self) -> &'static str;
    /// The script that runs the missing shards of a sweep that was [checked](Sweep::check).
    fn array_script(&self, sweep: &Sweep) -> String;
    /// The script that joins all shards of a sweep that was [checked](Sweep::check).
    fn merge_script(&self, sweep: &Sweep) -> String;
    /// Submits a script, to begin once another job has ended, however it ended.
    ///
    /// # Errors
    /// If the batch system is not there or refuses the job.
    fn submit(&self, script: &Path, after: Option<&JobId>) -> Result<JobId, SubmitError>;
}

/// The name that the batch system gives to a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct JobId(pub String);

/// What was submitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Submitted {
    /// The array of shards; `None` if none was missing.
    pub(super) array: Option<JobId>,
    /// What joins them.
    pub(super) merge: JobId,
}

/// Why a sweep was not submitted.
#[derive(Debug, thiserror::Error)]
pub(super) enum SubmitError {
    /// The program of the batch system could not be started.
    #[error("{program}: {error}; is the batch system installed on this machine?")]
    Program {
        /// The program.
        program: &'static str,
        /// The message of the system.
        error: io::Error,
    },
    /// The batch system refuses the job.
    #[error("{program} rejected {}: {message}", script.display())]
    Refused {
        /// The program.
        program: &'static str,
        /// The script.
        script: PathBuf,
        /// What it says.
        message: String,
    },
    /// The array of shards was submitted, and the merge after it was not.
    #[error("the shards are submitted as job {}, but not the merge: {error}; when the shards have ended, `dfrsim results merge` joins them", array.0)]
    Merge {
        /// The array of shards.
        array: JobId,
        /// Why the merge was not.
        error: Box<SubmitError>,
    },
    /// A text of the sweep cannot be in a script.
    #[error(transparent)]
    Text(#[from] UnfitText),
    /// A script could not be written.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The message of the system.
        error: io::Error,
    },
}

/// Writes the scripts of a sweep into [`Sweep::folder`] and submits them: the missing shards, then the merge.
///
/// # Errors
/// If a script cannot be written, or the batch system is not there or refuses one.
pub(super) fn submit(engine: &dyn Engine, sweep: &Sweep) -> Result<Submitted, SubmitError> {
    sweep.check()?;
    let folder = sweep.folder();
    fs::create_dir_all(&folder).map_err(|error| SubmitError::Io { path: folder.clone(), error })?;
    let write = |name: &str, script: String| {
        let path = folder.join(name);
        // A link is removed, not followed.
        let removed = match path.is_symlink() {
            true => fs::remove_file(&path),
            false => Ok(()),
        };
        let written = removed.and_then(|()| fs::write(&path, script));
        written.map_err(|error| SubmitError::Io { path: path.clone(), error })?;
        Ok(path)
    };
    let array = if sweep.missing.is_empty() {
        None
    } else {
        Some(engine.submit(&write("array.sh", engine.array_script(sweep))?, None)?)
    };
    let merge = write("merge.sh", engine.merge_script(sweep))
        .and_then(|script| engine.submit(&script, array.as_ref()));
    match (merge, array) {
        (Ok(merge), array) => Ok(Submitted { array, merge }),
        (Err(error), Some(array)) => Err(SubmitError::Merge { array, error: Box::new(error) }),
        (Err(error), None) => Err(error),
    }
}
