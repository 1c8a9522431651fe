//! Text output of a comparison with a baseline.

use super::{Change, CheckReport, Direction};
use crate::table::{Cell, Table, decimals};
use std::fmt::Write as _;

/// Largest number of changes and of groups in a Markdown summary: comments on pull requests are
/// limited to 65,536 characters.
const LISTED: usize = 100;

impl Change {
    /// Formats the value before and now, with as many decimals as are needed to tell them apart.
    pub fn values(&self) -> (String, String) {
        let text = |value: Option<f64>, decimals: usize| {
            value.map_or_else(|| "none".to_owned(), |value| format!("{value:.decimals$}"))
        };
        let values = [Some(self.before), self.now];
        let is_whole = values.iter().flatten().all(|value| value.fract() == 0.0);
        let size = values.iter().flatten().fold(0.0, |size: f64, value| size.max(value.abs()));
        let first = if is_whole { 0 } else { decimals(size) };
        let both = |decimals| (text(Some(self.before), decimals), text(self.now, decimals));
        // Two numbers of this size differ by the 17th significant digit at the latest; small numbers
        // need more decimals.
        (first..=340).map(both).find(|(before, now)| before != now).unwrap_or_else(|| both(first))
    }
    /// Formats the relative change in percent, with its sign; `None` if there is none.
    pub fn percent(&self) -> Option<String> {
        let percent = self.relative()? * 100.0;
        Some(if percent.abs() >= 0.05 { format!("{percent:+.1} %") } else { format!("{percent:+.0e} %") })
    }
    /// Formats the change: `degradation.mean 1866.8 -> 1902.1 (+1.9 %)`.
    pub(super) fn sentence(&self) -> String {
        let (before, now) = self.values();
        let percent = self.percent().map(|percent| format!(" ({percent})")).unwrap_or_default();
        format!("{} {before} -> {now}{percent}", self.metric)
    }
}

impl CheckReport {
    /// Builds a table with one line for each of the first `most` changes, largest regression first.
    pub fn table(&self, most: usize) -> Table {
        table(self.changes.iter().take(most))
    }

    /// Formats the numbers of compared, worse, better and tolerated values in one line.
    pub fn summary(&self) -> String {
        let (worse, better) = (self.count(Direction::Worse), self.count(Direction::Better));
        let (values, groups) = (self.values, self.groups.len());
        let within = values - worse - better;
        let tolerances = &self.options.tolerances;
        format!(
            "{values} values in {groups} groups: {worse} worse, {better} better, {within} within tolerance ({tolerances})"
        )
    }

    /// Returns notices about the comparison: another version of the study's rows, and groups that
    /// are missing.
    pub fn notices(&self) -> Vec<String> {
        let mut notices = Vec::new();
        let (before, now) = self.semantics;
        if before != now {
            notices.push(format!(
                "the baseline is of version {before} of the study, the results are of version {now}: values may have changed intentionally"
            ));
        }
        for (side, groups) in [("baseline", &self.only_in_baseline), ("results", &self.only_in_results)] {
            notices.extend(groups.iter().map(|group| format!("only in the {side}: {group}")));
        }
        notices
    }

    /// Formats a Markdown summary for a comment on a pull request or for a page of a CI system. Long
    /// lists are truncated.
    pub fn markdown(&self) -> String {
        let verdict = if self.fails() { "values have changed" } else { "no regression" };
        let verdict = if self.count(Direction::Worse) > 0 { "regression" } else { verdict };
        let title = if self.title.is_empty() { String::new() } else { format!(": {}", escape(&self.title)) };
        let mut text = format!("### dfrsim check: {verdict}{title}\n\n{}\n", self.summary());
        for (direction, heading) in [(Direction::Worse, "Worse"), (Direction::Better, "Better")] {
            let changes = || self.changes.iter().filter(|change| change.direction == direction);
            let count = changes().count();
            if count > 0 {
                let open = if direction == Direction::Worse { " open" } else { "" };
                let table = table(changes().take(LISTED)).markdown();
                let more = more(count);
                write!(
                    text,
                    "\n<details{open}><summary>{heading}: {count}</summary>\n\n{table}{more}\n</details>\n"
                )
                .expect("writing to a string cannot fail");
            }
        }
        let notices = self.notices();
        if !notices.is_empty() {
            text.push('\n');
            for notice in notices.iter().take(LISTED) {
                writeln!(text, "- {}", escape(notice)).expect("writing to a string cannot fail");
            }
            text.push_str(&more(notices.len()));
        }
        text
    }
}

/// Lists the groups that occur on one side only; long lists are truncated.
pub(super) fn missing(gone: &[String], new: &[String]) -> String {
    const LISTED: usize = 5;
    let side = |(side, groups): (&str, &[String])| {
        let more = groups.len().saturating_sub(LISTED);
        let more = if more > 0 { format!("; and {more} more") } else { String::new() };
        format!("only in the {side}: {}{more}", groups[..groups.len().min(LISTED)].join("; "))
    };
    let sides = [("baseline", gone), ("results", new)].into_iter().filter(|(_, groups)| !groups.is_empty());
    sides.map(side).collect::<Vec<_>>().join("; ")
}

fn more(count: usize) -> String {
    if count > LISTED { format!("\nand {} more\n", count - LISTED) } else { String::new() }
}

/// Escapes the characters that have a meaning in Markdown.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if matches!(character, '\\' | '*' | '_' | '`' | '<' | '>' | '[' | ']' | '#' | '|' | '&') {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}

/// Builds a table of changes. What the groups of all lines have in common is a note.
fn table<'a>(changes: impl Iterator<Item = &'a Change>) -> Table {
    let changes: Vec<&Change> = changes.collect();
    let parts = |change: &'a Change| change.group.split(", ");
    let is_common = |part: &&str| {
        changes.len() > 1 && changes.iter().all(|&change| parts(change).any(|other| other == *part))
    };
    let common: Vec<&str> =
        changes.first().map_or_else(Vec::new, |&first| parts(first).filter(is_common).collect());
    let own = |change: &'a Change| {
        let own: Vec<&str> = parts(change).filter(|part| !common.contains(part)).collect();
        if own.is_empty() { "all".to_owned() } else { own.join(", ") }
    };
    let line = |&change: &&'a Change| {
        let ((before, now), group) = (change.values(), own(change));
        let texts = [change.direction.name(), &group, &change.metric];
        let numbers = [before, now, change.percent().unwrap_or_default()];
        texts
            .map(|text| Cell::Text(text.to_owned()))
            .into_iter()
            .chain(numbers.map(Cell::Formatted))
            .collect()
    };
    let lines = changes.iter().map(line).collect();
    let table = Table::new(["verdict", "group", "metric", "baseline", "now", "change"], lines);
    match common.as_slice() {
        [] => table,
        _ => table.with_notes(vec![format!("in all lines: {}", common.join(", "))]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::CheckOptions;

    fn change(before: f64, now: Option<f64>) -> Change {
        let (group, metric) = ("workload=log, policy=GreedyPM*/OPT=MIN".into(), "degradation.mean".into());
        Change { group, metric, before, now, direction: Direction::Worse }
    }

    #[test]
    fn values_have_the_decimals_that_distinguish_them() {
        let values = |before: f64, now: f64| change(before, Some(now)).values();
        let texts = |before: &str, now: &str| (before.to_owned(), now.to_owned());
        assert_eq!(values(1866.8123, 1902.1), texts("1866.8", "1902.1"));
        assert_eq!(values(1866.8123, 1866.8124), texts("1866.8123", "1866.8124"));
        assert_eq!(values(10.0, 12.0), texts("10", "12"));
        assert_eq!(values(0.0, 1e-9), texts("0.000000000", "0.000000001"));
        let next = values(0.1, 0.1_f64.next_up());
        assert_ne!(next.0, next.1);
        assert_eq!(change(2.5, None).values(), texts("2.500", "none"));
    }

    #[test]
    fn percents_have_signs_and_small_ones_exponents() {
        let percent = |before: f64, now: f64| change(before, Some(now)).percent();
        assert_eq!(percent(200.0, 203.0).unwrap(), "+1.5 %");
        assert_eq!(percent(200.0, 100.0).unwrap(), "-50.0 %");
        assert_eq!(percent(1.0, 1.0 + 3e-9).unwrap(), "+3e-7 %");
        assert_eq!(percent(0.0, 1.0), None);
    }

    #[test]
    fn what_all_groups_have_in_common_is_said_once() {
        let other = Change { group: "workload=log, policy=EASY".into(), ..change(1.0, Some(2.0)) };
        let table = table([&change(1.0, Some(2.0)), &other].into_iter());
        let text = table.markdown();
        assert!(text.contains("| policy=GreedyPM*/OPT=MIN |") && text.contains("| policy=EASY "), "{text}");
        assert!(text.contains("in all lines: workload=log"), "{text}");
        let same = super::table([&other, &other].into_iter()).markdown();
        assert!(same.contains("in all lines: workload=log, policy=EASY"), "{same}");
    }

    #[test]
    fn a_markdown_summary_of_many_changes_fits_into_a_comment() {
        let changes: Vec<Change> =
            (0..1000).map(|number| change(1.0, Some(2.0 + f64::from(number)))).collect();
        let groups: Vec<String> = changes.iter().map(|change| change.group.clone()).collect();
        let report = CheckReport {
            options: CheckOptions::default(),
            study: "online".into(),
            title: "A <first> look".into(),
            semantics: (1, 2),
            only_in_baseline: groups.clone(),
            groups,
            values: 14_000,
            only_in_results: Vec::new(),
            changes,
        };
        let text = report.markdown();
        assert!(text.starts_with("### dfrsim check: regression: A \\<first\\> look\n\n14000 values in 1000 groups: 1000 worse, 0 better, 13000 within tolerance (0 %)\n"), "{text}");
        assert!(text.len() < 65_536, "{}", text.len());
        assert_eq!(text.matches("\nand 900 more\n").count(), 1);
        assert!(text.contains("version 1 of the study, the results are of version 2"), "{text}");
        assert!(text.contains("- only in the baseline: workload=log, policy=GreedyPM\\*/OPT"), "{text}");
    }
}
