//! Reader of located values that collects all errors.

use crate::ParseError;
use crate::decimal::Decimal;
use crate::fault::{Fault, Faults};
use crate::format::Input;
use crate::located::{Located, Object};
use crate::named::UnknownName;
use crate::parse::DeserializeError;
use serde::de::DeserializeOwned;
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// Converter of located values to typed ones, which collects the errors. A method that finds an
/// error returns `None`, and reading continues.
#[derive(Debug, Default)]
pub struct Reader {
    faults: Vec<Fault>,
}

impl Reader {
    /// Returns the result if there is no error.
    ///
    /// # Errors
    ///
    /// All errors that were collected.
    ///
    /// # Panics
    ///
    /// If there is neither a result nor an error.
    pub fn finish<T>(self, read: Option<T>) -> Result<T, Faults> {
        if self.faults.is_empty() {
            return Ok(read.expect("a missing result has an error"));
        }
        Err(Faults(self.faults))
    }

    /// Returns whether no error has been found yet.
    pub fn is_clean(&self) -> bool {
        self.faults.is_empty()
    }

    /// Adds an error about a value.
    pub fn fault(&mut self, place: &Located<'_>, message: impl Display) {
        self.faults.push(place.input.fault(place.span(), &place.path, message.to_string()));
    }

    /// Adds an error about a descendant of a value, such as the field `vms[3]`.
    pub fn fault_below(&mut self, place: &Located<'_>, step: &str, message: impl Display) {
        self.faults.push(place.input.fault(place.span_below(step), &place.below(step), message.to_string()));
    }

    /// Adds an error about a file as a whole.
    pub fn fault_of_file(&mut self, file: &str, message: impl Display) {
        self.faults.push(Fault::of_file(file, message));
    }

    /// Adds the errors of another reader.
    pub fn add(&mut self, faults: Faults) {
        self.faults.extend(faults.0);
    }

    /// Returns an object with any fields.
    pub fn any_object<'a>(&mut self, place: &Located<'a>) -> Option<Object<'a>> {
        let object = place.object();
        if object.is_none() {
            self.fault(place, "expected an object");
        }
        object
    }

    /// Returns an object; other fields than the known ones are errors.
    pub fn object<'a>(&mut self, place: &Located<'a>, known: &[&str]) -> Option<Object<'a>> {
        let object = self.any_object(place)?;
        for (wrong, at) in object.iter().filter(|(name, _)| !known.contains(name)) {
            let message = UnknownName::new("field", wrong, known).to_string();
            self.faults.push(place.input.fault(&at.node.name, &place.path, message));
        }
        Some(object)
    }

    /// Returns a required field.
    pub fn field<'a>(&mut self, object: &Object<'a>, name: &str) -> Option<Located<'a>> {
        let field = object.get(name);
        if field.is_none() {
            self.fault(&object.place, format!("missing field `{name}`"));
        }
        field
    }

    /// Returns the items of a list.
    pub fn list<'a>(&mut self, place: &Located<'a>) -> Option<Vec<Located<'a>>> {
        let items = place.items();
        if items.is_none() {
            self.fault(place, "expected a list");
        }
        items
    }

    /// Returns the records of comma-separated values, or the items of another file that is a list,
    /// and adds the errors in the file's format.
    pub fn records<'a>(&mut self, input: &'a Input) -> Option<Vec<Located<'a>>> {
        self.faults.extend_from_slice(&input.faults);
        self.list(&input.root())
    }

    /// Returns the items of a list with the given length.
    pub fn list_of<'a>(&mut self, place: &Located<'a>, length: usize) -> Option<Vec<Located<'a>>> {
        let items = self.list(place)?;
        if items.len() != length {
            self.fault(place, format!("expected {length} items, found {}", items.len()));
            return None;
        }
        Some(items)
    }

    /// Applies `read` to every item; `None` if it returns `None` for any of them.
    pub fn each<'a, T>(
        &mut self,
        items: &[Located<'a>],
        mut read: impl FnMut(&mut Reader, &Located<'a>) -> Option<T>,
    ) -> Option<Vec<T>> {
        // All items are read, to find all errors.
        let read: Vec<Option<T>> = items.iter().map(|item| read(self, item)).collect();
        read.into_iter().collect()
    }

    /// Applies `read` to the items of an optional list; an absent list is empty.
    pub fn each_of<'a, T>(
        &mut self,
        object: &Object<'a>,
        name: &str,
        read: impl FnMut(&mut Reader, &Located<'a>) -> Option<T>,
    ) -> Option<Vec<T>> {
        let Some(place) = object.get(name) else { return Some(Vec::new()) };
        let items = self.list(&place)?;
        self.each(&items, read)
    }

    /// Returns an integer in a range.
    pub fn integer(&mut self, place: &Located<'_>, range: RangeInclusive<u32>) -> Option<u32> {
        let integer = place.integer().and_then(|number| u32::try_from(number).ok());
        let found = integer.filter(|number| range.contains(number));
        self.expected(place, found, || format!("an integer from {} to {}", range.start(), range.end()))
    }

    /// Returns a text that is not empty.
    pub fn text<'a>(&mut self, place: &Located<'a>) -> Option<&'a str> {
        let found = place.text().filter(|text| !text.is_empty());
        self.expected(place, found, || "a name")
    }

    /// Returns a Boolean.
    pub fn boolean(&mut self, place: &Located<'_>) -> Option<bool> {
        self.expected(place, place.boolean(), || "true or false")
    }

    /// Returns a number converted by `convert`; `meant` describes the valid numbers.
    pub fn number<T>(
        &mut self,
        place: &Located<'_>,
        meant: &str,
        convert: impl FnOnce(f64) -> Option<T>,
    ) -> Option<T> {
        self.expected(place, place.number().and_then(convert), || meant)
    }

    /// Returns the value that the text of a string, or of any other value, parses to, such as a time in seconds.
    pub fn from_text<T: FromStr<Err = ParseError>>(&mut self, place: &Located<'_>) -> Option<T> {
        let text = place.text().map_or_else(|| place.to_value().to_string(), str::to_owned);
        text.parse().map_err(|error: ParseError| self.fault(place, error)).ok()
    }

    /// Returns a number with at most three decimals.
    pub fn decimal(&mut self, place: &Located<'_>) -> Option<Decimal> {
        let meant = "a number from 0 to 4294967295 with at most three decimals";
        self.number(place, meant, |number| Decimal::try_from(number).ok())
    }

    /// Returns a value deserialised by serde.
    pub fn parsed<T: DeserializeOwned>(&mut self, place: &Located<'_>) -> Option<T> {
        self.parsed_without(place, &[])
    }

    /// Returns an object deserialised by serde, without the given fields.
    pub fn parsed_without<T: DeserializeOwned>(&mut self, place: &Located<'_>, fields: &[&str]) -> Option<T> {
        let fault = |DeserializeError { span, path, message }| place.input.fault(&span, &path, message);
        place.parse_without(fields).map_err(|wrong| self.faults.extend(wrong.into_iter().map(fault))).ok()
    }

    /// Returns `found`, or adds the error that the value is not what is expected.
    pub fn expected<T, D: Display>(
        &mut self,
        place: &Located<'_>,
        found: Option<T>,
        meant: impl FnOnce() -> D,
    ) -> Option<T> {
        if found.is_none() {
            self.fault(place, format!("{} is not {}", place.found(), meant()));
        }
        found
    }

    /// Returns the result of `find` for a name; an unknown name is an error, which suggests the most
    /// similar known one.
    pub fn one_of<T, N: AsRef<str>>(
        &mut self,
        place: &Located<'_>,
        what: &'static str,
        find: impl FnOnce(&str) -> Option<T>,
        known: impl IntoIterator<Item = N>,
    ) -> Option<T> {
        let name = self.text(place)?;
        let found = find(name);
        if found.is_none() {
            self.fault(place, UnknownName::new(what, name, known));
        }
        found
    }

    /// Returns the enum variant that a value names.
    pub fn named<T: FromStr<Err = UnknownName>>(&mut self, place: &Located<'_>) -> Option<T> {
        self.text(place)?.parse().map_err(|unknown| self.fault(place, unknown)).ok()
    }
}
