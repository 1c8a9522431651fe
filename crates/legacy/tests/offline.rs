//! The off-line study: the files are the same whatever happened on the way, and its tables are what a slow
//! computation from the lines of `instances.csv` gives.

use dfrsim_legacy::experiment::News;
use dfrsim_legacy::offline::{RunReport, Scenario, run};
use dfrsim_legacy::{RunError, RunOptions};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

const SCENARIO: &str = r#"
study = "offline"
algorithms = [{ matching = "^GREEDY_S[12]" }, "GREEDY", "GREEDYLIGHT", { matching = "^VP_(BF|FF|PP|CP)" }, "GB", "SG"]
optimum = true
[[slow]]
algorithms = ["GB"]
samples = 1
tasks = 10
[second_phase]
algorithms = ["VP_CPSUM", "SG"]
[[instances]]
name = "own"
samples = 3
grid = { nodes = 4, jobs = [8, 12], dimensions = [2, 4], sigma = 0.5, rho = [0, 0.5], slack = [0.1, 0.5] }
[[instances]]
name = "parallel"
set = "rr6692-small"
samples = 1
"#;
/// 16 * 3 of the grid, 144 of the set.
const INSTANCES: usize = 192;

fn scenario(overrides: &[&str]) -> Scenario {
    let overrides: Vec<String> = overrides.iter().map(|&set| set.to_owned()).collect();
    Scenario::parse(SCENARIO, "test.toml", &overrides).unwrap()
}

/// Runs until so many instances are finished.
fn run_until(scenario: &Scenario, out: &Path, threads: usize, stop: usize) -> Result<RunReport, RunError> {
    let options = RunOptions { threads, ..RunOptions::new(out) };
    let interrupt = AtomicBool::new(stop == 0);
    let progress = |News { finished, total }: News| {
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

/// All files of a folder but those that speak of the machine.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for folder in [folder.to_owned(), folder.join("tables")] {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let name = entry.file_name().into_string().unwrap();
            if entry.path().is_file() && name != "manifest.toml" && name != "times.csv" {
                files.insert(name, fs::read(entry.path()).unwrap());
            }
        }
    }
    files
}

/// The lines of a file, field by field under the names of its columns.
fn lines(path: &Path) -> Vec<BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_path(path).unwrap();
    let header = reader.headers().unwrap().clone();
    let named = |record: csv::StringRecord| {
        header.iter().map(str::to_owned).zip(record.iter().map(str::to_owned)).collect()
    };
    reader.records().map(|record| named(record.unwrap())).collect()
}

fn number(line: &BTreeMap<String, String>, column: &str) -> f64 {
    line[column].parse().unwrap_or_else(|_| panic!("{column}: {:?}", line[column]))
}

#[test]
fn threads_interruptions_and_damage_leave_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let out = |name: &str| folder.path().join(name);
    let report = run_all(&scenario(&[]), &out("one"), 1);
    assert_eq!(report.counts.instances, INSTANCES);
    assert_eq!(report.counts.computed, report.counts.total);
    assert_eq!((report.counts.invalid, &report.faults[..]), (0, &[][..]));
    let expected = files(&out("one"));
    run_all(&scenario(&[]), &out("two"), 2);
    assert!(files(&out("two")) == expected);

    for stop in [0, 1, 50, 100] {
        let stopped = run_until(&scenario(&[]), &out("stopped"), 2, stop);
        assert!(matches!(stopped, Err(RunError::Interrupted { total: INSTANCES, .. })), "{stop}");
        assert!(!out("stopped").join("rows.csv").exists());
    }
    let journal = out("stopped").join("rows.journal");
    let text = fs::read_to_string(&journal).unwrap();
    fs::write(&journal, &text[..text.len() - 20]).unwrap();
    let report = run_all(&scenario(&[]), &out("stopped"), 1);
    assert!(report.counts.computed < report.counts.total, "what was finished was taken over");
    assert!(report.notices.iter().any(|notice| notice.contains("1 damaged")), "{:?}", report.notices);
    assert!(files(&out("stopped")) == expected);

    let again = run_all(&scenario(&[]), &out("stopped"), 2);
    assert_eq!(again.counts.computed, 0);
    assert!(files(&out("stopped")) == expected);
}

#[test]
fn a_changed_scenario_keeps_what_still_fits() {
    let folder = tempfile::tempdir().unwrap();
    let out = |name: &str| folder.path().join(name);
    let few = scenario(&["algorithms=[\"VP_CPSUM\", \"SG\", \"GREEDY\"]"]);
    run_all(&few, &out("grown"), 2);
    let report = run_all(&scenario(&[]), &out("grown"), 2);
    let kept = report.counts.total - report.counts.computed;
    assert_eq!(kept, 4 * INSTANCES, "those three and OPT");
    run_all(&scenario(&[]), &out("fresh"), 2);
    assert!(files(&out("grown")) == files(&out("fresh")));

    // Another precision is another question, and so is another seed.
    for change in ["packing.precision=0.01", "seed=2"] {
        let report = run_all(&scenario(&[change]), &out("grown"), 2);
        assert_eq!(report.counts.computed, report.counts.total, "{change}");
    }
}

#[test]
fn slow_algorithms_run_on_their_samples_unless_everything_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let ran = |overrides: &[&str]| {
        run_all(&scenario(overrides), folder.path(), 2);
        let lines = lines(&folder.path().join("instances.csv"));
        lines.iter().filter(|line| line["instances"] == "own" && !line["GB"].is_empty()).count()
    };
    assert_eq!(ran(&[]), 8, "the first sample of each scenario of 8 jobs");
    assert_eq!(ran(&["everything=true", "instances.parallel.samples=1"]), 48);
}

/// Every figure of `rows.csv` from the lines of `instances.csv`, in the most obvious way.
#[test]
fn rows_are_what_the_instances_give() {
    let folder = tempfile::tempdir().unwrap();
    run_all(&scenario(&[]), folder.path(), 2);
    let instances = lines(&folder.path().join("instances.csv"));
    let rows = lines(&folder.path().join("rows.csv"));
    assert!(rows.len() > 1_000);
    let one = f64::from(1 << 20);
    for row in &rows {
        let algorithm = &row["algorithm"];
        let of_row = || {
            instances.iter().filter(|line| {
                line["instances"] == row["instances"]
                    && line["scenario"] == row["scenario"]
                    && !line[algorithm].is_empty()
            })
        };
        assert_eq!(number(row, "samples"), of_row().count() as f64);
        let solved: Vec<_> = of_row().filter(|line| line[algorithm].parse::<u32>().is_ok()).collect();
        assert_eq!(number(row, "solved"), solved.len() as f64);
        let mut relative: Vec<f64> = Vec::new();
        for line in &solved {
            let (bound, own) = (number(line, "bound") / one, number(line, algorithm) / one);
            assert!(own <= bound);
            if bound > 0.0 {
                relative.push((bound - own) / bound * 100.0);
            }
        }
        if relative.is_empty() {
            assert_eq!(row["mean_relative_dfb"], "");
            continue;
        }
        let mean = relative.iter().sum::<f64>() / relative.len() as f64;
        assert!((number(row, "mean_relative_dfb") - mean).abs() < 1e-9);
        // The 90th percentile: the least value that at least nine tenths do not exceed.
        let reached =
            |value: f64| relative.iter().filter(|each| **each <= value).count() * 10 >= relative.len() * 9;
        let least = relative.iter().copied().filter(|&value| reached(value)).min_by(f64::total_cmp).unwrap();
        assert!((number(row, "p90_relative_dfb") - least).abs() < 1e-9);
    }
}

/// GREEDY, which a run takes from its 49 passes, is what GREEDY computes alone; and no heuristic is above the optimum.
#[test]
fn the_best_pass_is_greedy_and_the_optimum_is_above_all() {
    let folder = tempfile::tempdir().unwrap();
    let out = |name: &str| folder.path().join(name);
    run_all(
        &scenario(&["algorithms=[{ matching = \"^GREEDY\" }]", "second_phase.algorithms=[]"]),
        &out("all"),
        2,
    );
    run_all(&scenario(&["algorithms=[\"GREEDY\"]", "second_phase.algorithms=[]"]), &out("alone"), 2);
    let column = |name: &str| {
        lines(&out(name).join("instances.csv"))
            .into_iter()
            .map(|line| line["GREEDY"].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(column("all"), column("alone"));
    let report = run_all(&scenario(&[]), &out("optimum"), 2);
    let findings = report.tables.get("findings").unwrap().csv();
    let line = findings.lines().find(|line| line.contains("above a proven optimum")).unwrap();
    assert!(line.contains(",holds,0 of 192 instances violate it"), "{line}");
}

/// S, Y and domination of every pair, and the published tables, on a thin slice of the dissertation's instances.
#[test]
fn pairwise_measures_are_what_the_instances_give() {
    const SLICE: &str = r#"
        study = "offline"
        algorithms = ["VP_CPSUM", "VP_FFSUM", "VP_PPSUM", "GREEDYLIGHT"]
        [[instances]]
        name = "dissertation"
        set = "dissertation"
        samples = 1
    "#;
    let folder = tempfile::tempdir().unwrap();
    let report = run_all(&Scenario::parse(SLICE, "slice.toml", &[]).unwrap(), folder.path(), 2);
    for name in ["table_4_4", "table_4_5", "table_4_6", "figure_4_2", "domination", "findings"] {
        assert!(report.tables.get(name).is_some(), "{name}");
    }
    assert!(report.tables.get("table_4_1").is_none(), "no algorithm on linear programs ran");
    let instances = lines(&folder.path().join("instances.csv"));
    let value = |line: &BTreeMap<String, String>, name: &str| line[name].parse::<f64>().ok();
    for pair in lines(&folder.path().join("tables/domination.csv")) {
        if pair["D"] != "2,4,6" {
            continue;
        }
        let measures = |one: &str, other: &str| {
            let (mut alone, mut gains) = (0, Vec::new());
            for line in &instances {
                match (value(line, one), value(line, other)) {
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

#[test]
fn faults_are_told_at_their_places_all_at_once() {
    let text = "study = \"offline\"\nalgorithms = [\"VP_CPSUMM\", { matching = \"^NONE\" }]\n\
        [packing]\nprecision = 0\n\
        [[instances]]\nname = \"a\"\nset = \"disertation\"\n\
        [[instances]]\nname = \"b\"\nsamples = 0\n\
        grid = { nodes = 0, jobs = 1.5, dimensions = 3, sigma = -1, rho = 2, slack = [] }\n\
        [[instances]]\nname = \"c\"\n";
    let errors = Scenario::parse(text, "s.toml", &[]).unwrap_err().to_string();
    for part in [
        "s.toml:2:15: unknown algorithm `VP_CPSUMM`; did you mean `VP_CPSUM`?",
        "s.toml:2:28: no algorithm matches `^NONE`",
        "s.toml:4:13: expected a part of 1",
        "did you mean `dissertation`?",
        "expected a number of samples from 1",
        "expected a number of nodes from 1",
        "expected a number of jobs from 1 to 1000000, found 1.5",
        "must be even",
        "expected a deviation from 0",
        "expected a probability from 0 to 1, found 2",
        "there must be at least a part that is free",
        "instances `c` need one of `set` and `grid = { .. }`",
    ] {
        assert!(errors.contains(part), "{part}\n{errors}");
    }
}

#[test]
fn what_was_resolved_reads_back_as_itself() {
    let first = scenario(&[]);
    assert_eq!(Scenario::parse(&first.to_toml(), "again.toml", &[]).unwrap(), first);
    for file in ["offline_dissertation", "offline_linear", "offline_small", "offline_rr6692", "offline_quick"]
    {
        let path = Path::new("../../scenarios").join(file).with_extension("toml");
        let scenario = Scenario::load(&path, &[]).unwrap();
        assert_eq!(Scenario::parse(&scenario.to_toml(), "again.toml", &[]).unwrap(), scenario);
    }
}
