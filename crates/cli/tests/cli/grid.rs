//! The grid study as a user runs it.

use crate::support::{Folder, dfrsim, stderr, stdout};
use std::fs;

const QUICK: &str = include_str!("../../../../scenarios/grid_quick.toml");

#[test]
fn a_run_prints_the_tables_and_goes_on_where_it_stopped() {
    let folder = Folder::with(&[("quick.toml", QUICK)]);
    let run = |threads: &str| {
        let mut command = dfrsim(["run", "--threads", threads, "--out"]);
        command.arg(folder.path("out")).arg(folder.path("quick.toml"));
        command
    };
    let printed = stdout(&mut run("1"));
    for part in ["Table 1:", "Table 2:", "Table 17:", "What the text says", "EASY"] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
    // Two platforms, three local policies, one simulation without reallocation and twelve with it each.
    let rows = fs::read_to_string(folder.path("out/rows.csv")).unwrap();
    assert_eq!(rows.lines().count(), 1 + 2 * 3 * 13);
    let again = run("2").assert().success();
    assert_eq!(String::from_utf8_lossy(&again.get_output().stdout), printed);
    let told = String::from_utf8_lossy(&again.get_output().stderr).into_owned();
    assert!(told.contains("78 rows of 6 platforms (0 computed, 6 from earlier runs, 0 failed)"), "{told}");
    // The scenario as it was resolved is a scenario, of the same rows.
    let mut resolved = dfrsim(["run", "--out"]);
    resolved.arg(folder.path("out")).arg(folder.path("out/scenario.toml"));
    assert_eq!(stdout(&mut resolved), printed);
}

#[test]
fn what_is_wrong_with_a_scenario_is_told_with_its_place() {
    let wrong = QUICK
        .replace("cluster = \"fast\"", "cluster = \"quick\"")
        .replace("speed = 1.4", "speed = 0")
        .replace("jobs = [400]", "jobs = [400, 5]")
        .replace("\"FCFS\", ", "\"FIFO\", ");
    let folder = Folder::with(&[("wrong.toml", &wrong)]);
    let told = stderr(dfrsim(["run"]).arg(folder.path("wrong.toml")), 2);
    for part in [
        "there is no cluster `quick`",
        "expected a speed from 0.001 to 1000",
        "expected a number of jobs for each of the 1 months",
        "unknown local policy `FIFO`; expected FCFS, CONS, CONS/REPLAN or EASY",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    // Sites that share a cluster, and logs that are missing, of which no more is said than that.
    let of_sites = |sites: &str| {
        let (before, rest) = QUICK.split_once("sites = ").unwrap();
        let after = rest.split_once('\n').map_or("", |it| it.1);
        let folder = Folder::with(&[("wrong.toml", &format!("{before}sites = [{sites}]\n{after}"))]);
        stderr(dfrsim(["run"]).arg(folder.path("wrong.toml")), 2)
    };
    let [fast, slow] = ["fast", "slow"].map(|name| format!("{{ cluster = \"{name}\", jobs = [9] }}"));
    let shared = of_sites(&format!("{fast}, {slow}, {fast}"));
    assert!(shared.contains("a workload needs sites, and each site a cluster of its own"), "{shared}");
    let missing = of_sites("{ cluster = \"fast\", log = \"none.swf\" }");
    assert!(missing.contains("no log `none.swf`") && !missing.contains("needs sites"), "{missing}");
}

#[test]
fn a_job_that_fits_nowhere_is_an_error_unless_it_is_to_be_skipped() {
    // A hundred jobs of a log, one of them for 200 cores.
    let line =
        |id: u32, width| format!("{id} {id} -1 60 {width} -1 -1 {width} 100 -1 1 -1 -1 -1 -1 -1 -1 -1\n");
    let log: String = (1..=100).map(|id| line(id, if id == 50 { 200 } else { 2 })).collect();
    let scenario = "study = \"grid\"\nlocal = [\"CBF\"]\n[[clusters]]\nname = \"a\"\ncores = 64\nspeed = 1\n\
        [[workloads]]\nname = \"w\"\ndays = [1]\nsites = [{ cluster = \"a\", log = \"wide.swf\" }]\n";
    let scenario = scenario.replace("speed = 1", "speed = 1.0");
    let folder = Folder::with(&[("wide.swf", &log), ("wide.toml", &scenario)]);
    let run = |rule: &str| {
        let mut command = dfrsim(["run", "--set", rule, "--out"]);
        command.arg(folder.path(rule)).arg(folder.path("wide.toml"));
        command
    };
    let told = stderr(&mut run("jobs.too_wide=error"), 2);
    assert!(told.contains("job 50 needs 200 cores, and the largest cluster has 64"), "{told}");
    run("jobs.too_wide=skip").assert().success();
    let reference = fs::read_to_string(folder.path("jobs.too_wide=skip/tables/reference.csv")).unwrap();
    assert!(reference.contains("w,0,homogeneous,CBF,99,1,"), "{reference}");
}

#[test]
fn the_events_of_a_simulation_can_be_written_and_checked() {
    let folder = Folder::with(&[("quick.toml", QUICK)]);
    let records = folder.path("records");
    let mut run =
        dfrsim(["run", "--set", "local=[\"CBF\"]", "--set", "meta.heuristics=[\"minmin\"]", "--out"]);
    run.arg(folder.path("out")).arg(folder.path("quick.toml"));
    run.arg("--set").arg(format!("events={}", records.display()));
    run.assert().success();
    // Two platforms, each without reallocation and with both algorithms.
    assert_eq!(fs::read_dir(&records).unwrap().count(), 6);
    let path = records.join("days-heterogeneous-CBF-0-with-minmin.jsonl");
    let report = stdout(dfrsim(["audit"]).arg(&path));
    assert!(report.starts_with("2 clusters with CONS: no fault"), "{report}");

    // A job that ends a microsecond later than it must.
    let text = fs::read_to_string(&path).unwrap();
    let at = text.find("\"event\":\"complete\",\"at_us\":").unwrap() + 28;
    let end = at + text[at..].find(',').unwrap();
    let later = text[at..end].parse::<u64>().unwrap() + 1;
    fs::write(&path, format!("{}{later}{}", &text[..at], &text[end..])).unwrap();
    let told = stderr(dfrsim(["audit"]).arg(&path), 1);
    assert!(told.contains("its end is due at"), "{told}");
}
