//! From the bytes of a line to a record.

use super::fault::Problem;
use super::field::Field;
use super::number::{Number, is_blank};
use super::record::{Record, Status};

/// The record of a line that is neither blank nor a comment. What is wrong with it is added to `problems`; then the
/// record means nothing.
pub(crate) fn parse(line: &[u8], problems: &mut Vec<Problem>) -> Record {
    let mut fields = Fields::new(line, problems);
    // The order of the initialisers is the order in which they read.
    let record = Record {
        job: fields.read(Field::Job, Number::whole),
        submit: fields.read(Field::Submit, Number::time),
        wait: fields.read(Field::Wait, Number::span),
        run_time: fields.read(Field::RunTime, Number::span),
        allocated_processors: fields.read(Field::AllocatedProcessors, Number::count),
        cpu_time: fields.read(Field::CpuTime, Number::span),
        used_memory: fields.read(Field::UsedMemory, Number::kilobytes),
        requested_processors: fields.read(Field::RequestedProcessors, Number::count),
        requested_time: fields.read(Field::RequestedTime, Number::span),
        requested_memory: fields.read(Field::RequestedMemory, Number::kilobytes),
        status: fields.read(Field::Status, status),
        user: fields.read(Field::User, Number::count),
        group: fields.read(Field::Group, Number::count),
        executable: fields.read(Field::Executable, Number::count),
        queue: fields.read(Field::Queue, Number::count),
        partition: fields.read(Field::Partition, Number::count),
        preceding_job: fields.read(Field::PrecedingJob, Number::count),
        think_time: fields.read(Field::ThinkTime, Number::span),
    };
    fields.end(Field::COUNT);
    record
}

pub(crate) fn status(number: Number) -> Option<Status> {
    match number.count::<i8>()? {
        Some(number) => Status::from_number(number),
        None => Some(Status::Unknown),
    }
}

/// A walk over the fields of a line.
pub(crate) struct Fields<'a> {
    line: &'a [u8],
    at: usize,
    /// How many fields have been met.
    found: usize,
    problems: &'a mut Vec<Problem>,
}

impl<'a> Fields<'a> {
    pub(crate) fn new(line: &'a [u8], problems: &'a mut Vec<Problem>) -> Fields<'a> {
        Fields { line, at: 0, found: 0, problems }
    }

    /// The next field; its default if it is missing or wrong.
    #[inline]
    pub(crate) fn read<T: Default>(&mut self, field: Field, convert: impl FnOnce(Number) -> Option<T>) -> T {
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
    pub(crate) fn text(&mut self) -> Option<u32> {
        self.skip_blanks();
        if self.at == self.line.len() {
            return None;
        }
        let found = self.skip_field();
        let (number, _) = Number::scan(&self.line[found])?;
        number.count().flatten()
    }
    /// Checks that there were exactly as many fields as there must be.
    pub(crate) fn end(&mut self, expected: usize) {
        self.skip_blanks();
        while self.at < self.line.len() {
            self.skip_field();
            self.skip_blanks();
        }
        if self.found != expected {
            self.problems.push(Problem::FieldCount { found: self.found, expected });
        }
    }
    fn skip_blanks(&mut self) {
        while self.line.get(self.at).is_some_and(|&byte| is_blank(byte)) {
            self.at += 1;
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
