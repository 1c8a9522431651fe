//! Tests the study through the framework.

use dfrsim_lab::{DataFrame, Part, Registry, Results, RunOptions, RunReport, Shard};
use dfrsim_paper_context_switch::register;
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

const SMALL: &str = include_str!("small.toml");

/// Scenario of one application of nine independent tasks on nine nodes of one unit each.
const ALONE: &str = include_str!("alone.toml");

const FILES: [&str; 8] = [
    "rows/sample.csv",
    "rows/simulation.csv",
    "rows/switch.csv",
    "rows/stay.csv",
    "rows/load.csv",
    "instances.csv",
    "tables/figure_13.csv",
    "tables/claims.csv",
];

fn registry() -> Registry {
    register(Registry::new())
}

fn run(text: &str, folder: &Path, part: Part) -> RunReport {
    let scenario = registry().parse(text, "small.toml", None, &[]).unwrap();
    let options = RunOptions { part, threads: 2, ..RunOptions::new(folder) };
    scenario.run(&options, &AtomicBool::new(false), &()).unwrap()
}

fn read(folder: &Path) -> Vec<Vec<u8>> {
    FILES.iter().map(|file| fs::read(folder.join(file)).unwrap()).collect()
}

fn frames(folder: &Path) -> Vec<DataFrame> {
    let registry = registry();
    Results::read(folder, &registry).unwrap().rows().unwrap()
}

fn numbers(frame: &DataFrame, column: &str) -> Vec<f64> {
    let column = frame.column_index(column).unwrap();
    (0..frame.len()).map(|row| frame.number(row, column).unwrap()).collect()
}

/// All nine VMs boot simultaneously in 6 s, and stop in 25 s at the end. All plans cost 0, also
/// those with vjobs that only wait.
#[test]
fn one_vjob_is_run_and_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let report = run(ALONE, folder.path(), Part::Whole);
    assert_eq!(report.counts.failures(), 0);
    let [samples, simulations, switches, stays, loads] = frames(folder.path()).try_into().unwrap();
    assert_eq!(numbers(&samples, "cost_mb"), [0.0, 0.0]);
    assert_eq!(numbers(&switches, "duration_s"), [6.0, 25.0]);
    assert_eq!(numbers(&switches, "cost_mb"), [0.0, 0.0]);
    assert_eq!((numbers(&switches, "runs"), numbers(&switches, "stops")), (vec![9.0, 0.0], vec![0.0, 9.0]));
    let end = numbers(&switches, "start_s")[1] + 25.0;
    assert_eq!(
        (numbers(&simulations, "duration_s"), numbers(&simulations, "switches")),
        (vec![end], vec![2.0])
    );
    // Each interval begins at the end of the previous one.
    let (begins, lengths) = (numbers(&stays, "start_s"), numbers(&stays, "duration_s"));
    assert!(
        (1..begins.len()).all(|at| begins[at] == begins[at - 1] + lengths[at - 1]),
        "{begins:?} {lengths:?}"
    );
    assert_eq!(numbers(&loads, "demanded_cpu").into_iter().reduce(f64::max), Some(9.0));
}

#[test]
fn optimised_plans_are_not_dearer_and_figures_are_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let report = run(SMALL, folder.path(), Part::Whole);
    assert_eq!(report.counts.failures(), 0);
    let names: Vec<&str> = report.tables.iter().map(|table| table.name.as_str()).collect();
    let expected = [
        "table_1",
        "figure_3",
        "figure_10",
        "figure_11",
        "switches",
        "figure_12",
        "stays",
        "figure_13",
        "figure_13_steps",
        "claims",
    ];
    assert_eq!(names, expected);
    let samples = &frames(folder.path())[0];
    let (cost, bound) = (samples.column_index("cost_mb").unwrap(), samples.column_index("bound_mb").unwrap());
    for row in (0..samples.len()).step_by(2) {
        let optimised = samples.number(row + 1, cost);
        assert!(samples.number(row + 1, bound) <= optimised && optimised <= samples.number(row, cost));
    }
    let registry = registry();
    let results = Results::read(folder.path(), &registry).unwrap();
    let drawings = results.drawings(&registry).unwrap();
    let stems: Vec<&str> = drawings.iter().map(|drawing| drawing.stem.as_str()).collect();
    let expected = [
        "figure-3",
        "figure-10",
        "figure-11",
        "figure-12",
        "figure-13-memory",
        "figure-13-cpu",
        "figure-13-demand",
    ];
    assert_eq!(stems, expected);
    // Published numbers are shown only for experiments of the size in the text.
    let claims = fs::read_to_string(folder.path().join("tables/claims.csv")).unwrap();
    assert!(claims.contains("the decision module needs less time than FCFS"), "{claims}");
    assert!(!claims.contains("how long all vjobs take under FCFS"), "{claims}");
}

/// Tests cyclic priorities and submissions, equal memory for all VMs of a vjob, EASY, and contention
/// between actions.
#[test]
fn vjobs_come_over_time() {
    let text = SMALL
        .replace("'suspend-to-ram'", "'easy'")
        .replace("vjobs = 3", "vjobs = 3\ninterarrival_s = 100\npriorities = [0, 2]\nmemory_by = 'vjob'\nvm_memory_mb = [512, 1024]");
    let text = format!("{text}[durations]\ncontention = 0.5\nstorage_contention = 1\n");
    let [folder, plain] = std::array::from_fn(|_| tempfile::tempdir().unwrap());
    assert_eq!(run(&text, folder.path(), Part::Whole).failures, [""; 0]);
    assert_eq!(run(SMALL, plain.path(), Part::Whole).failures, [""; 0]);
    let longest = |folder: &Path| {
        let durations = numbers(&frames(folder)[1], "duration_s");
        durations.into_iter().reduce(f64::max).unwrap()
    };
    assert!(longest(folder.path()) > 200.0 && longest(folder.path()) != longest(plain.path()));
}

#[test]
fn rows_are_reused_and_shards_merge_to_the_same_bytes() {
    let [folder, parts] = std::array::from_fn(|_| tempfile::tempdir().unwrap());
    let total = run(SMALL, folder.path(), Part::Whole).counts.total;
    for number in 1..=3 {
        run(SMALL, parts.path(), Part::Shard(Shard::new(number, 3).unwrap()));
    }
    run(SMALL, parts.path(), Part::Merged(vec![parts.path().to_owned()]));
    assert_eq!(read(folder.path()), read(parts.path()));

    // Rows of a simulation are in several files: without one of them none is reused, and the results
    // do not change.
    let before = read(folder.path());
    fs::write(folder.path().join("rows/load.csv"), "").unwrap();
    let report = run(SMALL, folder.path(), Part::Whole);
    assert_eq!((report.counts.restored, report.counts.total), (0, total));
    assert_eq!(read(folder.path()), before);

    let computed = |text: &str| run(text, folder.path(), Part::Whole).counts.computed;
    assert_eq!(computed(&SMALL.replace("'booking', ", "")), 0);
    assert_eq!(computed(&SMALL.replace("[27, 54]", "27")), total_of_booking(&before));
    // Plans of first-fit decreasing and static allocation do not depend on the search.
    let kept = run(&SMALL.replace("steps = 200", "steps = 201"), folder.path(), Part::Whole).counts.restored;
    assert!(kept > 8 && kept < total, "{kept}");
    let seeded = run(&format!("seed = 2\n{SMALL}"), folder.path(), Part::Whole);
    assert_eq!(seeded.counts.restored, 0);
}

/// Counts the rows of simulations under static allocation.
fn total_of_booking(files: &[Vec<u8>]) -> usize {
    let texts = files[1..5].iter().map(|file| String::from_utf8_lossy(file));
    texts.map(|text| text.lines().filter(|line| line.contains(",booking,")).count()).sum()
}

#[test]
fn a_simulation_that_does_not_end_is_stalled() {
    let folder = tempfile::tempdir().unwrap();
    let report = run(&format!("{ALONE}horizon_s = 20\n"), folder.path(), Part::Whole);
    assert_eq!(report.failures, ["9, 0, booking: stalled: vjobs are left at the horizon"]);
}

#[test]
fn wrong_fields_are_reported_together() {
    let text = SMALL
        .replace("nodes = 20", "nodes = 0")
        .replace("'suspend-to-ram'", "'dozing'")
        .replace("failures = 0.02", "failures = 2")
        .replace("vjobs = 3", "vjobs = 3\nrepetitions = 2");
    let text = format!("{text}[durations]\nmigrate = [[10, 2], [5, 1]]\nlocal_slowdown = 0.5\ndoze_s = 1\n");
    let errors = registry().parse(&text, "wrong.toml", None, &[]).err().unwrap().to_string();
    for part in [
        "expected a number of nodes from 1 to 1000000, found 0",
        "found \"dozing\"",
        "expected a fraction of all actions from 0 to 1, found 2",
        "`repetitions` is now called `replications`",
        "expected one or more pairs of MB (above 0, ascending) and seconds (0 to 10^6)",
        "expected a factor from 1 to 1000000, found 0.5",
        "`doze_s` is now called `suspend_to_ram_s`",
    ] {
        assert!(errors.contains(part), "{part}: {errors}");
    }
    let neither = registry().parse("study = 'context-switch'\n", "none.toml", None, &[]).err().unwrap();
    assert!(neither.to_string().contains("expected a table `[samples]` or `[cluster]`"), "{neither}");
}
