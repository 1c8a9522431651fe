//! Tests the study through the framework.

use dfrsim_lab::{Part, Registry, Results, RunOptions, RunReport, Shard};
use dfrsim_paper_discovery::register;
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

const HOUR: &str = include_str!("hour.toml");

const RECORDED: &str = "study = 'discovery'
approaches = ['Xen', 'DYNAMIC+MIGRATION']
[[workloads]]
name = 'recorded'
recorded = { files = ['web.csv', 'batch.txt'], nodes = 2, memory = 0.4 }
";

fn registry() -> Registry {
    register(Registry::new())
}

fn run(text: &str, folder: &Path, part: Part) -> Result<RunReport, String> {
    let scenario =
        registry().parse(text, "test.toml", Some(folder), &[]).map_err(|error| error.to_string())?;
    let options = RunOptions { part, threads: 2, ..RunOptions::new(folder.join("out")) };
    scenario.run(&options, &AtomicBool::new(false), &()).map_err(|error| error.to_string())
}

fn whole(text: &str, folder: &Path) -> RunReport {
    run(text, folder, Part::Whole).unwrap()
}

#[test]
fn tables_claims_and_drawings_are_beside_the_published_runs() {
    let folder = tempfile::tempdir().unwrap();
    let report = whole(HOUR, folder.path());
    assert_eq!((report.counts.total, report.counts.failures()), (24, 0));
    let names: Vec<&str> = report.tables.iter().map(|table| table.name.as_str()).collect();
    assert_eq!(names, ["table_7_1", "table_7_2", "yields", "claims"]);
    let read = |name: &str| fs::read_to_string(folder.path().join("out").join(name)).unwrap();
    assert!(read("tables/table_7_1.csv").lines().nth(1).unwrap().contains(",0.346,0.352,"));
    assert_eq!(read("tables/claims.csv").lines().count(), 30);
    let registry = registry();
    let results = Results::read(&folder.path().join("out"), &registry).unwrap();
    let stems: Vec<String> =
        results.drawings(&registry).unwrap().into_iter().map(|drawing| drawing.stem).collect();
    assert_eq!(
        stems,
        [
            "average-minimum-yield-balanced",
            "minimum-average-yield-balanced",
            "average-minimum-yield-unbalanced",
            "minimum-average-yield-unbalanced"
        ]
    );
}

#[test]
fn rows_are_reused_and_shards_merge_to_the_same_bytes() {
    let [folder, parts] = std::array::from_fn(|_| tempfile::tempdir().unwrap());
    whole(HOUR, folder.path());
    for number in 1..=3 {
        run(HOUR, parts.path(), Part::Shard(Shard::new(number, 3).unwrap())).unwrap();
    }
    run(HOUR, parts.path(), Part::Merged(vec![parts.path().join("out")])).unwrap();
    for file in ["rows.csv", "instances.csv", "tables/yields.csv", "tables/claims.csv"] {
        let read = |folder: &Path| fs::read(folder.join("out").join(file)).unwrap();
        assert_eq!(read(folder.path()), read(parts.path()), "{file}");
    }
    let counts = |text: &str| {
        let report = whole(text, folder.path());
        (report.counts.restored, report.counts.computed)
    };
    assert_eq!(counts(&format!("approaches = ['DYNAMIC', 'Xen']\n{HOUR}")), (16, 0));
    assert_eq!(counts(&HOUR.replace("replications = 4", "replications = 5")), (16, 14));
    let settings = "[[settings]]\nname = 'standard'\n[[settings]]\nname = 'slow'\nmonitor = 60\n";
    assert_eq!(counts(&format!("{HOUR}{settings}")), (24, 24));
}

/// Two machines on one node that always need the whole node get half of it each.
#[test]
fn equal_machines_share_their_node() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("web.csv"), "a,b\n100,100\n100,100\n").unwrap();
    let text = "study = 'discovery'\napproaches = 'Xen'\n[[workloads]]\nname = 'full'\n\
        recorded = { files = ['web.csv'], nodes = 1 }\n";
    let report = whole(text, folder.path());
    assert_eq!((report.counts.total, report.inputs[0].counts[0].1), (1, 2));
    let rows = fs::read_to_string(folder.path().join("out/rows.csv")).unwrap();
    assert!(rows.ends_with(",ok,,full,0,standard,Xen,0.5,0.5,0.5,1,0,0\n"), "{rows}");
}

#[test]
fn recorded_traces_are_read_and_their_faults_reported() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    // Two machines in one file, one in the other; a quarter of an hour.
    write("web.csv", "front,back\n80,10\n20,90\n50,50\n");
    write("batch.txt", "100\n100\n0\n");
    assert_eq!(whole(RECORDED, folder.path()).counts.total, 2);
    // The scenario with every field written out is equal.
    let resolved = fs::read_to_string(folder.path().join("out/scenario.toml")).unwrap();
    assert_eq!(whole(&resolved, folder.path()).counts.restored, 2);

    let error = |text: &str| run(text, folder.path(), Part::Whole).unwrap_err();
    let long = error(&RECORDED.replace("0.4 }", "0.4, span = 901 }"));
    assert!(
        long.contains("workload `recorded`: the traces end at 900 s, before the `span` of 901 s"),
        "{long}"
    );
    let crowded = error(&RECORDED.replace("0.4", "0.6"));
    assert!(crowded.contains("the machines on node 0 reserve more memory than it has"), "{crowded}");
    write("web.csv", "80,10\n20\n50,150\n");
    write("batch.txt", "100\nfull\n");
    let faults = error(RECORDED);
    for fault in [
        "web.csv: line 2: found 1 values, expected 2 as in the lines before",
        "web.csv: line 3, column 2: `150` is not a number from 0 to 100",
        "batch.txt: line 2, column 1: `full` is not a number from 0 to 100",
    ] {
        assert!(faults.contains(fault), "{fault}: {faults}");
    }
}

#[test]
fn wrong_fields_are_reported_together() {
    let text = include_str!("wrong.toml");
    let errors = registry().parse(text, "wrong.toml", None, &[]).err().unwrap().to_string();
    for part in [
        "wrong.toml:2:15: expected `Xen`, `DYNAMIC` or `DYNAMIC+MIGRATION`, found \"KVM\"",
        "`samples` is now called `replications`",
        "a migration of 90 s does not fit into an allocation phase of 60 s",
        "expected `weights` or `caps`, found \"shares\"",
        "the machines on node 0 reserve more memory than it has",
        "expected one of `testbed` or `recorded`",
    ] {
        assert!(errors.contains(part), "{part}: {errors}");
    }
}
