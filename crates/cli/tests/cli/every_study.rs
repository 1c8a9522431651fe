//! Tests properties of the quick scenario of every study, in addition to the working commands (see
//! `matrix`).

use crate::support::{Folder, QUICK, dfrsim, files, of_this_run, stdout};
use rayon::prelude::*;

#[test]
fn results_do_not_depend_on_threads_audits_and_how_the_scenario_is_written() {
    of_this_run().par_iter().for_each(|study| {
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
    });
}

#[test]
fn an_audit_that_is_always_there_is_not_asked_for() {
    let quick = QUICK.iter().find(|quick| quick.study == "discovery").unwrap();
    let folder = Folder::with(&[]);
    let run = quick.run(&folder.path("out"), &["--audit"]).assert().success().get_output().clone();
    let message = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(message.contains("the study `discovery` audits every run"), "{message}");
}
