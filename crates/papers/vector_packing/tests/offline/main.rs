//! Tests the study in the framework: files are equal after any interruption, and its tables equal
//! those of a slow computation from the rows.

use dfrsim_lab::fields::Faults;
use dfrsim_lab::{
    AnyScenario, Chart, Part, ProblemId, Registry, Results, RunOptions, RunReport, Shard, Status,
};
use dfrsim_model::Share;
use dfrsim_paper_vector_packing::register;
use dfrsim_vector_packing::PackingProblem;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

const SCENARIO: &str = include_str!("scenario.toml");
/// Number of instances: 16 * 3 of the grid, 144 of the set.
const INSTANCES: usize = 192;

fn registry() -> Registry {
    register(Registry::new())
}

fn parsed(text: &str, overrides: &[&str]) -> Result<AnyScenario, Faults> {
    let overrides: Vec<String> = overrides.iter().map(|&set| set.to_owned()).collect();
    registry().parse(text, "test.toml", None, &overrides)
}

fn run(text: &str, overrides: &[&str], folder: &Path, part: Part) -> RunReport {
    let options = RunOptions { part, threads: 2, ..RunOptions::new(folder) };
    parsed(text, overrides).unwrap().run(&options, &AtomicBool::new(false), &()).unwrap()
}

type Line = BTreeMap<String, String>;

/// Returns the lines of a file, with fields by column name.
fn lines(path: &Path) -> Vec<Line> {
    let mut reader = csv::Reader::from_path(path).unwrap();
    let header = reader.headers().unwrap().clone();
    let named = |record: csv::StringRecord| {
        header.iter().map(str::to_owned).zip(record.iter().map(str::to_owned)).collect()
    };
    reader.records().map(|record| named(record.unwrap())).collect()
}

fn number(line: &Line, column: &str) -> f64 {
    line[column].parse().unwrap_or_else(|_| panic!("{column}: {:?}", line[column]))
}

/// Parses a yield, rounded to units of 2^-20, as rows have seven decimals.
fn exact(text: &str) -> Option<f64> {
    Some((text.parse::<f64>().ok()? * f64::from(1 << 20)).round() / f64::from(1 << 20))
}

#[test]
fn columns_are_reused_and_settings_are_not() {
    let [grown, fresh] = std::array::from_fn(|_| tempfile::tempdir().unwrap());
    let few = "algorithms=['VP_CPSUM', 'SG', 'GREEDY']";
    run(SCENARIO, &[few], grown.path(), Part::Whole);
    let counts = |overrides: &[&str]| {
        let report = run(SCENARIO, overrides, grown.path(), Part::Whole);
        (report.counts.restored, report.counts.total - report.counts.computed)
    };
    assert_eq!(counts(&[]), (4 * INSTANCES, 4 * INSTANCES), "those three and OPT");
    run(SCENARIO, &[], fresh.path(), Part::Whole);
    for file in ["rows.csv", "instances.csv", "tables/gaps.csv", "tables/parameters.csv", "tables/claims.csv"]
    {
        let read = |folder: &Path| fs::read(folder.join(file)).unwrap();
        assert_eq!(read(grown.path()), read(fresh.path()), "{file}");
    }
    assert_eq!(counts(&[few]).0, 4 * INSTANCES);
    // Another precision or another seed requires new computations.
    assert_eq!(counts(&[few, "packing.precision=0.01"]).0, 0);
    assert_eq!(counts(&[few, "packing.precision=0.01", "seed=2"]).0, 0);
}

#[test]
fn shards_merge_to_the_same_rows_and_tables() {
    let [whole, parts] = std::array::from_fn(|_| tempfile::tempdir().unwrap());
    run(SCENARIO, &[], whole.path(), Part::Whole);
    for number in 1..=3 {
        run(SCENARIO, &[], parts.path(), Part::Shard(Shard::new(number, 3).unwrap()));
    }
    run(SCENARIO, &[], parts.path(), Part::Merged(Vec::new()));
    for file in ["rows.csv", "instances.csv", "tables/gaps.csv", "tables/second_phase.csv"] {
        let read = |folder: &Path| fs::read(folder.join(file)).unwrap();
        assert_eq!(read(whole.path()), read(parts.path()), "{file}");
    }
    assert!(whole.path().join("times.csv").exists());
}

#[test]
fn slow_algorithms_run_on_their_replications_unless_everything_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let ran = |overrides: &[&str]| {
        run(SCENARIO, overrides, folder.path(), Part::Whole);
        let lines = lines(&folder.path().join("rows.csv"));
        lines.iter().filter(|line| line["instances"] == "own" && !line["GB"].is_empty()).count()
    };
    assert_eq!(ran(&[]), 8, "the first replication of each scenario of 8 jobs");
    assert_eq!(ran(&["everything=true", "instances.parallel.replications=1"]), 48);
}

/// Computes every number of the table of parameters from the rows, in the simplest way.
#[test]
fn the_table_of_parameters_is_what_the_rows_give() {
    let folder = tempfile::tempdir().unwrap();
    run(SCENARIO, &[], folder.path(), Part::Whole);
    let instances = lines(&folder.path().join("rows.csv"));
    let table = lines(&folder.path().join("tables/parameters.csv"));
    assert!(table.len() > 1_000);
    for row in &table {
        let algorithm = &row["algorithm"];
        let own: Vec<&Line> = (instances.iter())
            .filter(|line| line["instances"] == row["instances"] && line["scenario"] == row["scenario"])
            .filter(|line| !line[algorithm].is_empty())
            .collect();
        assert_eq!(number(row, "replications"), own.len() as f64);
        let solved: Vec<f64> = own.iter().filter_map(|line| exact(&line[algorithm])).collect();
        assert_eq!(number(row, "solved"), solved.len() as f64);
        let gap = |line: &&Line| {
            let (bound, own) = (exact(&line["bound"])?, exact(&line[algorithm])?);
            assert!(own <= bound);
            (bound > 0.0).then(|| (bound - own) / bound * 100.0)
        };
        let relative: Vec<f64> = own.iter().filter_map(gap).collect();
        if relative.is_empty() {
            assert_eq!(row["mean_relative_gap_to_bound"], "");
            continue;
        }
        let mean = relative.iter().sum::<f64>() / relative.len() as f64;
        assert!((number(row, "mean_relative_gap_to_bound") - mean).abs() < 1e-9);
        // The 90th percentile is the smallest value that at least nine tenths do not exceed.
        let reached =
            |value: f64| relative.iter().filter(|each| **each <= value).count() * 10 >= relative.len() * 9;
        let least = relative.iter().copied().filter(|&value| reached(value)).min_by(f64::total_cmp).unwrap();
        assert!((number(row, "p90_relative_gap_to_bound") - least).abs() < 1e-9);
    }
}

/// GREEDY, which a run derives from its 49 passes, equals GREEDY computed alone; no heuristic is
/// above the optimum.
#[test]
fn the_best_pass_is_greedy_and_the_optimum_is_above_all() {
    let column = |algorithms: &str| -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        run(SCENARIO, &[algorithms, "second_phase.algorithms=[]"], folder.path(), Part::Whole);
        lines(&folder.path().join("rows.csv")).into_iter().map(|line| line["GREEDY"].clone()).collect()
    };
    assert_eq!(column("algorithms=[{ matching = '^GREEDY' }]"), column("algorithms=['GREEDY']"));
    let folder = tempfile::tempdir().unwrap();
    run(SCENARIO, &[], folder.path(), Part::Whole);
    let claims = lines(&folder.path().join("tables/claims.csv"));
    let claim = claims.iter().find(|line| line["claim"].contains("above a proven optimum")).unwrap();
    assert_eq!((&*claim["verdict"], &*claim["detail"]), ("holds", "0 of 192 instances violate it"));
}

/// Checks S, Y and the domination of every pair, and the published tables, on a few of the
/// dissertation's instances.
#[test]
fn pairwise_measures_are_what_the_rows_give() {
    const SLICE: &str = include_str!("slice.toml");
    let folder = tempfile::tempdir().unwrap();
    let report = run(SLICE, &[], folder.path(), Part::Whole);
    let names: Vec<&str> = report.tables.iter().map(|table| table.name.as_str()).collect();
    for name in ["table_4_4", "table_4_5", "table_4_6", "figure_4_2", "domination", "claims"] {
        assert!(names.contains(&name), "{name}");
    }
    assert!(!names.contains(&"table_4_1"), "no algorithm on linear programs ran");
    let instances = lines(&folder.path().join("rows.csv"));
    for pair in lines(&folder.path().join("tables/domination.csv")) {
        if pair["dimensions"] != "2,4,6" {
            continue;
        }
        let measures = |one: &str, other: &str| {
            let (mut alone, mut gains) = (0, Vec::new());
            for line in &instances {
                match (exact(&line[one]), exact(&line[other])) {
                    (Some(_), None) => alone += 1,
                    (Some(own), Some(others)) if others > 0.0 => gains.push((own - others) / others * 100.0),
                    _ => {}
                }
            }
            let mean = gains.iter().sum::<f64>() / gains.len() as f64;
            (100.0 * f64::from(alone) / instances.len() as f64, mean)
        };
        let (one, other) = (&pair["one"], &pair["other"]);
        let (s, y) = measures(one, other);
        let (s_back, y_back) = measures(other, one);
        assert!((number(&pair, "S") - s).abs() < 1e-9 && (number(&pair, "Y") - y).abs() < 1e-6);
        let dominates = (s >= 0.5 && y_back <= 3.0) || (s_back <= 0.5 && y >= 3.0);
        assert_eq!(pair["dominates"], dominates.to_string(), "{one}, {other}");
    }
}

/// A few instances of each set, so that every table, claim and figure has data.
const ALL_SETS: &str = include_str!("all_sets.toml");

#[test]
fn claims_hold_on_the_published_tables_and_figures_are_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let report = run(ALL_SETS, &[], folder.path(), Part::Whole);
    assert_eq!(report.counts.failures(), 0);
    let names: Vec<&str> = report.tables.iter().map(|table| table.name.as_str()).collect();
    for name in
        ["table_4_7", "optimum", "figure_4_1", "figure_4_3", "rr6692_figure_7", "eject", "second_phase"]
    {
        assert!(names.contains(&name), "{name}");
    }
    let claims = lines(&folder.path().join("tables/claims.csv"));
    let published: Vec<&Line> =
        claims.iter().filter(|claim| !claim["verdict_published"].is_empty()).collect();
    assert!(published.len() >= 8 && claims.len() >= 20, "{} of {}", published.len(), claims.len());
    assert!(published.iter().all(|claim| claim["verdict_published"] == "holds"), "{published:?}");
    // GB runs on the instances of 100 tasks alone: what the text says of all sizes stays open.
    let partial: Vec<&Line> =
        claims.iter().filter(|claim| claim["detail"].contains("GB did not run with jobs")).collect();
    assert!(!partial.is_empty(), "{claims:?}");
    assert!(partial.iter().all(|claim| claim["verdict"] == "open"), "{partial:?}");

    let registry = registry();
    let results = Results::read(folder.path(), &registry).unwrap();
    let drawings = results.drawings(&registry).unwrap();
    let drawing = |stem: &str| drawings.iter().find(|drawing| drawing.stem == stem).expect(stem);
    for stem in ["figure-4-2", "table-4-4-failures", "rr6692-table-1", "times-by-tasks-rr6692-small-all"] {
        drawing(stem);
    }
    // All 49 are in both parts, each in the series of its rule or its order.
    for stem in ["figure-4-1-a", "figure-4-1-b"] {
        let Chart::Lines { series, .. } = &drawing(stem).chart else { panic!("points") };
        assert_eq!(series.iter().map(|series| series.points.len()).collect::<Vec<_>>(), [7; 7]);
    }
    // GB and others ran on 100 tasks only: all are drawn over these instances.
    let partial = drawing("minimum-yield-by-slack-rr6692-large-all");
    assert_eq!(partial.remarks, ["over the 36 instances on which all of them ran"]);
    let Chart::Lines { series, .. } = &partial.chart else { panic!("lines") };
    assert_eq!(series[0].name, "LPBOUND");

    let frames = results.rows().unwrap();
    let frame = &frames[0];
    assert_eq!(frame.len(), report.counts.total);
    let unsolved = frame.status.iter().filter(|status| **status == Status::Unsolved).count();
    assert_eq!(unsolved, report.counts.of(Status::Unsolved));
}

#[test]
fn wrong_fields_are_reported_together() {
    let text = include_str!("wrong.toml");
    let errors = parsed(text, &[]).map(|_| ()).unwrap_err().to_string();
    for part in [
        "test.toml:2:15: unknown algorithm `VP_CPSUMM`; did you mean `VP_CPSUM`?",
        "test.toml:2:41: no algorithm matches `^NONE`",
        "test.toml:4:13: expected a difference of yields above 0, at most 1, found 0",
        "test.toml:5:1: `time_limit` is now called `time_limit_s`",
        "did you mean `dissertation`?",
        "`samples` is now called `replications`",
        "expected a number of nodes from 1",
        "expected a number of jobs from 1 to 1000000 or a list of them, found 1.5",
        "must be even",
        "expected a deviation from 0",
        "expected a probability from 0 to 1, found 2",
        "expected at least one: a free fraction from 0 to 1",
        "test.toml:13:1: expected one of `set`, `grid` or `files`",
    ] {
        assert!(errors.contains(part), "{part}\n{errors}");
    }
}

#[test]
fn what_was_resolved_reads_back_as_itself() {
    for text in [SCENARIO, ALL_SETS] {
        let resolved = parsed(text, &[]).unwrap().text;
        assert_eq!(parsed(&resolved, &[]).unwrap().text, resolved);
    }
}

/// Treats each file as a scenario, with unequal nodes and jobs of several tasks; generated nodes
/// have the given sizes.
#[test]
fn instances_come_from_files_and_nodes_may_differ() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("own.json");
    // Two tasks with 0.6 of a node's memory need a node each; the small node is too small.
    let instance = r#"{"fixed": 1, "fluid": 1, "nodes": [[1, 1], [0.5, 1], [1, 0.5]],
        "jobs": [{"tasks": 2, "requirements": [0.6], "needs": [1]}]}"#;
    fs::write(&file, instance).unwrap();
    let text = format!(
        r#"
study = "offline"
algorithms = ["VP_CPSUM", "VP_EJECT"]
optimum = true
[[instances]]
name = "own"
files = ['{}']
[[instances]]
name = "drawn"
grid = {{ nodes = 4, jobs = 6, dimensions = 2, sigma = 0.5, rho = 0, slack = 0.5, node_sizes = [0.5, 2] }}
"#,
        file.display()
    );
    let results = folder.path().join("results");
    run(&text, &[], &results, Part::Whole);
    let rows = lines(&results.join("rows.csv"));
    let row = |name: &str| rows.iter().find(|row| row["instances"] == name).unwrap();
    let own = row("own");
    assert_eq!([&own["tasks"], &own["nodes"], &own["dimensions"], &own["sigma"]], ["2", "3", "2", ""]);
    assert_eq!(number(own, "slack"), 0.52);
    for algorithm in ["VP_CPSUM", "VP_EJECT", "OPT"] {
        assert_eq!(number(own, algorithm), 0.5, "{algorithm}");
    }
    let scenario = register(Registry::new()).parse(&text, "test.toml", None, &[]).unwrap();
    let problem = |group: &str, number| scenario.problem(ProblemId { group, number, replication: 0 });
    let instance = |group: &str| problem(group, 0).unwrap().downcast::<PackingProblem>().unwrap().instance;
    let drawn = instance("drawn");
    let one = Share::ONE.units();
    let sizes: Vec<&[u32]> = drawn.nodes.iter().map(|node| &node[..]).collect();
    assert_eq!(sizes, [[one / 2; 2], [one * 2; 2], [one / 2; 2], [one * 2; 2]]);
    assert_eq!(instance("own").jobs[0].tasks, 2);
    let fault = |group: &str, number| problem(group, number).unwrap_err().to_string();
    assert_eq!(fault("own", 1), "`own` has 1 scenarios with 1 replications each, counted from 0");
    assert_eq!(fault("none", 0), "unknown group of instances `none`");
    fs::write(&file, "{}").unwrap();
    assert!(fault("own", 0).contains("own.json"), "{}", fault("own", 0));
}

/// The scenario beside the study's page names algorithms and fields that exist.
#[test]
fn the_scenario_in_the_folder_of_the_study_is_read() {
    assert!(parsed(include_str!("../../offline_solvers.toml"), &[]).is_ok());
}
