//! The JSON document of a Batsim workload. Values stay unparsed, so that the line of each is known.

use super::LocatedProblem;
use crate::log::Problem;
use memchr::memchr_iter;
use serde::Deserialize;
use serde_json::value::RawValue;

/// Length of the excerpt of a wrong value in messages, in characters.
const EXCERPT_CHARS: usize = 40;

/// Members of a JSON object, in the order of the file.
pub(super) type Members<'a> = dfrsim_model::Members<String, &'a RawValue>;

/// Text of a file with an index of its lines.
pub(super) struct Text<'a> {
    text: &'a str,
    /// Offsets of the line ends, in bytes.
    ends: Vec<usize>,
}

impl<'a> Text<'a> {
    pub(super) fn new(text: &'a str) -> Text<'a> {
        Text { text, ends: memchr_iter(b'\n', text.as_bytes()).collect() }
    }
    /// Returns the line, from 1, on which a value of this text starts.
    pub(super) fn line(&self, value: &RawValue) -> u64 {
        let offset = value.get().as_ptr() as usize - self.text.as_ptr() as usize;
        self.ends.partition_point(|&end| end < offset) as u64 + 1
    }
}

/// A JSON object under validation (a job, a profile, or the whole workload), with the problems found
/// so far.
pub(super) struct Entry<'e> {
    text: &'e Text<'e>,
    /// Name of the object in messages.
    pub(super) name: String,
    /// Line, from 1, on which the object starts.
    line: u64,
    pub(super) members: Vec<(String, &'e RawValue)>,
    problems: Vec<LocatedProblem>,
}

/// Returns the names that other versions of Batsim use for a field.
fn other_names(field: &str) -> &'static [&'static str] {
    match field {
        "cpu" => &["computation_amount_per_host", "computation_vector"],
        "com" => &["communication_amount_per_host", "communication_matrix"],
        _ => &[],
    }
}

impl<'e> Entry<'e> {
    pub(super) fn new(text: &'e Text<'e>, name: String, line: u64, members: Members<'e>) -> Entry<'e> {
        Entry { text, name, line, members: members.0, problems: Vec::new() }
    }
    pub(super) fn problems(self) -> Vec<LocatedProblem> {
        self.problems
    }

    /// Iterates over the values of a field under any of its names, without `null`. There should be
    /// at most one.
    fn values(&self, field: &str) -> impl Iterator<Item = &'e RawValue> {
        let is_meant = move |name: &str| name == field || other_names(field).contains(&name);
        let values = self.members.iter().filter(move |(name, _)| is_meant(name)).map(|(_, value)| *value);
        values.filter(|value| value.get() != "null")
    }
    /// Returns the value of a field, if it is present.
    pub(super) fn get(&self, field: &str) -> Option<&'e RawValue> {
        self.values(field).next()
    }
    /// Parses a field that must be present exactly once; otherwise, or if the value does not satisfy
    /// `fits`, reports a problem.
    pub(super) fn required<T: Deserialize<'e>>(
        &mut self,
        field: &'static str,
        expected: &str,
        fits: impl FnOnce(&T) -> bool,
    ) -> Option<T> {
        let second = self.values(field).nth(1);
        if second.is_some() {
            self.report_at(field, second, "a single value for this field");
            return None;
        }
        let read = self.get(field).and_then(|value| serde_json::from_str(value.get()).ok()).filter(fits);
        if read.is_none() {
            self.report(field, expected);
        }
        read
    }
    /// Parses a field that may be absent and then has the value `default`. A value that does not fit
    /// is a problem.
    pub(super) fn optional<T: Deserialize<'e>>(
        &mut self,
        field: &'static str,
        default: T,
        expected: &str,
        fits: impl FnOnce(&T) -> bool,
    ) -> Option<T> {
        if self.get(field).is_none() { Some(default) } else { self.required(field, expected, fits) }
    }

    /// Reports that the value of a field is not as expected.
    pub(super) fn report(&mut self, field: &'static str, expected: &str) {
        self.report_at(field, self.get(field), expected);
    }
    /// Reports that a given value of a field is not as expected.
    pub(super) fn report_at(&mut self, field: &'static str, value: Option<&RawValue>, expected: &str) {
        let line = value.map_or(self.line, |value| self.text.line(value));
        self.problems.push((line, Problem::member(&*self.name, field, excerpt(value), expected)));
    }
}

/// Formats a value for a message, shortened to [`EXCERPT_CHARS`] characters.
fn excerpt(value: Option<&RawValue>) -> String {
    let Some(value) = value else { return "no value".to_owned() };
    let words: Vec<&str> = value.get().split_whitespace().collect();
    let text = words.join(" ");
    match text.char_indices().nth(EXCERPT_CHARS) {
        Some((end, _)) => format!("`{}...`", &text[..end]),
        None => format!("`{text}`"),
    }
}
