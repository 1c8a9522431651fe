//! Files and commands that a scenario uses in addition to its own text.

use std::path::PathBuf;

/// Files that a scenario reads, and commands that it runs. Codecs record them while reading, so that
/// none can be forgotten and their handling is the same in all studies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Uses {
    /// Files without duplicates, in the order of the scenario.
    pub files: Vec<UsedFile>,
    /// Commands without duplicates, as written in the scenario.
    pub commands: Vec<String>,
}

/// A file that a scenario reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsedFile {
    /// Name in the scenario.
    pub given: String,
    /// Location of the file.
    pub path: PathBuf,
    /// Other files that the name could mean, which are not read.
    pub others: Vec<PathBuf>,
    /// True if the results keep a copy. Logs are not copied, as they may be large and their licences
    /// often forbid it.
    pub is_copied: bool,
}

impl Uses {
    /// Records a file.
    pub fn file(&mut self, file: UsedFile) {
        if self.files.iter().all(|known| known.given != file.given) {
            self.files.push(file);
        }
    }
    /// Records a command.
    pub fn command(&mut self, command: impl Into<String>) {
        let command = command.into();
        if !self.commands.contains(&command) {
            self.commands.push(command);
        }
    }
}
