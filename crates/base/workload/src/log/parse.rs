//! From the bytes of a line to a record.

use super::fault::Problem;
use super::field::Field;
use super::number::{Number, is_blank};
use super::record::{Record, Status};
use super::word::Word;
use dfrsim_model::SimTime;

/// What distinguishes the formats with one job a line and fields that are separated by blanks. The first 16 fields are
/// those of [`Record`] in all of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dialect {
    /// The first byte of a comment.
    pub(crate) comment: u8,
    /// The number of fields of a line.
    pub(crate) fields: usize,
    /// Whether fields 12 to 16 (user, group, executable, queue, partition) may be any text, of which only whole numbers
    /// are kept.
    pub(crate) textual_names: bool,
    /// Whether fields 17 and 18 are the preceding job and the think time.
    pub(crate) precedence: bool,
}

/// The record of a line that is neither blank nor a comment, and its submit time if it says one (the record then has the
/// same). Its problems are appended to `problems`; if there are any, the record is meaningless.
pub(super) fn parse(
    line: &[u8],
    dialect: &Dialect,
    problems: &mut Vec<Problem>,
) -> (Record, Option<SimTime>) {
    let mut fields = Fields::new(line, problems);
    let name = |fields: &mut Fields<'_>, field| {
        if dialect.textual_names { fields.text() } else { fields.read(field, Number::count) }
    };
    // The order of the initialisers is the order in which they read.
    let job = fields.read(Field::Job, Number::whole);
    let submit = fields.read(Field::Submit, Number::time);
    let mut record = Record {
        job,
        submit: submit.unwrap_or_default(),
        wait: fields.read(Field::Wait, Number::span),
        run_time: fields.read(Field::RunTime, Number::span),
        allocated_processors: fields.read(Field::AllocatedProcessors, Number::count),
        cpu_time: fields.read(Field::CpuTime, Number::span),
        used_memory: fields.read(Field::UsedMemory, Number::kilobytes),
        requested_processors: fields.read(Field::RequestedProcessors, Number::count),
        requested_time: fields.read(Field::RequestedTime, Number::span),
        requested_memory: fields.read(Field::RequestedMemory, Number::kilobytes),
        status: fields.read(Field::Status, |number| number.signed().map(Status::from_number)),
        user: name(&mut fields, Field::User),
        group: name(&mut fields, Field::Group),
        executable: name(&mut fields, Field::Executable),
        queue: name(&mut fields, Field::Queue),
        partition: name(&mut fields, Field::Partition),
        ..Record::default()
    };
    if dialect.precedence {
        record.preceding_job = fields.read(Field::PrecedingJob, Number::count);
        record.think_time = fields.read(Field::ThinkTime, Number::span);
    }
    fields.end(dialect.fields);
    (record, submit)
}

/// A walk over the fields of a line.
struct Fields<'a> {
    line: &'a [u8],
    at: usize,
    /// How many fields have been met.
    found: usize,
    problems: &'a mut Vec<Problem>,
}

impl<'a> Fields<'a> {
    fn new(line: &'a [u8], problems: &'a mut Vec<Problem>) -> Fields<'a> {
        Fields { line, at: 0, found: 0, problems }
    }

    /// The next field; its default if it is missing or wrong.
    #[inline]
    fn read<T: Default>(&mut self, field: Field, convert: impl FnOnce(Number) -> Option<T>) -> T {
        self.skip_blanks();
        let rest = &self.line[self.at..];
        if let Some((number, length)) = Number::scan(rest)
            && let Some(value) = convert(number)
        {
            self.at += length;
            self.found += 1;
            return value;
        }
        if !rest.is_empty() {
            let found = self.skip_field();
            self.problems.push(Problem::field(field, &self.line[found]));
        }
        T::default()
    }
    /// The next field, any text: its number if it is a whole one.
    fn text(&mut self) -> Option<u32> {
        self.skip_blanks();
        if self.at == self.line.len() {
            return None;
        }
        let found = self.skip_field();
        let (number, _) = Number::scan(&self.line[found])?;
        number.count().flatten()
    }
    /// Checks that there were exactly as many fields as there must be.
    fn end(&mut self, expected: usize) {
        self.skip_blanks();
        while self.at < self.line.len() {
            self.skip_field();
            self.skip_blanks();
        }
        if self.found != expected {
            self.problems.push(Problem::FieldCount { found: self.found, expected });
        }
    }
    #[inline]
    fn skip_blanks(&mut self) {
        loop {
            let blanks = Word::at(self.line, self.at).leading_blanks();
            self.at += blanks;
            match self.line.get(self.at) {
                None => return self.at = self.line.len(),
                // A tab or carriage return, or more blanks.
                Some(&byte) if is_blank(byte) => self.at += 1,
                Some(_) => return,
            }
        }
    }
    fn skip_field(&mut self) -> std::ops::Range<usize> {
        let start = self.at;
        while self.line.get(self.at).is_some_and(|&byte| !is_blank(byte)) {
            self.at += 1;
        }
        self.found += 1;
        start..self.at
    }
}
