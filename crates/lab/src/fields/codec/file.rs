//! Files that a scenario names.

use super::Codec;
use std::fmt;
use std::path::{Path, PathBuf};
use toml::Value;

/// A file that a scenario names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocatedFile {
    /// Its name in the scenario.
    pub given: String,
    /// Where it is.
    pub path: PathBuf,
}

/// Where a file of some name is, for a scenario in some folder; or what is wrong. [`file()`] takes it from the
/// environment; without one, names are relative to the folder.
#[derive(Clone, Copy)]
pub struct FileLocator(pub fn(name: &str, folder: Option<&Path>) -> Result<PathBuf, String>);

impl fmt::Debug for FileLocator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FileLocator")
    }
}

/// A file that exists; written back by the name that the scenario gives it.
#[must_use]
pub fn file() -> Codec<LocatedFile> {
    const SHAPE: &str = "the name of a file";
    Codec::new(
        SHAPE,
        |at| at.text().is_some(),
        |at, reader| {
            let Some(given) = at.text() else { return reader.expected(at, SHAPE) };
            if reader.is_detached() {
                return Some(LocatedFile { given: given.to_owned(), path: given.into() });
            }
            let FileLocator(locate) = reader.environment().copied().unwrap_or(FileLocator(beside));
            let path = reader.value_of(at, locate(given, reader.folder()))?;
            Some(LocatedFile { given: given.to_owned(), path })
        },
        |file: &LocatedFile| Some(Value::String(file.given.clone())),
    )
}

fn beside(name: &str, folder: Option<&Path>) -> Result<PathBuf, String> {
    let path = folder.map_or_else(|| name.into(), |folder| folder.join(name));
    if path.exists() { Ok(path) } else { Err(format!("there is no file {}", path.display())) }
}
