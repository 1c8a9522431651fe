//! Takes JSON apart and collects what is wrong with it.

use super::FileError;
use super::json::Unique;
use dfrsim_model::named::UnknownName;
use dfrsim_model::{Fault, FileFaults};
use serde_json::{Map, Value};
use std::fmt::Display;
use std::ops::RangeInclusive;

/// The faults of one file so far.
#[derive(Default)]
pub(super) struct Reader {
    faults: Vec<Fault>,
}

/// A value, and where it is.
#[derive(Clone)]
pub(super) struct Place<'a> {
    value: &'a Value,
    pub(super) path: String,
}

/// An object, and where it is.
pub(super) struct Object<'a> {
    fields: &'a Map<String, Value>,
    path: String,
}

/// The value that a text holds.
pub(super) fn parse(file: &str, text: &str) -> Result<Value, FileError> {
    serde_json::from_str(text).map(|Unique(value)| value).map_err(|error| FileError::Syntax {
        file: file.to_owned(),
        line: error.line(),
        column: error.column(),
        message: {
            let kind = if error.is_data() { "" } else { "invalid JSON: " };
            let text = error.to_string();
            format!("{kind}{}", text.split(" at line ").next().unwrap_or_default())
        },
    })
}

impl<'a> Place<'a> {
    pub(super) fn root(value: &'a Value) -> Place<'a> {
        Place { value, path: String::new() }
    }
}

impl Reader {
    /// The value read from the file, or its faults.
    pub(super) fn finish<T>(self, file: &str, text: &str, made: Option<T>) -> Result<T, FileError> {
        match made {
            Some(made) if self.faults.is_empty() => Ok(made),
            _ => Err(FileFaults { file: file.to_owned(), faults: self.faults }.located_in(text).into()),
        }
    }

    pub(super) fn fault(&mut self, path: impl Into<String>, message: impl Into<String>) {
        self.faults.push(Fault::new(path, message.into()));
    }

    /// An object with none but these fields.
    pub(super) fn object<'a>(&mut self, place: &Place<'a>, known: &[&str]) -> Option<Object<'a>> {
        let Value::Object(fields) = place.value else {
            self.fault(&place.path, "this should be an object");
            return None;
        };
        for wrong in fields.keys().filter(|name| !known.contains(&name.as_str())) {
            self.fault(&place.path, UnknownName::new("field", wrong, known).to_string());
        }
        Some(Object { fields, path: place.path.clone() })
    }

    /// A field that must be there.
    pub(super) fn field<'a>(&mut self, object: &Object<'a>, name: &str) -> Option<Place<'a>> {
        let field = object.get(name);
        if field.is_none() {
            self.fault(&object.path, format!("the field `{name}` is missing"));
        }
        field
    }

    /// The items of a list.
    pub(super) fn list<'a>(&mut self, place: &Place<'a>) -> Option<Vec<Place<'a>>> {
        let Value::Array(items) = place.value else {
            self.fault(&place.path, "this should be a list");
            return None;
        };
        let item = |(index, value)| Place { value, path: format!("{}[{index}]", place.path) };
        Some(items.iter().enumerate().map(item).collect())
    }

    /// A list of this many items.
    pub(super) fn list_of<'a>(&mut self, place: &Place<'a>, length: usize) -> Option<Vec<Place<'a>>> {
        let items = self.list(place)?;
        if items.len() != length {
            self.fault(&place.path, format!("there should be {length} of these, not {}", items.len()));
            return None;
        }
        Some(items)
    }

    /// What `read` returns for every item; `None` if it returns `None` for one.
    pub(super) fn each<'a, T>(
        &mut self,
        items: &[Place<'a>],
        mut read: impl FnMut(&mut Reader, &Place<'a>) -> Option<T>,
    ) -> Option<Vec<T>> {
        // All items are read even if an early one is wrong.
        let read: Vec<Option<T>> = items.iter().map(|item| read(self, item)).collect();
        read.into_iter().collect()
    }

    /// An integer in a range.
    pub(super) fn integer(&mut self, place: &Place<'_>, range: RangeInclusive<u32>) -> Option<u32> {
        let integer = place.value.as_u64().and_then(|number| u32::try_from(number).ok());
        let found = integer.filter(|number| range.contains(number));
        let meant = || format!("an integer from {} to {}", range.start(), range.end());
        self.expected(place, found, meant)
    }

    /// A text that is not empty.
    pub(super) fn text<'a>(&mut self, place: &Place<'a>) -> Option<&'a str> {
        let found = place.value.as_str().filter(|text| !text.is_empty());
        self.expected(place, found, || "a name")
    }

    /// True or false.
    pub(super) fn boolean(&mut self, place: &Place<'_>) -> Option<bool> {
        self.expected(place, place.value.as_bool(), || "true or false")
    }

    /// A fraction, as `convert` understands it.
    pub(super) fn fraction<T>(
        &mut self,
        place: &Place<'_>,
        meant: &str,
        convert: impl FnOnce(f64) -> Option<T>,
    ) -> Option<T> {
        let found = place.value.as_f64().and_then(convert);
        self.expected(place, found, || meant)
    }

    fn expected<T, D: Display>(
        &mut self,
        place: &Place<'_>,
        found: Option<T>,
        meant: impl FnOnce() -> D,
    ) -> Option<T> {
        if found.is_none() {
            self.fault(&place.path, format!("{} is not {}", place.value, meant()));
        }
        found
    }
}

impl<'a> Object<'a> {
    /// A field, if it is there.
    pub(super) fn get(&self, name: &str) -> Option<Place<'a>> {
        let dot = if self.path.is_empty() { "" } else { "." };
        self.fields.get(name).map(|value| Place { value, path: format!("{}{dot}{name}", self.path) })
    }
}

impl Place<'_> {
    pub(super) fn is_list(&self) -> bool {
        self.value.is_array()
    }
}
