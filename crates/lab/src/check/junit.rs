//! The report as CI systems read it: JUnit XML.
//!
//! There is no standard; this keeps to what Jenkins, GitLab and the usual report actions agree on: `testsuites` with
//! a `testsuite`, in it a `testcase` with `classname`, `name` and `time` for each group, and `failure` or `skipped` with
//! a `message` in it.

use super::{Change, CheckReport};
use std::collections::BTreeMap;
use std::fmt::Write as _;

impl CheckReport {
    /// A JUnit XML file with a test case for each group, failed if one of its values fails, skipped if the group is
    /// only in the results or in the baseline.
    #[must_use]
    pub fn junit(&self) -> String {
        let mut failures: BTreeMap<&str, Vec<&Change>> = BTreeMap::new();
        for change in self.failures() {
            failures.entry(&change.group).or_default().push(change);
        }
        let compared =
            self.groups.iter().map(|group| (group, failures.get(group.as_str()).map(|it| failure(it))));
        let gone = self.gone.iter().map(|group| (group, "baseline"));
        let skipped = gone.chain(self.new.iter().map(|group| (group, "results")));
        let skipped =
            skipped.map(|(group, side)| (group, Some(format!("<skipped message=\"only in the {side}\"/>"))));
        let counts = format!(
            "tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\" time=\"0\"",
            self.groups.len() + self.gone.len() + self.new.len(),
            failures.len(),
            self.gone.len() + self.new.len()
        );
        let study = escape(&self.study);
        let mut xml = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"dfrsim check\" {counts}>\n  <testsuite name=\"{study}\" {counts}>\n"
        );
        for (group, content) in compared.chain(skipped) {
            let name = escape(group);
            let content = content.map(|content| format!("\n      {content}\n    ")).unwrap_or_default();
            writeln!(
                xml,
                "    <testcase classname=\"{study}\" name=\"{name}\" time=\"0\">{content}</testcase>"
            )
            .expect("a string takes any text");
        }
        xml.push_str("  </testsuite>\n</testsuites>\n");
        xml
    }
}

fn failure(changes: &[&Change]) -> String {
    let sentences: Vec<String> = changes.iter().map(|change| change.sentence()).collect();
    let more = sentences.len() - 1;
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let message = escape(&format!("{}{more}", sentences[0]));
    let lines = escape(&sentences.join("\n")).replace("&#10;", "\n");
    format!("<failure message=\"{message}\" type=\"regression\">{lines}</failure>")
}

/// For attributes and content. Characters that XML 1.0 cannot represent become U+FFFD.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            // Attributes would have a space for them.
            '\n' | '\r' | '\t' => _ = write!(escaped, "&#{};", u32::from(character)),
            '\0'..='\x1f' | '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            _ => escaped.push(character),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{CheckOptions, Direction};
    use roxmltree::Document;

    /// One group fails by two values, one is better, and one is gone.
    #[test]
    fn it_parses_and_lists_what_failed() {
        let strange = "a<b> & \"c\"\n\u{1}'d'";
        let change = |group: &str, metric: &str, now, direction| Change {
            group: group.into(),
            metric: metric.into(),
            before: Some(2.0),
            now: Some(now),
            direction,
        };
        let report = CheckReport {
            options: CheckOptions::default(),
            study: "online".into(),
            title: String::new(),
            semantics: (1, 1),
            groups: vec![strange.into(), "B".into()],
            values: 6,
            changes: vec![
                change(strange, "degradation.mean", 3.0, Direction::Worse),
                change(strange, "pauses.mean", 2.5, Direction::Worse),
                change("B", "pauses.mean", 1.0, Direction::Better),
            ],
            gone: vec!["C".into()],
            new: Vec::new(),
        };
        let xml = report.junit();
        let document = Document::parse(&xml).unwrap();
        for name in ["testsuites", "testsuite"] {
            let node = document.descendants().find(|node| node.has_tag_name(name)).unwrap();
            let counts = ["tests", "failures", "errors", "skipped"].map(|name| node.attribute(name).unwrap());
            assert_eq!(counts, ["3", "1", "0", "1"]);
        }
        let cases: Vec<_> = document.descendants().filter(|node| node.has_tag_name("testcase")).collect();
        let names: Vec<_> = cases.iter().map(|case| case.attribute("name").unwrap()).collect();
        assert_eq!(names, [strange.replace('\u{1}', "\u{fffd}").as_str(), "B", "C"]);
        assert!(cases.iter().all(|case| case.attribute("classname") == Some("online")));
        let child = |case: usize, name| cases[case].children().find(|node| node.has_tag_name(name));
        let failure = child(0, "failure").unwrap();
        assert_eq!(failure.attribute("message"), Some("degradation.mean 2 -> 3 (+50.0 %) and 1 more"));
        assert_eq!(
            failure.text(),
            Some("degradation.mean 2 -> 3 (+50.0 %)\npauses.mean 2.000 -> 2.500 (+25.0 %)")
        );
        assert!(!cases[1].has_children());
        assert_eq!(child(2, "skipped").unwrap().attribute("message"), Some("only in the baseline"));
    }
}
