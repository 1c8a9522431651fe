//! Answer of commands that only write files.

use super::Answer;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::Path;

/// Files that a command wrote.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Written {
    files: Vec<File>,
    #[serde(skip)]
    is_listed: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
struct File {
    path: String,
    /// The size of the file in bytes; `null` for a pipe or a device.
    bytes: Option<u64>,
}

impl Written {
    /// Creates an answer whose text form is empty, because one of the files may be standard output.
    pub(crate) fn new(paths: impl IntoIterator<Item = impl AsRef<Path>>) -> Written {
        let file = |path: &Path| File {
            path: path.display().to_string(),
            bytes: path.metadata().ok().filter(std::fs::Metadata::is_file).map(|file| file.len()),
        };
        Written { files: paths.into_iter().map(|path| file(path.as_ref())).collect(), is_listed: false }
    }
    /// Creates an answer whose text form lists the files, one per line.
    pub(crate) fn listed(paths: impl IntoIterator<Item = impl AsRef<Path>>) -> Written {
        Written { is_listed: true, ..Written::new(paths) }
    }
}

impl Answer for Written {
    fn text(&self) -> String {
        let listed = self.files.iter().filter(|_| self.is_listed);
        listed.map(|file| format!("{}\n", file.path)).collect()
    }
}
