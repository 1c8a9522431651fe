//! Tests that excessive sizes are rejected with a message before memory or time runs out.

use crate::support::{Folder, dfrsim, files, scenario, stderr, stdout};
use std::fs;
use std::io::Write as _;
use std::time::{Duration, Instant};

fn run(name: &str, overrides: &[&str]) -> assert_cmd::Command {
    let folder = Folder::with(&[]);
    let mut command = dfrsim(["run", "--quiet", "--max-memory", "2", "--out"]);
    command.arg(folder.path("out")).arg(scenario(name));
    overrides.iter().for_each(|set| _ = command.args(["--set", set]));
    command
}

#[test]
fn scenarios_that_cannot_fit_are_refused_before_they_run() {
    let cases = [
        ("quickstart", "workloads.lublin.nodes=4294967295", "a number of nodes from 1 to 10000000"),
        ("quickstart", "workloads.lublin.lublin.jobs=100000000", "needs at least"),
        (
            "discovery_quick",
            "workloads.balanced.testbed.nodes=4000000000",
            "a number of nodes from 1 to 100000",
        ),
        ("discovery_quick", "workloads.balanced.testbed.vms_per_node=100000", "more memory than it has"),
        ("discovery_quick", "workloads.balanced.testbed.mean_change=0.000001", "needs at least"),
        ("context_switch_quick", "cluster.vjobs=1000000", "needs at least"),
        // None of these is allocated before it is rejected.
        ("quickstart", "workloads.lublin.lublin.replications=1000000", "needs at least"),
        ("offline_quick", "instances.0.replications=4294967295", "needs at least"),
        ("adaptation_quick", "replications=1000000", "needs at least"),
        ("discovery_quick", "replications=1000000", "needs at least"),
    ];
    for (name, set, expected) in cases {
        let begin = Instant::now();
        let message = stderr(&mut run(name, &[set]), 2);
        assert!(message.contains(expected), "{set}: {message}");
        assert!(begin.elapsed() < Duration::from_secs(5), "{set}");
    }
}

/// Creates a shell command that reads an endless log through a pipe, which is kept in memory; `$1`
/// is the program.
#[cfg(target_os = "linux")]
fn reading_a_pipe(reader: &str) -> assert_cmd::Command {
    let log = "yes '1 0 0 60 1 -1 -1 1 60 -1 1 1 1 -1 1 -1 -1 -1'";
    let mut command = assert_cmd::Command::new("sh");
    command.args(["-c", &format!("{log} | {{ {reader}; }}"), "sh"]);
    command.arg(assert_cmd::cargo::cargo_bin!("dfrsim"));
    command
}

/// Detects excessive memory use at run time if it cannot be predicted.
#[cfg(target_os = "linux")]
#[test]
fn a_program_above_its_memory_limit_reports_it() {
    let message = stderr(&mut reading_a_pipe("exec \"$1\" log info /dev/stdin --max-memory 0.1"), 2);
    assert!(message.contains("GB: make the task smaller, or raise --max-memory"), "{message}");
}

/// If the system refuses memory, the program ends with a message and without a signal.
#[cfg(target_os = "linux")]
#[test]
fn memory_that_the_system_refuses_is_no_abort() {
    let mut command = reading_a_pipe("ulimit -v 300000; exec \"$1\" log info /dev/stdin");
    assert!(stderr(&mut command, 2).contains("memory allocation"));
}

/// Rejects unlimited windows and accounts, and files that are too large.
#[test]
fn conditions_without_an_end_are_refused() {
    let accounts = (0..2_000).map(|account| {
        let parent = if account == 0 { String::new() } else { format!("parent = \"a{}\"\n", account - 1) };
        format!("[[accounts]]\nname = \"a{account}\"\nshares = 1\n{parent}")
    });
    let chain = format!("weights = {{ fair_share = 100 }}\n{}", accounts.collect::<String>());
    let folder = Folder::with(&[("chain.toml", &chain)]);
    fs::File::create(folder.path("long")).unwrap().set_len(300_000_000).unwrap();
    stdout(
        dfrsim("log generate --jobs 120 --nodes 16 --seed 1 --load 0.9 --out w.swf".split(' '))
            .current_dir(folder.path("")),
    );
    for (option, value, expected) in [
        ("--maintenance", "0:1:0.5", "more than 10000 windows"),
        ("--priority", "chain.toml", "nested below more than 100 accounts"),
        ("--priority", "long", "file exceeds the limit of 256 MB"),
        ("--slurm-conf", "long", "found a binary file of an unknown kind, expected a slurm.conf"),
        ("--platform", "long", "file exceeds the limit of 256 MB"),
        ("--failures", "long", "file exceeds the limit of 256 MB"),
    ] {
        let mut simulate = dfrsim(["simulate", "--workload", "w.swf", "--policy", "EASY", option, value]);
        if !["--slurm-conf", "--platform"].contains(&option) {
            simulate.args(["--nodes", "16"]);
        }
        let message = stderr(simulate.current_dir(folder.path("")), 2);
        assert!(message.contains(expected), "{option}: {message}");
    }
}

/// Reports a limit on file sizes with a message, and leaves no partial file.
#[cfg(target_os = "linux")]
#[test]
fn files_that_may_not_grow_are_reported_and_leave_no_part() {
    let tiny = "study = \"online\"\npolicies = [\"FCFS\"]\nworkloads = [{ name = \"l\", nodes = 8, lublin = { replications = 1, \
                jobs = 5 } }]\n";
    let folder = Folder::with(&[("tiny.toml", tiny)]);
    stdout(dfrsim(["run", "-q", "tiny.toml", "--out", "r"]).current_dir(folder.path("")));
    stdout(dfrsim(["results", "archive", "r", "--out", "a.zip"]).current_dir(folder.path("")));
    let before = folder.names();
    for arguments in [
        "man pages",
        "results verify a.zip --into theirs",
        "log generate --jobs 1000 --nodes 8 --seed 1 --out l.swf",
    ] {
        let mut command = assert_cmd::Command::new("sh");
        let limited = format!("ulimit -f 1; exec \"$1\" {arguments}");
        command.args(["-c", &limited, "sh"]).arg(assert_cmd::cargo::cargo_bin!("dfrsim"));
        let message = stderr(command.current_dir(folder.path("")), 2);
        assert!(message.contains("File too large"), "{arguments}: {message}");
        let left = fs::read_dir(folder.path("pages")).map_or(0, Iterator::count);
        assert_eq!(left, 0, "{arguments}");
        fs::remove_dir(folder.path("pages")).ok();
        assert_eq!(folder.names(), before, "{arguments}");
    }
}

/// A run that finds no room leaves the results of an earlier one in the same folder as they are.
#[cfg(target_os = "linux")]
#[test]
fn earlier_results_remain_if_a_larger_run_finds_no_room() {
    let text = "study = \"online\"\npolicies = [\"FCFS\"]\nworkloads = [{ name = \"l\", nodes = 8, lublin = { replications = 1, \
                jobs = 5 } }]\n";
    let larger = text.replace("replications = 1", "replications = 40");
    let folder = Folder::with(&[("s.toml", text), ("larger.toml", &larger)]);
    stdout(&mut folder.dfrsim("run -q s.toml --out r"));
    let before = files(&folder.path("r"));
    let mut command = assert_cmd::Command::new("sh");
    command.args(["-c", "ulimit -f 2; exec \"$1\" run -q larger.toml --out r", "sh"]);
    command.arg(assert_cmd::cargo::cargo_bin!("dfrsim"));
    let message = stderr(command.current_dir(folder.path("")), 2);
    assert!(message.contains("File too large"), "{message}");
    let kept: Vec<_> = files(&folder.path("r")).into_iter().filter(|file| before.contains(file)).collect();
    assert_eq!(kept, before);
    stdout(&mut folder.dfrsim("results report r --out r.html"));
    stdout(&mut folder.dfrsim("run -q larger.toml --out r"));
    assert_ne!(files(&folder.path("r")), before);
}

#[test]
fn more_threads_than_are_of_use_are_not_started() {
    let folder = Folder::with(&[]);
    let mut command = dfrsim(["run", "--threads", "18446744073709551615", "--out"]);
    command.arg(folder.path("out")).arg(scenario("adaptation_quick")).args(["--set", "replications=1"]);
    let message = stderr(&mut command, 0);
    assert!(
        message.contains("notice: --threads 18446744073709551615: ") && message.contains(" are used"),
        "{message}"
    );
}

/// Limits the comments of a compressed log: gzip expands every byte to thousands of comment lines.
#[test]
fn endless_comments_are_no_header() {
    let folder = Folder::with(&[]);
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    let line = format!("; {}\n", "comment ".repeat(100));
    (0..20_000).for_each(|_| gzip.write_all(line.as_bytes()).unwrap());
    fs::write(folder.path("log.swf.gz"), gzip.finish().unwrap()).unwrap();
    let message =
        stderr(dfrsim(["log", "info"]).arg(folder.path("log.swf.gz")).args(["--max-memory", "0.1"]), 2);
    assert!(message.contains("bytes of comments above the first job"), "{message}");
}

#[cfg(target_os = "linux")]
#[test]
fn endless_lines_end() {
    for (command, expected) in [
        (&["audit", "/dev/zero"][..], "found a binary file of an unknown kind"),
        (&["draw", "stretch", "/dev/zero", "--out", "/tmp/never.svg"], "long"),
    ] {
        let message = stderr(dfrsim(command).args(["--max-memory", "1"]), 2);
        assert!(message.contains(expected), "{message}");
    }
}

/// Respects the limits for a job of a million tasks, whose linear program does not fit into memory.
#[test]
fn giant_jobs_are_packed_within_the_limits() {
    let job = r#"{"fixed":1,"fluid":1,"nodes":4,"jobs":[{"requirements":[0.000001],"needs":[0.000001],"tasks":1048576}]}"#;
    let folder = Folder::with(&[("giant.json", job)]);
    for algorithm in ["FASTDIVING", "RRND"] {
        let begin = Instant::now();
        let mut command =
            dfrsim(["solve", "pack", "--algorithm", algorithm, "--time-limit", "2", "--max-memory", "1"]);
        let output = command.arg(folder.path("giant.json")).output().unwrap();
        let message = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(message.contains("timed out"), "{algorithm}: {output:?}");
        assert!(begin.elapsed() < Duration::from_secs(20), "{algorithm}");
    }
}

/// Algorithms that do not check the time respect a time limit too: ten million tasks that are placed
/// one by one, a placement of many VMs, and a search over numbers of bins.
#[test]
fn a_limit_of_time_holds_for_every_algorithm() {
    let jobs = r#"{"fixed":1,"fluid":1,"nodes":1000,"jobs":[{"requirements":[0.0001],"needs":[0.0001],"tasks":10000000}]}"#;
    let nodes = (0..4000).map(|node| format!(r#"{{"name":"n{node}","cpu":8,"memory":10000}}"#));
    let vm = |vm: u64| {
        let (cpu, memory) = (1 + vm * 7 % 5, 900 + vm * 7919 % 1700);
        format!(
            r#"{{"name":"v{vm}","cpu":{cpu},"memory":{memory},"state":"running","node":"n{}"}}"#,
            vm % 4000
        )
    };
    let [nodes, vms] = [nodes.collect::<Vec<_>>(), (0..20_000).map(vm).collect()].map(|list| list.join(","));
    let state = format!(r#"{{"nodes":[{nodes}],"vms":[{vms}]}}"#);
    let bins = "1\n100\n1\n45 500000\n";
    let folder = Folder::with(&[("jobs.json", jobs), ("state.json", &state), ("bins.vbp", bins)]);
    let [jobs, state, bins] =
        ["jobs.json", "state.json", "bins.vbp"].map(|name| folder.path(name).display().to_string());
    for (command, code, printed) in [
        (vec!["pack", &jobs, "--algorithm", "GREEDY"], 1, "timed out"),
        // Two items fit into a bin, while sums permit more: tens of thousands of numbers of bins are
        // tried without success.
        (vec!["pack", &bins], 1, "timed out"),
        // The current placement is an answer, and so is every better one.
        (vec!["adapt", &state, "--budget", "10%"], 0, "bound"),
    ] {
        let begin = Instant::now();
        let limited = [&["solve"], &command[..], &["--time-limit", "0.1"]].concat();
        let output = dfrsim(limited).output().unwrap();
        assert!(begin.elapsed() < Duration::from_secs(20), "{command:?}");
        assert_eq!(output.status.code(), Some(code), "{command:?}: {output:?}");
        assert!(String::from_utf8_lossy(&output.stdout).contains(printed), "{command:?}: {output:?}");
        stderr(dfrsim(["solve"]).args(&command).args(["--time-limit", "-1"]), 2);
    }
}
