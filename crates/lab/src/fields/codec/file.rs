//! Files that a scenario names.

use super::super::uses::UsedFile;
use super::Codec;
use std::fmt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
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
#[derive(Clone)]
pub struct FileLocator(Arc<Locate>);

type Locate = dyn Fn(&str, Option<&Path>) -> Result<PathBuf, String> + Send + Sync;

impl FileLocator {
    /// A locator of a function.
    pub fn new(
        locate: impl Fn(&str, Option<&Path>) -> Result<PathBuf, String> + Send + Sync + 'static,
    ) -> FileLocator {
        FileLocator(Arc::new(locate))
    }
    /// Where a file is.
    ///
    /// # Errors
    /// In one line, if it is nowhere.
    pub fn locate(&self, name: &str, folder: Option<&Path>) -> Result<PathBuf, String> {
        (self.0)(name, folder)
    }
}

impl Default for FileLocator {
    fn default() -> FileLocator {
        FileLocator::new(beside)
    }
}

impl fmt::Debug for FileLocator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FileLocator")
    }
}

/// A file that exists; written back by the name that the scenario gives it. Results keep a copy.
pub fn file() -> Codec<LocatedFile> {
    used("the name of a file", true)
}

/// A log that exists, of which results keep no copy.
pub fn log() -> Codec<LocatedFile> {
    used("the name of a log", false)
}

fn used(shape: &'static str, is_copied: bool) -> Codec<LocatedFile> {
    let located = Codec::new(
        shape,
        |at| at.text().is_some(),
        move |at, reader| {
            let Some(given) = at.text() else { return reader.expected(at, shape) };
            let locator = reader.environment().cloned().unwrap_or_else(FileLocator::default);
            let path = reader.value_of(at, locator.locate(given, reader.folder()))?;
            Some(LocatedFile { given: given.to_owned(), path })
        },
        |file: &LocatedFile| Some(Value::String(file.given.clone())),
    );
    located.using(move |LocatedFile { given, path }, uses| {
        uses.file(UsedFile { given: given.clone(), path: path.clone(), is_copied });
    })
}

/// A folder in the results into which a run writes besides its rows and tables: a relative path without `..`. It cannot be one
/// of those that every run writes, nor begin with a dot.
pub fn result_folder() -> Codec<String> {
    const SHAPE: &str = "the name of a folder in the results, such as \"events\"";
    Codec::scalar(
        SHAPE,
        |at| at.text().map(str::to_owned),
        |name| is_inside(&name).then_some(name),
        |name: &String| Value::String(name.clone()),
    )
}

/// Whether a name is that of a folder that results may have beside their own files.
fn is_inside(name: &str) -> bool {
    const OWN: [&str; 3] = ["tables", "rows", "inputs"];
    let parts: Vec<Component<'_>> = Path::new(name).components().collect();
    let is_plain = |part: &Component<'_>| {
        let text = part.as_os_str().to_string_lossy();
        matches!(part, Component::Normal(_)) && !text.starts_with('.') && !text.contains(char::is_control)
    };
    let first = parts.first().map(|part| part.as_os_str().to_string_lossy().into_owned());
    first.is_some_and(|first| !OWN.contains(&first.as_str())) && parts.iter().all(is_plain)
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
    let shape = format!("{} or {}", named.shape(), here.shape());
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
