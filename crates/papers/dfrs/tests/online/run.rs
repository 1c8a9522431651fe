//! Tests the rows that are computed or reused, figures and claims.

use crate::{registry, run, run_with};
use dfrsim_lab::{Chart, Part, Results, RunError, RunOptions, Shard, Step, default_drawings};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

pub(crate) const SCENARIO: &str = include_str!("run_scenario.toml");
/// (2 + 2 * 2) instances * 3 policies * 2 penalties * 2 taus.
const ROWS: usize = 72;

/// Returns all files of a folder except locks and the manifest, which contains times.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for folder in [folder.to_owned(), folder.join("tables")] {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let name = entry.file_name().to_str().unwrap().to_owned();
            if entry.path().is_file() && name != "manifest.toml" && !name.starts_with('.') {
                files.insert(name, fs::read(entry.path()).unwrap());
            }
        }
    }
    files
}

#[test]
fn threads_and_interruptions_do_not_change_the_files() {
    let reference = tempfile::tempdir().unwrap();
    let options = RunOptions { threads: 1, ..RunOptions::new(reference.path()) };
    let counts = run_with(&registry(), SCENARIO, &[], None, &options).counts;
    assert_eq!((counts.total, counts.computed, counts.failures()), (ROWS, ROWS, 0));
    let expected = files(reference.path());
    let names: BTreeSet<&str> = expected.keys().map(String::as_str).collect();
    for name in ["bandwidth", "bounds", "degradation", "metrics", "rows", "instances"] {
        assert!(names.contains(format!("{name}.csv").as_str()), "{names:?}");
    }
    for (stop, threads) in [(1, 1), (5, 2), (ROWS - 1, 1)] {
        let folder = tempfile::tempdir().unwrap();
        let interrupt = AtomicBool::new(false);
        let progress = |step: &Step<'_>| {
            if step.finished >= stop {
                interrupt.store(true, Ordering::Relaxed);
            }
        };
        let scenario = registry().parse(SCENARIO, "test.toml", None, &[]).unwrap();
        let options = RunOptions { threads, ..RunOptions::new(folder.path()) };
        let stopped = scenario.run(&options, &interrupt, &progress);
        assert!(matches!(stopped, Err(RunError::Interrupted { .. })), "{stopped:?}");
        assert!(run(SCENARIO, &[], folder.path()).counts.restored >= stop);
        assert_eq!(files(folder.path()), expected);
    }
}

/// Reuses rows after the removal of a tau and a policy, the addition of a policy, and a new workload
/// name: rows depend on none of these.
#[test]
fn rows_are_reused_where_they_belong() {
    let folder = tempfile::tempdir().unwrap();
    run(SCENARIO, &[], folder.path());
    let other = ["simulation.tau=10", "workloads.plain.name=renamed", "policies=['EASY', 'CONS']"];
    let report = run(SCENARIO, &other, folder.path());
    // 6 instances * 2 penalties of EASY; as many rows of CONS are new.
    let counts = &report.counts;
    assert_eq!((counts.total, counts.restored, counts.computed), (24, 12, 12));
    let clean = tempfile::tempdir().unwrap();
    run(SCENARIO, &other, clean.path());
    assert_eq!(files(folder.path()), files(clean.path()));
    // An additional tau repeats the simulations, but adds rows for it only.
    let counts = run(SCENARIO, &[other[1], other[2]], folder.path()).counts;
    assert_eq!((counts.total, counts.restored, counts.computed), (48, 24, 24));
}

#[test]
fn a_resolved_scenario_gives_the_same_rows() {
    let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    run(SCENARIO, &[], first.path());
    let resolved = fs::read_to_string(first.path().join("scenario.toml")).unwrap();
    run(&resolved, &[], second.path());
    assert_eq!(files(first.path()), files(second.path()));
}

#[test]
fn shards_merge_to_the_same_bytes() {
    let [whole, parts] = std::array::from_fn(|_| tempfile::tempdir().unwrap());
    run(SCENARIO, &[], whole.path());
    let part = |part| RunOptions { part, threads: 2, ..RunOptions::new(parts.path()) };
    for number in 1..=3 {
        let shard = Part::Shard(Shard::new(number, 3).unwrap());
        run_with(&registry(), SCENARIO, &[], None, &part(shard));
    }
    run_with(&registry(), SCENARIO, &[], None, &part(Part::Merged(vec![parts.path().to_owned()])));
    assert_eq!(files(whole.path()), files(parts.path()));
}

/// Draws one policy with several periods on two workloads as one line per workload, as in figure
/// 6.1. With two policies there is a figure for each workload, and one for the best of both.
#[test]
fn periods_are_drawn() {
    let text = "study = 'online'\npolicies = ['FCFS', '/per/OPT=MIN']\n\
         [simulation]\nperiod_s = [600, 1200]\n\
         [[workloads]]\nname = 'a'\nnodes = 8\nlublin = { replications = 1, jobs = 20 }\n\
         [[workloads]]\nname = 'b'\nnodes = 8\npublished = 'dissertation-b4-b6'\n\
         lublin = { replications = 1, jobs = 30, loads = [0.5, 0.7] }\n";
    let folder = tempfile::tempdir().unwrap();
    let registry = registry();
    let drawings = |set: &[&str]| {
        run(text, set, folder.path());
        let results = Results::read(folder.path(), &registry).unwrap();
        let own = results.drawings(&registry).unwrap();
        let generic = default_drawings(&results.rows().unwrap());
        let stems: BTreeSet<&str> = own.iter().chain(&generic).map(|drawing| drawing.stem.as_str()).collect();
        assert_eq!(stems.len(), own.len() + generic.len(), "{stems:?}");
        own
    };
    let one = drawings(&[]);
    let stems: Vec<&str> = one.iter().map(|drawing| drawing.stem.as_str()).collect();
    assert_eq!(
        stems,
        ["degradation", "bandwidth", "preemption", "migration"].map(|of| format!("period-{of}-per-opt-min"))
    );
    let Chart::Lines { series, .. } = &one[0].chart else { panic!("{one:?}") };
    let names: Vec<&str> = series.iter().map(|series| series.name.as_str()).collect();
    assert_eq!(names, ["a", "b, load 0.7 and more", "b"]);
    assert!(series.iter().all(|series| series.points.len() == 2));

    let two = drawings(&["policies={ matching = '^/per/OPT=(MIN|AVG)$' }"]);
    let stems: BTreeSet<&str> = two.iter().map(|drawing| drawing.stem.as_str()).collect();
    assert_eq!(stems.len(), 3 * 5 + 4, "and four with the workloads as lines");
    assert!(stems.contains("degradation-by-bandwidth-b-load-0.7-and-more"), "{stems:?}");
    assert!(stems.iter().any(|stem| stem.starts_with("period-bandwidth-per-opt")), "{stems:?}");

    // Figure 5.1 has a panel for each penalty.
    let loads =
        drawings(&["simulation.penalty=[0, 300]", "simulation.period_s=600", "policies=['FCFS', 'EASY']"]);
    let stems: Vec<&str> = loads.iter().map(|drawing| drawing.stem.as_str()).collect();
    assert_eq!(stems, ["load-degradation-b-penalty-0-s", "load-degradation-b-penalty-300-s"]);
    let Chart::Lines { series, .. } = &loads[1].chart else { panic!("{loads:?}") };
    assert!(series.iter().all(|series| series.points.len() == 2) && series.len() == 2, "{series:?}");
}

/// Checks all published claims about the policies of a workload.
#[test]
fn published_statements_are_checked() {
    let text = "study = 'online'\npolicies = ['FCFS', 'EASY', 'MCB*/OPT=MIN', { matching = '^GreedyP?M?.*OPT=MIN$' }]\n\
         [[workloads]]\nname = 'scaled'\nnodes = 32\npublished = ['dissertation-b3', 'dissertation-b4-b6']\n\
         lublin = { replications = 2, jobs = 60, loads = [0.5, 0.9] }\n";
    let folder = tempfile::tempdir().unwrap();
    let report = run(text, &[], folder.path());
    let claims = crate::table(&report, "claims").csv();
    assert_eq!(claims.lines().filter(|line| line.contains(",scaled,EASY is better than FCFS")).count(), 0);
    assert!(claims.contains("EASY is better than FCFS, and the best fractional policy"), "{claims}");
    assert!(
        claims.contains("At every load the best policy is within a factor of 7 of the bound"),
        "{claims}"
    );
    let degradation = crate::table(&report, "degradation");
    assert_eq!(degradation.header().last(), Some("part_of_largest"));
    let notes = degradation.markdown();
    assert!(notes.contains("scaled, cp, prefix, means: rank correlation with dissertation-b3"), "{notes}");
    assert!(!crate::table(&report, "bandwidth_compared").is_empty());
}
