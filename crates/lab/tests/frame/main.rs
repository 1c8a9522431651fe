//! Tests the whole framework on a study of a few lines.

mod tools;
mod toy;
mod wide;

use dfrsim_lab::{
    Part, Progress, Registry, Results, RunError, RunOptions, RunReport, RunStatus, Shard, Status, Step,
    rankings, unfinished_scenario,
};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

const TOY: &str = "study = 'toy'\ntitle = 'a title'\n";

fn run_with(
    registry: &Registry,
    text: &str,
    options: &RunOptions,
    progress: &dyn Progress,
) -> Result<RunReport, RunError> {
    let scenario = registry.parse(text, "toy.toml", None, &[]).unwrap();
    scenario.run(options, &AtomicBool::new(false), progress)
}

fn run(text: &str, folder: &Path) -> RunReport {
    run_with(&toy::registry(), text, &RunOptions { threads: 2, ..RunOptions::new(folder) }, &()).unwrap()
}

/// Returns all files except the locks and the manifest.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(each) = folders.pop() {
        for entry in fs::read_dir(each).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
            if path.is_dir() {
                folders.push(path);
            } else if !name.starts_with(".lock") && name != "manifest.toml" {
                files.insert(name, fs::read(path).unwrap());
            }
        }
    }
    files
}

#[test]
fn a_run_writes_rows_instances_tables_claims_and_a_manifest() {
    let folder = tempfile::tempdir().unwrap();
    let report = run(TOY, folder.path());
    assert_eq!((report.counts.total, report.counts.computed, report.counts.failures()), (8, 8, 0));
    let files = files(folder.path());
    let names: Vec<&str> = files.keys().map(String::as_str).collect();
    let expected = [
        "instances.csv",
        "rows.csv",
        "scenario.toml",
        "tables/claims.csv",
        "tables/claims.md",
        "tables/claims.tex",
        "tables/means.csv",
        "tables/means.md",
        "tables/means.tex",
    ];
    assert_eq!(names, expected);
    let rows = String::from_utf8(files["rows.csv"].clone()).unwrap();
    assert!(rows.starts_with("key,status,message,parity,load,number,factor,product_m,remainder\n"), "{rows}");
    assert!(rows.lines().nth(2).unwrap().ends_with(",ok,,even,,100,2,200,4"), "{rows}");

    let registry = toy::registry();
    let results = Results::read(folder.path(), &registry).unwrap();
    assert_eq!((results.manifest.audit.as_str(), results.has_newer_run), ("off", false));
    let frames = results.rows().unwrap();
    assert_eq!((frames.len(), frames[0].len()), (1, 8));
    assert_eq!(frames[0].number(1, frames[0].primary().unwrap()), Some(200.0));
    assert_eq!(results.instances().unwrap().lines.len(), 4);
    assert_eq!(results.tables().collect::<Vec<_>>(), ["claims", "means"]);
}

/// The primary metric of the toy study is the product. A scenario can select the other metric as the
/// objective, without another run.
#[test]
fn an_objective_takes_the_place_of_the_primary_metric() {
    let folder = tempfile::tempdir().unwrap();
    run(TOY, folder.path());
    let rows = fs::read(folder.path().join("rows.csv")).unwrap();
    let report = run(&format!("{TOY}objective = 'remainder'\n"), folder.path());
    assert_eq!((report.counts.restored, report.counts.computed), (8, 0));
    assert_eq!(fs::read(folder.path().join("rows.csv")).unwrap(), rows);
    let registry = toy::registry();
    let results = Results::read(folder.path(), &registry).unwrap();
    assert_eq!(results.objective().as_deref(), Some("remainder"));
    let frames = results.rows().unwrap();
    let primary = frames[0].primary().map(|place| frames[0].columns()[place].name);
    assert_eq!(primary, Some("remainder"));
    assert_eq!(rankings(&frames, 1)[0].metric.name, "remainder");

    let unknown = registry.parse(&format!("{TOY}objective = 'remander'\n"), "toy.toml", None, &[]);
    let message = unknown.err().unwrap().to_string();
    assert!(message.contains("unknown metric `remander`; did you mean `remainder`?"), "{message}");
}

#[test]
fn rows_are_reused_when_a_scenario_is_narrowed_or_widened() {
    let folder = tempfile::tempdir().unwrap();
    run(TOY, folder.path());
    let counts = |text: &str| {
        let report = run(text, folder.path());
        (report.counts.restored, report.counts.computed, report.notices.len())
    };
    assert_eq!(counts(TOY), (8, 0, 0));
    assert_eq!(counts(&format!("{TOY}factors = [2, 3]\n")), (4, 4, 1));
    assert_eq!(counts(&format!("{TOY}factors = [2]\nreplications = 6\n")), (4, 2, 1));
}

#[test]
fn failures_are_rows_and_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let text = format!("{TOY}factors = [0, 1, 7]\n");
    let options = RunOptions { audit: true, ..RunOptions::new(folder.path()) };
    let report = run_with(&toy::registry(), &text, &options, &()).unwrap();
    assert_eq!((report.counts.of(Status::Violation), report.counts.of(Status::Invalid)), (4, 4));
    assert_eq!((report.counts.failures(), report.failures.len()), (8, 8));
    assert_eq!(report.failures[0], "even, 100, 0: violation: a factor must not be 0");
    let rows = fs::read_to_string(folder.path().join("rows.csv")).unwrap();
    assert!(rows.contains(",violation,a factor must not be 0,even,,100,0,,\n"), "{rows}");
    // Failures are known in later runs.
    assert_eq!(run(&text, folder.path()).counts.failures(), 8);
}

#[test]
fn shards_merge_to_the_same_bytes() {
    let [whole, parts, other] = std::array::from_fn(|_| tempfile::tempdir().unwrap());
    let text = format!("{TOY}factors = [0, 1, 2, 3, 4]\n");
    run(&text, whole.path());
    for (number, folder) in [(1, &parts), (2, &other), (3, &parts)] {
        let part = Part::Shard(Shard::new(number, 3).unwrap());
        let options = RunOptions { part, audit: true, ..RunOptions::new(folder.path()) };
        let report = run_with(&toy::registry(), &text, &options, &()).unwrap();
        assert!(report.tables.is_empty());
    }
    let status = RunStatus::read(parts.path()).unwrap();
    assert_eq!((status.has_results, status.parts.len()), (false, 2));
    assert!(status.parts.iter().all(dfrsim_lab::PartStatus::is_complete));
    let folders = vec![parts.path().to_owned(), other.path().to_owned()];
    let (_, scenario) = unfinished_scenario(&folders).unwrap();
    let missing = Part::Merged(vec![]);
    let error = run_with(
        &toy::registry(),
        &scenario,
        &RunOptions { part: missing, ..RunOptions::new(parts.path()) },
        &(),
    );
    assert!(matches!(error, Err(RunError::Missing { total: 20, .. })), "{error:?}");
    let part = Part::Merged(folders);
    run_with(&toy::registry(), &scenario, &RunOptions { part, ..RunOptions::new(parts.path()) }, &())
        .unwrap();
    assert_eq!(files(parts.path()), files(whole.path()));
    let registry = toy::registry();
    let audit = |folder: &Path| Results::read(folder, &registry).unwrap().manifest.audit;
    assert_eq!((audit(parts.path()).as_str(), audit(whole.path()).as_str()), ("on", "off"));
}

/// Interrupts a run after each number of rows: the journal keeps them, and resuming gives identical
/// bytes.
#[test]
fn an_interrupted_run_goes_on() {
    let whole = tempfile::tempdir().unwrap();
    run(TOY, whole.path());
    for after in 1..8 {
        let folder = tempfile::tempdir().unwrap();
        let scenario = toy::registry().parse(TOY, "toy.toml", None, &[]).unwrap();
        let (interrupt, finished) = (AtomicBool::new(false), AtomicUsize::new(0));
        let stop = |_: &Step<'_>| {
            if finished.fetch_add(1, Ordering::Relaxed) + 1 == after {
                interrupt.store(true, Ordering::Relaxed);
            }
        };
        let options = RunOptions { threads: 1, ..RunOptions::new(folder.path()) };
        let error = scenario.run(&options, &interrupt, &stop).unwrap_err();
        assert!(matches!(error, RunError::Interrupted { total: 8, .. }), "{error}");
        let report = run(TOY, folder.path());
        assert!(report.counts.restored >= after, "{after}: {:?}", report.counts);
        assert_eq!(files(folder.path()), files(whole.path()));
    }
}

/// Gives numbers the names of their columns in progress reports: `2` alone could be anything.
#[test]
fn variants_have_readable_names_in_progress_reports() {
    let (folder, names) = (tempfile::tempdir().unwrap(), Mutex::new(BTreeSet::new()));
    let add = |step: &Step<'_>| names.lock().unwrap().extend(step.values.iter().map(|value| value.0.clone()));
    run_with(&toy::registry(), TOY, &RunOptions::new(folder.path()), &add).unwrap();
    let names: Vec<String> = names.into_inner().unwrap().into_iter().collect();
    assert_eq!(names, ["factor 1", "factor 2"]);
}

#[test]
fn altered_bytes_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    run(TOY, folder.path());
    let registry = toy::registry();
    let names = files(folder.path()).into_keys().chain(["manifest.toml".to_owned()]);
    for name in names {
        let path = folder.path().join(&name);
        let content = fs::read(&path).unwrap();
        for at in (0..content.len()).step_by(content.len().div_ceil(25)) {
            let mut altered = content.clone();
            altered[at] ^= 1;
            fs::write(&path, &altered).unwrap();
            let error = Results::read(folder.path(), &registry).map(|_| ()).unwrap_err();
            assert!(error.to_string().contains(&name), "{error}");
        }
        fs::remove_file(&path).unwrap();
        assert!(Results::read(folder.path(), &registry).is_err(), "{name}");
        fs::write(&path, &content).unwrap();
    }
    assert!(Results::read(folder.path(), &registry).is_ok());
}

#[test]
fn files_that_a_new_result_does_not_have_are_removed() {
    let folder = tempfile::tempdir().unwrap();
    run(&format!("{TOY}detailed = true\n"), folder.path());
    assert!(folder.path().join("tables/detailed.csv").exists());
    fs::write(folder.path().join("tables/mine.csv"), "a file of the user's").unwrap();
    run(TOY, folder.path());
    assert!(!folder.path().join("tables/detailed.csv").exists());
    assert!(folder.path().join("tables/mine.csv").exists());
}

#[test]
fn results_of_another_study_or_version_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    run(TOY, folder.path());
    let none = Registry::new();
    let error = |folder: &Path| Results::read(folder, &none).map(|_| ()).unwrap_err().to_string();
    assert!(error(folder.path()).contains("unknown study `toy`; this program has: "));
    let empty = tempfile::tempdir().unwrap();
    assert!(error(empty.path()).contains("no results in this folder"));
    let error = toy::registry().parse("study = 'toys'", "toy.toml", None, &[]).map(|_| ()).unwrap_err();
    assert!(error.to_string().contains("did you mean `toy`?"), "{error}");
}

#[test]
fn two_runs_that_are_the_same_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let options = RunOptions::new(folder.path());
    let run = |fields: &str| run_with(&toy::registry(), &format!("{TOY}{fields}"), &options, &());
    let error = run("factors = [2, 3, 2]\nreplications = 1\n").unwrap_err().to_string();
    assert!(error.starts_with("`even, 100, 2` and `even, 100, 2` are the same run"), "{error}");
    let error = run("factors = [2]\nreplications = 1\nloads = [1, 1]\n").unwrap_err().to_string();
    assert!(error.starts_with("`even, 1, 100, 2` and `even, 1, 100, 2` are the same run"), "{error}");
    assert!(!folder.path().join("rows.csv").exists());
    assert_eq!(run("factors = [2, 3]\n").unwrap().counts.total, 8);
}
