//! The adaptation study as a user runs it.

use crate::support::{Folder, dfrsim, stderr, stdout};

const SCENARIO: &str = "study = 'adaptation'\ntitle = 'A few'\nreplications = 6\ncost = ['bytes', 'moves']\nbudgets = [0, 25, 100]\n";

#[test]
fn a_run_prints_the_gaps_and_goes_on_where_it_stopped() {
    let folder = Folder::with(&[("few.toml", SCENARIO)]);
    let run = |threads: &str| {
        let mut command = dfrsim(["run", "--threads", threads, "--out"]);
        command.arg(folder.path("out")).arg(folder.path("few.toml"));
        command
    };
    let printed = stdout(&mut run("1"));
    for part in ["A few", "max_gap_percent", "the largest gap is at most 15 %"] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
    let again = run("2").assert().success();
    assert_eq!(String::from_utf8_lossy(&again.get_output().stdout), printed);
    let told = String::from_utf8_lossy(&again.get_output().stderr).into_owned();
    assert!(told.contains("36 rows of 6 instances (0 computed, 6 from earlier runs, 0 failed)"), "{told}");
}

#[test]
fn wrong_fields_are_told_together() {
    let wrong = SCENARIO.replace("'moves'", "'metres'").replace("100]", "101]");
    let folder = Folder::with(&[("wrong.toml", &wrong)]);
    let told = stderr(dfrsim(["run"]).arg(folder.path("wrong.toml")), 2);
    for part in
        ["moves are not counted by `metres`, but by bytes or moves", "percents of everything from 0 to 100"]
    {
        assert!(told.contains(part), "{told}");
    }
}
