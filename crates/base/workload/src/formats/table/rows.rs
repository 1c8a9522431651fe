//! Rows of a table, in any of its forms.

use super::accasim;
use super::cell::{Cell, Rows, places};
use super::json::json_rows;
use super::lsb_acct;
use super::map::{Map, TableForm};
use super::path::Path;
use crate::log::Problem;
use std::borrow::Cow;

/// Reads the rows of a table.
///
/// # Errors
///
/// The problem of a text that is no such table, with its line.
pub(super) fn read_rows(
    bytes: &[u8],
    map: &Map,
    wanted: &[&Path],
    rows: &mut dyn Rows,
) -> Result<(), (u64, Problem)> {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches('\u{feff}');
    let form = map.form.unwrap_or_else(|| match text.trim_start().bytes().next() {
        Some(b'{' | b'[') => TableForm::Json,
        _ => TableForm::Delimited,
    });
    match form {
        TableForm::Delimited => delimited(text, map, wanted, rows),
        TableForm::Blanks => blanks(text, map, wanted, rows),
        TableForm::Json => return json_rows(text, map, wanted, rows),
        TableForm::Pairs => pairs(text, map, wanted, rows),
        TableForm::LsbAcct => lsb_acct::read_rows(text, wanted, rows),
        TableForm::AccaSim => accasim::read_rows(text, wanted, rows),
    }
    Ok(())
}

/// Gives the cells of a row to the receiver, or reports its number of fields.
fn row_of<'a>(
    rows: &mut dyn Rows,
    line: u64,
    (expected, has_surplus): (usize, bool),
    fields: &[&'a str],
    places: &[Option<usize>],
    cells: &mut Vec<Cell<'a>>,
) {
    // Some programs end each row with a delimiter.
    let surplus = fields.get(expected..).filter(|_| !has_surplus).unwrap_or_default();
    if fields.len() < expected || surplus.iter().any(|field| !field.trim().is_empty()) {
        return rows.broken(line, Problem::FieldCount { found: fields.len(), expected });
    }
    let cell = |place: &Option<usize>| {
        place.map_or(Cell::ABSENT, |place| Cell::One(Cow::Borrowed(fields[place].trim())))
    };
    cells.clear();
    cells.extend(places.iter().map(cell));
    rows.row(line, cells);
}

fn delimited(text: &str, map: &Map, wanted: &[&Path], rows: &mut dyn Rows) {
    let delimiter = map.delimiter.unwrap_or_else(|| common_delimiter(text));
    let has_names = map.names.is_empty();
    let mut reader = csv::ReaderBuilder::new();
    reader.delimiter(delimiter).has_headers(false).flexible(true).comment(map.comment);
    let mut reader = reader.from_reader(text.as_bytes());
    let mut columns = (!has_names).then(|| map.names.clone());
    let mut found = columns.as_ref().map(|names| places(names, wanted)).unwrap_or_default();
    if let Some(names) = &columns {
        rows.columns(1, names, &found);
    }
    let mut record = csv::StringRecord::new();
    loop {
        match reader.read_record(&mut record) {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) => {
                let line = error.position().map_or(1, csv::Position::line);
                rows.broken(line, Problem::Syntax { format: "a table", reason: error.to_string() });
                continue;
            }
        }
        let line = record.position().map_or(1, csv::Position::line);
        let Some(names) = &columns else {
            let mut names: Vec<String> = record.iter().map(|name| name.trim().to_owned()).collect();
            if names.last().is_some_and(String::is_empty) {
                names.pop();
            }
            found = places(&names, wanted);
            rows.columns(line, &names, &found);
            columns = Some(names);
            continue;
        };
        let fields: Vec<&str> = record.iter().collect();
        if fields.iter().all(|field| field.trim().is_empty()) {
            continue;
        }
        row_of(
            rows,
            line,
            (names.len(), map.has_surplus),
            &fields,
            &found,
            &mut Vec::with_capacity(wanted.len()),
        );
    }
}

/// Returns the delimiter that occurs most often in the first line.
fn common_delimiter(text: &str) -> u8 {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().as_bytes();
    let count = |delimiter: &u8| first.iter().filter(|byte| *byte == delimiter).count();
    // The last of equal ones is taken.
    [b'|', b';', b'\t', b','].into_iter().max_by_key(count).unwrap_or(b',')
}

/// Iterates over the lines that are neither blank nor comments, with their numbers.
fn lines<'t>(text: &'t str, map: &Map) -> impl Iterator<Item = (u64, &'t str)> {
    let comment = map.comment;
    let is_comment = move |line: &str| comment.is_some_and(|byte| line.as_bytes().first() == Some(&byte));
    (1..).zip(text.lines()).filter(move |(_, line)| !line.trim().is_empty() && !is_comment(line))
}

fn blanks(text: &str, map: &Map, wanted: &[&Path], rows: &mut dyn Rows) {
    let mut lines = lines(text, map);
    let (first, names) = match map.names.is_empty() {
        false => (1, map.names.clone()),
        true => match lines.next() {
            Some((number, line)) => (number, line.split_ascii_whitespace().map(str::to_owned).collect()),
            None => (1, Vec::new()),
        },
    };
    let found = places(&names, wanted);
    rows.columns(first, &names, &found);
    for (number, line) in lines {
        let fields: Vec<&str> = line.split_ascii_whitespace().collect();
        row_of(
            rows,
            number,
            (names.len(), map.has_surplus),
            &fields,
            &found,
            &mut Vec::with_capacity(wanted.len()),
        );
    }
}

/// Splits a line into words `KEY=VALUE`. A word without a key belongs to the value before it.
fn pairs_of(line: &str) -> Vec<(&str, &str)> {
    let is_key =
        |key: &str| !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let mut pairs: Vec<(&str, usize, usize)> = Vec::new();
    let mut at = 0;
    for word in line.split(' ') {
        match word.split_once('=').filter(|(key, _)| is_key(key)) {
            Some((key, _)) => pairs.push((key, at + key.len() + 1, at + word.len())),
            None => pairs.iter_mut().last().into_iter().for_each(|(_, _, end)| *end = at + word.len()),
        }
        at += word.len() + 1;
    }
    pairs.into_iter().map(|(key, from, to)| (key, line[from..to].trim())).collect()
}

fn pairs(text: &str, map: &Map, wanted: &[&Path], rows: &mut dyn Rows) {
    let mut names: Vec<String> = Vec::new();
    for (_, line) in lines(text, map) {
        for (key, _) in pairs_of(line) {
            if !names.iter().any(|name| name == key) {
                names.push(key.to_owned());
            }
        }
    }
    let found = places(&names, wanted);
    rows.columns(1, &names, &found);
    for (number, line) in lines(text, map) {
        let pairs = pairs_of(line);
        if pairs.is_empty() {
            let reason = "expected words of the form KEY=VALUE".to_owned();
            rows.broken(number, Problem::Syntax { format: "a job", reason });
            continue;
        }
        let value = |place: &Option<usize>| {
            let name = &names[(*place)?];
            pairs.iter().find(|(key, _)| key == name).map(|(_, value)| Cell::One(Cow::Borrowed(*value)))
        };
        let cells: Vec<Cell<'_>> = found.iter().map(|place| value(place).unwrap_or(Cell::ABSENT)).collect();
        rows.row(number, &cells);
    }
}
