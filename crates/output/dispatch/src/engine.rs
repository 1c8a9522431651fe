//! What is asked of a batch system.

use crate::Sweep;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A batch system.
pub trait Engine {
    /// Its name, as `dfrsim submit --engine` takes it.
    fn name(&self) -> &'static str;
    /// The script that runs the missing shards.
    fn array_script(&self, sweep: &Sweep) -> String;
    /// The script that joins all shards.
    fn merge_script(&self, sweep: &Sweep) -> String;
    /// Submits a script, to begin once another job has ended, however it ended.
    ///
    /// # Errors
    /// If the batch system is not there or refuses the job.
    fn submit(&self, script: &Path, after: Option<&JobId>) -> Result<JobId, SubmitError>;
}

/// The name that the batch system gives to a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobId(pub String);

/// What was submitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Submitted {
    /// The array of shards; nothing if none was missing.
    pub array: Option<JobId>,
    /// What joins them.
    pub merge: JobId,
}

/// Why a sweep was not submitted.
#[derive(Debug, thiserror::Error)]
pub enum SubmitError {
    /// The program of the batch system could not be started.
    #[error("{program}: {error}; is the batch system installed on this machine?")]
    Program {
        /// The program.
        program: &'static str,
        /// What the system says.
        error: io::Error,
    },
    /// The batch system refuses the job.
    #[error("{program} refuses {}: {message}", script.display())]
    Refused {
        /// The program.
        program: &'static str,
        /// The script.
        script: PathBuf,
        /// What it says.
        message: String,
    },
    /// A script could not be written.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
}

/// Writes the scripts of a sweep into [`Sweep::folder`] and submits them: the missing shards, then the merge.
///
/// # Errors
/// If a script cannot be written, or the batch system is not there or refuses one.
pub fn submit(engine: &dyn Engine, sweep: &Sweep) -> Result<Submitted, SubmitError> {
    let folder = sweep.folder();
    fs::create_dir_all(&folder).map_err(|error| SubmitError::Io { path: folder.clone(), error })?;
    let write = |name: &str, script: String| {
        let path = folder.join(name);
        fs::write(&path, script).map_err(|error| SubmitError::Io { path: path.clone(), error })?;
        Ok(path)
    };
    let array = if sweep.missing.is_empty() {
        None
    } else {
        Some(engine.submit(&write("array.sh", engine.array_script(sweep))?, None)?)
    };
    let merge = engine.submit(&write("merge.sh", engine.merge_script(sweep))?, array.as_ref())?;
    Ok(Submitted { array, merge })
}
