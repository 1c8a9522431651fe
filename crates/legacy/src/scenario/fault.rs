//! What is wrong with a scenario, and where.

use std::fmt;
use std::ops::Range;

/// The texts that a scenario is made of: its file, then its overrides, one behind the other, so that one number
/// tells a place in any of them.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    file: String,
    /// The file, an end of line, and each override with an end of line.
    joined: String,
    file_length: usize,
}

/// Everything that is wrong with a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioErrors {
    faults: Vec<Fault>,
}

/// One thing that is wrong with a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where, if it is at one place.
    pub place: Place,
    /// What is wrong, and what would be right.
    pub message: String,
}

/// A place in the texts of a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
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

impl Text {
    pub(crate) fn new(file: &str, text: &str, overrides: &[String]) -> Text {
        let mut joined = format!("{text}\n");
        for set in overrides {
            joined.push_str(set);
            joined.push('\n');
        }
        Text { file: file.to_owned(), joined, file_length: text.len() }
    }

    /// The place of a range of bytes of the joined text.
    pub(crate) fn place(&self, range: &Range<usize>) -> Place {
        let start = self.joined.floor_char_boundary(range.start.min(self.joined.len() - 1));
        let begin = self.joined[..start].rfind('\n').map_or(0, |at| at + 1);
        let end = start + self.joined[start..].find('\n').unwrap_or(0);
        let text = self.joined[begin..end].trim_end().to_owned();
        if start > self.file_length {
            return Place::Override(text);
        }
        let length = self.joined[start..self.joined.floor_char_boundary(range.end.clamp(start, end))]
            .chars()
            .count()
            .max(1);
        let line = self.joined[..begin].matches('\n').count() + 1;
        let column = self.joined[begin..start].chars().count() + 1;
        Place::Line { file: self.file.clone(), line, column, text, length }
    }
    /// A fault at a range of bytes of the joined text.
    pub(crate) fn fault(&self, range: &Range<usize>, message: impl Into<String>) -> Fault {
        Fault { place: self.place(range), message: message.into() }
    }
    /// A fault of the file as a whole.
    pub(crate) fn whole(&self, message: impl Into<String>) -> Fault {
        Fault { place: Place::File(self.file.clone()), message: message.into() }
    }
    /// A fault that the reader of TOML found.
    pub(crate) fn toml_fault(&self, error: &toml::de::Error) -> Fault {
        let message = explain(error.message());
        match error.span() {
            // Something missing at the top level is said of the whole file.
            Some(range) if range.start > 0 || range.end < self.file_length => self.fault(&range, message),
            _ => self.whole(message),
        }
    }
}

impl ScenarioErrors {
    /// These faults; at least one.
    pub(crate) fn new(faults: Vec<Fault>) -> ScenarioErrors {
        ScenarioErrors { faults }
    }
    /// The faults, in the order in which they were found; at least one.
    #[must_use]
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }
}

impl fmt::Display for ScenarioErrors {
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

impl std::error::Error for ScenarioErrors {}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Place::File(file) => write!(f, "{file}: {}", self.message),
            Place::Override(set) => write!(f, "override `{set}`: {}", self.message),
            Place::Line { file, line, column, text, length } => {
                writeln!(f, "{file}:{line}:{column}: {}", self.message)?;
                let gutter = line.to_string().len();
                // Tabs stay tabs, so that the mark stands below what it means.
                let indent: String =
                    text.chars().take(column - 1).map(|c| if c == '\t' { c } else { ' ' }).collect();
                writeln!(f, "  {line} | {text}")?;
                write!(f, "  {:gutter$} | {indent}{}", "", "^".repeat(*length))
            }
        }
    }
}

/// The name that is most like a wrong one, if any is somewhat like it.
pub(crate) fn nearest<'a>(wrong: &str, right: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const SOMEWHAT: f64 = 0.75;
    let likeness = |name: &str| strsim::jaro_winkler(wrong, name);
    let candidates = right.into_iter().map(|name| (likeness(name), name));
    candidates
        .filter(|(likeness, _)| *likeness > SOMEWHAT)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name)
}

/// Serde's message, with the nearest right name where it lists names.
fn explain(message: &str) -> String {
    let unknown = ["unknown field ", "unknown variant "].into_iter().any(|start| message.starts_with(start));
    let Some((found, expected)) = message.split_once(", expected ").filter(|_| unknown) else {
        return message.to_owned();
    };
    let names = || quoted(expected);
    match quoted(found).next().and_then(|wrong| nearest(wrong, names())) {
        Some(name) => format!("{found}; did you mean `{name}`?"),
        None => {
            let list: Vec<String> = names().map(|name| format!("`{name}`")).collect();
            format!("{found}; there are: {}", list.join(", "))
        }
    }
}

/// What stands between backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_serde_lists_give_the_nearest() {
        let field = "unknown field `polices`, expected one of `study`, `title`, `policies`";
        assert_eq!(explain(field), "unknown field `polices`; did you mean `policies`?");
        let variant = "unknown variant `x`, expected `extend` or `kill`";
        assert_eq!(explain(variant), "unknown variant `x`; there are: `extend`, `kill`");
        assert_eq!(explain("missing field `nodes`"), "missing field `nodes`");
    }

    #[test]
    fn a_place_is_a_line_or_an_override() {
        let text = Text::new("a.toml", "one\n\ttwo", &["x=1".to_owned(), "y=2".to_owned()]);
        let fault = text.fault(&(5..8), "wrong");
        assert_eq!(fault.to_string(), "a.toml:2:2: wrong\n  2 | \ttwo\n    | \t^^^");
        assert_eq!(text.place(&(15..16)), Place::Override("y=2".into()));
        let at_end = text.place(&(8..8));
        assert!(matches!(at_end, Place::Line { line: 2, column: 5, length: 1, .. }), "{at_end:?}");
    }
}
