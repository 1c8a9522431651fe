//! Overrides: `key=value` pairs that replace values of a file.

use super::NodeBuilder;
use crate::named::nearest;
use crate::tree::{Content, Fields, Node};
use serde_json::Value;
use std::ops::Range;
use toml::de::DeValue;

/// Maximum number of parts of a key, since tables are read, written and dropped recursively.
const MAX_PARTS: usize = 32;

/// Applies the override at `range` of the joined text to a table.
///
/// # Errors
///
/// The message about an invalid key or value.
pub(super) fn apply(set: &str, range: &Range<usize>, root: &mut Fields) -> Result<(), String> {
    let node = |content| Node { name: Some(range.clone()), span: Some(range.clone()), content };
    let (key, value) = set.split_once('=').ok_or("expected `key=value`")?;
    if value.trim().is_empty() {
        return Err("expected `key=value`".into());
    }
    let keys: Vec<&str> = key.split('.').map(str::trim).collect();
    if keys.contains(&"") || keys.len() > MAX_PARTS {
        return Err(format!("`{}` is not a key; expected names joined by dots", key.trim()));
    }
    let (last, path) = keys.split_last().expect("split returns at least one part");
    let mut table = root;
    let mut path = path.iter().copied();
    while let Some(key) = path.next() {
        let empty = || node(Content::Object(Fields::new()));
        table = match &mut table.entry(key.to_owned()).or_insert_with(empty).content {
            Content::Object(table) => table,
            Content::List(items) => {
                let Some(element) = path.next() else {
                    return Err(format!("`{key}` is a list; select an entry by its index or its name"));
                };
                let tables = items.iter_mut().filter_map(|item| match &mut item.content {
                    Content::Object(table) => Some(table),
                    Content::Scalar(_) | Content::List(_) => None,
                });
                find_element(tables.collect(), element).map_err(|message| format!("`{key}` {message}"))?
            }
            Content::Scalar(value) => {
                return Err(format!("`{key}` is a value ({}), not a table", kind(value)));
            }
        };
    }
    if table.get(*last).is_some_and(is_list_of_named_tables) {
        return Err(format!("`{last}` is a list of tables; set the keys of one of them"));
    }
    let value = match DeValue::parse(value.trim()) {
        Ok(parsed) => NodeBuilder(range.end - value.trim_start().len()).node(&parsed),
        // Text that is not TOML is taken literally.
        Err(_) => Node {
            span: Some(range.end - value.len()..range.end),
            ..node(Content::Scalar(value.trim().into()))
        },
    };
    table.insert((*last).to_owned(), Node { name: Some(range.clone()), ..value });
    Ok(())
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::String(_) => "string",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "float",
        Value::Number(_) => "integer",
        _ => "datetime",
    }
}

fn is_list_of_named_tables(node: &Node) -> bool {
    let is_named =
        |item: &Node| matches!(&item.content, Content::Object(fields) if fields.contains_key("name"));
    matches!(&node.content, Content::List(items) if items.iter().any(is_named))
}

/// Returns the table with this index (from 0) or this `name`.
fn find_element<'t>(mut tables: Vec<&'t mut Fields>, key: &str) -> Result<&'t mut Fields, String> {
    let name_of = |table: &Fields| match table.get("name").map(|name| &name.content) {
        Some(Content::Scalar(Value::String(name))) => name.clone(),
        _ => String::new(),
    };
    let names: Vec<String> = tables.iter().map(|table| name_of(table)).collect();
    let all = || names.iter().map(String::as_str);
    let place = match key.parse::<usize>() {
        Ok(number) if number < tables.len() => number,
        Ok(_) => {
            return Err(format!(
                "has only {} entries, counted from 0; there is no entry {key}",
                tables.len()
            ));
        }
        Err(_) => all().position(|name| name == key).ok_or_else(|| match nearest(key, all()) {
            Some(name) => format!("has no entry `{key}`; did you mean `{name}`?"),
            None => {
                let quoted: Vec<String> = all().map(|name| format!("`{name}`")).collect();
                format!("has no entry `{key}`; expected one of {}", quoted.join(", "))
            }
        })?,
    };
    Ok(tables.swap_remove(place))
}
