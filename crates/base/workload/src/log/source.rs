//! Sources of records.

use super::account::Account;
use super::broken::BrokenReasons;
use super::error::LogError;
use super::header::Header;
use super::record::Line;
use dfrsim_model::SimTime;

/// An iterator over the records of one log in the order of their submit times.
pub trait Source: Iterator<Item = Line> {
    /// Returns the name of the file, for messages.
    fn file(&self) -> &str;
    /// Returns the comment lines at the top of the log.
    fn header(&self) -> &Header;
    /// Stops reading after this many records of the file, in its own order; later lines are not even
    /// checked. Records that have already been read are not affected.
    fn stop_after(&mut self, _records: u64) {}
    /// Reads the rest, and reports the counts of the whole file.
    ///
    /// # Errors
    ///
    /// [`LogError::Faults`], or [`LogError::Unsorted`] if a log is out of order, so that it has to
    /// be read completely, as a [`Whole`](super::Whole).
    fn end(&mut self) -> Result<ReadReport, LogError>;
    /// Reads the rest of a source that is no longer needed, and reports the counts.
    ///
    /// # Errors
    ///
    /// As for [`end`](Source::end).
    fn finish(mut self) -> Result<ReadReport, LogError>
    where
        Self: Sized,
    {
        self.end()
    }
}

impl<S: Source + ?Sized> Source for Box<S> {
    fn file(&self) -> &str {
        (**self).file()
    }
    fn header(&self) -> &Header {
        (**self).header()
    }
    fn stop_after(&mut self, records: u64) {
        (**self).stop_after(records);
    }
    fn end(&mut self) -> Result<ReadReport, LogError> {
        (**self).end()
    }
}

/// Counts of the lines that were read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadReport {
    /// Lines with a valid record.
    pub records: u64,
    /// Invalid lines that were skipped ([`Strictness::Lenient`](super::Strictness::Lenient)).
    pub broken: u64,
    /// Reasons why lines are invalid.
    pub reasons: BrokenReasons,
    /// Lines with an earlier submit time than the line above them. If there are any, the records
    /// have been sorted.
    pub out_of_order: u64,
    /// Earliest submit time of jobs from other sites.
    pub first_elsewhere: Option<SimTime>,
    /// Lines that were found, and those that are no records, by reason; the use of columns.
    pub account: Account,
}

impl ReadReport {
    /// Formats the notable counts as notices for the user.
    pub fn notices(&self) -> Vec<String> {
        let mut notices = Vec::new();
        if self.broken > 0 {
            let reasons = match self.reasons.to_string() {
                unknown if unknown.is_empty() => unknown,
                reasons => format!(" ({reasons})"),
            };
            notices.push(format!("invalid lines skipped: {}{reasons}", self.broken));
        }
        if self.out_of_order > 0 {
            notices
                .push(format!("lines out of order: {} (log read completely and sorted)", self.out_of_order));
        }
        notices.extend(self.account.notices());
        notices
    }
}
