//! Parsing of JSON, TOML and CSV into trees of values whose positions are known.

mod json;
mod libvirt;
mod toml;

use crate::fault::{Fault, Faults, Quote, read_text};
use crate::tree::{Node, Span, is_control};
use std::path::Path;

/// A parsed file.
#[derive(Clone, Debug)]
pub struct Input {
    file: String,
    text: String,
    pub(crate) root: Node,
    format: Format,
    /// Errors in records that are invalid while others are valid.
    pub(crate) faults: Vec<Fault>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Format {
    Json,
    /// TOML. The text ends at `end`, and is followed by one line per override.
    Toml {
        end: usize,
    },
    /// Comma-separated values: a list of objects whose fields are the columns and whose values are
    /// texts.
    Csv {
        columns: Vec<String>,
    },
}

impl Input {
    fn new(file: &str, text: &str, root: Node, format: Format) -> Input {
        Input { file: file.to_owned(), text: text.to_owned(), root, format, faults: Vec::new() }
    }

    /// Parses comma-separated values into a list of records; an empty cell is an absent field.
    /// `file` is the name in messages.
    ///
    /// [`Reader::records`](crate::Reader::records) reports records with a wrong number of cells, and
    /// repeated columns, together with the errors in the valid records.
    pub fn csv(file: &str, text: &str) -> Input {
        let input = Input::unchecked_csv(file, text);
        let mut faults = input.faults.clone();
        faults.extend(input.control_characters());
        Input { faults, ..input }
    }

    fn unchecked_csv(file: &str, text: &str) -> Input {
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
        let start = text.len() - text.trim_start_matches(['\r', '\n']).len();
        for (number, column) in columns.iter().enumerate() {
            if columns[..number].contains(column) {
                wrong(Some(line_at(text, start) as u64), format!("two columns are named `{column}`"));
            }
        }
        let mut records = Vec::new();
        for record in reader.records() {
            match record {
                Ok(record) => {
                    let cells = columns.iter().zip(&record).filter(|(_, cell)| !cell.is_empty());
                    // The position is the end of the preceding record; empty lines may follow it.
                    let end =
                        record.position().map_or(0, |position| position.byte() as usize).min(text.len());
                    let rest = &text.as_bytes()[end..];
                    let empty = rest.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
                    records
                        .push(Node::record(end + empty, cells.map(|(column, cell)| (column.as_str(), cell))));
                }
                Err(error) => wrong(error.position().map(csv::Position::line), error.to_string()),
            }
        }
        Input { faults, ..Input::new(file, text, Node::records(start, records), Format::Csv { columns }) }
    }

    /// Reads a file in the format of its extension: `.toml`, `.csv`, `.xml` of libvirt, otherwise
    /// JSON.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or is not in its format.
    pub fn open(path: &Path) -> Result<Input, Faults> {
        let (file, text) = (path.display().to_string(), read_text(path)?);
        match path.extension().and_then(|ending| ending.to_str()).map(str::to_ascii_lowercase).as_deref() {
            Some("toml") => Input::toml(&file, &text),
            Some("csv") => Ok(Input::csv(&file, &text)),
            Some("xml") => Input::libvirt(&file, &text),
            _ => Input::json(&file, &text),
        }
    }

    /// Reads a JSON or CSV file of another system like [`Input::open`], except that line breaks and
    /// other control characters in texts become spaces: such files have notes and scripts with several
    /// lines.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or is not in its format.
    pub fn open_foreign(path: &Path) -> Result<Input, Faults> {
        let (file, text) = (path.display().to_string(), read_text(path)?);
        let is_csv = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("csv"));
        let mut input =
            if is_csv { Input::unchecked_csv(&file, &text) } else { Input::unchecked_json(&file, &text)? };
        input.root.flatten();
        input.checked()
    }

    /// Returns the errors of all texts and names with control characters other than tabs. A line break
    /// in a name of a received file could make a message of the program look like several lines.
    fn control_characters(&self) -> Vec<Fault> {
        let texts = self.root.texts();
        let wrong = texts.into_iter().filter(|(_, text)| text.contains(is_control));
        let message = |text: &str| format!("the text {text:?} has a line break or another control character");
        wrong.map(|(span, text)| self.fault(span, "", message(text))).collect()
    }

    /// Returns the file if its texts and names have no control characters.
    fn checked(self) -> Result<Input, Faults> {
        let faults = self.control_characters();
        if faults.is_empty() { Ok(self) } else { Err(Faults(faults)) }
    }

    /// Returns the name of the file in messages.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Returns the columns of comma-separated values; `None` for other formats.
    pub fn columns(&self) -> Option<&[String]> {
        match &self.format {
            Format::Csv { columns, .. } => Some(columns),
            Format::Json | Format::Toml { .. } => None,
        }
    }

    /// Returns the text of a span.
    pub(crate) fn slice(&self, span: &Span) -> &str {
        span.clone().and_then(|range| self.text.get(range)).unwrap_or_default()
    }

    /// Creates an error at a span, for the value at a path.
    pub fn fault(&self, span: &Span, path: &str, message: String) -> Fault {
        let fault = Fault { path: path.to_owned(), ..Fault::of_file(&self.file, message) };
        let Some(range) = span else { return fault };
        let start = self.text.floor_char_boundary(range.start.min(self.text.len().saturating_sub(1)));
        let Format::Toml { end: end_of_file } = self.format else {
            return Fault { line: Some(line_at(&self.text, start)), ..fault };
        };
        let begin = self.text[..start].rfind('\n').map_or(0, |end| end + 1);
        let end = start + self.text[start..].find('\n').unwrap_or(0);
        let line = self.text[begin..end].trim_end().to_owned();
        if start > end_of_file {
            return Fault { file: format!("override `{line}`"), ..fault };
        }
        let meant = self.text[start..self.text.floor_char_boundary(range.end.clamp(start, end))].chars();
        let quote = Some(Quote { line, length: meant.count().max(1) });
        let column = Some(self.text[begin..start].chars().count() + 1);
        Fault { line: Some(line_at(&self.text, start)), column, quote, ..fault }
    }
}

fn line_at(text: &str, at: usize) -> usize {
    1 + text.as_bytes()[..at.min(text.len())].iter().filter(|&&byte| byte == b'\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ops::Range;

    #[test]
    fn values_are_found_by_their_paths() {
        let text = "{\n\"a\": [1, {\"b\": \"]},\\\"\",\n\"c\": 2}],\n\"d\": {\n\"e\":\n[3]}\n}";
        let line = |input: &Input, path| input.fault(&input.root.below(path).span, path, String::new()).line;
        let json = Input::json("a.json", text).unwrap();
        let paths = ["", "a", "a[0]", "a[1].b", "a[1].c", "d", "d.e", "d.e[0]"];
        assert_eq!(paths.map(|path| line(&json, path).unwrap()), [1, 2, 2, 2, 3, 4, 6, 6]);
        // An absent value is reported at the last existing step of its path.
        assert_eq!(["a[7]", "a[1].z", "z", "d.e[0].f"].map(|path| line(&json, path).unwrap()), [2, 2, 1, 6]);
        let toml = Input::toml("a.toml", "a = 1\n[[b]]\nc = [1,\n2]\n[[b]]\nd.e = 3\n").unwrap();
        let lines = ["a", "b[0].c[1]", "b[1].d.e", "b[1].z", "z"].map(|path| line(&toml, path));
        assert_eq!(lines, [Some(1), Some(4), Some(6), Some(5), None]);
    }

    #[test]
    fn what_is_no_json_has_its_place() {
        let fault = |text: &str| Input::json("a.json", text).unwrap_err().to_string();
        assert_eq!(fault("{\n\"a\": [1,\n  2 3]}"), "a.json:3:5: invalid JSON: expected `,` or `]`");
        assert_eq!(fault("[1,\n {\"x\": 1e999}]"), "a.json:2:12: invalid JSON: number out of range");
        assert_eq!(fault("{\"x\": 1,\n\"\\u0078\": 2}"), "a.json:2:1: duplicate field `x`");
        assert_eq!(fault(&"[".repeat(100_000)), "a.json:1:100000: invalid JSON: EOF while parsing a list");
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(fault(&deep), "a.json:1:129: invalid JSON: recursion limit exceeded");
    }

    #[test]
    fn a_place_is_a_line_or_an_override() {
        let input =
            Input::toml_with("a.toml", "o = 1\n\two = 2", &["x=1".to_owned(), "y=2".to_owned()]).unwrap();
        let fault = |range: Range<usize>| input.fault(&Some(range), "", "wrong".to_owned());
        assert_eq!(fault(7..9).to_string(), "a.toml:2:2: wrong\n  2 | \two = 2\n    | \t^^");
        assert_eq!(fault(19..20).to_string(), "override `y=2`: wrong");
        let at_end = fault(13..13);
        let quote = Quote { line: "\two = 2".to_owned(), length: 1 };
        assert_eq!((at_end.line, at_end.column, at_end.quote), (Some(2), Some(8), Some(quote)));
        assert_eq!(input.fault(&None, "", "wrong".to_owned()).to_string(), "a.toml: wrong");
    }

    #[test]
    fn texts_and_names_have_no_line_breaks() {
        let fault = |input: Result<Input, Faults>| input.unwrap_err().to_string();
        let found = fault(Input::json("a.json", "{\"a\": [1,\n\"b\\nsigned\"]}"));
        assert_eq!(found, "a.json:2: the text \"b\\nsigned\" has a line break or another control character");
        let name = fault(Input::toml("a.toml", "x = 1\n\"a\\u001b\" = 2\n"));
        assert!(name.starts_with("a.toml:2:1: the text \"a\\u{1b}\" has a line break"), "{name}");
        let cell = Faults(Input::csv("a.csv", "x\n\"1\n2\"\n").faults).to_string();
        assert!(cell.starts_with("a.csv:2: the text \"1\\n2\" has a line break"), "{cell}");
        assert!(Input::json("a.json", "[\"a\\tb\"]").is_ok());
    }

    #[test]
    fn notes_of_other_systems_may_have_several_lines() {
        let folder = tempfile::tempdir().unwrap();
        let read = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            Input::open_foreign(&path).map(|input| (input.root.to_value(), input.faults.len()))
        };
        let json = read("a.json", "{\"a\": [\"b\\nc\\n\", \"d\\te\"]}").unwrap();
        assert_eq!(json, (serde_json::json!({ "a": ["b c", "d\te"] }), 0));
        let csv = read("a.csv", "x,y\n\"1\n2\",3\n").unwrap();
        assert_eq!(csv, (serde_json::json!([{ "x": "1 2", "y": "3" }]), 0));
        let name = read("b.json", "{\"a\\nb\": 1}").unwrap_err().to_string();
        assert!(name.contains("b.json:1: the text \"a\\nb\" has a line break"), "{name}");
        assert_eq!(read("b.csv", "x,y\n1,2,3\n").unwrap().1, 1);
    }

    #[test]
    fn records_have_their_lines() {
        let input = Input::csv("a.csv", "x,y\n1,\n\n3,4\n");
        assert_eq!(input.root.to_value(), serde_json::json!([{ "x": "1" }, { "x": "3", "y": "4" }]));
        assert_eq!(
            input.fault(&input.root.below("[1].y").span, "y", "wrong".into()).to_string(),
            "a.csv:4: y: wrong"
        );
        let faults = Faults(Input::csv("a.csv", "x,x\n1\n").faults).to_string();
        assert!(faults.starts_with("a.csv:1: two columns are named `x`\na.csv:2: "), "{faults}");
    }
}
