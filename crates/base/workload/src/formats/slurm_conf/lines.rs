//! Parser of the lines of Slurm's parameter files.

use super::{ConfError, ConfErrors};
use crate::formats::times::duration;
use std::sync::Arc;

/// A logical line, joined with its continuation lines.
#[derive(Clone, Debug)]
pub(super) struct ConfLine {
    pub(super) at: Location,
    /// Names and values in the order of the line; a name without `=` has an empty value.
    pub(super) pairs: Vec<(String, String)>,
    /// Words without `=` and names without a value, which Slurm refuses.
    pub(super) stray: Vec<String>,
}

/// A parameter and its location, for messages.
#[derive(Clone, Debug, Default)]
pub(super) struct Location {
    pub(super) file: Arc<str>,
    pub(super) line: usize,
    pub(super) parameter: String,
}

impl ConfLine {
    pub(super) fn of_pair(at: &Location, name: &str, value: &str) -> ConfLine {
        ConfLine { at: at.clone(), pairs: vec![(name.to_owned(), value.to_owned())], stray: Vec::new() }
    }

    /// Returns whether the line begins with this name, and has further parameters of it.
    pub(super) fn is_of(&self, name: &str) -> bool {
        self.pairs.first().is_some_and(|(first, _)| first.eq_ignore_ascii_case(name))
    }

    /// Returns whether a word of the line is not `NAME=VALUE`.
    pub(super) fn is_stray(&self, word: &str) -> bool {
        self.stray.iter().any(|stray| stray.trim_end_matches('=') == word)
    }

    /// Returns an error for each word that is not `NAME=VALUE`.
    pub(super) fn stray_words(&self) -> impl Iterator<Item = ConfError> {
        self.stray.iter().map(|word| self.at.unexpected(word, "NAME=VALUE"))
    }
}

impl Location {
    pub(super) fn for_parameter(&self, parameter: impl Into<String>) -> Location {
        Location { parameter: parameter.into(), ..self.clone() }
    }
    pub(super) fn error(&self, reason: impl Into<String>) -> ConfError {
        let Location { file, line, parameter } = self.clone();
        ConfError { file: file.to_string(), line, parameter, reason: reason.into() }
    }
    /// Replaces the location of each error.
    pub(super) fn relocate(&self, errors: ConfErrors) -> ConfErrors {
        errors.into_iter().map(|error| self.error(error.reason)).collect()
    }
    pub(super) fn unexpected(&self, found: &str, expected: &str) -> ConfError {
        self.error(format!("expected {expected}, found `{}`", found.escape_debug()))
    }
    pub(super) fn number(&self, text: &str) -> Result<u32, ConfError> {
        text.parse().map_err(|_| self.unexpected(text, "a whole number"))
    }
    /// Parses a limit; `None` if the text means unlimited.
    pub(super) fn limit(&self, text: &str) -> Result<Option<u32>, ConfError> {
        (!is_unlimited(text)).then(|| self.number(text)).transpose()
    }
    pub(super) fn time(&self, text: &str) -> Result<u64, ConfError> {
        duration(text).ok_or_else(|| self.unexpected(text, "a time such as 90 (minutes), 1:30:00 or 7-0"))
    }
    pub(super) fn time_limit(&self, text: &str) -> Result<Option<u64>, ConfError> {
        (!is_unlimited(text)).then(|| self.time(text)).transpose()
    }
    pub(super) fn yes_or_no(&self, text: &str) -> Result<bool, ConfError> {
        match text.to_ascii_uppercase().as_str() {
            "YES" | "TRUE" | "1" => Ok(true),
            "NO" | "FALSE" | "0" => Ok(false),
            _ => Err(self.unexpected(text, "YES or NO")),
        }
    }
}

/// Iterates over the values of a parameter, in the order of the pairs.
pub(super) fn values<'a>(
    pairs: impl DoubleEndedIterator<Item = &'a (String, String)>,
    name: &str,
) -> impl DoubleEndedIterator<Item = &'a str> {
    pairs.filter(move |pair| pair.0.eq_ignore_ascii_case(name)).map(|pair| pair.1.as_str())
}

/// Returns whether the text means that there is no limit.
pub(super) fn is_unlimited(text: &str) -> bool {
    matches!(text.to_ascii_uppercase().as_str(), "" | "UNLIMITED" | "INFINITE" | "-1" | "NONE")
}

/// Splits a text into logical lines, without empty ones.
pub(super) fn parse_lines(text: &str, file: &str) -> Vec<ConfLine> {
    let file: Arc<str> = file.into();
    let (mut lines, mut whole) = (Vec::new(), String::new());
    for (number, text) in (1..).zip(text.lines()) {
        let text = without_comment(text);
        // A backslash at the end continues the line.
        if let Some(text) = text.trim_end().strip_suffix('\\') {
            whole.push_str(text);
            continue;
        }
        whole.push_str(text);
        let (pairs, stray) = parse_pairs(&std::mem::take(&mut whole));
        if let Some((name, _)) = pairs.first() {
            let at = Location { file: Arc::clone(&file), line: number, parameter: name.clone() };
            lines.push(ConfLine { at, pairs, stray });
        }
    }
    lines
}

/// Removes a comment, which begins with a `#` that no backslash precedes.
fn without_comment(line: &str) -> &str {
    let begin = line.match_indices('#').find(|(at, _)| !line[..*at].ends_with('\\'));
    begin.map_or(line, |(at, _)| &line[..at])
}

/// Names with values, and words that are no such pairs.
type Pairs = (Vec<(String, String)>, Vec<String>);

/// Splits a line into names and values, as Slurm does: there may be blanks on both sides of `=`, and
/// a value that contains blanks is in quotes. A quotation that is not closed extends to the end of
/// the line.
fn parse_pairs(line: &str) -> Pairs {
    let (mut pairs, mut stray) = (Vec::new(), Vec::new());
    let mut rest = line.trim();
    while !rest.is_empty() {
        let end = rest.find(|letter: char| letter == '=' || letter.is_whitespace()).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        let Some(after) = after.trim_start().strip_prefix('=') else {
            stray.push(name.to_owned());
            pairs.push((name.to_owned(), String::new()));
            rest = after.trim_start();
            continue;
        };
        let after = after.trim_start();
        let (value, left) = match after.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted.trim_end(), "")),
            None => after.split_at(after.find(char::is_whitespace).unwrap_or(after.len())),
        };
        if after.is_empty() {
            stray.push(format!("{name}="));
        }
        pairs.push((name.to_owned(), value.replace("\\#", "#")));
        rest = left.trim_start();
    }
    (pairs, stray)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(line: &str) -> String {
        let (pairs, stray) = parse_pairs(line);
        let pairs: Vec<String> = pairs.iter().map(|(name, value)| format!("<{name}|{value}>")).collect();
        format!("{} {}", pairs.concat(), stray.join(" ")).trim_end().to_owned()
    }

    #[test]
    fn blanks_and_quotes_are_read_as_slurm_does() {
        for (line, expected) in [
            ("A = 1\tB\t=2  C= 3", "<A|1><B|2><C|3>"),
            ("A=\"x y\" B=\"z", "<A|x y><B|z>"),
            ("A==1,B=2", "<A|=1,B=2>"),
            ("Prolog= Epilog=/x", "<Prolog|Epilog=/x>"),
            ("Nodes=n1, n2", "<Nodes|n1,><n2|> n2"),
            ("Default Reason=", "<Default|><Reason|> Default Reason="),
        ] {
            assert_eq!(pairs(line), expected, "{line}");
        }
        let lines = parse_lines("A=a\\#b # c \\\nB=1\n", "");
        assert_eq!(lines[0].pairs, [("A".to_owned(), "a#b".to_owned())]);
        assert_eq!(lines.len(), 2);
    }
}
