//! Lines of jobs in the order of submission, for jobs that end in any order.

use dfrsim_cluster::{Observer, Occurrence};
use dfrsim_model::SimTime;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::io::{self, Write};

/// Format of a file with one line per job.
pub trait JobLines: Debug {
    /// Returns the text before the first line.
    fn header(&self) -> String;
    /// Formats the line of a job that leaves the system, including its line end; empty if it has
    /// none. Each job leaves once.
    fn line(&mut self, now: SimTime, job: u64, occurrence: Occurrence<'_>) -> Option<String>;
    /// Returns the reason why the file is invalid, if it is.
    fn fault(&self) -> Option<String> {
        None
    }
}

/// Writer of one line per job in the order of submission. The lines of jobs that leave before an
/// earlier one are buffered, so memory use is bounded by the jobs in the system.
#[derive(Debug)]
pub struct InSubmissionOrder<W> {
    out: W,
    format: Box<dyn JobLines>,
    lines: LineBuffer,
}

/// Part that does not depend on the type of the writer.
#[derive(Debug)]
struct LineBuffer {
    /// Next job to write.
    next: u64,
    /// Buffered lines of later jobs.
    buffered: BTreeMap<u64, String>,
    /// First write error; nothing is written after it.
    failed: Option<io::Error>,
}

impl<W: Write> InSubmissionOrder<W> {
    /// Starts the file with its header. Files should be wrapped in a `BufWriter`.
    pub fn new(mut out: W, format: Box<dyn JobLines>) -> InSubmissionOrder<W> {
        let failed = out.write_all(format.header().as_bytes()).err();
        InSubmissionOrder { out, format, lines: LineBuffer { next: 0, buffered: BTreeMap::new(), failed } }
    }
    /// Returns the writer.
    ///
    /// # Errors
    ///
    /// A write failed, or the format cannot represent the schedule.
    pub fn finish(mut self) -> io::Result<W> {
        match self.format.fault() {
            Some(reason) => Err(io::Error::new(io::ErrorKind::InvalidData, reason)),
            None => self.lines.failed.map_or_else(|| self.out.flush().map(|()| self.out), Err),
        }
    }
}

impl<W: Write> Observer for InSubmissionOrder<W> {
    fn observe(&mut self, now: SimTime, job: u64, occurrence: Occurrence<'_>) {
        if let Some(line) = self.format.line(now, job, occurrence) {
            self.lines.put(&mut self.out, job, line);
        }
    }
}

impl LineBuffer {
    fn put(&mut self, out: &mut dyn Write, job: u64, line: String) {
        if job != self.next {
            self.buffered.insert(job, line);
            return;
        }
        self.write(out, &line);
        while let Some(line) = self.buffered.remove(&self.next) {
            self.write(out, &line);
        }
    }

    fn write(&mut self, out: &mut dyn Write, line: &str) {
        self.next += 1;
        if self.failed.is_none() {
            self.failed = out.write_all(line.as_bytes()).err();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Format with a line for each rejected job.
    #[derive(Debug)]
    struct Rejected;

    impl JobLines for Rejected {
        fn header(&self) -> String {
            "job\n".to_owned()
        }
        fn line(&mut self, _: SimTime, job: u64, _: Occurrence<'_>) -> Option<String> {
            Some(format!("{job}\n"))
        }
    }

    proptest! {
        /// For any order in which jobs leave, the file equals the one from sorting all lines at the
        /// end.
        #[test]
        fn any_order_gives_the_same_file(order in Just((0..40_u64).collect::<Vec<_>>()).prop_shuffle()) {
            let mut lines = InSubmissionOrder::new(Vec::new(), Box::new(Rejected));
            for job in order {
                lines.observe(SimTime::ZERO, job, Occurrence::Rejected);
                prop_assert!(!lines.lines.buffered.contains_key(&lines.lines.next));
            }
            let sorted: String = (0..40).map(|job| format!("{job}\n")).collect();
            prop_assert_eq!(lines.finish().unwrap(), format!("job\n{sorted}").into_bytes());
        }
    }

    #[test]
    fn a_failed_write_is_reported_at_the_end() {
        let mut room = [0_u8; 6];
        let mut lines = InSubmissionOrder::new(&mut room[..], Box::new(Rejected));
        (0..2).for_each(|job| lines.observe(SimTime::ZERO, job, Occurrence::Rejected));
        assert_eq!(lines.finish().unwrap_err().kind(), io::ErrorKind::WriteZero);
    }
}
