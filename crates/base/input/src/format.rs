//! JSON, TOML and CSV as trees of values whose lines are known.

mod libvirt;

use crate::fault::{Fault, Faults, read_text};
use crate::unique::Unique;
use serde_json::{Map, Number, Value};
use std::path::Path;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A file that was taken apart.
#[derive(Clone, Debug)]
pub struct Input {
    file: String,
    text: String,
    pub(crate) value: Value,
    format: Format,
    /// Records that cannot be read, where the others can.
    pub(crate) faults: Vec<Fault>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Format {
    Json,
    Toml,
    /// Comma-separated values: a list of objects, whose fields are the columns and whose values are texts; the line of each.
    Csv {
        columns: Vec<String>,
        lines: Vec<usize>,
    },
}

impl Input {
    fn new(file: &str, text: &str, value: Value, format: Format) -> Input {
        Input { file: file.to_owned(), text: text.to_owned(), value, format, faults: Vec::new() }
    }

    /// Takes JSON apart; `file` is what messages call it.
    ///
    /// # Errors
    /// The text is not JSON, or a field is in an object twice: the first place.
    pub fn json(file: &str, text: &str) -> Result<Input, Faults> {
        let Unique(value) = serde_json::from_str(text).map_err(|error| {
            let kind = if error.is_data() { "" } else { "invalid JSON: " };
            let message = error.to_string();
            let message = format!("{kind}{}", message.split(" at line ").next().unwrap_or_default());
            let (line, column) = (Some(error.line()), Some(error.column()));
            Fault { line, column, ..Fault::of_file(file, message) }
        })?;
        Ok(Input::new(file, text, value, Format::Json))
    }

    /// Takes TOML apart; `file` is what messages call it.
    ///
    /// # Errors
    /// The text is not TOML: the first place.
    pub fn toml(file: &str, text: &str) -> Result<Input, Faults> {
        let table = DeTable::parse(text).map_err(|error| {
            let line = error.span().map(|span| line_at(text, span.start));
            Fault { line, ..Fault::of_file(file, error.message()) }
        })?;
        let value = table_value(table.get_ref());
        Ok(Input::new(file, text, value, Format::Toml))
    }

    /// Takes comma-separated values apart: a list of records, of which empty cells have no field. `file` is what messages call
    /// it. [`State::read`](crate::state::State::read) reports records that have not as many cells as there are columns, and
    /// columns that are there twice, beside the faults of the others.
    pub fn csv(file: &str, text: &str) -> Input {
        let mut faults = Vec::new();
        let mut wrong = |line: Option<u64>, message: String| {
            let line = line.map(|line| line as usize);
            faults.push(Fault { line, ..Fault::of_file(file, message) });
        };
        let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
        let header = reader.headers().cloned();
        let columns: Vec<String> = match &header {
            Ok(header) => header.iter().map(str::to_owned).collect(),
            Err(error) => {
                wrong(error.position().map(csv::Position::line), error.to_string());
                Vec::new()
            }
        };
        for (number, column) in columns.iter().enumerate() {
            if columns[..number].contains(column) {
                wrong(Some(1), format!("two columns have the name `{column}`"));
            }
        }
        let (mut records, mut lines) = (Vec::new(), Vec::new());
        for record in reader.records() {
            match record {
                Ok(record) => {
                    let cells = columns.iter().zip(&record).filter(|(_, cell)| !cell.is_empty());
                    let fields = cells.map(|(column, cell)| (column.clone(), Value::from(cell)));
                    records.push(Value::Object(fields.collect()));
                    // The position is where the record before ends: empty lines may follow.
                    lines.push(record.position().map_or(1, |position| {
                        let rest = &text.as_bytes()[(position.byte() as usize).min(text.len())..];
                        let empty = rest.iter().take_while(|byte| matches!(byte, b'\r' | b'\n'));
                        position.line() as usize + empty.filter(|&&byte| byte == b'\n').count()
                    }));
                }
                Err(error) => wrong(error.position().map(csv::Position::line), error.to_string()),
            }
        }
        let (value, format) = (Value::Array(records), Format::Csv { columns, lines });
        Input { faults, ..Input::new(file, text, value, format) }
    }

    /// Reads a file, whose format its ending says: `.toml`, `.csv`, `.xml` of libvirt, else JSON.
    ///
    /// # Errors
    /// It cannot be read, or is not in its format.
    pub fn open(path: &Path) -> Result<Input, Faults> {
        let (file, text) = (path.display().to_string(), read_text(path)?);
        match path.extension().and_then(|ending| ending.to_str()).map(str::to_ascii_lowercase).as_deref() {
            Some("toml") => Input::toml(&file, &text),
            Some("csv") => Ok(Input::csv(&file, &text)),
            Some("xml") => Input::libvirt(&file, &text),
            _ => Input::json(&file, &text),
        }
    }

    /// What messages call the file.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The columns of comma-separated values; `None` for other formats.
    pub fn columns(&self) -> Option<&[String]> {
        match &self.format {
            Format::Csv { columns, .. } => Some(columns),
            Format::Json | Format::Toml => None,
        }
    }

    /// A fault of the value at a path, or of the last part of the path that is there. Of records the line says which one.
    pub(crate) fn fault(&self, path: &str, message: String) -> Fault {
        let file = self.file.clone();
        let (line, path) = match &self.format {
            Format::Json => (Some(line_at(&self.text, Json::at(&self.text, path))), path),
            Format::Toml => (toml_line(&self.text, path), path),
            Format::Csv { lines, .. } => {
                let (record, column) = path.split_once('.').unwrap_or((path, ""));
                let number = record.trim_matches(['[', ']']).parse().ok();
                (Some(number.and_then(|number: usize| lines.get(number).copied()).unwrap_or(1)), column)
            }
        };
        Fault { file, line, column: None, path: path.to_owned(), message }
    }
}

fn line_at(text: &str, at: usize) -> usize {
    1 + text.as_bytes()[..at.min(text.len())].iter().filter(|&&byte| byte == b'\n').count()
}

fn steps(path: &str) -> impl Iterator<Item = &str> {
    path.split(['.', '[']).filter(|step| !step.is_empty())
}

fn table_value(table: &DeTable<'_>) -> Value {
    let fields = table.iter().map(|(key, value)| (key.get_ref().to_string(), toml_value(value.get_ref())));
    Value::Object(fields.collect::<Map<_, _>>())
}

fn toml_value(value: &DeValue<'_>) -> Value {
    match value {
        DeValue::String(text) => text.as_ref().into(),
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
            .map_or_else(|_| number.to_string().into(), Value::from),
        DeValue::Float(number) => {
            let finite = number.as_str().parse().ok().and_then(Number::from_f64);
            finite.map_or_else(|| number.to_string().into(), Value::Number)
        }
        DeValue::Boolean(value) => (*value).into(),
        DeValue::Datetime(time) => time.to_string().into(),
        DeValue::Array(items) => items.iter().map(|item| toml_value(item.get_ref())).collect(),
        DeValue::Table(table) => table_value(table),
    }
}

/// The line of the value at a path.
fn toml_line(text: &str, path: &str) -> Option<usize> {
    let root = DeTable::parse(text).ok()?;
    let mut at: Option<&Spanned<DeValue<'_>>> = None;
    for step in steps(path) {
        let next = match (step.strip_suffix(']'), at.map(Spanned::get_ref)) {
            (Some(index), Some(DeValue::Array(items))) => items.get(index.parse::<usize>().ok()?),
            (None, Some(DeValue::Table(table))) => table.get(step),
            (None, None) => root.get_ref().get(step),
            _ => None,
        };
        let Some(next) = next else { break };
        at = Some(next);
    }
    at.map(|at| line_at(text, at.span().start))
}

/// A place in a text that is known to be JSON, at the first letter of a value.
struct Json<'a> {
    text: &'a str,
    at: usize,
}

impl Json<'_> {
    /// Where the value at a path such as `jobs[3].needs[0]` begins, or the last part of the path that is there.
    fn at(text: &str, path: &str) -> usize {
        let mut cursor = Json { text, at: 0 };
        cursor.skip_space();
        for step in steps(path) {
            let before = cursor.at;
            let found = match step.strip_suffix(']') {
                Some(index) => index.parse().is_ok_and(|index| cursor.enter_list(index)),
                None => cursor.enter_object(step),
            };
            if !found {
                return before;
            }
        }
        cursor.at
    }

    fn next(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while self.next().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    /// To the value of a field; says whether there is one.
    fn enter_object(&mut self, name: &str) -> bool {
        self.enter(b'{', |cursor, _| {
            let begin = cursor.at + 1;
            cursor.skip_string();
            let is_it = cursor.text.get(begin..cursor.at - 1) == Some(name);
            cursor.skip_space();
            cursor.at += 1;
            is_it
        })
    }

    /// To an item; says whether there is one.
    fn enter_list(&mut self, index: usize) -> bool {
        self.enter(b'[', |_, number| number == index)
    }

    /// To the first entry that is wanted, by what comes before its value and how many entries come before it.
    fn enter(&mut self, bracket: u8, mut is_wanted: impl FnMut(&mut Self, usize) -> bool) -> bool {
        if self.next() != Some(bracket) {
            return false;
        }
        for number in 0.. {
            // Past the bracket or a comma.
            self.at += 1;
            self.skip_space();
            if self.next().is_none_or(|byte| matches!(byte, b'}' | b']')) {
                return false;
            }
            let is_wanted = is_wanted(self, number);
            self.skip_space();
            if is_wanted {
                return true;
            }
            self.skip_value();
            self.skip_space();
            if self.next() != Some(b',') {
                return false;
            }
        }
        false
    }

    fn skip_string(&mut self) {
        self.at += 1;
        while let Some(byte) = self.next() {
            self.at += if byte == b'\\' { 2 } else { 1 };
            if byte == b'"' {
                return;
            }
        }
    }

    fn skip_value(&mut self) {
        let mut depth = 0;
        while let Some(byte) = self.next() {
            match byte {
                b'"' => {
                    self.skip_string();
                    continue;
                }
                b'{' | b'[' => depth += 1,
                b',' | b'}' | b']' if depth == 0 => return,
                b'}' | b']' => depth -= 1,
                _ => {}
            }
            self.at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_by_their_paths() {
        let text = "{\n\"a\": [1, {\"b\": \"]},\\\"\",\n\"c\": 2}],\n\"d\": {\n\"e\":\n[3]}\n}";
        let line_of = |path| line_at(text, Json::at(text, path));
        let paths = ["", "a", "a[0]", "a[1].b", "a[1].c", "d", "d.e", "d.e[0]"];
        assert_eq!(paths.map(line_of), [1, 2, 2, 2, 3, 4, 6, 6]);
        // What is not there is missing where it should be.
        assert_eq!(["a[7]", "a[1].z", "z", "d.e[0].f"].map(line_of), [2, 2, 1, 6]);
        assert_eq!(Json::at("", "a[0]"), 0);
        let toml = "a = 1\n[[b]]\nc = [1,\n2]\n[[b]]\nd.e = 3\n";
        let lines = ["a", "b[0].c[1]", "b[1].d.e", "b[1].z", "z"].map(|path| toml_line(toml, path));
        assert_eq!(lines, [Some(1), Some(4), Some(6), Some(5), None]);
    }

    #[test]
    fn records_have_their_lines() {
        let input = Input::csv("a.csv", "x,y\n1,\n\n3,4\n");
        assert_eq!(input.value, serde_json::json!([{ "x": "1" }, { "x": "3", "y": "4" }]));
        assert_eq!(input.fault("[1].y", "wrong".into()).to_string(), "a.csv:4: y: wrong");
        let faults = Faults(Input::csv("a.csv", "x,x\n1\n").faults).to_string();
        assert!(faults.starts_with("a.csv:1: two columns have the name `x`\na.csv:2: "), "{faults}");
    }
}
