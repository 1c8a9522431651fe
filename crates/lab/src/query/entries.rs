//! Files of claims: sections with a source, and the claims of each.

use super::keys::read_section;
use super::{ClaimEntry, Source};
use dfrsim_input::{Input, Reader};

/// A file of claims.
#[derive(Debug)]
pub struct Entries {
    file: &'static str,
    /// Claims, each with its line number in the file.
    all: Vec<(usize, ClaimEntry)>,
}

impl Entries {
    /// Parses a file of claims; messages call it `file`.
    ///
    /// # Panics
    /// Panics if the text is invalid; each study has a test that its file is valid.
    pub fn new(file: &'static str, text: &'static str) -> Entries {
        let read = || {
            let (input, mut reader) = (Input::toml(file, text)?, Reader::default());
            let root = reader.object(&input.root(), &["section"]);
            let sections = root.and_then(|root| reader.field(&root, "section"));
            let sections = sections.and_then(|at| reader.list(&at)).unwrap_or_default();
            let read = reader.each(&sections, read_section);
            reader.finish(read)
        };
        let sections = read().unwrap_or_else(|faults| panic!("{faults}"));
        Entries { file, all: sections.into_iter().flatten().collect() }
    }
    /// Iterates over the claims.
    pub fn iter(&self) -> impl Iterator<Item = &ClaimEntry> {
        self.all.iter().map(|(_, entry)| entry)
    }
    /// Iterates over the claims of a section.
    pub fn of<'a>(&'a self, source: &'a str) -> impl Iterator<Item = &'a ClaimEntry> {
        self.iter().filter(move |entry| entry.source == source)
    }
    /// Returns file, line and error for each check, metric or column that the source does not have.
    pub fn undefined_names(&self, source: &dyn Source) -> Vec<String> {
        let faults = self.all.iter().flat_map(|(line, entry)| {
            let faults = entry.query.undefined_names(source);
            faults.into_iter().map(move |fault| format!("{}:{line}: {fault}", self.file))
        });
        faults.collect()
    }
}
