//! The search path for logs.
//!
//! ```no_run
//! let path = dfrsim_workload::traces::locate("KTH-SP2-1996-2.1-cln.swf.gz")?;
//! # Ok::<(), dfrsim_workload::traces::NotFound>(())
//! ```

use std::env;
use std::path::{Path, PathBuf};

/// Environment variable that names a folder of logs.
pub const VARIABLE: &str = "DFRSIM_TRACES";

/// A log that was not found in any folder of the search path.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("log `{name}` not found; searched for {}{}", list(places), advice(name))]
pub struct NotFound {
    /// Requested name.
    pub name: String,
    /// Paths that were tried.
    pub places: Vec<PathBuf>,
}

fn list(places: &[PathBuf]) -> String {
    places.iter().map(|place| place.display().to_string()).collect::<Vec<_>>().join(", ")
}

/// Returns a hint to the sources of logs, for names of the Parallel Workloads Archive.
fn advice(name: &str) -> &'static str {
    if name.contains("-cln.swf") { "; see traces/README.md for the sources of these logs" } else { "" }
}

/// Returns the path of a log: the name itself if such a file exists; otherwise a file in `traces`,
/// in the folder that `DFRSIM_TRACES` names, or in `../shared/traces`.
///
/// # Errors
///
/// [`NotFound`] with the paths that were tried.
pub fn locate(name: impl AsRef<Path>) -> Result<PathBuf, NotFound> {
    locate_from(Path::new(""), name)
}

/// Finds a log as [`locate`] does, with relative paths resolved against `base` instead of the
/// current folder.
///
/// # Errors
///
/// [`NotFound`] with the paths that were tried.
pub fn locate_from(base: &Path, name: impl AsRef<Path>) -> Result<PathBuf, NotFound> {
    let name = name.as_ref();
    let folders = [
        Some(PathBuf::new()),
        Some(PathBuf::from("traces")),
        env::var_os(VARIABLE).filter(|folder| !folder.is_empty()).map(PathBuf::from),
        Some(PathBuf::from("../shared/traces")),
    ];
    let mut places: Vec<PathBuf> =
        folders.iter().flatten().map(|folder| base.join(folder).join(name)).collect();
    // An absolute path gives the same candidate for every folder.
    places.dedup();
    // Pipes can be read like files; only folders cannot.
    match places.iter().find(|place| place.exists() && !place.is_dir()) {
        Some(found) => Ok(found.clone()),
        None => Err(NotFound { name: name.display().to_string(), places }),
    }
}

/// Finds a log as [`locate`] does, and then in `folder`, the folder of the scenario, as
/// [`locate_from`] does.
///
/// # Errors
///
/// [`NotFound`] with the paths that were tried from the current folder.
pub fn locate_with_fallback(name: impl AsRef<Path>, folder: Option<&Path>) -> Result<PathBuf, NotFound> {
    let name = name.as_ref();
    locate(name).or_else(|missing| folder.and_then(|folder| locate_from(folder, name).ok()).ok_or(missing))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: &str = env!("CARGO_MANIFEST_DIR");

    #[test]
    fn a_file_is_found_by_its_path() {
        let relative = locate_from(Path::new(BASE), "Cargo.toml").unwrap();
        assert_eq!(locate(relative.to_str().unwrap()), Ok(relative));
    }

    #[test]
    fn a_missing_log_is_reported_with_the_places() {
        let message = locate_from(Path::new(BASE), "none.swf").unwrap_err().to_string();
        assert!(message.starts_with("log `none.swf` not found; searched for "), "{message}");
        assert!(
            message.contains("traces/none.swf") && message.contains("../shared/traces/none.swf"),
            "{message}"
        );
    }
}
