//! Selection of the jobs of one site of a grid.

use super::error::LogError;
use super::number::is_blank;

/// Index of `OrigSiteID` among the fields of a line, from 0.
const SITE_FIELD: usize = 16;
/// Maximum number of other sites that the error names.
const MAX_NAMED: usize = 20;

/// Filter for the jobs of one site.
pub(super) struct SiteFilter {
    site: String,
    /// First other sites found, for the error.
    others: Vec<String>,
}

impl SiteFilter {
    pub(super) fn new(site: &str) -> SiteFilter {
        SiteFilter { site: site.to_owned(), others: Vec::new() }
    }

    /// Returns whether the job of a line came from the site.
    pub(super) fn accepts(&mut self, line: &[u8]) -> bool {
        let mut fields = line.split(|&byte| is_blank(byte)).filter(|field| !field.is_empty());
        let Some(found) = fields.nth(SITE_FIELD) else { return false };
        if found == self.site.as_bytes() {
            return true;
        }
        if self.others.len() < MAX_NAMED && !self.others.iter().any(|other| other.as_bytes() == found) {
            self.others.push(String::from_utf8_lossy(found).into_owned());
        }
        false
    }

    /// Creates the error for a site without jobs.
    pub(super) fn into_error(mut self, file: String) -> LogError {
        self.others.sort_unstable();
        LogError::NoSuchSite { file, site: self.site, others: self.others.join(", ") }
    }
}
