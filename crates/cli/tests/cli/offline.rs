//! Tests `dfrsim solve pack` and `dfrsim offline instance` as a user runs them; more in
//! `cmd/pack/`.

use crate::support::{Folder, dfrsim, stderr, stdout};
use std::fs;

/// 40 different jobs, which take longer than a tenth of a second.
#[test]
fn a_search_that_runs_out_of_time_gives_the_best_packing_and_a_bound() {
    let job = |number: u32| {
        let part = |of: u32| f64::from(1 + number * of % 37) / 60.0;
        format!(r#"{{"requirements": [{}], "needs": [{}]}}"#, part(11), 2.0 * part(23))
    };
    let jobs: Vec<String> = (1..=40).map(job).collect();
    let text = format!(r#"{{"fixed": 1, "fluid": 1, "nodes": 14, "jobs": [{}]}}"#, jobs.join(","));
    let folder = Folder::with(&[("hard.json", &text)]);
    let pack = |more: &[&str]| -> serde_json::Value {
        let mut command = dfrsim(["solve", "pack", "--format", "json", "--algorithm", "VP_EJECT"]);
        serde_json::from_str(&stdout(command.args(more).arg("--").arg(folder.path("hard.json")))).unwrap()
    };
    let packing = folder.path("packing.json");
    let answer = pack(&["--optimum", "--time-limit", "0.1", "--mapping-out", packing.to_str().unwrap()]);
    let [eject, optimum] = &answer["algorithms"].as_array().unwrap()[..] else { panic!("{answer}") };
    assert_eq!(optimum["outcome"], "timed-out", "{answer}");
    let number = |value: &serde_json::Value| value.as_f64().unwrap();
    assert!(number(&optimum["minimum_yield"]) >= number(&eject["minimum_yield"]));
    assert!(number(&optimum["bound"]) >= number(&optimum["minimum_yield"]));
    assert!(number(&optimum["bound"]) <= number(&answer["bound"]));
    let packing: serde_json::Value = serde_json::from_str(&fs::read_to_string(packing).unwrap()).unwrap();
    assert_eq!(packing["minimum_yield"], optimum["minimum_yield"]);
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
    assert!(printed.contains("rr6692-small has the scenarios 0 to 143, not 144"), "{printed}");
    let printed = stderr(&mut dfrsim(["offline", "instance", "rr6692-smal", "--scenario", "1"]), 2);
    assert!(printed.contains("did you mean `rr6692-small`?"), "{printed}");
}

/// Finds the results of a run with `pack --as-run`: those of GREEDY_S1_P1, whose order is drawn at
/// random, of MCB3 and of others.
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
    assert!(wrong.contains("unknown group of instances `other`"), "{wrong}");
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
