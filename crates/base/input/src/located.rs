//! Values of a file, each with its path.

use crate::format::Input;
use serde_json::{Map, Value};

/// A value of a file, and where it is.
#[derive(Clone, Debug)]
pub struct Located<'a> {
    pub(crate) input: &'a Input,
    pub(crate) value: &'a Value,
    pub(crate) path: String,
}

/// An object, and where it is.
#[derive(Clone, Debug)]
pub struct Object<'a> {
    pub(crate) place: Located<'a>,
    pub(crate) fields: &'a Map<String, Value>,
}

impl Input {
    /// The whole of it.
    pub fn root(&self) -> Located<'_> {
        Located { input: self, value: &self.value, path: String::new() }
    }
}

impl<'a> Located<'a> {
    /// The value.
    pub fn value(&self) -> &'a Value {
        self.value
    }

    /// What messages call the file.
    pub fn file(&self) -> &'a str {
        self.input.file()
    }

    /// Whether the value is a list.
    pub fn is_list(&self) -> bool {
        self.value.is_array()
    }

    /// Whether the value is a record of comma-separated values, or a cell of one, whose values are texts.
    pub fn is_csv(&self) -> bool {
        self.input.columns().is_some()
    }

    /// The finite number that the value is, also as a text of comma-separated values.
    pub fn number(&self) -> Option<f64> {
        let text = || self.value.as_str().filter(|_| self.is_csv())?.parse().ok();
        self.value.as_f64().or_else(text).filter(|number: &f64| number.is_finite())
    }

    /// What messages call the value.
    pub(crate) fn found(&self) -> String {
        match self.value {
            Value::String(text) if self.is_csv() => format!("`{text}`"),
            value => value.to_string(),
        }
    }

    pub(crate) fn below(&self, step: &str) -> String {
        let dot = if self.path.is_empty() || step.starts_with('[') { "" } else { "." };
        format!("{}{dot}{step}", self.path)
    }
}

impl<'a> Object<'a> {
    /// Where the object is.
    pub fn place(&self) -> &Located<'a> {
        &self.place
    }

    /// Returns a field, if it is there.
    pub fn get(&self, name: &str) -> Option<Located<'a>> {
        let value = self.fields.get(name)?;
        Some(Located { input: self.place.input, value, path: self.place.below(name) })
    }

    /// The fields in their order.
    pub fn iter(&self) -> impl Iterator<Item = (&'a str, Located<'a>)> + use<'a, '_> {
        self.fields.iter().map(|(name, value)| {
            (name.as_str(), Located { input: self.place.input, value, path: self.place.below(name) })
        })
    }
}
