//! Files for other tools and from them, as a user makes them.

use crate::support::{Folder, dfrsim, stderr, stdout};
use std::fs;

/// Three jobs on two processors: the first fills both for 100 s, the second waits for them, the third fits beside it.
const LOG: &str = "\
; UnixStartTime: 1000
; MaxProcs: 2
1  0 -1 100 2 90 512 2 100 -1 1 7 -1 -1 -1 -1 -1 -1
2 10 -1  50 1 -1  -1 1  60 -1 0 8 -1 -1 -1 -1  1  5
3 20 -1  40 1 -1  -1 1  40 -1 1 7 -1 -1 -1 -1 -1 -1
";

const ARGUMENTS: [&str; 8] =
    ["simulate", "--nodes", "2", "--unit", "processor", "--policy", "EASY", "--workload"];

/// Jobs 2 and 3 start at 100 s, when job 1 ends; job 3 ends at 140 s, job 2 at 150 s.
#[test]
fn batsim_files_hold_the_schedule() {
    let folder = Folder::with(&[("small.swf", LOG)]);
    let (jobs, machines) = (folder.path("jobs.csv"), folder.path("machines.csv"));
    let mut command = dfrsim(ARGUMENTS);
    command.arg(folder.path("small.swf")).args(["--estimates", "requested"]);
    command
        .arg("--batsim-jobs-out")
        .arg(&jobs)
        .arg("--batsim-machines-out")
        .arg(&machines)
        .assert()
        .success();
    let lines = fs::read_to_string(jobs).unwrap();
    let lines: Vec<&str> = lines.lines().skip(1).collect();
    assert_eq!(
        lines,
        [
            "1,small,100,0,2,100,1,COMPLETED_SUCCESSFULLY,0,100,100,0,100,1,0-1,-1,\"\"",
            "2,small,50,10,1,60,1,COMPLETED_SUCCESSFULLY,100,50,150,90,140,2.8,0,-1,\"\"",
            "3,small,40,20,1,40,1,COMPLETED_SUCCESSFULLY,100,40,140,80,120,3,1,-1,\"\"",
        ]
    );
    let lines = fs::read_to_string(machines).unwrap();
    let lines: Vec<&str> = lines.lines().skip(1).collect();
    assert_eq!(lines, ["0,0,0,0,0,2", "140,0,0,0,1,1", "150,0,0,0,2,0"]);
}

/// What the log says besides stays: users, memory, who failed. The schedule is a log that gives the same figures.
#[test]
fn a_schedule_is_a_log() {
    let folder = Folder::with(&[("small.swf", LOG)]);
    let schedule = folder.path("schedule.swf");
    let mut command = dfrsim(ARGUMENTS);
    let figures = stdout(command.arg(folder.path("small.swf")).arg("--swf-out").arg(&schedule));
    let text = fs::read_to_string(&schedule).unwrap();
    let (header, lines): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| line.starts_with(';'));
    assert_eq!(
        lines,
        [
            "1 0 0 100 2 90 512 2 100 -1 1 7 -1 -1 -1 -1 -1 -1",
            "2 10 90 50 1 -1 -1 1 60 -1 0 8 -1 -1 -1 -1 1 5",
            "3 20 80 40 1 -1 -1 1 40 -1 1 7 -1 -1 -1 -1 -1 -1",
        ]
    );
    for line in [
        "; UnixStartTime: 1000",
        "; MaxProcs: 2",
        "; Note: policy EASY, 2 nodes, penalty 0 s, estimates exact, overrun extend",
    ] {
        assert!(header.contains(&line), "{text}");
    }
    assert_eq!(stdout(dfrsim(ARGUMENTS).arg(&schedule)), figures);
}

/// Arrivals within 10 s instead of 20 s; job 2, which would run 70 s, is killed at the 60 s that it requested.
#[test]
fn a_scaled_schedule_has_its_own_times() {
    let folder = Folder::with(&[("small.swf", &LOG.replace("-1  50 1", "-1  70 1"))]);
    let schedule = folder.path("schedule.swf");
    let mut command = dfrsim(ARGUMENTS);
    // 2 * 100 + 70 + 40 = 310 node-seconds on 2 nodes within 10 s.
    command.arg(folder.path("small.swf")).args(["--load", "15.5", "--estimates", "requested"]);
    command.args(["--overrun", "kill"]).arg("--swf-out").arg(&schedule).assert().success();
    let text = fs::read_to_string(&schedule).unwrap();
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with(';')).collect();
    assert_eq!(
        lines,
        [
            "1 0 0 100 2 90 512 2 100 -1 1 7 -1 -1 -1 -1 -1 -1",
            "2 5 95 60 1 -1 -1 1 60 -1 5 8 -1 -1 -1 -1 1 5",
            "3 10 90 40 1 -1 -1 1 40 -1 1 7 -1 -1 -1 -1 -1 -1",
        ]
    );
}

/// Two jobs of Batsim on two nodes of 1 Mflop/s: 10 s on both, and then a delay of 20.2 s on one of them.
const WORKLOAD: &str = r#"{"nb_res": 2,
"jobs": [
  {"id": "w0!3", "subtime": 0, "walltime": 30, "res": 2, "profile": "both"},
  {"id": "w0!4", "subtime": 1, "res": 1, "profile": "wait"}],
"profiles": {
  "both": {"type": "parallel_homogeneous", "cpu": 10e6, "com": 1e6},
  "wait": {"type": "delay", "delay": 20.2}}}"#;

#[test]
fn workloads_of_batsim_are_simulated_inspected_and_converted() {
    let folder = Folder::with(&[("w.json", WORKLOAD)]);
    let workload = folder.path("w.json");
    let jobs = folder.path("jobs.csv");
    let mut command = dfrsim(ARGUMENTS);
    command.arg(&workload).args(["--flops", "1e6", "--batsim-jobs-out"]).arg(&jobs).assert().success();
    let lines = fs::read_to_string(jobs).unwrap();
    let lines: Vec<&str> = lines.lines().skip(1).collect();
    assert_eq!(lines[0], "3,w,both,0,2,30,1,COMPLETED_SUCCESSFULLY,0,10,10,0,10,1,0-1,-1,\"\"");
    assert!(
        lines[1].starts_with("4,w,wait,1,1,-1,1,COMPLETED_SUCCESSFULLY,10,20.2,30.2,9,29.2,"),
        "{}",
        lines[1]
    );

    let info = stdout(dfrsim(["log", "info", "--flops", "1e6"]).arg(&workload));
    assert!(info.contains("processors         2\n"), "{info}");
    assert!(info.contains("2 records, 2 jobs; jobs without requested time: 1; jobs whose communication takes no time here: 1"), "{info}");

    let log = folder.path("w.swf");
    let mut command = dfrsim(["log", "convert", "--flops", "1e6", "--out"]);
    command.arg(&log).arg(&workload).assert().success();
    let figures = stdout(dfrsim(ARGUMENTS).arg(&log));
    // Written for Batsim the jobs are the same: of a log by their run times, of a workload with all that it says.
    for (from, to) in [(&log, "w2.json"), (&workload, "w3.json")] {
        let to = folder.path(to);
        dfrsim(["log", "convert", "--flops", "1e6"]).arg(from).arg("--out").arg(&to).assert().success();
        assert_eq!(stdout(dfrsim(ARGUMENTS).arg(&to).args(["--flops", "1000000"])), figures);
    }
    let again = fs::read_to_string(folder.path("w3.json")).unwrap();
    assert!(
        again.contains(r#""both": {"type": "parallel_homogeneous", "cpu": 10e6, "com": 1e6}"#),
        "{again}"
    );
    assert_eq!(stdout(dfrsim(ARGUMENTS).arg(&workload).args(["--flops", "1000000"])), figures);
}

#[test]
fn faults_of_a_workload_of_batsim_are_reported() {
    let folder = Folder::with(&[("w.json", &WORKLOAD.replace("\"subtime\": 1", "\"subtime\": null"))]);
    let message = stderr(dfrsim(ARGUMENTS).arg(folder.path("w.json")).arg("--strict"), 2);
    assert!(
        message
            .contains("w.json:4: job `w0!4`: field `subtime`: found no value, expected a number of seconds"),
        "{message}"
    );
    assert!(
        message.contains("w.json:6: profile `both`: field `cpu`: found 10000000 flop a node, expected"),
        "{message}"
    );
    let folder = Folder::with(&[("w.json", WORKLOAD)]);
    let message = stderr(dfrsim(ARGUMENTS).arg(folder.path("w.json")), 2);
    assert!(
        message.contains("flop need the speed of a node"),
        "a default forgives lines, not options: {message}"
    );
    let message = stderr(dfrsim(ARGUMENTS).arg("w.json").args(["--flops", "fast"]), 2);
    assert!(message.contains("expected flop/s from 1 to 1e18, found `fast`"), "{message}");
}

#[test]
fn rows_are_exported_as_lines_of_json() {
    let scenario = "study = 'online'\npolicies = ['FCFS', 'EASY']\n\
        [[workloads]]\nname = 'model'\nnodes = 8\nlublin = { replications = 1, jobs = 20 }\n";
    let folder = Folder::with(&[("few.toml", scenario)]);
    let (results, rows) = (folder.path("results"), folder.path("rows.jsonl"));
    dfrsim(["run"]).arg(folder.path("few.toml")).arg("--out").arg(&results).assert().success();
    dfrsim(["results", "export"]).arg(&results).arg("--jsonl").arg(&rows).assert().success();
    let text = fs::read_to_string(rows).unwrap();
    let policies: Vec<serde_json::Value> = text
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["policy"].clone())
        .collect();
    assert_eq!(policies, ["FCFS", "EASY"]);
    stderr(dfrsim(["results", "export"]).arg(&results), 2);
    let printed = stderr(dfrsim(["results", "export", "--jsonl", "rows"]).arg(folder.path("nowhere")), 2);
    assert!(printed.contains("nowhere: there are no results here"), "{printed}");

    let table = folder.path("rows.parquet");
    let mut command = dfrsim(["results", "export"]);
    command.arg(&results).arg("--parquet").arg(&table);
    if dfrsim_commands::HAS_PARQUET {
        command.assert().success();
        assert!(fs::read(table).unwrap().starts_with(b"PAR1"));
    } else {
        let printed = stderr(&mut command, 2);
        assert!(printed.contains("--features parquet"), "{printed}");
        assert!(!table.exists());
    }
}
