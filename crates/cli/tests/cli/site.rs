//! Tests variants of a Slurm site by the results of their simulations; more in
//! `cmd/site/`.

use crate::support::{Folder, dfrsim, stderr, stdout};
use serde_json::Value;
use std::fs;

pub(crate) const CONF: &str = include_str!("cmd/site/in/slurm.conf");
/// Jobs of seven users, a quarter of them on the one GPU node, which is too small for them.
pub(crate) const LISTING: &str = include_str!("cmd/site/in/march.sacct");

fn files() -> Folder {
    Folder::with(&[
        ("march.sacct", LISTING),
        ("slurm.conf", CONF),
        ("assoc.txt", include_str!("cmd/site/in/assoc.txt")),
        ("qos.txt", include_str!("cmd/site/in/qos.txt")),
    ])
}

fn site(folder: &Folder) -> assert_cmd::Command {
    let mut command = dfrsim(["site"]);
    for (option, name) in [
        ("--sacct", "march.sacct"),
        ("--slurm-conf", "slurm.conf"),
        ("--sacctmgr", "assoc.txt"),
        ("--qos", "qos.txt"),
        ("--out", "march"),
    ] {
        command.arg(option).arg(folder.path(name));
    }
    command
}

/// Returns the columns of a table by name, for the lines in which the given columns have these
/// values.
fn lines(csv: &str, wanted: &[(&str, &str)]) -> Vec<Vec<(String, String)>> {
    let mut lines = csv.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
    let header = lines.next().unwrap();
    let named = lines.map(|line| header.iter().cloned().zip(line).collect::<Vec<_>>());
    let has = |line: &Vec<(String, String)>| {
        wanted.iter().all(|(name, value)| line.iter().any(|(column, found)| column == name && found == value))
    };
    named.filter(has).collect()
}

fn number(line: &[(String, String)], column: &str) -> f64 {
    line.iter().find(|(name, _)| name == column).unwrap().1.parse().unwrap()
}

#[test]
fn three_files_become_an_answer() {
    let folder = files();
    let changes = "--samples 3 --what-if nodes.gpu=+3 --what-if bf_interval=600";
    let text = stdout(site(&folder).args(changes.split(' ')));
    for line in [
        "records of the log: 60\n",
        "4 nodes from n1 on: 8 cores, 32000 MB, partition-cpu\n",
        "1 node from g1 on: 8 cores, 64000 MB, 2 gpu, partition-gpu\n",
        "partitions: cpu (tier 1, factor 1, at most 24.0 h), gpu (tier 2, factor 1)\n",
        "2 accounts, 2 of them with jobs of the log; fair share: Fair Tree\n",
        "not used, may change which jobs may start: PartitionName=gpu AllowAccounts\n",
        "not used, may change no figure: AuthType\n",
        "variants: as it is, nodes.gpu=+3, bf_interval=600\n",
    ] {
        assert!(text.contains(line), "{line}{text}");
    }
    let scenario = fs::read_to_string(folder.path("march/site.toml")).unwrap();
    assert!(
        scenario.contains("groups = [\"physics\"]") && scenario.contains("queues = [\"high\"]"),
        "{scenario}"
    );
    let results = folder.path("results");
    let mut run = dfrsim(["run", "--audit", "--out"]);
    let printed = stdout(run.arg(&results).arg(folder.path("march/site.toml")));
    assert!(printed.contains("Hours of waiting"), "{printed}");
    let waits = fs::read_to_string(results.join("tables/waits.csv")).unwrap();
    let of = |name: &str, variant: &str| {
        let policy = format!("SLURM [{variant}]");
        lines(&waits, &[("name", name), ("policy", &policy)]).remove(0)
    };
    let (gpu, more) = (of("gpu", "as it is"), of("gpu", "nodes.gpu=+3"));
    assert_eq!(number(&gpu, "jobs"), 15.0, "{waits}");
    // Resampled jobs keep their GPUs: without these, two at a time would fit on the node.
    assert!(number(&gpu, "wait_h") > 0.2 && number(&gpu, "wait_low_h") > 0.2, "{waits}");
    assert!(number(&more, "change_h") < -0.2 && number(&more, "change_high_h") < 0.0, "{waits}");
    for part in ["all jobs", "cpu", "physics", "biology", "2 to 4"] {
        of(part, "bf_interval=600");
    }
    // The log itself is simulated as by `simulate`.
    let mut simulate = dfrsim(["simulate", "--format", "json", "--policy", "SLURM"]);
    for (option, name) in [
        ("--workload", "march.sacct"),
        ("--slurm-conf", "slurm.conf"),
        ("--sacctmgr", "assoc.txt"),
        ("--qos", "qos.txt"),
    ] {
        simulate.arg(option).arg(folder.path(name));
    }
    let figures: Value = serde_json::from_str(&stdout(&mut simulate)).unwrap();
    let rows = fs::read_to_string(results.join("rows.csv")).unwrap();
    let row = lines(&rows, &[("instance", "whole"), ("policy", "SLURM [as it is]")]).remove(0);
    assert_eq!(number(&row, "mean_wait_s"), figures["wait_s"]["mean"].as_f64().unwrap());
}

#[test]
fn preemption_and_limits_are_changes_too() {
    let folder = files();
    let changes = [
        "preemption=on",
        "qos.normal.MaxJobsPU=1",
        "account.physics.Share=1; PriorityWeightAge=0",
        "qos.normal.MaxTRESPU=cpu=16",
        "Epilog=1200",
    ];
    let text =
        stdout(site(&folder).args(["--samples", "0"]).args(changes.iter().flat_map(|it| ["--what-if", it])));
    assert!(text.contains("variants: as it is, preemption=on, qos.normal.MaxJobsPU=1, account.physics.Share=1; PriorityWeightAge=0, qos.normal.MaxTRESPU=cpu=16, Epilog=1200"));
    let results = folder.path("results");
    stdout(dfrsim(["run", "--audit", "--out"]).arg(&results).arg(folder.path("march/site.toml")));
    let rows = fs::read_to_string(results.join("rows.csv")).unwrap();
    let of = |variant: &str| lines(&rows, &[("policy", &format!("SLURM [{variant}]"))]).remove(0);
    assert!(number(&of("preemption=on"), "interruptions") > 0.0, "{rows}");
    // The audit checks the limits; they must also change the waits.
    let as_it_is = number(&of("as it is"), "mean_wait_s");
    for limited in ["qos.normal.MaxJobsPU=1", "qos.normal.MaxTRESPU=cpu=16"] {
        assert_ne!(number(&of(limited), "mean_wait_s"), as_it_is, "{rows}");
    }
    assert!(number(&of("Epilog=1200"), "mean_wait_s") > as_it_is + 600.0, "{rows}");
}

/// Rejects a broken listing with the hint that other commands that read logs give too.
#[test]
fn a_broken_listing_is_refused_with_what_would_help() {
    let folder = files();
    fs::write(folder.path("march.sacct"), format!("{LISTING}x\n")).unwrap();
    let mut simulate = dfrsim(["simulate", "--policy", "SLURM", "--workload"]);
    simulate.arg(folder.path("march.sacct")).arg("--slurm-conf").arg(folder.path("slurm.conf"));
    for command in [&mut site(&folder), &mut simulate] {
        let printed = stderr(command.arg("--strict"), 2);
        assert!(printed.contains("hint: without `--strict`, such lines are skipped"), "{printed}");
    }
}

/// The commands that `log info` recommends for a listing work.
#[test]
fn recommended_commands_simulate_a_listing() {
    let folder = files();
    let info: Value = serde_json::from_str(&stdout(
        dfrsim(["log", "info", "--format", "json"]).arg(folder.path("march.sacct")),
    ))
    .unwrap();
    let suggestions = info["suggestions"].as_array().unwrap();
    assert_eq!(suggestions.len(), 2);
    for suggestion in suggestions.iter().map(|it| it.as_str().unwrap()) {
        let words: Vec<&str> = suggestion.split(' ').skip(1).map(|word| word.trim_matches('\'')).collect();
        stdout(&mut dfrsim(words));
    }
    assert!(
        suggestions[1].as_str().unwrap().contains("--nodes 3 --annotate hpc2n --join listed"),
        "{suggestions:?}"
    );
    let converted = folder.path("march.swf");
    let mut convert = dfrsim(["log", "convert"]);
    convert.arg(folder.path("march.sacct")).arg("--out").arg(&converted);
    let said = stderr(&mut convert, 0);
    assert!(said.contains("SWF cannot represent the nodes of 60 jobs, GPUs (15 jobs)"), "{said}");
    assert!(!fs::read_to_string(converted).unwrap().contains("physics"), "names of accounts are not written");
}
