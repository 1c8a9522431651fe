//! Values of a file, each with its path.

use crate::format::Input;
use crate::tree::{Content, Fields, Node, Span};
use serde_json::Value;

/// A value of a file with its path and position.
#[derive(Clone, Debug)]
pub struct Located<'a> {
    pub(crate) input: &'a Input,
    pub(crate) node: &'a Node,
    pub(crate) path: String,
}

/// An object with its path and position.
#[derive(Clone, Debug)]
pub struct Object<'a> {
    pub(crate) place: Located<'a>,
    pub(crate) fields: &'a Fields,
}

impl Input {
    /// Returns the whole file as a value.
    pub fn root(&self) -> Located<'_> {
        Located { input: self, node: &self.root, path: String::new() }
    }
}

impl<'a> Located<'a> {
    /// Returns the name of the file in messages.
    pub fn file(&self) -> &'a str {
        self.input.file()
    }

    /// Returns the position of the value.
    pub fn span(&self) -> &'a Span {
        &self.node.span
    }

    /// Returns the line, from 1, on which the value begins; `None` for the file as a whole.
    pub fn line(&self) -> Option<usize> {
        self.input.fault(self.span(), "", String::new()).line
    }

    /// Returns the position of the descendant at a path such as `jobs[3].needs[0]`, or of the last
    /// step of the path that exists.
    pub fn span_below(&self, path: &str) -> &'a Span {
        &self.node.below(path).span
    }

    /// Returns the position of the name, if the value is a field.
    pub fn name_span(&self) -> &'a Span {
        &self.node.name
    }

    /// Returns whether the value is a list.
    pub fn is_list(&self) -> bool {
        matches!(self.node.content, Content::List(_))
    }

    /// Returns whether the value is a record of comma-separated values or a cell of one. The values
    /// of cells are texts.
    pub fn is_csv(&self) -> bool {
        self.input.columns().is_some()
    }

    /// Converts the value to JSON, without positions.
    pub fn to_value(&self) -> Value {
        self.node.to_value()
    }

    /// Returns the object, if the value is one.
    pub fn object(&self) -> Option<Object<'a>> {
        match &self.node.content {
            Content::Object(fields) => Some(Object { place: self.clone(), fields }),
            Content::Scalar(_) | Content::List(_) => None,
        }
    }

    /// Returns the items, if the value is a list.
    pub fn items(&self) -> Option<Vec<Located<'a>>> {
        let Content::List(items) = &self.node.content else { return None };
        let item = |(index, node)| match self.is_csv() {
            // The line identifies the record.
            true => self.child("", node),
            false => self.child(&format!("[{index}]"), node),
        };
        Some(items.iter().enumerate().map(item).collect())
    }

    fn scalar(&self) -> Option<&'a Value> {
        match &self.node.content {
            Content::Scalar(value) => Some(value),
            Content::List(_) | Content::Object(_) => None,
        }
    }

    /// Returns the text, if the value is one.
    pub fn text(&self) -> Option<&'a str> {
        self.scalar()?.as_str()
    }

    fn cell(&self) -> Option<&'a str> {
        self.text().filter(|_| self.is_csv())
    }

    /// Returns the Boolean, if the value is one or, in comma-separated values, the text of one.
    pub fn boolean(&self) -> Option<bool> {
        self.scalar()?.as_bool().or_else(|| self.cell()?.parse().ok())
    }

    /// Returns whether the value is `null` or, in TOML, a value that JSON cannot represent.
    pub fn is_null(&self) -> bool {
        self.scalar().is_some_and(Value::is_null)
    }

    /// Returns the finite number, if the value is one or, in comma-separated values, the text of
    /// one.
    pub fn number(&self) -> Option<f64> {
        let number = self.scalar()?.as_f64().or_else(|| self.cell()?.parse().ok());
        number.filter(|number: &f64| number.is_finite())
    }

    /// Returns the whole number, if the value is one; `5.0` is too.
    pub fn integer(&self) -> Option<i64> {
        const EXACT: f64 = 9_007_199_254_740_992.0;
        let whole = |number: &f64| number.fract() == 0.0 && number.abs() <= EXACT;
        self.scalar()?.as_i64().or_else(|| self.number().filter(whole).map(|number| number as i64))
    }

    /// Formats the value for messages: a scalar as it is written, lists and objects by their kind.
    pub fn found(&self) -> String {
        match &self.node.content {
            Content::Scalar(Value::String(text)) if self.is_csv() => format!("`{text}`"),
            Content::Scalar(Value::String(text)) => format!("{text:?}"),
            Content::Scalar(_) => self.input.slice(&self.node.span).to_owned(),
            Content::List(items) if items.is_empty() => "an empty list".to_owned(),
            Content::List(_) => "a list".to_owned(),
            Content::Object(_) => "a table".to_owned(),
        }
    }

    /// Returns a child of the value.
    pub(crate) fn child(&self, step: &str, node: &'a Node) -> Located<'a> {
        Located { input: self.input, node, path: self.below(step) }
    }

    pub(crate) fn below(&self, step: &str) -> String {
        below(&self.path, step)
    }
}

/// Appends a step to a path.
pub(crate) fn below(path: &str, step: &str) -> String {
    let dot = if path.is_empty() || step.is_empty() || step.starts_with('[') { "" } else { "." };
    format!("{path}{dot}{step}")
}

impl<'a> Object<'a> {
    /// Returns the object as a value.
    pub fn place(&self) -> &Located<'a> {
        &self.place
    }

    /// Returns a field, if it is present.
    pub fn get(&self, name: &str) -> Option<Located<'a>> {
        Some(self.place.child(name, self.fields.get(name)?))
    }

    /// Returns the position of a field's name, if it is present.
    pub fn name_span(&self, name: &str) -> Option<&'a Span> {
        Some(&self.fields.get(name)?.name)
    }

    /// Iterates over the fields by name.
    pub fn iter(&self) -> impl Iterator<Item = (&'a str, Located<'a>)> + use<'a, '_> {
        self.fields.iter().map(|(name, node)| (name.as_str(), self.place.child(name, node)))
    }
}
