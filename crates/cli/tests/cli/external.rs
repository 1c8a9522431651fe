//! Tests that policies in separate processes behave as any other policy.
#![cfg(unix)]

use crate::support::{Folder, dfrsim, files, stderr, stdout};
use std::fs;
use std::path::Path;

/// Creates a scenario of two traces with FCFS and with a policy in a shell.
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
    stdout(dfrsim(["log", "generate", "--jobs", "5", "--nodes", "8", "--seed", "1", "--out"]).arg(&log));
    let script = "read -r a; echo {}; read -r a; echo '{\"changes\":[{\"do\":\"start\",\"job\":0,\"nodes\":[9]}]}'; read -r a";
    let policy = format!("pipe:sh -c {}", shell_quoted(script));
    let mut command = dfrsim(["simulate", "--nodes", "8", "--policy", &policy, "--workload"]);
    let message = stderr(command.arg(&log), 1);
    assert!(
        message.contains("invalid decision at") && message.contains("node 9 does not exist"),
        "{message}"
    );
}

fn shell_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// Counts the processes with this word among their arguments.
#[cfg(target_os = "linux")]
fn processes(word: &str) -> usize {
    let has = |entry: &fs::DirEntry| {
        let arguments = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        arguments.split(|&byte| byte == 0).any(|argument| argument == word.as_bytes())
    };
    fs::read_dir("/proc").unwrap().flatten().filter(has).count()
}

/// A policy and all processes that it starts end when the policy is stopped, and when the program is
/// ended by any signal.
#[cfg(target_os = "linux")]
#[test]
fn no_process_of_a_policy_is_left() {
    use std::process::{Command, Stdio};
    use std::thread::sleep;
    use std::time::{Duration, Instant};
    let folder = Folder::with(&[]);
    let log = folder.path("jobs.swf");
    stdout(dfrsim(["log", "generate", "--jobs", "5", "--nodes", "8", "--seed", "1", "--out"]).arg(&log));
    // Sleep times that no other process of this machine uses.
    let waiting = |number: u32| format!("7{}.{number}", std::process::id());
    let simulate = |time: &str, limit: &str| {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("dfrsim"));
        command.args(["simulate", "--nodes", "8", "--workload"]).arg(&log);
        command.args(["--policy", &format!("pipe:sh -c 'sleep {time} & sleep {time}; true'")]);
        command.env("DFRSIM_POLICY_TIMEOUT", limit).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().unwrap()
    };
    let within = |seconds: u64, is_so: &dyn Fn() -> bool| {
        let begin = Instant::now();
        while !is_so() && begin.elapsed() < Duration::from_secs(seconds) {
            sleep(Duration::from_millis(20));
        }
        is_so()
    };
    let time = waiting(0);
    assert_eq!(simulate(&time, "0.3").wait().unwrap().code(), Some(1));
    assert!(within(5, &|| processes(&time) == 0));
    for (number, signal) in (1..).zip(["KILL", "TERM", "INT", "HUP"]) {
        let time = waiting(number);
        let mut program = simulate(&time, "60");
        assert!(within(60, &|| processes(&time) == 2), "{signal}");
        let kill = Command::new("kill").args(["-s", signal, &program.id().to_string()]).status().unwrap();
        assert!(kill.success());
        program.wait().unwrap();
        assert!(within(10, &|| processes(&time) == 0), "{signal}: {} are left", processes(&time));
    }
}

/// Stops a policy that requests wake-ups at almost equal times forever.
#[test]
fn a_policy_that_hardly_lets_time_pass_is_given_up() {
    let folder = Folder::with(&[]);
    let log = folder.path("jobs.swf");
    stdout(dfrsim(["log", "generate", "--jobs", "5", "--nodes", "8", "--seed", "1", "--out"]).arg(&log));
    let script = include_str!("fixtures/soon.sh");
    fs::write(folder.path("soon.sh"), script).unwrap();
    let policy = format!("pipe:sh {}", folder.path("soon.sh").display());
    let mut command = dfrsim(["simulate", "--nodes", "8", "--policy", &policy, "--workload"]);
    let message = stderr(command.arg(&log), 1);
    assert!(message.contains("it makes no progress"), "{message}");
}
