//! The site from which a job of a grid came.

use super::error::LogError;
use super::number::is_blank;

/// The place of `OrigSiteID` among the fields of a line, from 0.
const FIELD: usize = 16;
/// How many other sites are named if there are no jobs.
const MOST_NAMED: usize = 20;

/// A site whose jobs are looked for.
pub(super) struct Origin {
    site: String,
    /// The first others that were met.
    others: Vec<String>,
}

impl Origin {
    pub(super) fn new(site: &str) -> Origin {
        Origin { site: site.to_owned(), others: Vec::new() }
    }

    /// Whether the job of a line came from there.
    pub(super) fn is_of(&mut self, line: &[u8]) -> bool {
        let mut fields = line.split(|&byte| is_blank(byte)).filter(|field| !field.is_empty());
        let Some(found) = fields.nth(FIELD) else { return false };
        if found == self.site.as_bytes() {
            return true;
        }
        if self.others.len() < MOST_NAMED && !self.others.iter().any(|other| other.as_bytes() == found) {
            self.others.push(String::from_utf8_lossy(found).into_owned());
        }
        false
    }

    /// No job came from there.
    pub(super) fn missing(mut self, file: String) -> LogError {
        self.others.sort_unstable();
        LogError::NoSuchSite { file, site: self.site, others: self.others.join(", ") }
    }
}
