//! Values of a file, each with its path.

use crate::format::Input;
use crate::tree::{Content, Fields, Node, Span};
use serde_json::Value;

/// A value of a file, and where it is.
#[derive(Clone, Debug)]
pub struct Located<'a> {
    pub(crate) input: &'a Input,
    pub(crate) node: &'a Node,
    pub(crate) path: String,
}

/// An object, and where it is.
#[derive(Clone, Debug)]
pub struct Object<'a> {
    pub(crate) place: Located<'a>,
    pub(crate) fields: &'a Fields,
}

impl Input {
    /// The whole of it.
    pub fn root(&self) -> Located<'_> {
        Located { input: self, node: &self.root, path: String::new() }
    }
}

impl<'a> Located<'a> {
    /// What messages call the file.
    pub fn file(&self) -> &'a str {
        self.input.file()
    }

    /// Where it is.
    pub fn span(&self) -> &'a Span {
        &self.node.span
    }

    /// The line, from 1, on which it begins; `None` for the file as a whole.
    pub fn line(&self) -> Option<usize> {
        self.input.fault(self.span(), "", String::new()).line
    }

    /// Where the value at a path such as `jobs[3].needs[0]` below it is, or that of the last part of the path that is there.
    pub fn span_below(&self, path: &str) -> &'a Span {
        &self.node.below(path).span
    }

    /// Where its name is, of a field.
    pub fn name_span(&self) -> &'a Span {
        &self.node.name
    }

    /// Whether the value is a list.
    pub fn is_list(&self) -> bool {
        matches!(self.node.content, Content::List(_))
    }

    /// Whether the value is a record of comma-separated values, or a cell of one, whose values are texts.
    pub fn is_csv(&self) -> bool {
        self.input.columns().is_some()
    }

    /// The value without its place.
    pub fn to_value(&self) -> Value {
        self.node.to_value()
    }

    /// The object, if it is one.
    pub fn object(&self) -> Option<Object<'a>> {
        match &self.node.content {
            Content::Object(fields) => Some(Object { place: self.clone(), fields }),
            Content::Scalar(_) | Content::List(_) => None,
        }
    }

    /// The items, if it is a list.
    pub fn items(&self) -> Option<Vec<Located<'a>>> {
        let Content::List(items) = &self.node.content else { return None };
        let item = |(index, node)| match self.is_csv() {
            // The line says which record is meant.
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

    /// The text, if it is one.
    pub fn text(&self) -> Option<&'a str> {
        self.scalar()?.as_str()
    }

    fn cell(&self) -> Option<&'a str> {
        self.text().filter(|_| self.is_csv())
    }

    /// The truth value that the value is, also as a text of comma-separated values.
    pub fn boolean(&self) -> Option<bool> {
        self.scalar()?.as_bool().or_else(|| self.cell()?.parse().ok())
    }

    /// Whether it is `null`, or what JSON has no way to write.
    pub fn is_null(&self) -> bool {
        self.scalar().is_some_and(Value::is_null)
    }

    /// The finite number that the value is, also as a text of comma-separated values.
    pub fn number(&self) -> Option<f64> {
        let number = self.scalar()?.as_f64().or_else(|| self.cell()?.parse().ok());
        number.filter(|number: &f64| number.is_finite())
    }

    /// The whole number that the value is; `5.0` is one too.
    pub fn integer(&self) -> Option<i64> {
        const EXACT: f64 = 9_007_199_254_740_992.0;
        let whole = |number: &f64| number.fract() == 0.0 && number.abs() <= EXACT;
        self.scalar()?.as_i64().or_else(|| self.number().filter(whole).map(|number| number as i64))
    }

    /// What messages call the value: as it is written, if that is short.
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

    /// A value below this one.
    pub(crate) fn child(&self, step: &str, node: &'a Node) -> Located<'a> {
        Located { input: self.input, node, path: self.below(step) }
    }

    pub(crate) fn below(&self, step: &str) -> String {
        below(&self.path, step)
    }
}

/// The path of something below a path.
pub(crate) fn below(path: &str, step: &str) -> String {
    let dot = if path.is_empty() || step.is_empty() || step.starts_with('[') { "" } else { "." };
    format!("{path}{dot}{step}")
}

impl<'a> Object<'a> {
    /// Where the object is.
    pub fn place(&self) -> &Located<'a> {
        &self.place
    }

    /// Returns a field, if it is there.
    pub fn get(&self, name: &str) -> Option<Located<'a>> {
        Some(self.place.child(name, self.fields.get(name)?))
    }

    /// Returns the place of a field's name, if it is there.
    pub fn name_span(&self, name: &str) -> Option<&'a Span> {
        Some(&self.fields.get(name)?.name)
    }

    /// The fields in their order.
    pub fn iter(&self) -> impl Iterator<Item = (&'a str, Located<'a>)> + use<'a, '_> {
        self.fields.iter().map(|(name, node)| (name.as_str(), self.place.child(name, node)))
    }
}
