//! Parser of Slurm's parameter files: `slurm.conf`, `gres.conf`, and the files that they include.

use super::ConfError;
use std::path::Path;
use std::sync::Arc;

/// Maximum nesting depth of includes.
const MAX_DEPTH: usize = 10;

/// A logical line, joined with its continuation lines.
#[derive(Clone, Debug)]
pub(super) struct ConfLine {
    pub(super) at: Location,
    /// Names and values in the order of the line; a name without `=` has an empty value.
    pub(super) pairs: Vec<(String, String)>,
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
        ConfLine { at: at.clone(), pairs: vec![(name.to_owned(), value.to_owned())] }
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
        seconds(text).ok_or_else(|| self.unexpected(text, "a time such as 90 (minutes), 1:30:00 or 7-0"))
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

/// Parses a time into seconds: `minutes`, `minutes:seconds`, `hours:minutes:seconds`, `days-hours`,
/// `days-hours:minutes` or `days-hours:minutes:seconds`.
fn seconds(text: &str) -> Option<u64> {
    let (days, clock) = match text.split_once('-') {
        Some((days, clock)) => (Some(days.parse::<u64>().ok()?), clock),
        None => (None, text),
    };
    let parts: Option<Vec<u64>> = clock.split(':').map(|part| part.parse().ok()).collect();
    let units: &[u64] = match (days, parts.as_ref()?.len()) {
        (Some(_), 1..=3) | (None, 3) => &[3_600, 60, 1],
        (None, 1..=2) => &[60, 1],
        _ => return None,
    };
    let within = parts?
        .iter()
        .zip(units)
        .try_fold(0_u64, |sum, (part, unit)| sum.checked_add(part.checked_mul(*unit)?));
    days.unwrap_or(0).checked_mul(86_400)?.checked_add(within?)
}

/// Reads the lines of a file and of the files that it includes. Included names are relative to the
/// folder of the including file.
pub(super) fn read(path: &Path) -> Result<Vec<ConfLine>, ConfError> {
    let mut lines = Vec::new();
    let at = Location { file: path.display().to_string().into(), line: 0, parameter: String::new() };
    add_file(path, &at, 0, &mut lines)?;
    Ok(lines)
}

fn add_file(path: &Path, from: &Location, depth: usize, lines: &mut Vec<ConfLine>) -> Result<(), ConfError> {
    if depth > MAX_DEPTH {
        return Err(from.error("files include each other, or are nested too deeply"));
    }
    let text = dfrsim_model::read_text_file(path).map_err(|error| match depth {
        0 => from.error(error.to_string()),
        _ => from.error(format!("{}: {error}", path.display())),
    })?;
    for line in parse_lines(&text, &path.display().to_string()) {
        match &line.pairs[..] {
            [(include, _), (file, _)] if include.eq_ignore_ascii_case("include") => {
                let folder = path.parent().unwrap_or(Path::new("."));
                add_file(&folder.join(file), &line.at.for_parameter("Include"), depth + 1, lines)?;
            }
            _ => lines.push(line),
        }
    }
    Ok(())
}

/// Splits a text into logical lines, without empty ones.
pub(super) fn parse_lines(text: &str, file: &str) -> Vec<ConfLine> {
    let file: Arc<str> = file.into();
    let (mut lines, mut whole) = (Vec::new(), String::new());
    for (number, text) in (1..).zip(text.lines()) {
        let text = text.split('#').next().unwrap_or_default();
        // A backslash at the end continues the line.
        if let Some(text) = text.trim_end().strip_suffix('\\') {
            whole.push_str(text);
            continue;
        }
        whole.push_str(text);
        let pairs = parse_pairs(&std::mem::take(&mut whole));
        if let Some((name, _)) = pairs.first() {
            let at = Location { file: Arc::clone(&file), line: number, parameter: name.clone() };
            lines.push(ConfLine { at, pairs });
        }
    }
    lines
}

/// Splits a line into names and values. A value that contains blanks is in quotes.
fn parse_pairs(line: &str) -> Vec<(String, String)> {
    let (mut words, mut word, mut is_quoted) = (Vec::new(), String::new(), false);
    for letter in line.chars().chain([' ']) {
        match letter {
            '"' => is_quoted = !is_quoted,
            blank if blank.is_whitespace() && !is_quoted => {
                if !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
            }
            other => word.push(other),
        }
    }
    // An unclosed quotation extends to the end of the line.
    words.extend((!word.trim().is_empty()).then(|| word.trim_end().to_owned()));
    let pair = |word: String| match word.split_once('=') {
        Some((name, value)) => (name.to_owned(), value.to_owned()),
        None => (word, String::new()),
    };
    words.into_iter().map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn times_have_the_forms_of_slurm() {
        for (text, expected) in [
            ("0", 0),
            ("90", 5_400),
            ("2:30", 150),
            ("1:30:00", 5_400),
            ("7-0", 604_800),
            ("1-2:03", 93_780),
            ("1-2:03:04", 93_784),
        ] {
            assert_eq!(seconds(text), Some(expected), "{text}");
        }
        for wrong in ["", "x", "1:2:3:4", "1-", "-1", "99999999999999999999"] {
            assert_eq!(seconds(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn files_are_included_and_lines_go_on() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("slurm.conf"), "A=1 \\\nB=\"x y\"  # no more\nInclude nodes.conf\nC\n").unwrap();
        fs::write(path("nodes.conf"), "\nNodeName=n1\n").unwrap();
        let lines = read(&path("slurm.conf")).unwrap();
        let found: Vec<_> = lines.iter().map(|line| (line.at.line, format!("{:?}", line.pairs))).collect();
        let expected =
            [(2, r#"[("A", "1"), ("B", "x y")]"#), (2, r#"[("NodeName", "n1")]"#), (4, r#"[("C", "")]"#)];
        assert_eq!(found, expected.map(|(line, pairs)| (line, pairs.to_owned())));
        assert!(lines[1].at.file.ends_with("nodes.conf"));
        fs::write(path("nodes.conf"), "Include slurm.conf\n").unwrap();
        let error = read(&path("slurm.conf")).unwrap_err().to_string();
        assert!(
            error.ends_with("line 3: Include: files include each other, or are nested too deeply"),
            "{error}"
        );
        fs::write(path("nodes.conf"), "Include none.conf\n").unwrap();
        let error = read(&path("slurm.conf")).unwrap_err().to_string();
        assert!(error.contains("nodes.conf: line 1: Include: ") && error.contains("none.conf"), "{error}");
    }
}
