//! The shape of a table: its delimiter and its columns.

use std::fmt;

/// Number of lines that are compared to find the delimiter.
const COMPARED_LINES: usize = 6;

/// Delimiters of tables, the more likely first.
const DELIMITERS: [u8; 4] = [b',', b'\t', b';', b'|'];

/// Maximum number of columns that a description names.
const MAX_NAMED: usize = 12;

/// Maximum length of the name of a column in a description, in characters.
const MAX_NAME_CHARS: usize = 40;

/// A table: one job, or something else, for each line or object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Separation of the values.
    pub form: Form,
    /// Names of the columns; empty if the table has none.
    pub columns: Vec<String>,
    /// Number of columns.
    pub count: usize,
}

/// Separation of the values of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A character, such as a comma.
    Delimited(u8),
    /// One or more blanks.
    Blanks,
    /// A JSON object for each line.
    JsonLines,
    /// A JSON list of objects.
    JsonList,
}

impl Shape {
    pub(crate) fn new(form: Form, columns: Vec<String>) -> Shape {
        Shape { form, count: columns.len(), columns }
    }

    /// Finds the delimiter that gives these lines, the first ones of a file, equally many fields, at
    /// least two.
    pub(crate) fn of_lines(lines: &[&str]) -> Option<Shape> {
        let lines = &lines[..lines.len().min(COMPARED_LINES)];
        let mut best: Option<(usize, u8, Vec<String>)> = None;
        for delimiter in DELIMITERS {
            let rows = rows(lines, delimiter)?;
            let count = rows.first()?.len();
            let is_even = rows.iter().all(|row| row.len() == count);
            // The line of names may lack the delimiter that ends the others.
            let is_ended = rows.len() > 1 && rows[1..].iter().all(|row| row.len() == count + 1);
            let is_better = best.as_ref().is_none_or(|(most, ..)| count > *most);
            if count >= 2 && (is_even || is_ended) && is_better {
                best = Some((count, delimiter, rows.into_iter().next()?));
            }
        }
        let (count, delimiter, first) = best?;
        let columns = if are_names(&first) { first } else { Vec::new() };
        Some(Shape { form: Form::Delimited(delimiter), columns, count })
    }

    /// Returns the table of these lines if each of them has the same number of fields between blanks,
    /// and more than one.
    pub(crate) fn of_blanks(lines: &[&str]) -> Option<Shape> {
        let lines = &lines[..lines.len().min(COMPARED_LINES)];
        let fields = |line: &str| line.split_ascii_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let first = fields(lines.first()?);
        let is_even = lines.len() > 1 && lines.iter().all(|line| fields(line).len() == first.len());
        let count = first.len();
        let columns = if are_names(&first) { first } else { Vec::new() };
        (is_even && count >= 2).then_some(Shape { form: Form::Blanks, columns, count })
    }

    /// Returns whether the table has columns with all of these names, whose case is irrelevant.
    pub(crate) fn has_all(&self, names: &[&str]) -> bool {
        names.iter().all(|name| self.columns.iter().any(|column| column.eq_ignore_ascii_case(name)))
    }
}

/// Splits lines at a delimiter, outside of quotes.
fn rows(lines: &[&str], delimiter: u8) -> Option<Vec<Vec<String>>> {
    let text = lines.join("\n");
    let mut reader = csv::ReaderBuilder::new();
    reader.delimiter(delimiter).has_headers(false).flexible(true);
    let row = |record: Result<csv::StringRecord, csv::Error>| {
        Some(record.ok()?.iter().map(|field| field.trim().to_owned()).collect())
    };
    reader.from_reader(text.as_bytes()).records().map(row).collect()
}

/// Returns whether these fields are names: none of them is a number or a time.
fn are_names(fields: &[String]) -> bool {
    let is_name =
        |name: &String| name.chars().next().is_some_and(|first| !first.is_ascii_digit() && first != '-');
    // Tables that pandas writes have no name for the number of the row.
    let mut filled = fields.iter().filter(|name| !name.is_empty()).peekable();
    filled.peek().is_some() && filled.all(is_name)
}

impl fmt::Display for Shape {
    /// Formats the shape: "a table with commas, columns a, b, c".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.form {
            Form::Delimited(b',') => "a table with commas",
            Form::Delimited(b'\t') => "a table with tabs",
            Form::Delimited(b';') => "a table with semicolons",
            Form::Delimited(_) => "a table with the delimiter `|`",
            Form::Blanks => "a table with blanks",
            Form::JsonLines => "a table of JSON lines",
            Form::JsonList => "a JSON list of objects",
        })?;
        if self.columns.is_empty() {
            return write!(f, ", {} columns without names", self.count);
        }
        let named = &self.columns[..self.columns.len().min(MAX_NAMED)];
        let printable = |name: &String| match name.as_str() {
            "" => "(no name)".to_owned(),
            name => name.chars().filter(|letter| !letter.is_control()).take(MAX_NAME_CHARS).collect(),
        };
        let named: Vec<String> = named.iter().map(printable).collect();
        write!(f, ", columns {}", named.join(", "))?;
        match self.count.saturating_sub(MAX_NAMED) {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}
