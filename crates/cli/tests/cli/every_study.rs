//! Every command on the quick scenario of every study.

use crate::support::{Folder, dfrsim, files, scenario, stdout};
use std::fs;
use std::path::Path;

/// A study's quick scenario, smaller still, and two variants of it to compare.
struct Quick {
    scenario: &'static str,
    set: &'static [&'static str],
    variants: [&'static str; 2],
}

const STUDIES: [Quick; 7] = [
    Quick {
        scenario: "quickstart",
        set: &[
            "policies=['EASY', 'CONS', 'GreedyPM*/per/OPT=MIN']",
            "workloads.lublin.lublin.replications=2",
        ],
        variants: ["EASY", "CONS"],
    },
    Quick { scenario: "offline_quick", set: &[], variants: ["VP_CPSUM", "MCB8"] },
    Quick {
        scenario: "grid_quick",
        set: &["local=['FCFS', 'CONS']", "meta.heuristics=['mct', 'minmin']"],
        variants: ["mct", "minmin"],
    },
    Quick {
        scenario: "coallocation_quick",
        set: &["cases=6", "usage=[0.1]"],
        variants: ["simple", "collective"],
    },
    Quick { scenario: "context_switch_quick", set: &[], variants: ["booking", "first-fit"] },
    Quick { scenario: "discovery_quick", set: &["replications=2"], variants: ["Xen", "DYNAMIC"] },
    Quick { scenario: "adaptation_quick", set: &[], variants: ["bytes", "moves"] },
];

impl Quick {
    /// Runs it into a folder.
    fn run(&self, out: &Path, more: &[&str]) -> assert_cmd::Command {
        let mut command = dfrsim(["run"]);
        command.arg(scenario(self.scenario)).arg("--out").arg(out).args(more);
        self.set.iter().for_each(|set| _ = command.args(["--set", set]));
        command
    }
}

#[test]
fn runs_reuse_rows_and_are_the_same_on_any_number_of_threads_and_shards() {
    for study in &STUDIES {
        let folder = Folder::with(&[]);
        let [one, two, parts] = ["one", "two", "parts"].map(|name| folder.path(name));
        let printed = stdout(&mut study.run(&one, &["--threads", "1"]));
        assert!(printed.contains("| "), "{}: {printed}", study.scenario);
        let again = study.run(&one, &["--threads", "2"]).assert().success().get_output().clone();
        assert_eq!(String::from_utf8_lossy(&again.stdout), printed, "{}", study.scenario);
        let message = String::from_utf8_lossy(&again.stderr).into_owned();
        assert!(message.contains(" rows (0 computed, "), "{}: {message}", study.scenario);
        stdout(&mut study.run(&two, &["--threads", "2", "--audit"]));
        assert_eq!(files(&two), files(&one), "{}", study.scenario);
        for shard in ["1/2", "2/2"] {
            assert_eq!(stdout(&mut study.run(&parts, &["--quiet", "--shard", shard])), "");
        }
        assert!(stdout(dfrsim(["results", "status"]).arg(&parts)).ends_with("\nunfinished\n"));
        stdout(dfrsim(["results", "merge", "--threads", "1"]).arg(&parts));
        assert_eq!(files(&parts), files(&one), "{}", study.scenario);
        // The scenario with every field spelt out is the same scenario.
        let mut resolved = dfrsim(["run"]);
        resolved.arg(one.join("scenario.toml")).arg("--out").arg(folder.path("resolved"));
        assert_eq!(stdout(&mut resolved), printed, "{}", study.scenario);
        assert_eq!(files(&folder.path("resolved")), files(&one), "{}", study.scenario);
    }
}

#[test]
fn results_are_compared_checked_drawn_and_exported() {
    for study in &STUDIES {
        let folder = Folder::with(&[]);
        let out = folder.path("out");
        stdout(&mut study.run(&out, &[]));
        let results = |command: &str, more: &[&str]| {
            let mut all = dfrsim(["results", command]);
            stdout(all.arg(&out).args(more))
        };
        assert!(results("status", &[]).ends_with("finished; the results are there\n"));

        let [of_a, of_b] = study.variants;
        let compared = results("compare", &["--variant", of_a, "--with", of_b, "--resamples", "100"]);
        assert!(compared.starts_with(&format!("A: {of_a} in ")), "{}: {compared}", study.scenario);
        let mut same = dfrsim(["results", "compare", "--resamples", "100"]);
        let same = stdout(same.args([&out, &out]));
        assert!(same.contains("losses: 0"), "{}: {same}", study.scenario);

        let baseline = folder.path("baseline.toml").display().to_string();
        results("check", &["--baseline", &baseline, "--update"]);
        let checked = results("check", &["--baseline", &baseline, "--strict"]);
        assert!(checked.contains(": 0 worse, 0 better, "), "{}: {checked}", study.scenario);

        let lines = folder.path("rows.jsonl").display().to_string();
        results("export", &["--jsonl", &lines]);
        let lines = fs::read_to_string(lines).unwrap();
        assert!(lines.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()));
        assert!(!lines.is_empty());

        let figures = results("figures", &["--format", "svg"]);
        assert!(figures.lines().count() >= 4, "{}: {figures}", study.scenario);
        assert!(figures.lines().all(|path| Path::new(path).exists()), "{}: {figures}", study.scenario);
        results("report", &[]);
        let page = fs::read_to_string(out.join("report.html")).unwrap();
        assert!(page.contains("<svg") && page.contains("<table"), "{}", study.scenario);
    }
}

#[test]
fn an_audit_that_is_always_there_is_not_asked_for() {
    let quick = STUDIES.iter().find(|study| study.scenario == "discovery_quick").unwrap();
    let folder = Folder::with(&[]);
    let run = quick.run(&folder.path("out"), &["--audit"]).assert().success().get_output().clone();
    let message = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(message.contains("the study `discovery` audits every run"), "{message}");
}
