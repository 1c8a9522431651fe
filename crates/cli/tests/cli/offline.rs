//! `dfrsim solve pack` and `dfrsim offline instance` as a user runs them.

use crate::support::{Folder, dfrsim, stderr, stdout};
use std::fs;

/// Two jobs of six tenths of a node's memory and two of four, with full needs: one of each kind on both nodes, at
/// half speed. The second node has twice the CPU.
const INSTANCE: &str = r#"{
    "fixed": 1, "fluid": 1,
    "nodes": [[1, 1], [1, 2]],
    "jobs": [
        {"requirements": [0.6], "needs": [1]}, {"requirements": [0.6], "needs": [1]},
        {"requirements": [0.4], "needs": [1]}, {"requirements": [0.4], "needs": [1]}
    ]
}"#;

#[test]
fn nodes_may_differ_and_the_best_packing_is_written() {
    let folder = Folder::with(&[("cluster.json", INSTANCE)]);
    let mut pack =
        dfrsim(["solve", "pack", "--algorithm", "VP_CPSUM", "GREEDY", "--optimum", "--mapping-out"]);
    let printed = stdout(pack.arg(folder.path("packing.json")).arg("--").arg(folder.path("cluster.json")));
    assert!(printed.starts_with("LPBOUND 0.750000\n"), "{printed}");
    let lines: Vec<Vec<&str>> =
        printed.lines().skip(2).map(|line| line.split_whitespace().collect()).collect();
    let names: Vec<&str> = lines.iter().map(|line| line[0]).collect();
    assert_eq!(names, ["VP_CPSUM", "GREEDY", "OPT"]);
    // Memory leaves two jobs to a node: 1/2 on the first one, and the second one then gives its jobs all that they
    // need.
    for line in &lines {
        assert_eq!(line[1..6], ["0.500000", "0.7500", "100.00", "%", "0.250000"], "{printed}");
    }
    let packing = fs::read_to_string(folder.path("packing.json")).unwrap();
    let packing: serde_json::Value = serde_json::from_str(&packing).unwrap();
    assert_eq!(packing["minimum_yield"], 0.5);
    let mut yields: Vec<f64> =
        packing["jobs"].as_array().unwrap().iter().map(|job| job["yield"].as_f64().unwrap()).collect();
    yields.sort_by(f64::total_cmp);
    assert_eq!(yields, [0.5, 0.5, 1.0, 1.0]);

    let check = |packing: &serde_json::Value| {
        fs::write(folder.path("packing.json"), packing.to_string()).unwrap();
        let mut check = dfrsim(["solve", "pack", "cluster.json", "--check", "packing.json"]);
        check.current_dir(folder.path(""));
        check
    };
    assert_eq!(stdout(&mut check(&packing)), "packing.json: no fault, minimum yield 0.500000\n");
    // Each job at its minimum, the minimum itself, and a task.
    for (place, value, code, fault) in [
        ("/jobs/0/yield", serde_json::json!(0.4), 1, "job 0: its yield is 0.4"),
        ("/minimum_yield", serde_json::json!(0.6), 1, "below 0.599999"),
        ("/jobs/0/on", serde_json::json!([]), 1, "job 0"),
        ("/jobs/0/on/0/0", serde_json::json!(2), 2, "jobs[0].on[0][0]"),
    ] {
        let mut wrong = packing.clone();
        *wrong.pointer_mut(place).unwrap() = value;
        let message = stderr(&mut check(&wrong), code);
        assert!(message.contains("packing.json") && message.contains(fault), "{place}: {message}");
    }
}

#[test]
fn what_cannot_be_packed_is_a_result_and_what_cannot_be_read_is_not() {
    let folder = Folder::with(&[
        ("full.json", &INSTANCE.replace("0.4", "0.5")),
        ("wrong.json", &INSTANCE.replace("0.4", "-4")),
    ]);
    let full = folder.path("full.json");
    let mut pack = dfrsim(["solve", "pack"]);
    let outcome = pack.arg(&full).arg("--optimum").assert().code(1);
    let printed = String::from_utf8_lossy(&outcome.get_output().stdout).into_owned();
    let printed: Vec<&str> = printed.split_whitespace().collect();
    assert!(printed.contains(&"failed") && printed.contains(&"infeasible"), "{printed:?}");
    let printed = stderr(dfrsim(["solve", "pack"]).arg(folder.path("wrong.json")), 2);
    assert!(printed.contains("jobs[2].requirements[0]: -4 is not an amount"), "{printed}");
    let printed = stderr(dfrsim(["solve", "pack"]).arg(folder.path("none.json")), 2);
    assert!(printed.contains("none.json: cannot be read"), "{printed}");
    let printed = stderr(dfrsim(["solve", "pack"]).arg(&full).args(["--algorithm", "GREEDI"]), 2);
    assert!(printed.contains("did you mean `GREEDY`?"), "{printed}");
    let printed = stderr(dfrsim(["solve", "pack"]).arg(&full).args(["--precision", "0"]), 2);
    assert!(printed.contains("--precision: expected a yield above 0"), "{printed}");
}

#[test]
fn every_listed_algorithm_packs_an_instance_of_a_set() {
    let folder = Folder::with(&[]);
    let file = folder.path("instance.json");
    dfrsim(["offline", "instance", "rr6692-small", "--scenario", "8", "--out"]).arg(&file).assert().success();
    let printed = stdout(&mut dfrsim(["offline", "instance", "rr6692-small", "--scenario", "8"]));
    assert_eq!(fs::read_to_string(&file).unwrap(), printed);
    let names = stdout(&mut dfrsim(["solve", "pack", "--list"]));
    let names: Vec<&str> = names.lines().collect();
    assert!(names.len() > 80 && names.contains(&"VP_CHEKURI"), "{names:?}");
    let printed = stdout(dfrsim(["solve", "pack"]).arg(&file).arg("--algorithm").args(&names));
    assert_eq!(printed.lines().count(), names.len() + 2);

    let printed = stderr(&mut dfrsim(["offline", "instance", "rr6692-small", "--scenario", "144"]), 2);
    assert!(printed.contains("rr6692-small has the scenarios 0 to 143; there is no 144"), "{printed}");
    let printed = stderr(&mut dfrsim(["offline", "instance", "rr6692-smal", "--scenario", "1"]), 2);
    assert!(printed.contains("did you mean `rr6692-small`?"), "{printed}");
}

/// What a run has of GREEDY_S1_P1, whose order is drawn at random, of MCB3 and of others is what `pack --as-run` finds.
#[test]
fn a_result_of_a_run_is_found_again() {
    let scenario = "study = \"offline\"\nseed = 5\nalgorithms = [\"GREEDY_S1_P1\", \"MCB3\", \"GA\", \"VP_CPSUM\"]\n\
        [packing]\nprobes = \"ends-first\"\nclaimed = \"probed\"\nprecision = 0.1\n\
        [[instances]]\nname = \"own\"\nreplications = 2\n\
        grid = { nodes = 4, jobs = 8, dimensions = 2, sigma = 1, rho = 0.25, slack = [0.2, 0.6] }\n";
    let folder = Folder::with(&[("scenario.toml", scenario)]);
    stdout(dfrsim(["run", "--quiet", "--out"]).arg(folder.path("out")).arg(folder.path("scenario.toml")));
    let rows = fs::read_to_string(folder.path("out/rows.csv")).unwrap();
    let mut lines = rows.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let header = lines.next().unwrap();
    let column = |name: &str| header.iter().position(|each| *each == name).unwrap();
    let mut compared = 0;
    for line in lines {
        for algorithm in ["GREEDY_S1_P1", "MCB3", "GA", "VP_CPSUM"] {
            let mut pack = dfrsim(["solve", "pack", "--group", "own", "--algorithm", algorithm, "--as-run"]);
            pack.arg(folder.path("out/scenario.toml"));
            pack.args(["--scenario", line[column("scenario")], "--replication", line[column("replication")]]);
            let Ok(expected) = line[column(algorithm)].parse::<f64>() else { continue };
            let printed = stdout(&mut pack);
            let own = printed.lines().last().unwrap().split_whitespace().nth(1).unwrap().to_owned();
            assert_eq!(own, format!("{expected:.6}"), "{algorithm}");
            compared += 1;
        }
    }
    assert!(compared >= 12, "{compared}");
    let wrong = stderr(
        dfrsim(["solve", "pack", "--group", "other", "--scenario", "0", "--as-run"])
            .arg(folder.path("scenario.toml")),
        2,
    );
    assert!(wrong.contains("there is no group of instances `other`"), "{wrong}");
}

/// Eight items of half a bin in one resource or the other: two of different kinds fit a bin with one that is small in both.
#[test]
fn vector_bin_packing_asks_for_the_fewest_bins() {
    let folder = Folder::with(&[
        ("items.vbp", "2\n10 10\n3\n6 3 4\n3 6 4\n1 1 4\n"),
        ("wrong.vbp", "2\n10 10\n3\n6 3 4\n3 x 4\n"),
        ("cluster.json", INSTANCE),
    ]);
    let mut pack = dfrsim(["solve", "pack", "--optimum", "--algorithm", "VP_FFSUM", "VP_DOTPRODUCT"]);
    let printed = stdout(pack.args(["VP_NORM", "--"]).arg(folder.path("items.vbp")));
    let lines: Vec<Vec<&str>> = printed.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines[4][..3], ["OPT", "4", "4"], "{printed}");
    assert!(
        lines[1..4].iter().all(|line| line[1].parse::<u32>().unwrap() >= 4 && line[2] == "4"),
        "{printed}"
    );
    let message = stderr(dfrsim(["solve", "pack"]).arg(folder.path("wrong.vbp")), 2);
    assert!(
        message.contains("wrong.vbp:5:3: expected what an item of kind 2 takes of resource 2, found `x`")
    );

    // Of two nodes both are needed, for any yield, since memory holds no three jobs.
    let mut pack = dfrsim(["solve", "pack", "--fewest-nodes", "0.5"]);
    let printed = stdout(pack.arg(folder.path("cluster.json")));
    assert_eq!(printed.lines().nth(1).unwrap().split_whitespace().nth(1), Some("2"), "{printed}");
    let mut pack = dfrsim(["solve", "pack", "--fewest-nodes", "0.6"]);
    let message = stderr(pack.arg(folder.path("cluster.json")), 1);
    assert!(message.contains("no algorithm keeps the yield"), "{message}");
}

#[test]
fn jobs_are_admitted_as_long_as_the_yield_is_kept() {
    let folder = Folder::with(&[("cluster.json", INSTANCE)]);
    let mut pack = dfrsim(["solve", "pack", "--admit", "0.6"]);
    let printed = stdout(pack.arg(folder.path("cluster.json")));
    // The third job goes beside one on the node with twice the CPU; with the fourth two would share the other one.
    assert_eq!(printed, "VP_CPSUM: 3 jobs admitted, minimum yield 1.000000; refused: 3\n");
}

#[test]
fn instances_are_written_as_vector_bin_packing() {
    let mut instance = dfrsim(["offline", "instance", "dissertation-small", "--scenario", "4", "--vbp", "0"]);
    let printed = stdout(&mut instance);
    let mut lines = printed.lines();
    assert_eq!(lines.next(), Some("2"));
    let numbers =
        |line: &str| -> Vec<u64> { line.split(' ').map(|number| number.parse().unwrap()).collect() };
    let bin = numbers(lines.next().unwrap());
    assert_eq!(lines.next(), Some("8"));
    let items: Vec<Vec<u64>> = lines.map(numbers).collect();
    assert!(
        items.len() == 8 && items.iter().all(|item| item.len() == 3 && item[0] <= bin[0] && item[2] == 1)
    );
    let folder = Folder::with(&[("items.vbp", &printed)]);
    let printed = stdout(dfrsim(["solve", "pack"]).arg(folder.path("items.vbp")));
    assert_eq!(printed.lines().nth(1).unwrap().split_whitespace().next(), Some("VP_CPSUM"), "{printed}");
}
