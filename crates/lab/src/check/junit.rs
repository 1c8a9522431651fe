//! Output of a check as JUnit XML, for CI systems.

use super::CheckReport;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use rustc_hash::FxHashMap;

impl CheckReport {
    /// Formats the report as JUnit XML with one test case per group: failed if one of its values
    /// fails, skipped if the group is only in the results or only in the baseline.
    pub fn junit(&self) -> String {
        let mut failures: FxHashMap<&str, Vec<String>> = FxHashMap::default();
        for change in self.failures() {
            failures.entry(&change.group).or_default().push(change.sentence());
        }
        let compared = self.groups.iter().map(|group| {
            let status = failures.get(group.as_str()).map(|sentences| failure(sentences));
            (group, status.unwrap_or_else(TestCaseStatus::success))
        });
        let gone = self.only_in_baseline.iter().map(|group| (group, skipped("baseline")));
        let new = self.only_in_results.iter().map(|group| (group, skipped("results")));
        let mut suite = TestSuite::new(self.study.as_str());
        for (group, status) in compared.chain(gone).chain(new) {
            let mut case = TestCase::new(group.as_str(), status);
            case.set_classname(self.study.as_str());
            suite.add_test_case(case);
        }
        let mut report = Report::new("dfrsim check");
        report.add_test_suite(suite);
        report.to_string().expect("writing XML to memory cannot fail")
    }
}

fn skipped(side: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::skipped();
    status.set_message(format!("only in the {side}"));
    status
}

fn failure(sentences: &[String]) -> TestCaseStatus {
    let more = sentences.len() - 1;
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    status.set_message(format!("{}{more}", sentences[0]));
    status.set_type("regression").set_description(sentences.join("\n"));
    status
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{Change, CheckOptions, Direction};
    use roxmltree::Document;

    /// Checks a report in which one group fails by two values, one has improved, and one is missing
    /// from the results.
    #[test]
    fn it_parses_and_lists_what_failed() {
        let strange = "a<b> & \"c\"\n\u{1}'d'";
        let change = |group: &str, metric: &str, now, direction| Change {
            group: group.into(),
            metric: metric.into(),
            before: 2.0,
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
            only_in_baseline: vec!["C".into()],
            only_in_results: Vec::new(),
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
        // XML parsers replace line breaks in attributes by spaces.
        assert_eq!(names, [strange.replace('\u{1}', "").replace('\n', " ").as_str(), "B", "C"]);
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
