//! Parser of the lines of a PBS accounting file.

use crate::log::Problem;
use chrono::NaiveDateTime;

/// A line: `MM/DD/YYYY HH:MM:SS;TYPE;ID;KEY=VALUE ...`.
pub(super) struct AccountingLine<'a> {
    /// Time stamp of the line in seconds since 1970, as if its local time were UTC.
    pub(super) at: i64,
    /// Record type of the line, such as `E`.
    pub(super) kind: &'a str,
    /// Id of the job (or reservation, or other subject), without the name of the server.
    pub(super) id: &'a str,
    pub(super) attributes: Attributes<'a>,
}

/// Attributes of a job as key and value, in the order of the lines. The last value of a key is
/// valid.
#[derive(Clone, Debug, Default)]
pub(super) struct Attributes<'a>(Vec<(&'a str, &'a str)>);

impl<'a> Attributes<'a> {
    /// Parses `KEY=VALUE` pairs. A word without a key belongs to the value before it, as in names
    /// with spaces.
    fn parse(text: &'a str) -> Attributes<'a> {
        let mut attributes = Vec::new();
        let mut open: Option<(&str, usize)> = None;
        let mut from = 0;
        let mut close = |open: Option<(&'a str, usize)>, end: usize| {
            if let Some((key, begin)) = open {
                attributes.push((key, text[begin..end].trim().trim_matches('"')));
            }
        };
        for word in text.split(' ') {
            if let Some((key, _)) = word.split_once('=').filter(|(key, _)| is_key(key)) {
                close(open, from);
                open = Some((key, from + key.len() + 1));
            }
            from += word.len() + 1;
        }
        close(open, text.len());
        Attributes(attributes)
    }
    /// Returns the value of an attribute; empty if it is absent.
    pub(super) fn get(&self, key: &str) -> &'a str {
        self.0.iter().rfind(|(name, _)| *name == key).map_or("", |(_, value)| value)
    }
    /// Keeps the attributes of the request and removes those of the last run.
    pub(super) fn request_only(mut self) -> Attributes<'a> {
        let of_run = ["start", "end", "Exit_status", "total_execution_slots", "unique_node_count"];
        self.0.retain(|(key, _)| {
            !of_run.contains(key) && !key.starts_with("exec_") && !key.starts_with("resources_used")
        });
        self
    }
    /// Adds the attributes of a later line, which override earlier ones.
    pub(super) fn update(&mut self, later: Attributes<'a>) {
        self.0.extend(later.0);
    }
}

/// Returns whether the text is a key: words separated by dots, such as `Resource_List.ncpus`.
fn is_key(key: &str) -> bool {
    key.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && key.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '.' | '-'))
}

impl<'a> AccountingLine<'a> {
    pub(super) fn parse(line: &'a str) -> Result<AccountingLine<'a>, Problem> {
        let fault = || {
            let format = "a line of PBS accounting";
            let expected = "expected `MM/DD/YYYY HH:MM:SS;TYPE;JOB;KEY=VALUE ...`";
            let start: String = line.chars().take(40).collect();
            Problem::Syntax { format, reason: format!("{expected}, found `{}`", start.escape_debug()) }
        };
        let mut parts = line.splitn(4, ';');
        let mut part = || parts.next().map(str::trim).ok_or_else(fault);
        let (at, kind, id) = (part()?, part()?, part()?);
        let at = NaiveDateTime::parse_from_str(at, "%m/%d/%Y %H:%M:%S").map_err(|_| fault())?;
        if kind.is_empty() {
            return Err(fault());
        }
        let id = id.split('.').next().unwrap_or(id);
        Ok(AccountingLine {
            at: at.and_utc().timestamp(),
            kind,
            id,
            attributes: Attributes::parse(parts.next().unwrap_or_default()),
        })
    }

    /// Returns whether the line is about a job. The id of a job is a number; that of an array task
    /// has the task's number in brackets or after a hyphen.
    pub(super) fn is_of_job(&self) -> bool {
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        match (self.id.strip_suffix(']').and_then(|id| id.split_once('[')), self.id.split_once('-')) {
            (Some((array, task)), _) | (None, Some((array, task))) => digits(array) && digits(task),
            (None, None) => digits(self.id),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::AccountingLine;

    #[test]
    fn lines_are_taken_apart() {
        let line = r#"03/01/2026 09:00:30;E;12.head;user=anna account="bio lab" jobname=my run 2 queue=batch ctime=1 x"#;
        let entry = AccountingLine::parse(line).unwrap_or_else(|problem| panic!("{problem}"));
        assert_eq!((entry.at, entry.kind, entry.id), (1_772_355_630, "E", "12"));
        let values =
            ["user", "account", "jobname", "queue", "ctime", "group"].map(|key| entry.attributes.get(key));
        assert_eq!(values, ["anna", "bio lab", "my run 2", "batch", "1 x", ""]);
        for wrong in ["", "03/01/2026;E;1;", "2026-03-01 09:00:00;E;1;", "03/01/2026 09:00:00;;1;"] {
            assert!(AccountingLine::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn jobs_are_distinguished_from_other_things() {
        let is_of_job = |id: &str| {
            AccountingLine::parse(&format!("03/01/2026 09:00:30;Q;{id};")).is_ok_and(|it| it.is_of_job())
        };
        assert!(["12.head", "12", "12[3].head", "12-3.head"].into_iter().all(is_of_job));
        assert!(!["12[].head", "R12.head", "license", "S12", "12[a]", ""].into_iter().any(is_of_job));
    }
}
