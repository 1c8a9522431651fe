//! Policies in processes of their own are policies like any other.
#![cfg(unix)]

use crate::support::{Folder, dfrsim, files, stderr, stdout};
use std::fs;
use std::path::Path;

/// Two traces with FCFS and with a policy in a shell.
fn scenario(policy: &str) -> String {
    format!(
        r#"
study = "online"
policies = ["FCFS", "{policy}"]
[[workloads]]
name = "model"
nodes = 8
lublin = {{ replications = 2, jobs = 12 }}
"#
    )
}

fn runs(script: &Path) -> usize {
    fs::read_to_string(script.with_extension("sh.runs")).unwrap_or_default().lines().count()
}

#[test]
fn a_policy_in_a_process_is_swept_resumed_audited_and_compared() {
    let folder = Folder::with(&[("one_by_one.sh", include_str!("one_by_one.sh"))]);
    let script = folder.path("one_by_one.sh");
    let policy = format!("pipe:sh {}#2", script.display());
    fs::write(folder.path("sweep.toml"), scenario(&policy)).unwrap();
    let run = || {
        let mut command = dfrsim(["run", "--audit", "--allow-commands", "--out"]);
        command.env("XDG_STATE_HOME", folder.path("state"));
        stdout(command.arg(folder.path("results")).arg(folder.path("sweep.toml")))
    };
    let table = run();
    assert!(table.contains("pipe:sh"), "{table}");
    assert_eq!(runs(&script), 2, "a process for each simulation");
    let before = files(&folder.path("results"));

    assert_eq!(run(), table);
    assert_eq!(runs(&script), 2, "rows are kept as long as the file is the same");

    let other = include_str!("one_by_one.sh").replace("# One job", "# A single job");
    fs::write(&script, other).unwrap();
    run();
    assert_eq!(runs(&script), 4, "rows of another file are computed again");
    assert_eq!(files(&folder.path("results")).len(), before.len());

    let mut compare = dfrsim(["results", "compare", "--variant", "FCFS", "--with", &policy]);
    let compared = stdout(compare.arg(folder.path("results")));
    assert!(compared.contains("one_by_one.sh"), "{compared}");
}

#[test]
fn a_process_that_ends_is_a_row_with_a_status_and_the_others_stay() {
    let folder = Folder::with(&[("sweep.toml", &scenario("pipe:sh -c 'echo no licence >&2; exit 3'"))]);
    let mut command = dfrsim(["run", "--allow-commands", "--out"]);
    command.env("XDG_STATE_HOME", folder.path("state"));
    stderr(command.arg(folder.path("results")).arg(folder.path("sweep.toml")), 1);
    let rows = fs::read_to_string(folder.path("results").join("rows.csv")).unwrap();
    let of = |text: &str| rows.lines().filter(|line| line.contains(text)).count();
    assert_eq!((of("FCFS"), of(",ok,"), of("no licence")), (2, 2, 2), "{rows}");
    assert!(rows.contains("its process ended with exit status: 3"), "{rows}");
}

#[test]
fn a_wrong_decision_of_a_process_ends_its_simulation_with_the_rule() {
    let folder = Folder::with(&[]);
    let log = folder.path("jobs.swf");
    stdout(dfrsim(["lublin", "--jobs", "5", "--nodes", "8", "--seed", "1", "--out"]).arg(&log));
    let script = "read -r a; echo {}; read -r a; echo '{\"changes\":[{\"do\":\"start\",\"job\":0,\"nodes\":[9]}]}'; read -r a";
    let policy = format!("pipe:sh -c {}", shell_quoted(script));
    let mut command = dfrsim(["simulate", "--nodes", "8", "--policy", &policy, "--workload"]);
    let message = stderr(command.arg(&log), 1);
    assert!(message.contains("wrong decision at") && message.contains("there is no node 9"), "{message}");
}

fn shell_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}
