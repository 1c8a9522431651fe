//! Files named in a scenario.

use super::super::uses::UsedFile;
use super::Codec;
use std::fmt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use toml::Value;

/// A file named in a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocatedFile {
    /// Name in the scenario.
    pub given: String,
    /// Location of the file.
    pub path: PathBuf,
    /// Other files that the name could mean, which are not read.
    pub others: Vec<PathBuf>,
}

/// A file to be found.
#[derive(Clone, Copy, Debug)]
pub struct FileRequest<'a> {
    /// Name in the scenario.
    pub name: &'a str,
    /// Folder of the scenario, if it has one.
    pub folder: Option<&'a Path>,
    /// True for logs, which may be in folders of their own.
    pub is_log: bool,
}

/// Function that finds the files of scenarios. [`file()`] and [`log()`] take it from the environment;
/// without one, names are relative to the folder of the scenario.
#[derive(Clone)]
pub struct FileLocator(Arc<Locate>);

type Locate = dyn Fn(&FileRequest<'_>) -> Result<LocatedFile, String> + Send + Sync;

impl FileLocator {
    /// Wraps a function as a locator.
    pub fn new(
        locate: impl Fn(&FileRequest<'_>) -> Result<LocatedFile, String> + Send + Sync + 'static,
    ) -> FileLocator {
        FileLocator(Arc::new(locate))
    }
    /// Finds a file.
    ///
    /// # Errors
    /// Returns a message of one line if there is no such file.
    pub fn locate(&self, request: &FileRequest<'_>) -> Result<LocatedFile, String> {
        (self.0)(request)
    }
}

impl LocatedFile {
    /// Creates a file that is found at this path alone.
    pub fn new(given: &str, path: impl Into<PathBuf>) -> LocatedFile {
        LocatedFile { given: given.to_owned(), path: path.into(), others: Vec::new() }
    }
}

impl FileRequest<'_> {
    /// Finds the file in the folder of the scenario.
    ///
    /// # Errors
    /// Returns a message of one line if there is no such file.
    pub fn locate(&self) -> Result<LocatedFile, String> {
        let FileRequest { name, folder, .. } = *self;
        let path = folder.map_or_else(|| name.into(), |folder| folder.join(name));
        if path.exists() {
            return Ok(LocatedFile::new(name, path));
        }
        let hint = match Path::new(name).exists() {
            true => {
                "; the current folder has such a file, but names in a scenario are relative to its folder"
            }
            false => "",
        };
        Err(format!("file not found: {}{hint}", path.display()))
    }
}

impl Default for FileLocator {
    #[expect(
        clippy::redundant_closure_for_method_calls,
        reason = "the method by itself has a single lifetime"
    )]
    fn default() -> FileLocator {
        FileLocator::new(|request| request.locate())
    }
}

impl fmt::Debug for FileLocator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FileLocator")
    }
}

/// Creates the codec of an existing file, written back under its name in the scenario. Results keep
/// a copy.
pub fn file() -> Codec<LocatedFile> {
    used("the name of a file", true)
}

/// Creates the codec of an existing log, of which results keep no copy.
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
            let request = FileRequest { name: given, folder: reader.folder(), is_log: !is_copied };
            reader.value_or_report(at, locator.locate(&request))
        },
        |file: &LocatedFile| Some(Value::String(file.given.clone())),
    );
    located.using(move |LocatedFile { given, path, others }, uses| {
        let (given, path, others) = (given.clone(), path.clone(), others.clone());
        uses.file(UsedFile { given, path, others, is_copied });
    })
}

/// Creates the codec of a folder in the results for files other than rows and tables: a relative
/// path without `..`. It must not be one of the folders that every run writes, nor begin with a dot.
pub fn result_folder() -> Codec<String> {
    const SHAPE: &str = "the name of a folder in the results, such as \"events\"";
    Codec::scalar(
        SHAPE,
        |at| at.text().map(str::to_owned),
        |name| is_valid_result_folder(&name).then_some(name),
        |name: &String| Value::String(name.clone()),
    )
}

/// Returns whether the name is valid for an additional folder in the results.
fn is_valid_result_folder(name: &str) -> bool {
    const OWN: [&str; 3] = ["tables", "rows", "inputs"];
    let parts: Vec<Component<'_>> = Path::new(name).components().collect();
    let is_plain = |part: &Component<'_>| {
        let text = part.as_os_str().to_string_lossy();
        matches!(part, Component::Normal(_)) && !text.starts_with('.') && !text.contains(char::is_control)
    };
    let first = parts.first().map(|part| part.as_os_str().to_string_lossy().into_owned());
    first.is_some_and(|first| !OWN.contains(&first.as_str())) && parts.iter().all(is_plain)
}

/// A file, or its contents in the scenario itself.
#[derive(Clone, Debug, PartialEq)]
pub enum FileOr<T> {
    /// Located file.
    File(LocatedFile),
    /// The contents in the scenario.
    Inline(T),
}

/// Creates the codec of a file name or of a value of another codec, which must not be a text.
pub fn file_or<T: 'static>(here: Codec<T>) -> Codec<FileOr<T>> {
    file_known_or("", |_| Err(String::new()), here)
}

/// Creates the codec of a file name, of a name of contents that the program has (`what`), or of a value
/// of another codec, which must not be a text. A name is written back as a file of this name; `known`
/// returns a message for other texts without an extension.
pub fn file_known_or<T: 'static>(
    what: &str,
    known: fn(&str) -> Result<(), String>,
    here: Codec<T>,
) -> Codec<FileOr<T>> {
    let named = file();
    let shape = match what {
        "" => format!("{} or {}", named.shape(), here.shape()),
        what => format!("{}, {what} or {}", named.shape(), here.shape()),
    };
    let what = what.to_owned();
    let (read_file, write_file) = (named.read, named.write);
    let (read_here, write_here) = (here.read, here.write);
    Codec::new(
        shape,
        |_| true,
        move |at, reader| {
            let Some(name) = at.text() else { return read_here(at, reader).map(FileOr::Inline) };
            let locator = reader.environment().cloned().unwrap_or_else(FileLocator::default);
            let request = FileRequest { name, folder: reader.folder(), is_log: false };
            if !what.is_empty() && Path::new(name).extension().is_none() && locator.locate(&request).is_err()
            {
                let file = known(name).map(|()| FileOr::File(LocatedFile::new(name, name)));
                return reader.value_or_report(at, file);
            }
            read_file(at, reader).map(FileOr::File)
        },
        move |value| match value {
            FileOr::File(file) => write_file(file),
            FileOr::Inline(here) => write_here(here),
        },
    )
}
