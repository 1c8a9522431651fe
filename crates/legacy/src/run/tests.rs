//! What becomes of rows and bounds, with schedulers that fail or do worse than they should.

use super::*;
use crate::Results;
use crate::regression::{Baseline, CheckOptions, Verdict, check};
use dfrsim_cluster::{Decision, Situation};

/// Waits for ever.
struct Idle;

impl Scheduler for Idle {
    fn decide(&mut self, _: &Situation<'_>, _: &mut Decision) {}
}

/// FCFS is replaced by a scheduler that fails: its rows say why, the others are as ever, and the table counts it.
#[test]
fn a_failed_simulation_is_a_row() {
    let text = "study = 'online'\npolicies = ['FCFS', 'EASY']\n\
        [[workloads]]\nname = 'model'\nnodes = 8\nlublin = { traces = 2, jobs = 20 }\n";
    let scenario = Scenario::parse(text, "failing.toml", &[]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let options = RunOptions { threads: 1, ..RunOptions::new(folder.path()) };
    let scheduler = |setting: &Setting, nodes| -> Box<dyn Scheduler> {
        match setting.policy.to_string().as_str() {
            "FCFS" => Box::new(Idle),
            _ => setting.policy.scheduler(nodes, &setting.numbers),
        }
    };
    let run = || run_with(&scenario, &options, &AtomicBool::new(false), &(), &scheduler).unwrap();
    let report = run();
    assert_eq!(report.rows, RowCounts { total: 4, computed: 4, restored: 0, failed: 2 });
    let rows = std::fs::read_to_string(folder.path().join("rows.csv")).unwrap();
    assert_eq!(rows.matches(",failed,\"nothing happens any more at ").count(), 2, "{rows}");
    let table = report.tables.degradation.csv();
    let failed = table.lines().nth(1).unwrap();
    assert!(failed.starts_with("model,,FCFS,300,,,,10,2,2,,,,"), "{failed}");
    assert!(table.lines().nth(2).unwrap().starts_with("model,,EASY,300,,,,10,2,0,"), "{table}");
    assert_eq!(run().rows, RowCounts { total: 4, computed: 0, restored: 4, failed: 2 });
}

/// A run in which EASY lost its backfilling: the check against the one before names the policy and the figures.
#[test]
fn a_policy_made_worse_is_found_by_the_check() {
    let text = "study = 'online'\npolicies = ['EASY', 'CONS']\n\
        [[workloads]]\nname = 'model'\nnodes = 16\nlublin = { traces = 3, jobs = 100, loads = 0.8 }\n";
    let scenario = Scenario::parse(text, "worsened.toml", &[]).unwrap();
    let baseline = |worsened: bool| {
        let folder = tempfile::tempdir().unwrap();
        let options = RunOptions { threads: 1, ..RunOptions::new(folder.path()) };
        let scheduler = |setting: &Setting, nodes| {
            let easy = setting.policy.to_string() == "EASY";
            let policy = if easy && worsened { "FCFS".parse().unwrap() } else { setting.policy };
            policy.scheduler(nodes, &setting.numbers)
        };
        run_with(&scenario, &options, &AtomicBool::new(false), &(), &scheduler).unwrap();
        Baseline::of(&Results::read(folder.path()).unwrap()).unwrap()
    };
    let (before, now) = (baseline(false), baseline(true));
    assert!(!check(&before, &before, &CheckOptions::default()).unwrap().fails());
    let report = check(&before, &now, &CheckOptions::default()).unwrap();
    assert!(report.fails());
    let worse = report.changes.iter().filter(|change| change.verdict == Verdict::Worse);
    let named: Vec<(&str, &str)> =
        worse.map(|change| (change.group.policy.as_str(), change.figure.name())).collect();
    assert!(named.contains(&("EASY", "mean_degradation")), "{named:?}");
    assert!(named.iter().all(|(policy, _)| *policy == "EASY"), "{named:?}");
    assert!(report.table().markdown().contains("EASY"));
}

/// A job of 100 s with a request of 60 s is killed after 60 s: the bound must not ask for more.
#[test]
fn killed_jobs_have_the_bound_of_what_they_run() {
    let text = "study = 'online'\npolicies = ['FCFS']\n[simulation]\nestimates = 'requested'\noverrun = 'kill'\n\
        [[workloads]]\nname = 'log'\nnodes = 1\nswf = { file = 'kill.swf' }\n";
    let folder = tempfile::tempdir().unwrap();
    // Both arrive at second 0 on one processor. Run to the end, the second would end at 200 s: bound 2 either way
    // for equal jobs, so the second one is short: 20 s. Killed: (60 + 20) / 60 is less than (100 + 20) / 100
    // would be the other way about, and with deadlines 60 S and 20 S the whole work of 80 needs S = 80 / 60.
    let log =
        "1 0 -1 100 1 -1 -1 1 60 -1 1 1 -1 -1 -1 -1 -1 -1\n2 0 -1 20 1 -1 -1 1 20 -1 1 1 -1 -1 -1 -1 -1 -1\n";
    std::fs::write(folder.path().join("kill.swf"), log).unwrap();
    let path = folder.path().join("kill.toml");
    std::fs::write(&path, text).unwrap();
    let scenario = Scenario::load(&path, &[]).unwrap();
    let options = RunOptions { threads: 1, ..RunOptions::new(folder.path().join("out")) };
    let report = run(&scenario, &options, &AtomicBool::new(false), &()).unwrap();
    let bounds = report.tables.bounds.csv();
    let bound: f64 = bounds.lines().nth(1).unwrap().rsplit(',').next().unwrap().parse().unwrap();
    assert!((bound - 80.0 / 60.0).abs() < 1e-9, "{bounds}");
    assert_eq!(report.preparation, [("log".to_owned(), "2 records, 2 jobs".to_owned())]);
}

/// The second job never ran: it is left out, and the table says so.
#[test]
fn jobs_that_are_left_out_are_told_below_the_table() {
    let folder = tempfile::tempdir().unwrap();
    let log =
        "1 0 -1 100 1 -1 -1 1 60 -1 1 1 -1 -1 -1 -1 -1 -1\n2 0 -1 0 1 -1 -1 1 20 -1 5 1 -1 -1 -1 -1 -1 -1\n";
    std::fs::write(folder.path().join("log.swf"), log).unwrap();
    let path = folder.path().join("s.toml");
    let text = "study = 'online'\npolicies = ['FCFS']\n\
        [[workloads]]\nname = 'log'\nnodes = 1\nswf = { file = 'log.swf' }\n";
    std::fs::write(&path, text).unwrap();
    let options = RunOptions { threads: 1, ..RunOptions::new(folder.path().join("out")) };
    let scenario = Scenario::load(&path, &[]).unwrap();
    let report = run(&scenario, &options, &AtomicBool::new(false), &()).unwrap();
    let table = report.tables.degradation.markdown();
    assert!(table.ends_with("\nlog: 2 records, 1 jobs; cancelled: 1 kept; zero_run: 1 dropped\n"), "{table}");
}
