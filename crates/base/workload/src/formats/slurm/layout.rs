//! Layouts of the output of `sacct` other than `--parsable2`, converted to its rows.

use super::fixed_width;
use super::json;
use super::rows::{LayoutError, push_row};
use crate::log::{Faults, LogError, Problem};
use std::borrow::Cow;

/// The layout of a listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// `--parsable`, `--parsable2`, with any delimiter.
    Parsable,
    /// Fields that may have quotes, as spreadsheet programs and data frames write them.
    Quoted,
    /// The default of `sacct`: columns of fixed widths.
    FixedWidth,
    /// `--json`.
    Json,
}

impl Layout {
    /// Determines the layout of a text.
    pub(super) fn of(text: &str) -> Layout {
        let header = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        if header.trim_start().starts_with('{') {
            Layout::Json
        } else if fixed_width::line_of_widths(text).is_some() {
            Layout::FixedWidth
        } else if header.contains('"') {
            Layout::Quoted
        } else {
            Layout::Parsable
        }
    }

    /// Returns the rows of a listing, one per line of the text where it has lines.
    ///
    /// # Errors
    ///
    /// [`LogError::Faults`] if the text does not have this layout.
    pub(super) fn rows<'a>(self, text: &'a str, file: &str) -> Result<Cow<'a, str>, LogError> {
        let (format, rows) = match self {
            Layout::Parsable => return Ok(Cow::Borrowed(text)),
            Layout::Quoted => ("a listing of `sacct` with quotes", quoted(text)),
            Layout::FixedWidth => ("a listing of `sacct` that can be read", fixed_width::rows(text)),
            Layout::Json => ("the output of `sacct --json`", json::rows(text)),
        };
        rows.map(Cow::Owned).map_err(|(line, reason)| {
            let mut faults = Faults::new(file);
            faults.push(line, Problem::Syntax { format, reason });
            faults.into()
        })
    }
}

/// Converts a listing with quotes.
fn quoted(text: &str) -> Result<String, LayoutError> {
    let header = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let delimiter = header.bytes().find(|byte| b",|\t;".contains(byte)).unwrap_or(b',');
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .has_headers(false)
        .flexible(true)
        .from_reader(text.as_bytes());
    let (mut rows, mut lines) = (String::with_capacity(text.len()), 0);
    for record in reader.records() {
        let record =
            record.map_err(|error| (error.position().map_or(1, csv::Position::line), error.to_string()))?;
        let line = record.position().map_or(1, csv::Position::line);
        push_row(&mut rows, &mut lines, line, record.iter());
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_removed_and_lines_kept() {
        let text = "\"JobID\",\"JobName\"\n7,\"a, \"\"b\"\"\nc\"\n8,d\n";
        assert_eq!(Layout::of(text), Layout::Quoted);
        let rows = Layout::Quoted.rows(text, "log").unwrap();
        assert_eq!(rows, "JobID\u{1f}JobName\n7\u{1f}a, \"b\" c\n\n8\u{1f}d\n");
    }

    #[test]
    fn layouts_are_recognised_by_content() {
        for (text, layout) in [
            ("JobID|State\n7|COMPLETED\n", Layout::Parsable),
            ("JobID,State\n7,COMPLETED\n", Layout::Parsable),
            ("\n {\"jobs\": []}", Layout::Json),
            ("JobID           State\n------------ ----------\n7  COMPLETED\n", Layout::FixedWidth),
            ("", Layout::Parsable),
        ] {
            assert_eq!(Layout::of(text), layout, "{text}");
        }
    }
}
