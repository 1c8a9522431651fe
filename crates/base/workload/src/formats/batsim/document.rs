//! The JSON of a workload, its values kept as they are, so that each is known by its line.

use super::Located;
use crate::log::Problem;
use memchr::memchr_iter;
use serde::Deserialize;
use serde_json::value::RawValue;

/// How much of a wrong value is shown, in characters.
const EXCERPT: usize = 40;

/// The members of an object.
pub(super) type Members<'a> = dfrsim_model::Members<String, &'a RawValue>;

/// The text of a file, with its lines.
pub(super) struct Text<'a> {
    text: &'a str,
    /// Where the lines end.
    ends: Vec<usize>,
}

impl<'a> Text<'a> {
    pub(super) fn new(text: &'a str) -> Text<'a> {
        Text { text, ends: memchr_iter(b'\n', text.as_bytes()).collect() }
    }
    /// The line, from 1, on which a value of this text starts.
    pub(super) fn line(&self, value: &RawValue) -> u64 {
        let offset = value.get().as_ptr() as usize - self.text.as_ptr() as usize;
        self.ends.partition_point(|&end| end < offset) as u64 + 1
    }
}

/// A job, a profile, or the whole workload: something with fields, of which some may be wrong.
pub(super) struct Entry<'e> {
    text: &'e Text<'e>,
    /// How messages speak of it.
    pub(super) name: String,
    /// Where it is.
    line: u64,
    pub(super) members: Vec<(String, &'e RawValue)>,
    problems: Vec<Located>,
}

/// What other versions of Batsim call a field.
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
    pub(super) fn problems(self) -> Vec<Located> {
        self.problems
    }

    /// The values of a field, of which there should be one; `null` is none.
    fn values(&self, field: &str) -> impl Iterator<Item = &'e RawValue> {
        let is_meant = move |name: &str| name == field || other_names(field).contains(&name);
        let values = self.members.iter().filter(move |(name, _)| is_meant(name)).map(|(_, value)| *value);
        values.filter(|value| value.get() != "null")
    }
    /// The value of a field, if it is there.
    pub(super) fn get(&self, field: &str) -> Option<&'e RawValue> {
        self.values(field).next()
    }
    /// The value of a field that must be there. A missing value is a fault.
    pub(super) fn required<T: Deserialize<'e>>(
        &mut self,
        field: &'static str,
        expected: &str,
        fits: impl FnOnce(&T) -> bool,
    ) -> Option<T> {
        let second = self.values(field).nth(1);
        if second.is_some() {
            self.fault_at(field, second, "one value of this name");
            return None;
        }
        let read = self.get(field).and_then(|value| serde_json::from_str(value.get()).ok()).filter(fits);
        if read.is_none() {
            self.fault(field, expected);
        }
        read
    }
    /// The value of a field that may be missing, then `default`. A value of another kind is a fault.
    pub(super) fn optional<T: Deserialize<'e>>(
        &mut self,
        field: &'static str,
        default: T,
        expected: &str,
        fits: impl FnOnce(&T) -> bool,
    ) -> Option<T> {
        if self.get(field).is_none() { Some(default) } else { self.required(field, expected, fits) }
    }

    /// A field is not what is expected.
    pub(super) fn fault(&mut self, field: &'static str, expected: &str) {
        self.fault_at(field, self.get(field), expected);
    }
    /// A value is not what is expected of a field.
    pub(super) fn fault_at(&mut self, field: &'static str, value: Option<&RawValue>, expected: &str) {
        let line = value.map_or(self.line, |value| self.text.line(value));
        self.problems.push((line, Problem::member(&*self.name, field, excerpt(value), expected)));
    }
}

/// What is in a field, as messages show it.
fn excerpt(value: Option<&RawValue>) -> String {
    let Some(value) = value else { return "no value".to_owned() };
    let words: Vec<&str> = value.get().split_whitespace().collect();
    let text = words.join(" ");
    match text.char_indices().nth(EXCERPT) {
        Some((end, _)) => format!("`{}...`", &text[..end]),
        None => format!("`{text}`"),
    }
}
