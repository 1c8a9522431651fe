//! Streaming reader of line-based formats.

use super::account::{Effect, FieldUse, Reason};
use super::error::LogError;
use super::fault::{Faults, Problem};
use super::field::Field;
use super::header::Header;
use super::input::Input;
use super::lines::{LONGEST_LINE, LineError, Lines};
use super::number::is_blank;
use super::origin::SiteFilter;
use super::parse::{Dialect, parse};
use super::record::{Line, Record, Status};
use super::source::{ReadReport, Source};
use super::strictness::{Order, Strictness};
use dfrsim_model::SimTime;
use std::io;

/// Maximum size in bytes of the comment lines above the first job.
const MAX_HEADER_BYTES: usize = 1 << 22;

/// A log that is read line by line, plain or gzip (recognised by content), in constant memory.
///
/// The reader iterates over the records. The iteration ends at the end of the file, at the first
/// line that is out of order, or at the first error; in that case the rest of the file is read
/// immediately for further errors. Results computed from the records are valid only if
/// [`finish`](Source::finish) succeeds.
pub struct Reader<'a> {
    file: String,
    lines: Lines<'a>,
    header: Header,
    dialect: Dialect,
    strictness: Strictness,
    order: Order,
    previous: SimTime,
    /// Maximum number of records to read.
    limit: u64,
    ended: bool,
    unsorted: Option<LogError>,
    faults: Faults,
    /// Errors of the invalid lines before the first record. They are reported if no record follows,
    /// as the file is not a log then.
    leading_errors: Faults,
    /// Problems of the current line; kept to reuse the memory.
    problems: Vec<Problem>,
    report: ReadReport,
    /// Number of records with more fields than the format has.
    surplus: u64,
    /// Filter for the jobs of a single site.
    origin: Option<SiteFilter>,
}

impl<'a> Reader<'a> {
    /// Opens an input and reads its header. `file` is its name in messages.
    ///
    /// # Errors
    ///
    /// [`LogError::Open`] if it cannot be opened or its first bytes cannot be read; all other errors
    /// are reported by [`finish`](Source::finish).
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
            leading_errors: Faults::new(file),
            problems: Vec::new(),
            report: ReadReport::default(),
            surplus: 0,
            origin: None,
        };
        reader.read_header();
        Ok(reader)
    }

    /// Skips the jobs of other sites. The dialect must have a field for the site.
    pub(crate) fn filter_site(&mut self, site: &str) {
        self.origin = Some(SiteFilter::new(site));
    }

    fn read_header(&mut self) {
        let mut bytes = 0;
        loop {
            match self.lines.next() {
                Ok(Some([first, text @ ..])) if *first == self.dialect.comment => {
                    bytes += text.len() + 1;
                    if bytes > MAX_HEADER_BYTES {
                        let problem = Problem::LongHeader { limit: MAX_HEADER_BYTES };
                        self.faults.push(self.lines.number(), problem);
                        return self.ended = true;
                    }
                    let text = String::from_utf8_lossy(text);
                    self.header.comment(text.strip_suffix('\r').unwrap_or(&text));
                }
                Ok(Some(line)) if is_empty(line) => {}
                Ok(Some(line)) => {
                    let is_lenient = self.strictness == Strictness::Lenient;
                    match column_names(line, &self.dialect).filter(|_| is_lenient) {
                        Some(names) => {
                            let effects = (0..).zip(names).map(|(place, name)| FieldUse {
                                name,
                                effect: if place < self.dialect.fields {
                                    Effect::Used
                                } else {
                                    Effect::NoEffect
                                },
                            });
                            self.report.account.fields = effects.collect();
                        }
                        None => self.lines.step_back(),
                    }
                    return;
                }
                Ok(None) => return self.ended = true,
                Err(fault) => return self.line_error(fault),
            }
        }
    }
    /// Reads one line; returns its record if the line is valid.
    fn step(&mut self) -> Option<Line> {
        let (mut record, submit) = match self.lines.next() {
            Ok(Some(line)) if is_empty(line) || line[0] == self.dialect.comment => return None,
            Ok(Some(line)) => {
                self.report.account.lines += 1;
                let (record, submit, fields) = parse(line, &self.dialect, &mut self.problems);
                if fields != self.dialect.fields {
                    let is_accepted = self.strictness == Strictness::Lenient
                        && (self.dialect.fields..=self.dialect.most_fields).contains(&fields);
                    if !is_accepted {
                        let expected = self.dialect.fields;
                        self.problems.push(Problem::FieldCount { found: fields, expected });
                    }
                    self.surplus += u64::from(is_accepted && self.problems.is_empty());
                }
                if self.problems.is_empty() && self.origin.as_mut().is_some_and(|it| !it.accepts(line)) {
                    self.report.account.count(Reason::OTHER_SITE);
                    let earlier = [self.report.first_elsewhere, submit].into_iter().flatten().min();
                    self.report.first_elsewhere = earlier;
                    return None;
                }
                (record, submit)
            }
            Ok(None) => {
                self.ended = true;
                return None;
            }
            Err(fault) => {
                self.line_error(fault);
                return None;
            }
        };
        let number = self.lines.number();
        if self.strictness == Strictness::Strict {
            self.check_defined_values(&record, submit);
        }
        if !self.problems.is_empty() {
            self.invalid_line(number);
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
    /// Reports values that can be parsed but that the format does not define.
    fn check_defined_values(&mut self, record: &Record, submit: Option<SimTime>) {
        if submit.is_none() && self.problems.is_empty() {
            self.problems.push(Problem::field(Field::Submit, b"-1"));
        }
        if let Status::Other(status) = record.status {
            self.problems.push(Problem::field(Field::Status, status.to_string().as_bytes()));
        }
    }
    #[cold]
    fn line_error(&mut self, fault: LineError) {
        match fault {
            LineError::TooLong => {
                self.report.account.lines += 1;
                self.problems.push(Problem::LineTooLong { limit: LONGEST_LINE });
                self.invalid_line(self.lines.number());
            }
            LineError::Input(error) => {
                let reason = error.to_string();
                self.faults.push(self.lines.number() + 1, Problem::Unreadable { reason });
                self.ended = true;
            }
        }
    }
    #[cold]
    fn invalid_line(&mut self, number: u64) {
        self.report.broken += 1;
        if let Some(problem) = self.problems.first() {
            self.report.reasons.add(number, problem);
        }
        let problems = self.problems.drain(..);
        if self.strictness == Strictness::Strict {
            problems.for_each(|problem| self.faults.push(number, problem));
        } else if self.report.records == 0 {
            problems.for_each(|problem| self.leading_errors.push(number, problem));
        }
    }
    #[cold]
    fn out_of_order(&mut self, line: u64, submit: SimTime) {
        self.report.out_of_order += 1;
        // After an error the file is only read for further errors.
        if self.order == Order::Sorted && self.faults.is_empty() {
            self.ended = true;
            self.unsorted =
                Some(LogError::Unsorted { file: self.file.clone(), line, submit, previous: self.previous });
        }
    }
}

/// Returns the names of the columns if this line consists of names, at least one for each field.
fn column_names(line: &[u8], dialect: &Dialect) -> Option<Vec<String>> {
    let names: Vec<String> =
        String::from_utf8_lossy(line).split_ascii_whitespace().map(str::to_owned).collect();
    let is_name = |name: &String| name.parse::<f64>().is_err();
    (names.len() >= dialect.fields && names.iter().all(is_name)).then_some(names)
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
        let is_elsewhere = self.report.records == 0 && self.report.account.of(Reason::OTHER_SITE) > 0;
        if let Some(origin) = self.origin.take().filter(|_| is_elsewhere) {
            return Err(origin.into_error(self.file.clone()));
        }
        if self.report.records == 0 && !self.leading_errors.is_empty() {
            return Err(self.leading_errors.clone().into());
        }
        if let Some(unsorted) = self.unsorted.take() {
            return Err(unsorted);
        }
        let mut report = self.report.clone();
        report.account.add(Reason::SURPLUS_FIELDS, self.surplus);
        Ok(report)
    }
}
