//! The streaming reader.

use super::error::LogError;
use super::fault::{Faults, Problem};
use super::field::Field;
use super::header::Header;
use super::input::Input;
use super::lines::{LONGEST_LINE, LineFault, Lines};
use super::number::is_blank;
use super::origin::Origin;
use super::parse::{Dialect, parse};
use super::record::{Line, Record, Status};
use super::source::{ReadReport, Source};
use super::strictness::{Order, Strictness};
use dfrsim_model::SimTime;
use std::io;

/// The most bytes of comment lines above the first job that are kept.
const LARGEST_HEADER: usize = 1 << 22;

/// A log that is read line by line, plain or gzip (recognised by content), in constant memory.
///
/// It iterates over the records. The iteration ends at the end of the file, or early: at the first line that is out
/// of order, or at the first fault; then the rest of the file is read at once for its further faults. Results that
/// were computed from the records are valid only if [`finish`](Source::finish) succeeds.
pub struct Reader<'a> {
    file: String,
    lines: Lines<'a>,
    header: Header,
    dialect: Dialect,
    strictness: Strictness,
    order: Order,
    previous: SimTime,
    /// How many records are read at most.
    limit: u64,
    ended: bool,
    unsorted: Option<LogError>,
    faults: Faults,
    /// The broken lines above the first record: those of a file that is not a log.
    unread: Faults,
    /// The faults of the line at hand; kept to reuse its memory.
    problems: Vec<Problem>,
    report: ReadReport,
    /// The only site whose jobs are read.
    origin: Option<Origin>,
}

impl<'a> Reader<'a> {
    /// Starts to read an input, named `file` in messages, and reads its header.
    ///
    /// # Errors
    /// [`LogError::Open`] if it cannot be opened, or not even its first bytes can be read; everything else is reported by
    /// [`finish`](Source::finish).
    pub(crate) fn new(
        input: io::Result<Input<'a>>,
        file: &str,
        dialect: Dialect,
        strictness: Strictness,
        order: Order,
    ) -> Result<Self, LogError> {
        let input = input.map_err(|source| LogError::Open { file: file.to_owned(), source })?;
        let mut reader = Reader {
            file: file.to_owned(),
            lines: Lines::new(input),
            header: Header::default(),
            dialect,
            strictness,
            order,
            previous: SimTime::ZERO,
            limit: u64::MAX,
            ended: false,
            unsorted: None,
            faults: Faults::new(file),
            unread: Faults::new(file),
            problems: Vec::new(),
            report: ReadReport::default(),
            origin: None,
        };
        reader.read_header();
        Ok(reader)
    }

    /// Passes over the jobs of other sites. The dialect must have sites.
    pub(crate) fn only_from(&mut self, site: &str) {
        self.origin = Some(Origin::new(site));
    }

    fn read_header(&mut self) {
        let mut bytes = 0;
        loop {
            match self.lines.next() {
                Ok(Some([first, text @ ..])) if *first == self.dialect.comment => {
                    bytes += text.len() + 1;
                    if bytes > LARGEST_HEADER {
                        let problem = Problem::LongHeader { limit: LARGEST_HEADER };
                        self.faults.push(self.lines.number(), problem);
                        return self.ended = true;
                    }
                    let text = String::from_utf8_lossy(text);
                    self.header.comment(text.strip_suffix('\r').unwrap_or(&text));
                }
                Ok(Some(line)) if is_empty(line) => {}
                Ok(Some(_)) => return self.lines.back(),
                Ok(None) => return self.ended = true,
                Err(fault) => return self.line_fault(fault),
            }
        }
    }
    /// Reads one line; gives its record if it has one without fault.
    fn step(&mut self) -> Option<Line> {
        let (mut record, submit) = match self.lines.next() {
            Ok(Some(line)) if is_empty(line) || line[0] == self.dialect.comment => return None,
            Ok(Some(line)) => {
                let parsed = parse(line, &self.dialect, &mut self.problems);
                if self.problems.is_empty() && self.origin.as_mut().is_some_and(|it| !it.is_of(line)) {
                    self.report.of_other_sites += 1;
                    let earlier = [self.report.first_elsewhere, parsed.1].into_iter().flatten().min();
                    self.report.first_elsewhere = earlier;
                    return None;
                }
                parsed
            }
            Ok(None) => {
                self.ended = true;
                return None;
            }
            Err(fault) => {
                self.line_fault(fault);
                return None;
            }
        };
        let number = self.lines.number();
        if self.strictness == Strictness::Strict {
            self.refuse_unknown(&record, submit);
        }
        if !self.problems.is_empty() {
            self.broken_line(number);
            return None;
        }
        record.submit = submit.unwrap_or(self.previous);
        if record.submit < self.previous {
            self.out_of_order(number, record.submit);
        }
        self.previous = record.submit;
        let place = self.report.records;
        self.report.records += 1;
        Some(Line { number, place, has_submit: submit.is_some(), record })
    }
    /// What can be read but is not as the format defines it.
    fn refuse_unknown(&mut self, record: &Record, submit: Option<SimTime>) {
        if submit.is_none() && self.problems.is_empty() {
            self.problems.push(Problem::field(Field::Submit, b"-1"));
        }
        if let Status::Other(status) = record.status {
            self.problems.push(Problem::field(Field::Status, status.to_string().as_bytes()));
        }
    }
    #[cold]
    fn line_fault(&mut self, fault: LineFault) {
        match fault {
            LineFault::TooLong => {
                self.problems.push(Problem::LineTooLong { limit: LONGEST_LINE });
                self.broken_line(self.lines.number());
            }
            LineFault::Input(error) => {
                let reason = error.to_string();
                self.faults.push(self.lines.number() + 1, Problem::Unreadable { reason });
                self.ended = true;
            }
        }
    }
    #[cold]
    fn broken_line(&mut self, number: u64) {
        self.report.broken += 1;
        if let Some(problem) = self.problems.first() {
            self.report.reasons.add(number, problem);
        }
        let problems = self.problems.drain(..);
        if self.strictness == Strictness::Strict {
            problems.for_each(|problem| self.faults.push(number, problem));
        } else if self.report.records == 0 {
            problems.for_each(|problem| self.unread.push(number, problem));
        }
    }
    #[cold]
    fn out_of_order(&mut self, line: u64, submit: SimTime) {
        self.report.out_of_order += 1;
        // Behind a fault the file is only read on for further faults.
        if self.order == Order::Sorted && self.faults.is_empty() {
            self.ended = true;
            self.unsorted =
                Some(LogError::Unsorted { file: self.file.clone(), line, submit, previous: self.previous });
        }
    }
}

fn is_empty(line: &[u8]) -> bool {
    line.iter().all(|&byte| is_blank(byte))
}

impl Iterator for Reader<'_> {
    type Item = Line;

    fn next(&mut self) -> Option<Line> {
        while !self.ended && self.report.records < self.limit {
            let line = self.step();
            if line.is_some() && self.faults.is_empty() && !self.ended {
                return line;
            }
        }
        None
    }
}

impl Source for Reader<'_> {
    fn file(&self) -> &str {
        &self.file
    }
    fn header(&self) -> &Header {
        &self.header
    }
    fn stop_after(&mut self, records: u64) {
        self.limit = records;
    }
    fn end(&mut self) -> Result<ReadReport, LogError> {
        self.by_ref().for_each(drop);
        if !self.faults.is_empty() {
            return Err(self.faults.clone().into());
        }
        let is_elsewhere = self.report.records == 0 && self.report.of_other_sites > 0;
        if let Some(origin) = self.origin.take().filter(|_| is_elsewhere) {
            return Err(origin.missing(self.file.clone()));
        }
        if self.report.records == 0 && !self.unread.is_empty() {
            return Err(self.unread.clone().into());
        }
        self.unsorted.take().map_or(Ok(self.report), Err)
    }
}
