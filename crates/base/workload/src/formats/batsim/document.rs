//! The JSON of a workload, its values kept as they are, so that each is known by its line.

use super::Located;
use crate::log::Problem;
use memchr::memchr_iter;
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;

/// How much of a wrong value is shown, in characters.
const EXCERPT: usize = 40;

/// The fields of the whole workload.
#[derive(Deserialize)]
pub(super) struct Document<'a> {
    #[serde(borrow)]
    pub(super) nb_res: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) jobs: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) profiles: Option<&'a RawValue>,
}

/// The members of an object in their order, repeated ones too.
pub(super) struct Members<'a>(pub(super) Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor)
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(Members(members))
    }
}

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
    name: String,
    /// Where it is.
    line: u64,
    problems: Vec<Located>,
}

impl<'e> Entry<'e> {
    pub(super) fn new(text: &'e Text<'e>, name: String, line: u64) -> Entry<'e> {
        Entry { text, name, line, problems: Vec::new() }
    }
    pub(super) fn problems(self) -> Vec<Located> {
        self.problems
    }

    /// The value of a field that must be there. A missing value is a fault.
    pub(super) fn required<'v, T: Deserialize<'v>>(
        &mut self,
        field: &'static str,
        value: Option<&'v RawValue>,
        expected: &str,
        fits: impl FnOnce(&T) -> bool,
    ) -> Option<T> {
        let read = value.and_then(|value| serde_json::from_str(value.get()).ok()).filter(fits);
        if read.is_none() {
            self.fault(field, value, expected);
        }
        read
    }
    /// The value of a field that may be missing, then `default`. A value of another kind is a fault.
    pub(super) fn optional<'v, T: Deserialize<'v>>(
        &mut self,
        field: &'static str,
        value: Option<&'v RawValue>,
        default: T,
        expected: &str,
        fits: impl FnOnce(&T) -> bool,
    ) -> Option<T> {
        if value.is_none() { Some(default) } else { self.required(field, value, expected, fits) }
    }

    /// A field is not what is expected.
    pub(super) fn fault(&mut self, field: &'static str, value: Option<&RawValue>, expected: &str) {
        let line = value.map_or(self.line, |value| self.text.line(value));
        let entry = self.name.clone();
        let problem =
            Problem::Member { entry, member: field, found: excerpt(value), expected: expected.to_owned() };
        self.problems.push((line, problem));
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
