//! Lines of jobs, in the order of submission, for any order of completion.

use std::collections::BTreeMap;
use std::io::{self, Write};

/// Writes a line a job in the order of submission. The line of a job that leaves before one that was submitted earlier
/// waits here, so memory grows with the jobs in the system only.
///
/// ```
/// # use dfrsim_interchange::InSubmissionOrder;
/// let mut lines = InSubmissionOrder::new(Vec::new(), "job\n");
/// lines.put(1, "second\n".to_owned());
/// lines.put(0, "first\n".to_owned());
/// assert_eq!(lines.finish()?, b"job\nfirst\nsecond\n");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct InSubmissionOrder<W> {
    out: W,
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
    /// Begins with a text that is above all lines; wrap files in a `BufWriter`.
    pub fn new(mut out: W, header: &str) -> InSubmissionOrder<W> {
        let failed = out.write_all(header.as_bytes()).err();
        InSubmissionOrder { out, lines: Lines { next: 0, ahead: BTreeMap::new(), failed } }
    }

    /// Adds the line of a job, by its place in the order of submission from 0, with its end of line. Every job needs
    /// one, and only one: an empty text for one that has no line.
    pub fn put(&mut self, job: u64, line: String) {
        self.lines.put(&mut self.out, job, line);
    }

    /// Hands the writer back.
    ///
    /// # Errors
    /// If any write failed.
    pub fn finish(mut self) -> io::Result<W> {
        self.lines.failed.map_or_else(|| self.out.flush().map(|()| self.out), Err)
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

    proptest! {
        /// For any order in which jobs leave, the file is the same as after sorting them all at the end.
        #[test]
        fn any_order_gives_the_same_file(order in Just((0..40_u64).collect::<Vec<_>>()).prop_shuffle()) {
            let mut lines = InSubmissionOrder::new(Vec::new(), "");
            for job in order {
                lines.put(job, format!("{job}\n"));
                prop_assert!(!lines.lines.ahead.contains_key(&lines.lines.next));
            }
            let sorted: String = (0..40).map(|job| format!("{job}\n")).collect();
            prop_assert_eq!(lines.finish().unwrap(), sorted.into_bytes());
        }
    }

    #[test]
    fn a_failed_write_is_reported_at_the_end() {
        let mut room = [0_u8; 6];
        let mut lines = InSubmissionOrder::new(&mut room[..], "job\n");
        lines.put(0, "first\n".to_owned());
        lines.put(1, "second\n".to_owned());
        assert_eq!(lines.finish().unwrap_err().kind(), io::ErrorKind::WriteZero);
    }
}
