//! TOML as a tree of values.

use super::{Format, Input};
use crate::fault::Faults;
use crate::tree::{Content, Node};
use serde_json::{Number, Value};
use toml::de::{DeTable, DeValue};

impl Input {
    /// Takes TOML apart; `file` is what messages call it.
    ///
    /// # Errors
    /// The text is not TOML: all places.
    pub fn toml(file: &str, text: &str) -> Result<Input, Faults> {
        let (table, mut errors) = DeTable::parse_recoverable(text);
        let root = Node { name: None, span: None, content: table_content(table.get_ref()) };
        let input = Input::new(file, text, root, Format::Toml);
        if errors.is_empty() {
            return Ok(input);
        }
        errors.sort_by_key(|error| error.span().map(|span| span.start));
        let fault = |error: &toml::de::Error| input.fault(&error.span(), "", error.message().to_owned());
        Err(Faults(errors.iter().map(fault).collect()))
    }
}

fn table_content(table: &DeTable<'_>) -> Content {
    let fields = table.iter().map(|(key, value)| {
        let node =
            Node { name: Some(key.span()), span: Some(value.span()), content: content(value.get_ref()) };
        (key.get_ref().to_string(), node)
    });
    Content::Object(fields.collect())
}

fn content(value: &DeValue<'_>) -> Content {
    Content::Scalar(match value {
        DeValue::Table(table) => return table_content(table),
        DeValue::Array(items) => {
            let item = |item: &toml::Spanned<DeValue<'_>>| Node {
                name: None,
                span: Some(item.span()),
                content: content(item.get_ref()),
            };
            return Content::List(items.iter().map(item).collect());
        }
        DeValue::String(text) => text.as_ref().into(),
        DeValue::Boolean(value) => (*value).into(),
        DeValue::Integer(number) => match i64::from_str_radix(number.as_str(), number.radix()) {
            Ok(number) => number.into(),
            Err(_) => float(number.as_str()),
        },
        DeValue::Float(number) => float(number.as_str()),
        DeValue::Datetime(_) => Value::Null,
    })
}

fn float(text: &str) -> Value {
    text.parse().ok().and_then(Number::from_f64).map_or(Value::Null, Value::Number)
}
