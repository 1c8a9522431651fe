//! The report as CI systems read it: JUnit XML.
//!
//! There is no standard; this keeps to what Jenkins, GitLab and the usual report actions agree on: `testsuites` with
//! a `testsuite` for each workload, a `testcase` with `classname`, `name` and `time` for each group, and
//! `failure` or `skipped` with a `message` in it.

use super::check::{Change, CheckReport};
use crate::tables::GroupKey;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// What becomes of one group.
enum Case<'a> {
    Compared(Vec<&'a Change>),
    Missing(&'static str),
}

#[derive(Default)]
struct Counts {
    tests: usize,
    failures: usize,
    skipped: usize,
}

impl CheckReport {
    /// A JUnit XML file with a test case for each group, failed if one of its figures fails, skipped if the group is
    /// only in the results or in the baseline.
    #[must_use]
    pub fn junit(&self) -> String {
        let mut failures: BTreeMap<&GroupKey, Vec<&Change>> = BTreeMap::new();
        for change in self.failures() {
            failures.entry(&change.group).or_default().push(change);
        }
        let compared =
            self.groups.iter().map(|key| (key, Case::Compared(failures.remove(key).unwrap_or_default())));
        let gone = self.gone.iter().map(|key| (key, Case::Missing("only in the baseline")));
        let new = self.new.iter().map(|key| (key, Case::Missing("only in the results")));
        let mut suites: Vec<(&str, Vec<(&GroupKey, Case<'_>)>)> = Vec::new();
        for (key, case) in compared.chain(gone).chain(new) {
            match suites.iter_mut().find(|(workload, _)| *workload == key.workload) {
                Some((_, cases)) => cases.push((key, case)),
                None => suites.push((&key.workload, vec![(key, case)])),
            }
        }
        let all = counts(suites.iter().flat_map(|(_, cases)| cases).map(|(_, case)| case));
        let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        write_element(&mut xml, "<testsuites", "dfrsim check", &all);
        for (name, cases) in &suites {
            write_element(&mut xml, "  <testsuite", name, &counts(cases.iter().map(|(_, case)| case)));
            cases.iter().for_each(|(key, case)| write_case(&mut xml, key, case));
            xml.push_str("  </testsuite>\n");
        }
        xml.push_str("</testsuites>\n");
        xml
    }
}

fn counts<'a, 'b: 'a>(cases: impl Iterator<Item = &'a Case<'b>>) -> Counts {
    cases.fold(Counts::default(), |counts, case| Counts {
        tests: counts.tests + 1,
        failures: counts.failures
            + usize::from(matches!(case, Case::Compared(changes) if !changes.is_empty())),
        skipped: counts.skipped + usize::from(matches!(case, Case::Missing(_))),
    })
}

fn write_element(xml: &mut String, begin: &str, name: &str, counts: &Counts) {
    let Counts { tests, failures, skipped } = counts;
    let name = escape(name);
    writeln!(
        xml,
        "{begin} name=\"{name}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\" time=\"0\">"
    )
    .expect("a string takes any text");
}

fn write_case(xml: &mut String, key: &GroupKey, case: &Case<'_>) {
    let (class, name) = (escape(&key.workload), escape(&key.within_workload()));
    write!(xml, "    <testcase classname=\"{class}\" name=\"{name}\" time=\"0\"")
        .expect("a string takes any text");
    let content = match case {
        Case::Compared(changes) if changes.is_empty() => return xml.push_str("/>\n"),
        Case::Compared(changes) => {
            let sentences: Vec<String> = changes.iter().map(|change| change.sentence()).collect();
            let more = sentences.len() - 1;
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let message = escape(&format!("{}{more}", sentences[0]));
            let lines = escape(&sentences.join("\n")).replace("&#10;", "\n");
            format!("<failure message=\"{message}\" type=\"regression\">{lines}</failure>")
        }
        Case::Missing(message) => format!("<skipped message=\"{message}\"/>"),
    };
    writeln!(xml, ">\n      {content}\n    </testcase>").expect("a string takes any text");
}

/// Text as it may stand in an attribute or an element. Characters that XML 1.0 cannot have at all become U+FFFD.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&apos;"),
            // Attributes would have a space for them.
            '\n' => escaped.push_str("&#10;"),
            '\r' => escaped.push_str("&#13;"),
            '\t' => escaped.push_str("&#9;"),
            '\0'..='\x1f' | '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            _ => escaped.push(character),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::super::check::{CheckOptions, Verdict};
    use super::super::figure::Figure;
    use super::*;
    use dfrsim_model::SimSpan;
    use roxmltree::Document;

    fn key(workload: &str, policy: &str) -> GroupKey {
        GroupKey {
            workload: workload.into(),
            load: None,
            policy: policy.into(),
            penalty_s: SimSpan::from_secs(300),
            period_s: None,
            packing: None,
            drop: None,
            tau_s: SimSpan::from_secs(10),
        }
    }

    /// Two suites; the first has a case that fails by two figures, one that is better, and one that is gone.
    #[test]
    fn it_parses_and_says_what_failed() {
        let strange = "a<b> & \"c\"\n\u{1}'d'";
        let change = |policy: &str, figure, now, verdict| Change {
            group: key(strange, policy),
            figure,
            before: Some(2.0),
            now: Some(now),
            verdict,
        };
        let report = CheckReport {
            options: CheckOptions::default(),
            title: String::new(),
            semantics: (1, 1),
            groups: vec![key(strange, "A"), key(strange, "B"), key("plain", "A")],
            figures: 6,
            changes: vec![
                change("A", Figure::MeanDegradation, 3.0, Verdict::Worse),
                change("A", Figure::Pauses, 2.5, Verdict::Worse),
                change("B", Figure::Pauses, 1.0, Verdict::Better),
            ],
            gone: vec![key(strange, "C")],
            new: Vec::new(),
        };
        let xml = report.junit();
        let document = Document::parse(&xml).unwrap();
        let root = document.root_element();
        let attributes = |node: &roxmltree::Node<'_, '_>| {
            ["tests", "failures", "errors", "skipped"].map(|name| node.attribute(name).unwrap().to_owned())
        };
        assert_eq!(
            (root.tag_name().name(), attributes(&root)),
            ("testsuites", ["4", "1", "0", "1"].map(str::to_owned))
        );
        let suites: Vec<_> = root.children().filter(roxmltree::Node::is_element).collect();
        assert_eq!(suites.len(), 2);
        assert!(suites.iter().all(|suite| suite.has_tag_name("testsuite")));
        let legal = strange.replace('\u{1}', "\u{fffd}");
        assert_eq!(suites[0].attribute("name"), Some(legal.as_str()));
        assert_eq!(attributes(&suites[0]), ["3", "1", "0", "1"].map(str::to_owned));
        assert_eq!(attributes(&suites[1]), ["1", "0", "0", "0"].map(str::to_owned));

        let cases: Vec<_> = root.descendants().filter(|node| node.has_tag_name("testcase")).collect();
        let names: Vec<_> = cases.iter().map(|case| case.attribute("name").unwrap()).collect();
        assert_eq!(names, ["A", "B", "C", "A"].map(|policy| format!("{policy}, penalty 300 s, tau 10 s")));
        assert!(
            cases
                .iter()
                .all(|case| case.attribute("classname").is_some() && case.attribute("time") == Some("0"))
        );
        let failure = cases[0].children().find(|node| node.has_tag_name("failure")).unwrap();
        assert_eq!(failure.attribute("message"), Some("mean_degradation 2 -> 3 (+50.0 %) and 1 more"));
        assert_eq!(
            failure.text(),
            Some("mean_degradation 2 -> 3 (+50.0 %)\npauses 2.000 -> 2.500 (+25.0 %)")
        );
        assert!(!cases[1].has_children());
        let skipped = cases[2].children().find(|node| node.has_tag_name("skipped")).unwrap();
        assert_eq!(skipped.attribute("message"), Some("only in the baseline"));
    }
}
