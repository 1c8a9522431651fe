//! Overrides: `key=value` in place of what the file says.

use super::fault::{Fault, Text, nearest};
use std::borrow::Cow;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A file with its overrides at work.
///
/// # Errors
/// All faults of TOML, and overrides that name no place.
pub(super) fn parse<'a>(
    text: &Text,
    file: &'a str,
    overrides: &'a [Override],
) -> Result<Spanned<DeTable<'a>>, Vec<Fault>> {
    let (mut table, mut errors) = DeTable::parse_recoverable(file);
    errors.sort_by_key(|error| error.span().map(|span| span.start));
    let mut faults: Vec<Fault> = errors.iter().map(|error| text.toml_fault(error)).collect();
    if faults.is_empty() {
        for set in overrides {
            if let Err(message) = set.apply(table.get_mut()) {
                faults.push(text.fault(&set.range, message));
            }
        }
    }
    if faults.is_empty() { Ok(table) } else { Err(faults) }
}

/// One override, and where it stands in the joined text.
pub(super) struct Override {
    range: Range<usize>,
    key: String,
    value: String,
    /// The value as a file of one key, with blanks before it, so that places in it are places in the joined text.
    padded: String,
}

impl Override {
    /// The overrides as they stand behind a file of so many bytes.
    pub(super) fn all(file_length: usize, overrides: &[String]) -> Vec<Override> {
        let mut at = file_length + 1;
        let place = |set: &String| {
            let range = at..at + set.len();
            at = range.end + 1;
            let (key, value) = set.split_once('=').unwrap_or((set, ""));
            let padded = format!("{}v={value}", " ".repeat((range.end - value.len()).saturating_sub(2)));
            Override { range, key: key.trim().to_owned(), value: value.trim().to_owned(), padded }
        };
        overrides.iter().map(place).collect()
    }

    /// The value, read as TOML, or as a plain string if it is no TOML.
    fn value(&self) -> Spanned<DeValue<'_>> {
        let table = DeTable::parse(&self.padded).ok().map(Spanned::into_inner);
        // A value with a line break in it could smuggle in other keys.
        let value = table.filter(|table| table.len() == 1).and_then(|mut table| table.remove("v"));
        value.unwrap_or_else(|| {
            Spanned::new(self.range.clone(), DeValue::String(Cow::Borrowed(self.value.as_str())))
        })
    }

    fn apply<'a>(&'a self, root: &mut DeTable<'a>) -> Result<(), String> {
        if self.value.is_empty() {
            return Err("expected `key=value`".into());
        }
        let keys: Vec<&str> = self.key.split('.').map(str::trim).collect();
        if keys.contains(&"") {
            return Err(format!("`{}` is not a key; expected names joined by dots", self.key));
        }
        let (last, path) = keys.split_last().expect("a split text has a part");
        let mut table = root;
        let mut path = path.iter().copied();
        while let Some(key) = path.next() {
            let next = table.entry(self.spanned(key)).or_insert_with(|| self.empty_table());
            table = match next.get_mut() {
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
                other => {
                    return Err(format!("`{key}` is a value ({}), not a table", other.type_str()));
                }
            };
        }
        if table.get(*last).is_some_and(|value| matches!(value.get_ref(), DeValue::Array(array)
            if array.iter().any(|element| element.get_ref().is_table() && element.get_ref().get("name").is_some())))
        {
            return Err(format!("`{last}` is a list of tables; set the keys of one of them"));
        }
        table.insert(self.spanned(last), self.value());
        Ok(())
    }
    fn spanned<'a>(&self, key: &'a str) -> Spanned<Cow<'a, str>> {
        Spanned::new(self.range.clone(), Cow::Borrowed(key))
    }
    fn empty_table<'a>(&self) -> Spanned<DeValue<'a>> {
        Spanned::new(self.range.clone(), DeValue::Table(DeTable::new()))
    }
}

/// The table of this number (from 0), or the one whose `name` this is.
fn element_of<'t, 'a>(
    mut tables: Vec<&'t mut DeTable<'a>>,
    key: &str,
) -> Result<&'t mut DeTable<'a>, String> {
    let names: Vec<String> = tables.iter().map(|table| name_of(table)).collect();
    let place = match key.parse::<usize>() {
        Ok(number) if number < tables.len() => number,
        Ok(_) => return Err(format!("has only {} entries, from 0; there is no {key}", tables.len())),
        Err(_) => names.iter().position(|name| name == key).ok_or_else(|| {
            match nearest(key, names.iter().map(String::as_str)) {
                Some(name) => format!("has no entry `{key}`; did you mean `{name}`?"),
                None => format!("has no entry `{key}`; there are: {}", names.join(", ")),
            }
        })?,
    };
    Ok(tables.swap_remove(place))
}

fn name_of(table: &DeTable<'_>) -> String {
    table.get("name").and_then(|name| name.get_ref().as_str()).unwrap_or_default().to_owned()
}
