//! What a scenario uses besides its own text: files and commands.

use std::path::PathBuf;

/// The files that a scenario reads, and the commands that it runs. Codecs note them while they read it, so that none is
/// forgotten: what is done with them depends on no study.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Uses {
    /// The files, each once, in the order of the scenario.
    pub files: Vec<UsedFile>,
    /// The commands, each once, as the scenario writes them.
    pub commands: Vec<String>,
}

/// A file that a scenario reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsedFile {
    /// Its name in the scenario.
    pub given: String,
    /// Where it is.
    pub path: PathBuf,
    /// Whether results keep a copy. They keep none of logs, which may be large and whose licences often forbid it.
    pub is_copied: bool,
}

impl Uses {
    /// Notes a file.
    pub fn file(&mut self, file: UsedFile) {
        if self.files.iter().all(|known| known.given != file.given) {
            self.files.push(file);
        }
    }
    /// Notes a command.
    pub fn command(&mut self, command: impl Into<String>) {
        let command = command.into();
        if !self.commands.contains(&command) {
            self.commands.push(command);
        }
    }
}
