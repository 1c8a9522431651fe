//! Overrides: `key=value` in place of what the file says.

use super::fault::{Fault, Text};
use super::names::{listed, nearest};
use std::borrow::Cow;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// This many parts a key may have: tables are read, written and dropped by recursion.
const MOST_PARTS: usize = 32;

/// A file with its overrides applied.
///
/// # Errors
/// All faults of TOML, and overrides whose key leads nowhere.
pub(super) fn parse<'a>(
    text: &Text,
    file: &'a str,
    overrides: &'a [String],
) -> Result<DeTable<'a>, Vec<Fault>> {
    let (table, mut errors) = DeTable::parse_recoverable(file);
    let mut table = table.into_inner();
    errors.sort_by_key(|error| error.span().map(|span| span.start));
    let mut faults: Vec<Fault> = errors.iter().map(|error| text.toml_fault(error)).collect();
    if faults.is_empty() {
        let mut start = file.len() + 1;
        for set in overrides {
            let range = start..start + set.len();
            start = range.end + 1;
            if let Err(message) = apply(set, &range, &mut table) {
                faults.push(text.fault(&range.into(), message));
            }
        }
    }
    if faults.is_empty() { Ok(table) } else { Err(faults) }
}

/// Applies the override that is at `range` of the joined text.
fn apply<'a>(set: &'a str, range: &Range<usize>, root: &mut DeTable<'a>) -> Result<(), String> {
    let spanned = |key: &'a str| Spanned::new(range.clone(), Cow::Borrowed(key));
    let (key, value) = set.split_once('=').ok_or("expected `key=value`")?;
    if value.trim().is_empty() {
        return Err("expected `key=value`".into());
    }
    let keys: Vec<&str> = key.split('.').map(str::trim).collect();
    if keys.contains(&"") || keys.len() > MOST_PARTS {
        return Err(format!("`{}` is not a key; expected names joined by dots", key.trim()));
    }
    let (last, path) = keys.split_last().expect("a split text has a part");
    let mut table = root;
    let mut path = path.iter().copied();
    while let Some(key) = path.next() {
        let empty = || Spanned::new(range.clone(), DeValue::Table(DeTable::new()));
        table = match table.entry(spanned(key)).or_insert_with(empty).get_mut() {
            DeValue::Table(table) => table,
            DeValue::Array(array) => {
                let Some(element) = path.next() else {
                    return Err(format!("`{key}` is a list; say which one, by its number or its name"));
                };
                let tables = array.iter_mut().filter_map(|value| match value.get_mut() {
                    DeValue::Table(table) => Some(table),
                    _ => None,
                });
                element_of(tables.collect(), element).map_err(|message| format!("`{key}` {message}"))?
            }
            other => return Err(format!("`{key}` is a value ({}), not a table", other.type_str())),
        };
    }
    if table.get(*last).is_some_and(|value| is_list_of_named_tables(value.get_ref())) {
        return Err(format!("`{last}` is a list of tables; set the keys of one of them"));
    }
    table.insert(spanned(last), value_at(value, range.end));
    Ok(())
}

/// A value that ends at a place of the joined text: TOML, or else a plain string.
fn value_at(value: &str, end: usize) -> Spanned<DeValue<'_>> {
    match DeValue::parse(value.trim()) {
        Ok(parsed) => moved(parsed, end - value.trim_start().len()),
        Err(_) => Spanned::new(end - value.len()..end, DeValue::String(Cow::Borrowed(value.trim()))),
    }
}

/// A value with all its places moved.
fn moved<'a>(value: Spanned<DeValue<'a>>, by: usize) -> Spanned<DeValue<'a>> {
    let to = |span: Range<usize>| span.start + by..span.end + by;
    let span = to(value.span());
    let value = match value.into_inner() {
        DeValue::Array(array) => DeValue::Array(array.into_iter().map(|each| moved(each, by)).collect()),
        DeValue::Table(table) => {
            let mut all = DeTable::new();
            for (name, each) in table {
                all.insert(Spanned::new(to(name.span()), name.into_inner()), moved(each, by));
            }
            DeValue::Table(all)
        }
        single => single,
    };
    Spanned::new(span, value)
}

fn is_list_of_named_tables(value: &DeValue<'_>) -> bool {
    let named = |each: &Spanned<DeValue<'_>>| each.get_ref().get("name").is_some();
    value.as_array().is_some_and(|array| array.iter().any(named))
}

/// The table of this number (from 0), or the one whose `name` this is.
fn element_of<'t, 'a>(
    mut tables: Vec<&'t mut DeTable<'a>>,
    key: &str,
) -> Result<&'t mut DeTable<'a>, String> {
    let name_of = |table: &DeTable<'_>| {
        table.get("name").and_then(|name| name.get_ref().as_str()).unwrap_or_default().to_owned()
    };
    let names: Vec<String> = tables.iter().map(|table| name_of(table)).collect();
    let all = || names.iter().map(String::as_str);
    let place = match key.parse::<usize>() {
        Ok(number) if number < tables.len() => number,
        Ok(_) => return Err(format!("has only {} entries, from 0; there is no {key}", tables.len())),
        Err(_) => all().position(|name| name == key).ok_or_else(|| match nearest(key, all()) {
            Some(name) => format!("has no entry `{key}`; did you mean `{name}`?"),
            None => format!("has no entry `{key}`; there are: {}", listed(all(), ", ")),
        })?,
    };
    Ok(tables.swap_remove(place))
}
