//! Parsing of a line into a record.

use super::fault::Problem;
use super::field::Field;
use super::number::{Number, is_blank};
use super::record::{Record, Status};
use super::word::Word;
use dfrsim_model::SimTime;

/// Properties of a line-based format with one job per line and fields separated by blanks. The first
/// 16 fields are those of [`Record`] in all such formats.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dialect {
    /// First byte of a comment line.
    pub(crate) comment: u8,
    /// Number of fields of a line.
    pub(crate) fields: usize,
    /// Maximum number of fields of a line that is read leniently. Those beyond
    /// [`fields`](Dialect::fields) are not read.
    pub(crate) most_fields: usize,
    /// True if fields 12 to 16 (user, group, executable, queue, partition) may be any text; only
    /// whole numbers are kept then.
    pub(crate) has_textual_names: bool,
    /// True if fields 17 and 18 are the preceding job and the think time.
    pub(crate) has_dependencies: bool,
}

/// Parses a line that is neither blank nor a comment into a record and its submit time, if known
/// (the record has the same one), and counts the fields. Problems are appended to `problems`; if
/// there are any, the record is meaningless. The number of fields is not checked.
pub(super) fn parse(
    line: &[u8],
    dialect: &Dialect,
    problems: &mut Vec<Problem>,
) -> (Record, Option<SimTime>, usize) {
    let mut fields = FieldCursor::new(line, problems);
    let name = |fields: &mut FieldCursor<'_>, field| {
        if dialect.has_textual_names { fields.text() } else { fields.read(field, Number::count) }
    };
    // The fields are read in the order of these initialisers.
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
    if dialect.has_dependencies {
        record.preceding_job = fields.read(Field::PrecedingJob, Number::count);
        record.think_time = fields.read(Field::ThinkTime, Number::span);
    }
    let found = fields.count_all();
    (record, submit, found)
}

/// A cursor over the fields of a line.
struct FieldCursor<'a> {
    line: &'a [u8],
    at: usize,
    /// Number of fields read so far.
    found: usize,
    problems: &'a mut Vec<Problem>,
}

impl<'a> FieldCursor<'a> {
    fn new(line: &'a [u8], problems: &'a mut Vec<Problem>) -> FieldCursor<'a> {
        FieldCursor { line, at: 0, found: 0, problems }
    }

    /// Reads the next field; its default if it is absent or invalid.
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
    /// Reads the next field, which may be any text; returns its value if it is a whole number.
    fn text(&mut self) -> Option<u32> {
        self.skip_blanks();
        if self.at == self.line.len() {
            return None;
        }
        let found = self.skip_field();
        let (number, _) = Number::scan(&self.line[found])?;
        number.count().flatten()
    }
    /// Skips the remaining fields, and returns the number of fields of the line.
    fn count_all(&mut self) -> usize {
        self.skip_blanks();
        while self.at < self.line.len() {
            self.skip_field();
            self.skip_blanks();
        }
        self.found
    }
    #[inline]
    fn skip_blanks(&mut self) {
        loop {
            let blanks = Word::at(self.line, self.at).leading_blanks();
            self.at += blanks;
            match self.line.get(self.at) {
                None => return self.at = self.line.len(),
                // A tab, a carriage return, or further blanks.
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
