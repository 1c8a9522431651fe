//! Where records come from.

use super::accounting::Accounting;
use super::broken::BrokenReasons;
use super::error::LogError;
use super::header::Header;
use super::record::Line;
use dfrsim_model::SimTime;

/// Gives the records of one log in the order of their submit times.
pub trait Source: Iterator<Item = Line> {
    /// The name of the file, for messages.
    fn file(&self) -> &str;
    /// The comment lines at the top of the log.
    fn header(&self) -> &Header;
    /// Reads no further than this many records of the file, in its own order; what follows is not even examined. Without
    /// effect on records that have been read.
    fn stop_after(&mut self, _records: u64) {}
    /// Reads the rest, and reports whether the whole file was good.
    ///
    /// # Errors
    /// [`LogError::Faults`], or [`LogError::Unsorted`] if a streamed log has to be read whole, as a
    /// [`Whole`](super::Whole).
    fn end(&mut self) -> Result<ReadReport, LogError>;
    /// The same of a source that is no longer needed.
    ///
    /// # Errors
    /// As [`end`](Source::end).
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

/// Counts of one reading.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadReport {
    /// Lines with a good record.
    pub records: u64,
    /// Lines that were left out because they are broken ([`Strictness::Lenient`](super::Strictness::Lenient)).
    pub broken: u64,
    /// Why they are.
    pub reasons: BrokenReasons,
    /// Lines that were submitted before the line above them; the records have been sorted if there are any.
    pub out_of_order: u64,
    /// Lines of jobs that came from other sites than the one whose jobs were asked for (Grid Workloads Format only).
    pub of_other_sites: u64,
    /// The first submit time of those.
    pub first_elsewhere: Option<SimTime>,
    /// Jobs that communicate, which takes no time here (workloads of Batsim only).
    pub without_communication: u64,
    /// The outcome of lines that a log does not have (listings of Slurm only).
    pub accounting: Accounting,
}

impl ReadReport {
    /// What was met that a user should know of, in words.
    pub fn notices(&self) -> Vec<String> {
        let mut notices = Vec::new();
        if self.broken > 0 {
            let reasons = match self.reasons.to_string() {
                unknown if unknown.is_empty() => unknown,
                reasons => format!(" ({reasons})"),
            };
            notices.push(format!("broken lines left out: {}{reasons}", self.broken));
        }
        if self.out_of_order > 0 {
            notices.push(format!("lines out of order: {} (read whole and sorted)", self.out_of_order));
        }
        if self.of_other_sites > 0 {
            notices.push(format!("lines of other sites: {}", self.of_other_sites));
        }
        if self.without_communication > 0 {
            notices
                .push(format!("jobs whose communication takes no time here: {}", self.without_communication));
        }
        notices.extend(self.accounting.notices());
        notices
    }
}
