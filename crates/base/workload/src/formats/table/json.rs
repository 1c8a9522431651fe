//! Rows of JSON: a list of objects, or an object for each line.

use super::cell::{Cell, Rows};
use super::map::Map;
use super::path::{Path, Step};
use crate::log::Problem;
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;

type Object<'a> = BTreeMap<Cow<'a, str>, &'a RawValue>;

/// Reads the objects of a text.
///
/// # Errors
///
/// The problem of a text that is not JSON, or has no list of objects, with its line.
pub(super) fn json_rows(
    text: &str,
    map: &Map,
    wanted: &[&Path],
    rows: &mut dyn Rows,
) -> Result<(), (u64, Problem)> {
    let objects = objects(text, map)?;
    let mut names: Vec<String> = Vec::new();
    for (_, object) in &objects {
        for name in object.iter().flat_map(BTreeMap::keys) {
            if !names.iter().any(|known| known == name) {
                names.push(name.clone().into_owned());
            }
        }
    }
    let place = |path: &&Path| names.iter().position(|name| name == path.top());
    let places: Vec<Option<usize>> = wanted.iter().map(place).collect();
    rows.columns(objects.first().map_or(1, |(line, _)| *line), &names, &places);
    for (line, object) in &objects {
        match object {
            Some(object) => {
                let cells: Vec<Cell<'_>> = wanted.iter().map(|path| cell(object, path)).collect();
                rows.row(*line, &cells);
            }
            None => rows
                .broken(*line, Problem::Syntax { format: "a job", reason: "expected an object".to_owned() }),
        }
    }
    Ok(())
}

/// Objects with their lines; `None` for another value.
type Located<'a> = Vec<(u64, Option<Object<'a>>)>;

/// Finds the objects of a text, with the lines on which they start.
fn objects<'t>(text: &'t str, map: &Map) -> Result<Located<'t>, (u64, Problem)> {
    let fault = |error: serde_json::Error| {
        (error.line() as u64, Problem::Syntax { format: "JSON", reason: error.to_string() })
    };
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    if map.path.is_empty() && serde_json::from_str::<Object<'_>>(first).is_ok() {
        let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
        return Ok(lines.map(|(number, line)| (number, serde_json::from_str(line).ok())).collect());
    }
    let mut inner: &'t RawValue = serde_json::from_str(text).map_err(fault)?;
    for key in &map.path {
        let members = serde_json::from_str::<Object<'_>>(inner.get()).map_err(fault)?;
        inner = members.get(key.as_str()).copied().ok_or_else(|| {
            let reason = format!("expected the list of jobs under the key `{}`", map.path.join("."));
            (1, Problem::Syntax { format: "this table", reason })
        })?;
    }
    let items: Vec<&'t RawValue> = serde_json::from_str(inner.get()).map_err(|_| {
        let reason = "expected a list of objects, or an object for each line".to_owned();
        (1, Problem::Syntax { format: "a table of jobs", reason })
    })?;
    let (mut line, mut at) = (1_u64, 0_usize);
    let mut objects = Vec::with_capacity(items.len());
    for item in items {
        let start = item.get().as_ptr() as usize - text.as_ptr() as usize;
        line += memchr::memchr_iter(b'\n', &text.as_bytes()[at..start]).count() as u64;
        at = start;
        objects.push((line, serde_json::from_str(item.get()).ok()));
    }
    Ok(objects)
}

/// Returns the values at a path.
fn cell<'a>(object: &Object<'a>, path: &Path) -> Cell<'a> {
    let Some(top) = object.get(path.top()) else { return Cell::ABSENT };
    let Ok(value) = serde_json::from_str::<Value>(top.get()) else { return Cell::ABSENT };
    let mut found = vec![value];
    let mut is_list = false;
    for step in &path.steps[1..] {
        let mut next = Vec::new();
        for value in found {
            match (step, value) {
                (Step::Member(name), Value::Object(mut members)) => next.extend(members.remove(name)),
                (Step::Each, Value::Array(items)) => next.extend(items),
                (Step::Item(place), Value::Array(items)) => {
                    let from_end = || items.len().checked_sub(place.unsigned_abs() as usize);
                    let place = usize::try_from(*place).ok().or_else(from_end);
                    next.extend(place.and_then(|place| items.get(place).cloned()));
                }
                _ => {}
            }
        }
        is_list |= *step == Step::Each;
        found = next;
    }
    let text = |value: Value| match value {
        Value::Null => String::new(),
        Value::String(text) => text,
        other => other.to_string(),
    };
    match (is_list, found.pop()) {
        (false, None) => Cell::ABSENT,
        (false, Some(Value::Array(items))) => {
            Cell::Many(items.into_iter().map(|item| text(item).into()).collect())
        }
        (false, Some(value)) => Cell::One(text(value).into()),
        (true, last) => Cell::Many(found.into_iter().chain(last).map(|value| text(value).into()).collect()),
    }
}
