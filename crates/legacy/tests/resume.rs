//! Interruptions, damage, threads: the files are the same whatever happened on the way.

use dfrsim_legacy::{News, RowCounts, RunError, RunOptions, RunReport, Scenario, run};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

const SCENARIO: &str = r#"
study = "online"
policies = ["FCFS", "EASY", "EQUIPARTITION"]
simulation = { penalty = [0, 300], tau = [0, 10] }
[[workloads]]
name = "plain"
nodes = 16
lublin = { traces = 2, jobs = 60 }
[[workloads]]
name = "scaled"
nodes = 16
lublin = { traces = 2, jobs = 40, loads = [0.5, 0.9] }
"#;
/// (2 + 2 * 2) instances * 3 policies * 2 penalties.
const SIMULATIONS: usize = 36;
/// Two taus each.
const ROWS: usize = 2 * SIMULATIONS;

fn scenario(overrides: &[&str]) -> Scenario {
    let overrides: Vec<String> = overrides.iter().map(|&set| set.to_owned()).collect();
    Scenario::parse(SCENARIO, "test.toml", &overrides).unwrap()
}

/// Runs until so many simulations are finished.
fn run_until(scenario: &Scenario, out: &Path, threads: usize, stop: usize) -> Result<RunReport, RunError> {
    let options = RunOptions { threads, ..RunOptions::new(out) };
    let interrupt = AtomicBool::new(stop == 0);
    let progress = |&News { finished, total, .. }: &News<'_>| {
        assert!(finished <= total);
        if finished >= stop {
            interrupt.store(true, Ordering::Relaxed);
        }
    };
    run(scenario, &options, &interrupt, &progress)
}
fn run_all(scenario: &Scenario, out: &Path, threads: usize) -> RunReport {
    run_until(scenario, out, threads, usize::MAX).unwrap()
}

/// All files of a folder but the manifest, which speaks of the machine.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for folder in [folder.to_owned(), folder.join("tables")] {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let name = entry.path().display().to_string();
            let name = name.rsplit('/').next().unwrap().to_owned();
            if entry.path().is_file() && name != "manifest.toml" {
                files.insert(name, fs::read(entry.path()).unwrap());
            }
        }
    }
    files
}

#[test]
fn threads_and_interruptions_leave_no_trace() {
    let scenario = scenario(&[]);
    let reference = tempfile::tempdir().unwrap();
    let report = run_all(&scenario, reference.path(), 1);
    assert_eq!(report.rows, RowCounts { total: ROWS, computed: ROWS, restored: 0, failed: 0 });
    let expected = files(reference.path());
    let names: Vec<&str> = expected.keys().map(String::as_str).collect();
    let all = [
        ".lock",
        "bandwidth.csv",
        "bandwidth.md",
        "bounds.csv",
        "bounds.md",
        "degradation.csv",
        "degradation.md",
        "metrics.csv",
        "metrics.md",
        "rows.csv",
        "scenario.toml",
    ];
    assert_eq!(names, all);
    assert!(reference.path().join("manifest.toml").is_file());

    let two = tempfile::tempdir().unwrap();
    run_all(&scenario, two.path(), 2);
    assert_eq!(files(two.path()), expected);

    for (stop, threads) in [(0, 1), (1, 1), (5, 2), (17, 1), (20, 2), (SIMULATIONS - 1, 1)] {
        let folder = tempfile::tempdir().unwrap();
        let stopped = run_until(&scenario, folder.path(), threads, stop);
        let Err(RunError::Interrupted { done, total: SIMULATIONS, .. }) = stopped else {
            panic!("not interrupted at {stop}: {stopped:?}");
        };
        assert!((stop..stop + threads).contains(&done), "{done} instead of {stop}");
        assert!(!folder.path().join("rows.csv").exists());
        let report = run_all(&scenario, folder.path(), 3 - threads);
        assert_eq!((report.rows.restored, report.rows.computed), (2 * done, ROWS - 2 * done));
        assert_eq!(files(folder.path()), expected);
    }
}

#[test]
fn several_interruptions_in_a_row() {
    let scenario = scenario(&[]);
    let (reference, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    run_all(&scenario, reference.path(), 2);
    for stop in [3, 9, 30] {
        // Simulations that are restored count as finished too.
        run_until(&scenario, folder.path(), 1, stop).unwrap_err();
    }
    run_all(&scenario, folder.path(), 2);
    assert_eq!(files(folder.path()), files(reference.path()));
}

#[test]
fn a_damaged_journal_costs_only_the_damaged_rows() {
    let scenario = scenario(&[]);
    let (reference, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    run_all(&scenario, reference.path(), 1);
    run_until(&scenario, folder.path(), 1, 10).unwrap_err();
    let path = folder.path().join("rows.journal");
    let mut journal = fs::read(&path).unwrap();
    assert_eq!(journal.iter().filter(|&&byte| byte == b'\n').count(), 20);
    // A byte of the first line, and the end of the last: two rows of two simulations.
    journal[30] ^= 1;
    journal.truncate(journal.len() - 7);
    fs::write(&path, journal).unwrap();
    let report = run_all(&scenario, folder.path(), 2);
    assert_eq!(report.rows.restored, 2 * 8);
    assert!(report.notices[0].contains("2 damaged or outdated lines"), "{:?}", report.notices);
    assert_eq!(files(folder.path()), files(reference.path()));
}

#[test]
fn flipped_bits_of_finished_rows_are_found_and_mended() {
    let scenario = scenario(&[]);
    let (reference, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    run_all(&scenario, reference.path(), 2);
    run_all(&scenario, folder.path(), 2);
    let rows = folder.path().join("rows.csv");
    let whole = fs::read(&rows).unwrap();
    // The last digit of a figure: still a number.
    let digit = whole.iter().rposition(u8::is_ascii_digit).unwrap();
    for damaged in [
        [&whole[..digit], &[whole[digit] ^ 1], &whole[digit + 1..]].concat(),
        whole[..whole.len() / 2].to_vec(),
        b"\xff\0".to_vec(),
    ] {
        fs::write(&rows, damaged).unwrap();
        let told = dfrsim_legacy::Results::read(folder.path()).unwrap_err().to_string();
        assert!(told.contains("rows.csv"), "{told}");
        let report = run_all(&scenario, folder.path(), 2);
        assert_eq!((report.rows.restored, report.rows.computed), (0, ROWS));
        assert!(report.notices[0].contains("is not what the run wrote"), "{:?}", report.notices);
        assert_eq!(files(folder.path()), files(reference.path()));
    }
    // A manifest that is damaged vouches for nothing, and is written anew.
    fs::write(folder.path().join("manifest.toml"), "version = ").unwrap();
    assert_eq!(run_all(&scenario, folder.path(), 2).rows.restored, ROWS);
    dfrsim_legacy::Results::read(folder.path()).unwrap();
}

#[test]
fn finished_rows_are_taken_over_where_they_belong() {
    let folder = tempfile::tempdir().unwrap();
    run_all(&scenario(&[]), folder.path(), 2);
    // One tau less and another name: the rows that are left have the same determinants.
    let other = scenario(&["simulation.tau=10", "workloads.plain.name=renamed", "policies=['EASY', 'CONS']"]);
    let report = run_all(&other, folder.path(), 2);
    // 6 instances * 2 penalties of EASY; the same of CONS are new; of 72 rows 12 belong here.
    assert_eq!(report.rows, RowCounts { total: 24, computed: 12, restored: 12, failed: 0 });
    assert!(report.notices[0].starts_with("60 rows in the folder were of another scenario"), "{report:?}");
    let (clean, fresh) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    run_all(&other, clean.path(), 1);
    assert_eq!(files(folder.path()), files(clean.path()));

    run_all(&other, fresh.path(), 1);
    let options = RunOptions { threads: 1, fresh: true, ..RunOptions::new(fresh.path()) };
    let report = run(&other, &options, &AtomicBool::new(false), &()).unwrap();
    assert_eq!(report.rows.computed, 24);
    assert_eq!(files(fresh.path()), files(clean.path()));
}

#[test]
fn a_resolved_scenario_gives_the_same_rows() {
    let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    run_all(&scenario(&[]), first.path(), 1);
    let resolved = Scenario::load(&first.path().join("scenario.toml"), &[]).unwrap();
    run_all(&resolved, second.path(), 1);
    assert_eq!(files(first.path()), files(second.path()));
}

#[test]
fn two_runs_do_not_share_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let scenario = scenario(&[]);
    let options = RunOptions { threads: 1, ..RunOptions::new(folder.path()) };
    let inner = |_: &News<'_>| {
        let error = run(&scenario, &options, &AtomicBool::new(false), &()).unwrap_err();
        assert!(error.to_string().contains("another run is using this folder; wait"), "{error}");
    };
    run(&scenario, &options, &AtomicBool::new(false), &inner).unwrap();
}

#[test]
fn a_folder_that_cannot_be_written_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "kept").unwrap();
    let options = RunOptions { threads: 1, ..RunOptions::new(&file) };
    let error = run(&scenario(&[]), &options, &AtomicBool::new(false), &()).unwrap_err();
    assert!(matches!(&error, RunError::Io { path, .. } if *path == file), "{error:?}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "kept");
}

/// Mean, sample standard deviation and maximum of the degradation, from the rows and by the book.
#[test]
fn tables_say_what_the_rows_say() {
    let folder = tempfile::tempdir().unwrap();
    run_all(&scenario(&[]), folder.path(), 2);
    let read = |name: &str| -> Vec<BTreeMap<String, String>> {
        let mut reader = csv::Reader::from_path(folder.path().join(name)).unwrap();
        reader.deserialize().map(Result::unwrap).collect()
    };
    let (rows, lines) = (read("rows.csv"), read("tables/degradation.csv"));
    // 4 scopes (plain; scaled at 0.5, at 0.9, in all), 2 taus, 2 penalties, 3 policies.
    assert_eq!(lines.len(), 4 * 2 * 2 * 3);
    for line in &lines {
        let same = |row: &&BTreeMap<String, String>| {
            ["workload", "policy", "penalty_s", "tau_s"].iter().all(|&name| row[name] == line[name])
                && (line["load"] == "all" || row["load"] == line["load"])
        };
        let group: Vec<_> = rows.iter().filter(same).collect();
        assert_eq!(group.len(), if line["load"] == "all" { 4 } else { 2 });
        assert_eq!(line["instances"], group.len().to_string());
        let value = |row: &BTreeMap<String, String>, name: &str| row[name].parse::<f64>().unwrap();
        let degradations = group.iter().map(|row| value(row, "max_bounded_stretch") / value(row, "bound"));
        let degradations: Vec<f64> = degradations.collect();
        let count = degradations.len() as f64;
        let mean = degradations.iter().sum::<f64>() / count;
        let variance = degradations.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / (count - 1.0);
        let max = degradations.iter().copied().fold(0.0, f64::max);
        let bound = group.iter().map(|row| value(row, "bound")).sum::<f64>() / count;
        let expected = [mean, variance.sqrt(), max, bound];
        for (name, expected) in
            ["mean_degradation", "sd_degradation", "max_degradation", "mean_bound"].iter().zip(expected)
        {
            let found = value(line, name);
            assert!((found - expected).abs() <= 1e-9 * expected, "{name}: {found} for {expected}");
        }
    }
}
