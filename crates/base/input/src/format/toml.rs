//! Parser of TOML.

mod overrides;

use super::{Format, Input};
use crate::fault::Faults;
use crate::tree::{Content, Fields, Node, Span};
use serde_json::{Number, Value};
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

impl Input {
    /// Parses TOML. `file` is the name in messages.
    ///
    /// # Errors
    ///
    /// The text is not TOML: all errors.
    pub fn toml(file: &str, text: &str) -> Result<Input, Faults> {
        Input::toml_with(file, text, &[])
    }

    /// Parses TOML and applies overrides.
    ///
    /// An override is `key=value`. A key consists of names joined by dots; the name of a list of
    /// tables is followed by the index (from 0) or the name of a table (`workloads.hpc2n.nodes=64`).
    /// A value is in TOML, or otherwise a text.
    ///
    /// # Errors
    ///
    /// The text is not TOML (all errors), or the key of an override does not exist.
    pub fn toml_with(file: &str, text: &str, overrides: &[String]) -> Result<Input, Faults> {
        let (table, mut errors) = DeTable::parse_recoverable(text);
        errors.sort_by_key(|error| error.span().map(|span| span.start));
        let wrong = errors.iter().map(|error| (error.span(), error.message().to_owned()));
        let mut wrong: Vec<(Span, String)> = wrong.collect();
        let mut fields = NodeBuilder(0).fields(table.get_ref());
        // The overrides are appended to the text, so that an offset identifies a position in any of
        // them.
        let mut joined = format!("{text}\n");
        for set in overrides {
            let range = joined.len()..joined.len() + set.len();
            joined.extend([set.as_str(), "\n"]);
            if errors.is_empty()
                && let Err(message) = overrides::apply(set, &range, &mut fields)
            {
                wrong.push((Some(range), message));
            }
        }
        let root = Node { name: None, span: None, content: Content::Object(fields) };
        let input = Input::new(file, &joined, root, Format::Toml { end: text.len() });
        if wrong.is_empty() {
            return input.checked();
        }
        Err(Faults(wrong.into_iter().map(|(span, message)| input.fault(&span, "", message)).collect()))
    }
}

/// Builder of nodes from values whose positions in the text are shifted by this many bytes.
struct NodeBuilder(usize);

impl NodeBuilder {
    fn moved(&self, span: Range<usize>) -> Range<usize> {
        span.start + self.0..span.end + self.0
    }

    fn fields(&self, table: &DeTable<'_>) -> Fields {
        let field = |(key, value): (&Spanned<DeString<'_>>, _)| {
            let node = Node { name: Some(self.moved(key.span())), ..self.node(value) };
            (key.get_ref().to_string(), node)
        };
        table.iter().map(field).collect()
    }

    fn node(&self, value: &Spanned<DeValue<'_>>) -> Node {
        let content = match value.get_ref() {
            DeValue::Table(table) => Content::Object(self.fields(table)),
            DeValue::Array(items) => Content::List(items.iter().map(|item| self.node(item)).collect()),
            DeValue::String(text) => Content::Scalar(text.as_ref().into()),
            DeValue::Boolean(value) => Content::Scalar((*value).into()),
            DeValue::Integer(number) => Content::Scalar(
                i64::from_str_radix(number.as_str(), number.radix())
                    .map_or_else(|_| float(number.as_str()), Value::from),
            ),
            DeValue::Float(number) => Content::Scalar(float(number.as_str())),
            DeValue::Datetime(_) => Content::Scalar(Value::Null),
        };
        Node { name: None, span: Some(self.moved(value.span())), content }
    }
}

fn float(text: &str) -> Value {
    text.parse().ok().and_then(Number::from_f64).map_or(Value::Null, Value::Number)
}
