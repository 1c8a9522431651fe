//! Lines of jobs, in the order of submission, for any order of completion.

use dfrsim_cluster::{Observer, Occurrence};
use dfrsim_model::SimTime;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::io::{self, Write};

/// What a file says of the jobs of a simulation.
pub trait JobLines: Debug {
    /// The text above all lines.
    fn header(&self) -> String;
    /// The line of a job that leaves, with its end of line; empty if it has none. Every job leaves once.
    fn line(&mut self, job: u64, occurrence: Occurrence<'_>) -> Option<String>;
    /// Why the file is not what it should be, if it is not.
    fn fault(&self) -> Option<String> {
        None
    }
}

/// Writes a line a job in the order of submission. The line of a job that leaves before one that was submitted earlier
/// waits here, so memory grows with the jobs in the system only.
#[derive(Debug)]
pub struct InSubmissionOrder<W> {
    out: W,
    of: Box<dyn JobLines>,
    lines: Lines,
}

/// What does not depend on the writer.
#[derive(Debug)]
struct Lines {
    /// The next job to write.
    next: u64,
    /// Lines of later jobs.
    ahead: BTreeMap<u64, String>,
    /// The first write that failed; no more is written after it.
    failed: Option<io::Error>,
}

impl<W: Write> InSubmissionOrder<W> {
    /// Begins with the text above all lines; wrap files in a `BufWriter`.
    pub fn new(mut out: W, of: Box<dyn JobLines>) -> InSubmissionOrder<W> {
        let failed = out.write_all(of.header().as_bytes()).err();
        InSubmissionOrder { out, of, lines: Lines { next: 0, ahead: BTreeMap::new(), failed } }
    }
    /// Hands the writer back.
    ///
    /// # Errors
    /// If any write failed, or the format cannot express something.
    pub fn finish(mut self) -> io::Result<W> {
        match self.of.fault() {
            Some(reason) => Err(io::Error::new(io::ErrorKind::InvalidData, reason)),
            None => self.lines.failed.map_or_else(|| self.out.flush().map(|()| self.out), Err),
        }
    }
}

impl<W: Write> Observer for InSubmissionOrder<W> {
    fn observe(&mut self, _: SimTime, job: u64, occurrence: Occurrence<'_>) {
        if let Some(line) = self.of.line(job, occurrence) {
            self.lines.put(&mut self.out, job, line);
        }
    }
}

impl Lines {
    fn put(&mut self, out: &mut dyn Write, job: u64, line: String) {
        if job != self.next {
            self.ahead.insert(job, line);
            return;
        }
        self.write(out, &line);
        while let Some(line) = self.ahead.remove(&self.next) {
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

    /// A line for each job that is rejected.
    #[derive(Debug)]
    struct Rejected;

    impl JobLines for Rejected {
        fn header(&self) -> String {
            "job\n".to_owned()
        }
        fn line(&mut self, job: u64, _: Occurrence<'_>) -> Option<String> {
            Some(format!("{job}\n"))
        }
    }

    proptest! {
        /// For any order in which jobs leave, the file is the same as after sorting them all at the end.
        #[test]
        fn any_order_gives_the_same_file(order in Just((0..40_u64).collect::<Vec<_>>()).prop_shuffle()) {
            let mut lines = InSubmissionOrder::new(Vec::new(), Box::new(Rejected));
            for job in order {
                lines.observe(SimTime::ZERO, job, Occurrence::Rejected);
                prop_assert!(!lines.lines.ahead.contains_key(&lines.lines.next));
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
