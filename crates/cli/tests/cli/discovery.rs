//! The studies of CPU needs as a user runs them.

use crate::support::{Folder, dfrsim, stderr, stdout};
use std::path::Path;

const RECORDED: &str = r#"
study = "discovery"
approaches = ["Xen", "DYNAMIC+MIGRATION"]
[[workloads]]
name = "recorded"
recorded = { files = ["web.csv", "batch.txt"], nodes = 2, memory = 0.4 }
"#;

/// Two machines in one file, one in the other; a quarter of an hour.
const WEB: &str = "front,back\n80,10\n20,90\n50,50\n";
const BATCH: &str = "100\n100\n0\n";

#[test]
fn the_first_look_prints_its_tables_and_goes_on_where_it_stopped() {
    let scenario = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/discovery_quick.toml");
    let folder = Folder::with(&[]);
    let run = |threads: &str| {
        let mut command = dfrsim(["run", "--threads", threads, "--out"]);
        command.arg(folder.path("out")).arg(&scenario);
        command
    };
    let printed = stdout(&mut run("2"));
    for part in [
        "Dissertation, table 7.1",
        "Dissertation, table 7.2",
        "Workloads without published figures",
        "What section 7.4 says of the results",
        "unbalanced: DYNAMIC has a better minimum average yield than Xen",
        "0.5360",
    ] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
    let again = run("1").assert().success();
    assert_eq!(String::from_utf8_lossy(&again.get_output().stdout), printed);
    let told = String::from_utf8_lossy(&again.get_output().stderr).into_owned();
    assert!(
        told.contains("72 rows of 72 simulations (0 computed, 72 from earlier runs, 0 failed)"),
        "{told}"
    );
}

#[test]
fn recorded_traces_are_read_and_their_faults_told() {
    let folder = Folder::with(&[("recorded.toml", RECORDED), ("web.csv", WEB), ("batch.txt", BATCH)]);
    let run = |folder: &Folder, set: &[&str]| {
        let mut command = dfrsim(["run", "--out"]);
        command.arg(folder.path("out")).arg(folder.path("recorded.toml"));
        set.iter().for_each(|set| _ = command.arg("--set").arg(set));
        command
    };
    let printed = stdout(&mut run(&folder, &[]));
    assert!(printed.contains("DYNAMIC+MIGRATION"), "{printed}");
    // The resolved scenario gives the same rows.
    let rows = std::fs::read_to_string(folder.path("out/rows.csv")).unwrap();
    std::fs::copy(folder.path("out/scenario.toml"), folder.path("recorded.toml")).unwrap();
    std::fs::remove_file(folder.path("out/rows.csv")).unwrap();
    stdout(&mut run(&folder, &[]));
    assert_eq!(std::fs::read_to_string(folder.path("out/rows.csv")).unwrap(), rows);

    let told = stderr(&mut run(&folder, &["workloads.recorded.recorded.span=901"]), 2);
    assert!(told.contains("the traces are known for 900 s, and not for 901 s"), "{told}");
    let told = stderr(&mut run(&folder, &["workloads.recorded.recorded.memory=0.6"]), 2);
    assert!(told.contains("the machines on node 0 reserve more memory than it has"), "{told}");

    let faulty = Folder::with(&[
        ("recorded.toml", RECORDED),
        ("web.csv", "80,10\n20\n50,150\n"),
        ("batch.txt", "100\nfull\n"),
    ]);
    let told = stderr(&mut run(&faulty, &[]), 2);
    for fault in [
        "web.csv: line 2: 1 values, where the lines before have 2",
        "web.csv: line 3, column 2: `150` is not a number from 0 to 100",
        "batch.txt: line 2, column 1: `full` is not a number from 0 to 100",
    ] {
        assert!(told.contains(fault), "{fault}: {told}");
    }
}

#[test]
fn wrong_values_are_told_with_their_places() {
    let scenario = r#"study = "discovery"
approaches = ["KVM"]
[[variants]]
name = "slow"
migration = 90
sharing = "shares"
[[workloads]]
name = "crowded"
testbed = { vms_per_node = 5 }
[[workloads]]
name = "nothing"
"#;
    let folder = Folder::with(&[("scenario.toml", scenario)]);
    let told = stderr(dfrsim(["run"]).arg(folder.path("scenario.toml")), 2);
    for fault in [
        "scenario.toml:2:14: unknown approach `KVM`; expected Xen, DYNAMIC or DYNAMIC+MIGRATION",
        "variant `slow`: a migration of 90 s does not end in an allocation phase of 60 s",
        "scenario.toml:6:11: unknown sharing `shares`; expected weights or caps",
        "the machines on node 0 reserve more memory than it has",
        "workload `nothing` needs one of `testbed = { .. }` and `recorded = { .. }`",
    ] {
        assert!(told.contains(fault), "{fault}: {told}");
    }
}

const NEEDS: &str = r#"study = "needs"
policies = ["EASY", "GreedyPM*/per/OPT=MIN/MVT=600"]
needs = ["exact", "factor:0.5", "whole"]
nodes = 16
lublin = { replications = 3, jobs = 60, loads = [0.7] }
"#;

#[test]
fn wrong_needs_have_their_costs() {
    let stretch = NEEDS.replace("\"EASY\"", "\"/stretch-per/OPT=MAX\"");
    let folder = Folder::with(&[("needs.toml", NEEDS), ("stretch.toml", &stretch)]);
    let mut command = dfrsim(["run", "--out"]);
    let printed = stdout(command.arg(folder.path("out")).arg(folder.path("needs.toml")));
    assert!(printed.contains("What wrong needs cost in bounded stretch"), "{printed}");
    let costs = std::fs::read_to_string(folder.path("out/tables/costs.csv")).unwrap();
    let lines: Vec<Vec<&str>> = costs.lines().skip(1).map(|line| line.split(',').collect()).collect();
    assert_eq!(lines.len(), 10, "two policies; exact, and two models, each believed and found");
    for line in &lines {
        let ratio: f64 = line[6].parse().unwrap();
        // Exact needs are as good as themselves, and batch policies give whole nodes whatever they are told.
        if line[2] == "exact" || line[1] == "EASY" {
            assert!((ratio - 1.0).abs() < 1e-9, "{line:?}");
        }
    }
    let told = stderr(dfrsim(["run"]).arg(folder.path("stretch.toml")), 2);
    assert!(told.contains("/stretch-per/OPT=MAX keeps its yields between ticks"), "{told}");
}
