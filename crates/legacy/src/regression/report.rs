//! What came of a comparison, to be read.

use super::check::{Change, CheckReport, Verdict};
use crate::tables::{Cell, GroupKey, Table, decimals};
use std::fmt::Write as _;

/// How many changes and groups stand in a Markdown summary: comments on pull requests have a limit of 65,536
/// characters.
const SHOWN: usize = 100;

impl Change {
    /// The figure before and now, with as many decimals as tell them apart.
    #[must_use]
    pub fn values(&self) -> (String, String) {
        let shown = |value: Option<f64>, decimals: usize| {
            value.map_or_else(|| "none".to_owned(), |value| format!("{value:.decimals$}"))
        };
        let values = [self.before, self.now];
        let whole = values.iter().flatten().all(|value| value.fract() == 0.0);
        let size = values.iter().flatten().fold(0.0, |size: f64, value| size.max(value.abs()));
        let first = if whole { 0 } else { decimals(size) };
        let both = |decimals| (shown(self.before, decimals), shown(self.now, decimals));
        // The difference of two numbers of this size is seen by the 17th significant digit; small ones need more.
        (first..=340).map(both).find(|(before, now)| before != now).unwrap_or_else(|| both(first))
    }
    /// The relative change in percent, with its sign; nothing if it cannot be said so.
    #[must_use]
    pub fn percent(&self) -> Option<String> {
        let percent = self.relative()? * 100.0;
        Some(if percent.abs() >= 0.05 { format!("{percent:+.1} %") } else { format!("{percent:+.0e} %") })
    }
    /// `mean_degradation 1866.8 -> 1902.1 (+1.9 %)`
    pub(super) fn sentence(&self) -> String {
        let (before, now) = self.values();
        let percent = self.percent().map(|percent| format!(" ({percent})")).unwrap_or_default();
        format!("{} {before} -> {now}{percent}", self.figure)
    }
}

impl CheckReport {
    /// A line for each change, the worst first.
    #[must_use]
    pub fn table(&self) -> Table {
        table(self.changes.iter())
    }

    /// One line: what was compared, and what came of it.
    #[must_use]
    pub fn summary(&self) -> String {
        let (worse, better) = (self.count(Verdict::Worse), self.count(Verdict::Better));
        let within = self.figures - worse - better;
        let groups = self.groups.len();
        format!(
            "{} figures of {groups} groups: {worse} worse, {better} better, {within} within tolerance ({})",
            self.figures, self.options.tolerances
        )
    }

    /// What should be known besides: another semantics version, groups that are missing.
    #[must_use]
    pub fn notices(&self) -> Vec<String> {
        let mut notices = Vec::new();
        let (before, now) = self.semantics;
        if before != now {
            notices.push(format!(
                "the baseline is of semantics version {before}, the results are of {now}: figures may have changed by intention"
            ));
        }
        for (side, groups) in [("baseline", &self.gone), ("results", &self.new)] {
            notices.extend(groups.iter().map(|group| format!("only in the {side}: {group}")));
        }
        notices
    }

    /// A summary for a comment on a pull request or a page of a CI system. Long lists are cut.
    #[must_use]
    pub fn markdown(&self) -> String {
        let verdict = if self.fails() { "figures have changed" } else { "no regression" };
        let verdict = if self.count(Verdict::Worse) > 0 { "regression" } else { verdict };
        let title = if self.title.is_empty() { String::new() } else { format!(": {}", escape(&self.title)) };
        let mut text = format!("### dfrsim check: {verdict}{title}\n\n{}\n", self.summary());
        for (verdict, heading) in [(Verdict::Worse, "Worse"), (Verdict::Better, "Better")] {
            let changes = || self.changes.iter().filter(|change| change.verdict == verdict);
            let count = changes().count();
            if count > 0 {
                let open = if verdict == Verdict::Worse { " open" } else { "" };
                let table = table(changes().take(SHOWN)).markdown();
                write!(
                    text,
                    "\n<details{open}><summary>{heading}: {count}</summary>\n\n{table}{}\n</details>\n",
                    more(count)
                )
                .expect("a string takes any text");
            }
        }
        let notices = self.notices();
        if !notices.is_empty() {
            text.push('\n');
            for notice in notices.iter().take(SHOWN) {
                writeln!(text, "- {}", escape(notice)).expect("a string takes any text");
            }
            text.push_str(&more(notices.len()));
        }
        text
    }
}

fn more(count: usize) -> String {
    if count > SHOWN { format!("\nand {} more\n", count - SHOWN) } else { String::new() }
}

/// Characters with a meaning in Markdown stand for themselves.
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

fn table<'a>(changes: impl Iterator<Item = &'a Change>) -> Table {
    let mut header = vec!["verdict"];
    header.extend(GroupKey::HEADER);
    header.extend(["figure", "baseline", "now", "change"]);
    let line = |change: &Change| {
        let (before, now) = change.values();
        let mut cells = vec![Cell::Text(change.verdict.name().to_owned())];
        cells.extend(change.group.cells());
        cells.push(Cell::Text(change.figure.to_string()));
        cells.extend([before, now, change.percent().unwrap_or_default()].map(Cell::Formatted));
        cells
    };
    Table::new(header, changes.map(line).collect())
}

#[cfg(test)]
mod tests {
    use super::super::check::CheckOptions;
    use super::super::figure::Figure;
    use super::*;
    use dfrsim_model::SimSpan;

    fn change(policy: &str, before: Option<f64>, now: Option<f64>) -> Change {
        let group = GroupKey {
            workload: "log".into(),
            load: Some("0.7".into()),
            policy: policy.into(),
            penalty_s: SimSpan::from_secs(300),
            period_s: None,
            packing: None,
            drop: None,
            tau_s: SimSpan::from_secs(10),
        };
        Change { group, figure: Figure::MeanDegradation, before, now, verdict: Verdict::Worse }
    }

    #[test]
    fn values_have_the_decimals_that_tell_them_apart() {
        let values = |before: f64, now: f64| change("A", Some(before), Some(now)).values();
        let texts = |before: &str, now: &str| (before.to_owned(), now.to_owned());
        assert_eq!(values(1866.8123, 1902.1), texts("1866.8", "1902.1"));
        assert_eq!(values(1866.8123, 1866.8124), texts("1866.8123", "1866.8124"));
        assert_eq!(values(10.0, 12.0), texts("10", "12"));
        assert_eq!(values(0.0, 1e-9), texts("0.000000000", "0.000000001"));
        let next = values(0.1, 0.1_f64.next_up());
        assert_ne!(next.0, next.1);
        assert_eq!(change("A", Some(2.5), None).values(), texts("2.500", "none"));
    }

    #[test]
    fn percents_have_signs_and_small_ones_exponents() {
        let percent = |before: f64, now: f64| change("A", Some(before), Some(now)).percent();
        assert_eq!(percent(200.0, 203.0).unwrap(), "+1.5 %");
        assert_eq!(percent(200.0, 100.0).unwrap(), "-50.0 %");
        assert_eq!(percent(1.0, 1.0 + 3e-9).unwrap(), "+3e-7 %");
        assert_eq!(percent(0.0, 1.0), None);
    }

    #[test]
    fn a_markdown_summary_of_many_changes_fits_into_a_comment() {
        let policy = "GreedyPM*/per/OPT=MIN/MVT=600";
        let changes: Vec<Change> =
            (0..1000).map(|number| change(policy, Some(1.0), Some(2.0 + f64::from(number)))).collect();
        let report = CheckReport {
            options: CheckOptions::default(),
            title: "A <first> look".into(),
            semantics: (1, 2),
            groups: changes.iter().map(|change| change.group.clone()).collect(),
            figures: 14_000,
            gone: changes.iter().map(|change| change.group.clone()).collect(),
            new: Vec::new(),
            changes,
        };
        let text = report.markdown();
        assert!(text.starts_with("### dfrsim check: regression: A \\<first\\> look\n\n14000 figures of 1000 groups: 1000 worse, 0 better, 13000 within tolerance (0 %)\n"), "{text}");
        assert!(text.len() < 65_536, "{}", text.len());
        assert_eq!(text.matches("\nand 900 more\n").count(), 1);
        assert!(text.contains("semantics version 1, the results are of 2"), "{text}");
        assert!(text.contains("- only in the baseline: log, load 0.7, GreedyPM\\*/per"), "{text}");
    }
}
