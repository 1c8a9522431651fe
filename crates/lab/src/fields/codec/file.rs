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

/// A file, or what could be in it.
#[derive(Clone, Debug, PartialEq)]
pub enum FileOr<T> {
    /// The file.
    File(LocatedFile),
    /// What the scenario itself has.
    Here(T),
}

/// The name of a file, or a value of another codec, which is no text.
pub fn file_or<T: 'static>(here: Codec<T>) -> Codec<FileOr<T>> {
    let named = file();
    let shape = format!("{} or {}", named.shape, here.shape);
    let (read_file, write_file) = (named.read, named.write);
    let (read_here, write_here) = (here.read, here.write);
    Codec::new(
        shape,
        |_| true,
        move |at, reader| match at.text() {
            Some(_) => read_file(at, reader).map(FileOr::File),
            None => read_here(at, reader).map(FileOr::Here),
        },
        move |value| match value {
            FileOr::File(file) => write_file(file),
            FileOr::Here(here) => write_here(here),
        },
    )
}

fn beside(name: &str, folder: Option<&Path>) -> Result<PathBuf, String> {
    let path = folder.map_or_else(|| name.into(), |folder| folder.join(name));
    if path.exists() { Ok(path) } else { Err(format!("there is no file {}", path.display())) }
}
