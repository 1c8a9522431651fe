//! The search path for logs.
//!
//! ```no_run
//! let path = dfrsim_workload::traces::locate("KTH-SP2-1996-2.1-cln.swf.gz")?;
//! # Ok::<(), dfrsim_workload::traces::NotFound>(())
//! ```

use std::env;
use std::iter;
use std::path::{Path, PathBuf};

/// Environment variable that names a folder of logs.
pub const VARIABLE: &str = "DFRSIM_TRACES";

/// A log that was not found in any folder of the search path.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "log `{name}` {}; searched for {}{}{}",
    if Path::new(name).is_dir() { "is a folder, expected a file" } else { "not found" },
    list(places),
    advice(name),
    in_current_folder(elsewhere)
)]
pub struct NotFound {
    /// Requested name.
    pub name: String,
    /// Paths that were tried.
    pub places: Vec<PathBuf>,
    /// File that the name would mean relative to the current folder, for a name in a scenario.
    pub elsewhere: Option<PathBuf>,
}

fn in_current_folder(elsewhere: &Option<PathBuf>) -> &'static str {
    match elsewhere {
        Some(_) => "; the current folder has such a file, but names in a scenario are relative to its folder",
        None => "",
    }
}

fn list(places: &[PathBuf]) -> String {
    places.iter().map(|place| place.display().to_string()).collect::<Vec<_>>().join(", ")
}

/// Returns a hint to the sources of logs, for names of the Parallel Workloads Archive.
fn advice(name: &str) -> &'static str {
    if name.contains("-cln.swf") { "; see traces/README.md for the sources of these logs" } else { "" }
}

/// Returns the path of a log: the name itself if such a file exists; otherwise a file in `traces` or
/// in the folder that `DFRSIM_TRACES` names.
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
    let places = iter::once(PathBuf::new()).chain(search_path());
    first_of(name, places.map(|folder| base.join(folder).join(name)).collect()).map(|found| found.path)
}

/// A log of a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Path of the file.
    pub path: PathBuf,
    /// Other files of this name, which the search path would have found later, or which a name
    /// relative to the current folder would mean.
    pub others: Vec<PathBuf>,
}

/// Finds a log that a scenario names. The name is relative to the folder of the scenario, or to the
/// current folder if the scenario has none. A name without a folder is then searched for in `traces`
/// and in the folder that `DFRSIM_TRACES` names.
///
/// # Errors
///
/// [`NotFound`] with the paths that were tried.
pub fn locate_beside(name: impl AsRef<Path>, folder: Option<&Path>) -> Result<Found, NotFound> {
    let name = name.as_ref();
    let is_bare = name.parent().is_some_and(|parent| parent.as_os_str().is_empty());
    let mut places = vec![folder.unwrap_or(Path::new("")).join(name)];
    if is_bare {
        places.extend(search_path().map(|folder| folder.join(name)));
    }
    let mut found = first_of(name, places)
        .map_err(|missing| NotFound { elsewhere: is_log(name).then(|| name.to_owned()), ..missing })?;
    add_other(&mut found, name.to_owned());
    Ok(found)
}

/// Returns the folders in which logs are searched for.
fn search_path() -> impl Iterator<Item = PathBuf> {
    let named = env::var_os(VARIABLE).filter(|folder| !folder.is_empty()).map(PathBuf::from);
    [Some(PathBuf::from("traces")), named].into_iter().flatten()
}

/// Returns whether a path can be read as a log. Pipes can be read like files; only folders cannot.
fn is_log(path: &Path) -> bool {
    path.exists() && !path.is_dir()
}

/// Returns the first path that exists, with the later ones that are other files.
fn first_of(name: &Path, mut places: Vec<PathBuf>) -> Result<Found, NotFound> {
    // An absolute path gives the same candidate for every folder.
    places.dedup();
    let Some(place) = places.iter().position(|place| is_log(place)) else {
        return Err(NotFound { name: name.display().to_string(), places, elsewhere: None });
    };
    let mut found = Found { path: places[place].clone(), others: Vec::new() };
    places.into_iter().skip(place + 1).for_each(|other| add_other(&mut found, other));
    Ok(found)
}

/// Adds another file of the same name, unless it is one of the known ones.
fn add_other(found: &mut Found, other: PathBuf) {
    let Ok(real) = other.canonicalize() else { return };
    let is_known = |known: &PathBuf| known.canonicalize().is_ok_and(|known| known == real);
    if is_log(&other) && !iter::once(&found.path).chain(&found.others).any(is_known) {
        found.others.push(other);
    }
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
        assert!(message.contains("traces/none.swf"), "{message}");
    }

    #[test]
    fn a_log_of_a_scenario_is_beside_it_and_another_one_is_told() {
        let src = Path::new(BASE).join("src");
        let found = locate_beside("lib.rs", Some(&src)).unwrap();
        assert_eq!(found, Found { path: src.join("lib.rs"), others: Vec::new() });
        // Tests run in the folder of their crate, which has another file of this name.
        let found = locate_beside("../Cargo.toml", Some(&src)).unwrap();
        assert_eq!(found.path, src.join("../Cargo.toml"));
        let missing = locate_beside("src/lib.rs", Some(&src)).unwrap_err();
        assert_eq!(missing.places, [src.join("src/lib.rs")]);
        assert!(missing.to_string().contains("the current folder has such a file"), "{missing}");
    }
}
