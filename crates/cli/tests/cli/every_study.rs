//! What holds for the quick scenario of every study, besides that every command works (see `matrix`).

use crate::support::{Folder, dfrsim, files, scenario, stdout};
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
fn results_do_not_depend_on_threads_audits_and_how_the_scenario_is_written() {
    for study in &STUDIES {
        let folder = Folder::with(&[]);
        let [one, two, resolved] = ["one", "two", "resolved"].map(|name| folder.path(name));
        let printed = stdout(&mut study.run(&one, &["--threads", "1"]));
        assert!(printed.contains("| "), "{}: {printed}", study.scenario);
        stdout(&mut study.run(&two, &["--threads", "2", "--audit"]));
        assert_eq!(files(&two), files(&one), "{}", study.scenario);
        let mut spelt_out = dfrsim(["run"]);
        spelt_out.arg(one.join("scenario.toml")).arg("--out").arg(&resolved);
        assert_eq!(stdout(&mut spelt_out), printed, "{}", study.scenario);
        assert_eq!(files(&resolved), files(&one), "{}", study.scenario);

        let [of_a, of_b] = study.variants;
        let mut compare = dfrsim(["results", "compare", "--resamples", "100"]);
        let compared = stdout(compare.arg(&one).args(["--variant", of_a, "--with", of_b]));
        assert!(compared.starts_with(&format!("A: {of_a} in ")), "{}: {compared}", study.scenario);
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
