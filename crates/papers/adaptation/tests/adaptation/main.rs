//! Tests the study through the framework.

use dfrsim_lab::{Part, Registry, Results, RunOptions, RunReport, Shard};
use dfrsim_paper_adaptation::register;
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

const FEW: &str = "study = 'adaptation'
replications = 6
cost = ['bytes', 'moves']
budgets = [100, 0, 25]
heuristic_steps = 100
";

fn registry() -> Registry {
    register(Registry::new())
}

fn run(text: &str, folder: &Path, part: Part) -> RunReport {
    let scenario = registry().parse(text, "few.toml", None, &[]).unwrap();
    let options = RunOptions { part, threads: 2, ..RunOptions::new(folder) };
    scenario.run(&options, &AtomicBool::new(false), &()).unwrap()
}

#[test]
fn budgets_rise_and_without_moves_no_placement_changes() {
    let folder = tempfile::tempdir().unwrap();
    let report = run(FEW, folder.path(), Part::Whole);
    assert_eq!((report.counts.total, report.counts.failures()), (36, 0));
    let registry = registry();
    let results = Results::read(folder.path(), &registry).unwrap();
    let frame = &results.rows().unwrap()[0];
    let number = |row, column| frame.number(row, frame.column_index(column).unwrap());
    for row in (0..36).step_by(3) {
        let budgets = [row, row + 1, row + 2].map(|row| number(row, "budget_percent").unwrap());
        assert_eq!(budgets, [0.0, 25.0, 100.0]);
        // Without moves the optimum is the unmoved yield, so the change does not count.
        assert_eq!((number(row, "optimum"), number(row, "gap_to_optimum")), (number(row, "unmoved"), None));
        let optima = [row, row + 1, row + 2].map(|row| number(row, "optimum").unwrap_or(0.0));
        assert!(optima.is_sorted(), "{optima:?}");
        // Migration costs do not matter with an unlimited budget.
        let other = if row % 6 == 0 { row + 5 } else { row - 1 };
        assert_eq!(number(row + 2, "optimum"), number(other, "optimum"));
    }
    let claims = fs::read_to_string(folder.path().join("tables/claims.csv")).unwrap();
    assert!(claims.contains("no yield falls as the budget grows\",holds"), "{claims}");
    let drawings = results.drawings(&registry).unwrap();
    assert_eq!(drawings[0].stem, "gap-by-budget");
}

#[test]
fn rows_are_reused_when_budgets_and_replications_change() {
    let folder = tempfile::tempdir().unwrap();
    run(FEW, folder.path(), Part::Whole);
    let counts = |text: &str| {
        let report = run(text, folder.path(), Part::Whole);
        (report.counts.restored, report.counts.computed)
    };
    assert_eq!(counts(&FEW.replace("100, 0, 25", "25, 100").replace("= 6", "= 7")), (24, 4));
    assert_eq!(counts(&FEW.replace("['bytes', 'moves']", "'moves'")), (12, 6));
    assert_eq!(counts(&FEW.replace("steps = 100", "steps = 0")), (0, 36));
}

#[test]
fn shards_merge_to_the_same_bytes() {
    let [whole, parts] = std::array::from_fn(|_| tempfile::tempdir().unwrap());
    run(FEW, whole.path(), Part::Whole);
    for number in 1..=2 {
        run(FEW, parts.path(), Part::Shard(Shard::new(number, 2).unwrap()));
    }
    run(FEW, parts.path(), Part::Merged(vec![parts.path().to_owned()]));
    for file in ["rows.csv", "instances.csv", "tables/budgets.csv", "tables/claims.csv"] {
        let read = |folder: &Path| fs::read(folder.join(file)).unwrap();
        assert_eq!(read(whole.path()), read(parts.path()), "{file}");
    }
}

#[test]
fn wrong_fields_are_reported_together() {
    let wrong = FEW.replace("'moves'", "'metres'").replace("100", "101").replace("replications", "instances");
    let errors = registry().parse(&wrong, "wrong.toml", None, &[]).err().unwrap().to_string();
    for part in [
        "expected `bytes` or `moves`, found \"metres\"",
        "expected a percentage of the total from 0 to 100, found 101",
        "`instances` is now called `replications`",
    ] {
        assert!(errors.contains(part), "{part}: {errors}");
    }
}
