//! The faults of a scenario, with their places.

use std::fmt;
use std::ops::Range;
use std::path::Path;

/// The texts that a scenario is made of: its file, then its overrides, one behind the other, so that one number
/// gives a place in any of them.
#[derive(Clone, Debug)]
pub(super) struct Text {
    file: String,
    /// The file, an end of line, and each override with an end of line.
    joined: String,
    file_length: usize,
}

/// Everything that is wrong with an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputErrors {
    faults: Vec<Fault>,
}

/// One thing that is wrong with an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where.
    pub place: Position,
    /// The fault, and what was expected.
    pub message: String,
}

/// A place in the texts of a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Position {
    /// The whole file.
    File(String),
    /// A line of the file.
    Line {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
        /// The first character that is meant, from 1.
        column: usize,
        /// The whole line.
        text: String,
        /// How many characters are meant; at least one.
        length: usize,
    },
    /// An override, `key=value`.
    Override(String),
}

/// A range of bytes of a scenario's texts, or the file as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Span(Option<Range<usize>>);

impl Span {
    /// The file as a whole.
    pub const FILE: Span = Span(None);

    pub(super) fn start(&self) -> usize {
        self.0.as_ref().map_or(0, |range| range.start)
    }
}

impl From<Range<usize>> for Span {
    fn from(range: Range<usize>) -> Span {
        Span(Some(range))
    }
}

impl Text {
    pub(super) fn new(file: &str, text: &str, overrides: &[String]) -> Text {
        let mut joined = format!("{text}\n");
        for set in overrides {
            joined.push_str(set);
            joined.push('\n');
        }
        Text { file: file.to_owned(), joined, file_length: text.len() }
    }

    pub(super) fn place(&self, span: &Span) -> Position {
        let Span(Some(range)) = span else { return Position::File(self.file.clone()) };
        let start = self.joined.floor_char_boundary(range.start.min(self.joined.len() - 1));
        let begin = self.joined[..start].rfind('\n').map_or(0, |at| at + 1);
        let end = start + self.joined[start..].find('\n').unwrap_or(0);
        let text = self.joined[begin..end].trim_end().to_owned();
        if start > self.file_length {
            return Position::Override(text);
        }
        let length = self.joined[start..self.joined.floor_char_boundary(range.end.clamp(start, end))]
            .chars()
            .count()
            .max(1);
        let line = self.joined[..begin].matches('\n').count() + 1;
        let column = self.joined[begin..start].chars().count() + 1;
        Position::Line { file: self.file.clone(), line, column, text, length }
    }
    pub(super) fn fault(&self, span: &Span, message: impl Into<String>) -> Fault {
        Fault { place: self.place(span), message: message.into() }
    }
    pub(super) fn toml_fault(&self, error: &toml::de::Error) -> Fault {
        self.fault(&Span(error.span()), error.message())
    }
}

impl InputErrors {
    /// These faults; at least one.
    pub fn new(faults: Vec<Fault>) -> InputErrors {
        InputErrors { faults }
    }
    /// A fault of a file as a whole.
    pub fn of_file(file: &Path, message: impl Into<String>) -> InputErrors {
        let place = Position::File(file.display().to_string());
        InputErrors::new(vec![Fault { place, message: message.into() }])
    }
    /// The faults, in the order of their places; at least one.
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }
}

impl fmt::Display for InputErrors {
    /// Each fault with its file, line and column, and the line itself with what is meant underlined.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, fault) in self.faults.iter().enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            fault.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for InputErrors {}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Position::File(file) => write!(f, "{file}: {}", self.message),
            Position::Override(set) => write!(f, "override `{set}`: {}", self.message),
            Position::Line { file, line, column, text, length } => {
                writeln!(f, "{file}:{line}:{column}: {}", self.message)?;
                let gutter = line.to_string().len();
                // Tabs stay tabs, so that the mark is below what it means.
                let indent: String =
                    text.chars().take(column - 1).map(|c| if c == '\t' { c } else { ' ' }).collect();
                writeln!(f, "  {line} | {text}")?;
                write!(f, "  {:gutter$} | {indent}{}", "", "^".repeat(*length))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_a_line_or_an_override() {
        let text = Text::new("a.toml", "one\n\ttwo", &["x=1".to_owned(), "y=2".to_owned()]);
        let fault = text.fault(&(5..8).into(), "wrong");
        assert_eq!(fault.to_string(), "a.toml:2:2: wrong\n  2 | \ttwo\n    | \t^^^");
        assert_eq!(text.place(&(15..16).into()), Position::Override("y=2".into()));
        let at_end = text.place(&(8..8).into());
        assert!(matches!(at_end, Position::Line { line: 2, column: 5, length: 1, .. }), "{at_end:?}");
        assert_eq!(text.place(&Span::FILE), Position::File("a.toml".into()));
    }
}
