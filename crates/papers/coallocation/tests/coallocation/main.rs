//! Tests the co-allocation study in the framework.

use dfrsim_coallocation::file::{self, Resources, Window};
use dfrsim_coallocation::planetlab::{PROPERTIES, nodes};
use dfrsim_coallocation::{Coallocator, Parameters};
use dfrsim_lab::{DataFrame, Part, Registry, Results, RunError, RunOptions, RunReport, Shard, Status};
use dfrsim_model::{Seed, SimSpan, SimTime};
use dfrsim_paper_coallocation::register;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// Scenario of two grids with six test cases of two sizes, and a day of requests.
const SMALL: &str = "study = 'coallocation'\nreplications = 2\nnodes = 200\nusage = 0.1\nsizes = [2, 5]\ncases = 6\n\
    repetitions = 10\n[stream]\nspan = 86400\nmean_gap = 7200\n";

fn registry() -> Registry {
    register(Registry::new())
}

fn try_run(text: &str, overrides: &[&str], options: &RunOptions) -> Result<RunReport, RunError> {
    let overrides: Vec<String> = overrides.iter().map(|&set| set.to_owned()).collect();
    let scenario = registry().parse(text, "coallocation.toml", Some(&options.out), &overrides).unwrap();
    scenario.run(options, &AtomicBool::new(false), &())
}

fn run(text: &str, overrides: &[&str], out: &Path) -> RunReport {
    try_run(text, overrides, &RunOptions { threads: 2, ..RunOptions::new(out) }).unwrap()
}

fn faults(text: &str) -> String {
    registry().parse(text, "coallocation.toml", None, &[]).map(|_| ()).unwrap_err().to_string()
}

fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for each in ["rows", "tables"] {
        for entry in fs::read_dir(folder.join(each)).unwrap() {
            let path = entry.unwrap().path();
            files.insert(path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read(&path).unwrap());
        }
    }
    files
}

fn frames(folder: &Path) -> Vec<DataFrame> {
    Results::read(folder, &registry()).unwrap().rows().unwrap()
}

fn numbers<const COLUMNS: usize>(frame: &DataFrame, names: [&str; COLUMNS]) -> Vec<[Option<f64>; COLUMNS]> {
    let places = names.map(|name| frame.column_index(name).unwrap());
    (0..frame.len()).map(|row| places.map(|place| frame.number(row, place))).collect()
}

#[test]
fn rows_of_three_types_and_their_tables() {
    let folder = tempfile::tempdir().unwrap();
    let report = run(SMALL, &[], folder.path());
    // Two kinds for each of twelve cases, an optimum for each of six, two streams.
    assert_eq!((report.counts.total, report.counts.of(Status::Ok)), (2 * (24 + 6 + 2), 2 * (24 + 6 + 2)));
    let [search, optimum, stream] = &frames(folder.path())[..] else { panic!("three types of rows") };
    assert_eq!((search.len(), optimum.len(), stream.len()), (48, 12, 4));
    let optima: BTreeMap<(u64, u64), Option<f64>> = numbers(optimum, ["replication", "case", "start_s"])
        .into_iter()
        .map(|[replication, case, start]| ((replication.unwrap() as u64, case.unwrap() as u64), start))
        .collect();
    let columns =
        ["replication", "size", "case", "searches", "solved", "without_nodes", "without_totals", "start_s"];
    let mut starts = 0;
    let kind = search.column_index("kind").unwrap();
    for (row, line) in numbers(search, columns).into_iter().enumerate() {
        let [replication, size, case, searches, solved, first, second, _] =
            line.map(Option::unwrap_or_default);
        assert!(searches == 10.0 && solved + first + second <= searches, "{line:?}");
        if let (5.0, Some(start), "collective") = (size, line[7], search.text(row, kind).as_str()) {
            // Collective requests examine the nodes of the optimum, so they cannot start earlier.
            let earliest = optima[&(replication as u64, case as u64)];
            assert!(earliest.is_some_and(|earliest| earliest <= start), "{line:?}");
            starts += 1;
        }
    }
    assert!(starts > 3, "{starts}");
    // Both kinds have equal arrivals.
    let requests = numbers(stream, ["requests", "accepted", "mean_gap_s"]);
    assert_eq!(requests[0][0], requests[1][0]);
    assert!(requests.iter().all(|[all, accepted, gap]| accepted <= all && *gap == Some(7_200.0)));
    let results =
        Results::read(folder.path(), &registry()).unwrap().tables().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(results, ["claims", "phases", "stream", "table_1", "table_2", "table_3"]);
    let other = tempfile::tempdir().unwrap();
    try_run(SMALL, &[], &RunOptions { threads: 1, ..RunOptions::new(other.path()) }).unwrap();
    assert_eq!(files(folder.path()), files(other.path()));
}

/// All tables exist with times and a parameter study; only times differ between runs.
#[test]
fn times_and_the_parameter_study() {
    let folder = tempfile::tempdir().unwrap();
    let text = SMALL.replace(
        "[stream]\nspan = 86400\nmean_gap = 7200",
        "[variations]\nsize = 5\nrepetitions = 4\nmultiples = [2, 3]\nl1 = []\nl2 = 10",
    );
    run(&text, &["times=true", "replications=1"], folder.path());
    let tables: Vec<String> =
        Results::read(folder.path(), &registry()).unwrap().tables().map(str::to_owned).collect();
    for table in ["figure_2", "parameters", "phase_times", "table_4"] {
        assert!(tables.iter().any(|it| it == table), "{table}: {tables:?}");
    }
    // Three settings with six cases.
    let search = &frames(folder.path())[0];
    let varied = numbers(search, ["value", "searches", "search_ms"]);
    let varied: Vec<_> = varied.iter().filter(|line| line[0].is_some()).collect();
    assert_eq!(varied.len(), 3 * 6);
    assert!(varied.iter().all(|[_, searches, ms]| *searches == Some(4.0) && ms.is_some_and(|ms| ms > 0.0)));
    let parameters = fs::read_to_string(folder.path().join("tables/parameters.csv")).unwrap();
    let settings: Vec<&str> = parameters.lines().skip(1).map(|line| &line[..line.len().min(4)]).collect();
    assert_eq!(settings, ["M,2,", "M,3,", "L2,1"]);
    // The phases of a line of all cases sum to 1.
    let shares = fs::read_to_string(folder.path().join("tables/phase_times.csv")).unwrap();
    let parts =
        shares.lines().skip(1).take(3).map(|line| line.split(',').nth(3).unwrap().parse::<f64>().unwrap());
    assert!((parts.sum::<f64>() - 1.0).abs() < 1e-9, "{shares}");
}

#[test]
fn narrowing_and_widening_reuses_every_row_that_remains() {
    let folder = tempfile::tempdir().unwrap();
    let counts = |overrides: &[&str]| {
        let counts = run(SMALL, overrides, folder.path()).counts;
        (counts.restored, counts.computed)
    };
    assert_eq!(counts(&["optimum=[]"]), (0, 2 * 26));
    assert_eq!(counts(&[]), (2 * 26, 2 * 6));
    // One more case of each size: two searches each, and an optimum.
    assert_eq!(counts(&["cases=7"]), (2 * 32, 2 * (2 * 2 + 1)));
    assert_eq!(counts(&["sizes=[5]", "replications=1"]), (7 * 3 - 3 + 2, 0));
    // Streams do not depend on the repetitions, and searches do not depend on the stream.
    assert_eq!(counts(&["sizes=[5]", "replications=1", "repetitions=9"]), (6 + 2, 12));
    assert_eq!(counts(&["sizes=[5]", "replications=1", "repetitions=9", "stream.mean_gap=9000"]), (18, 2));
}

#[test]
fn shards_merge_to_the_same_bytes() {
    let [whole, parts] = std::array::from_fn(|_| tempfile::tempdir().unwrap());
    run(SMALL, &[], whole.path());
    let part = |part| {
        try_run(SMALL, &[], &RunOptions { part, ..RunOptions::new(parts.path()) }).unwrap();
    };
    (1..=2).for_each(|number| part(Part::Shard(Shard::new(number, 2).unwrap())));
    part(Part::Merged(vec![parts.path().to_owned()]));
    assert_eq!(files(parts.path()), files(whole.path()));
}

#[test]
fn all_faults_of_a_scenario_are_found() {
    let found = faults(
        "study = 'coallocation'\ngrids = 3\nnodes = 20\nusage = 0.6\nsample = 'repetition'\n\
         [parameters]\nlargest_multiple = 3\nl1 = -1\n[variations]\nsize = 0\n",
    );
    for part in [
        "`grids` is now called `replications`",
        "expected a mean level of use from 0 to 0.5, found 0.6",
        "`largest_multiple` is now called `max_multiple`",
        "expected a number of swaps from 0 to 1000, found -1",
        "expected a number of nodes from 1 to 100000, found 0",
    ] {
        assert!(found.contains(part), "{part}: {found}");
    }
    let together = faults("study = 'coallocation'\nnodes = 20\nsample = 'repetition'\n");
    for part in [
        "30 nodes requested, but a grid has only 20",
        "`optimum` requires `sample = \"case\"` or `sample = \"case-unchecked\"`",
    ] {
        assert!(together.contains(part), "{part}: {together}");
    }
}

/// Reads the nodes that would have been drawn from a file, for an equal study. They have labels,
/// which no test case requests.
#[test]
fn a_study_takes_listed_nodes() {
    let folder = tempfile::tempdir().unwrap();
    let resources = nodes(200, Seed::new(1).fork("coallocation").numbered(0));
    let mut list = Resources {
        names: (0..200).map(|number| format!("node-{number}")).collect(),
        quantities: PROPERTIES.map(|it| it.name.to_owned()).into(),
        qualities: vec!["os".to_owned()],
        resources,
    };
    list.resources.iter_mut().for_each(|it| it.labels = ["Linux".to_owned()].into());
    fs::write(folder.path().join("nodes.csv"), list.to_csv()).unwrap();
    let listed = ["replications=1", "node_list='nodes.csv'"];
    run(SMALL, &["replications=1"], folder.path());
    let drawn = files(folder.path());
    let report = run(SMALL, &listed, folder.path());
    // Nodes are identified by their content, not by their source.
    assert_eq!((report.counts.restored, report.inputs[0].file.as_str()), (32, "nodes.csv"));
    assert_eq!(files(folder.path())["search.csv"], drawn["search.csv"]);
    let table = fs::read_to_string(folder.path().join("tables/table_1.md")).unwrap();
    assert!(table.contains("The nodes are those of nodes.csv"), "{table}");

    list.resources.iter_mut().for_each(|it| it.capacity.iter_mut().for_each(|amount| *amount *= 2));
    fs::write(folder.path().join("nodes.csv"), list.to_csv()).unwrap();
    assert_eq!(run(SMALL, &listed, folder.path()).counts.computed, 32);
}

#[test]
fn what_is_wrong_with_listed_nodes_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let error = |text: &str| {
        fs::write(folder.path().join("nodes.csv"), text).unwrap();
        let run = try_run(SMALL, &["node_list='nodes.csv'"], &RunOptions::new(folder.path()));
        run.unwrap_err().to_string()
    };
    let both = error("node,cores,ram_gb,ghz\na,x,1,1\nb,1,y,1\n");
    assert!(both.contains("nodes.csv:2: cores: `x` is not a number from 0"), "{both}");
    assert!(both.contains("nodes.csv:3: ram_gb: `y` is not a number from 0"), "{both}");
    let order = error("node,cores,ram_gb,ghz\na,1,1,1\n");
    assert!(order.contains("nodes.csv:1: expected the properties cores,ghz,ram_gb"), "{order}");
    assert!(error("node,cores,ghz,ram_gb\n").contains("expected at least one node"));
    let few = error("node,cores,ghz,ram_gb\na,1,1,1\n");
    assert!(few.contains("sizes: 2 nodes requested, but a grid has only 1"), "{few}");
    let missing = faults("study = 'coallocation'\nnode_list = 'other.csv'\n");
    assert!(missing.contains("file not found: other.csv"), "{missing}");
}

/// The nodes of a case decide phase II of all its repetitions alike. If each repetition draws its
/// own nodes, only some of them have sufficient totals.
#[test]
fn repetitions_may_draw_nodes_of_their_own() {
    let partly_sufficient = |overrides: &[&str]| {
        let folder = tempfile::tempdir().unwrap();
        let small = ["replications=1", "sizes=[5]", "cases=40", "usage=0.2", "optimum=[]"];
        run(SMALL, &[&small[..], overrides].concat(), folder.path());
        let searches = numbers(&frames(folder.path())[0], ["without_totals"]);
        searches.iter().filter(|[ended]| ended.is_some_and(|ended| (1.0..10.0).contains(&ended))).count()
    };
    assert_eq!(partly_sufficient(&[]), 0);
    assert!(partly_sufficient(&["sample=repetition"]) > 0);
}

/// The first nodes of a case may lack the minima of a simple request; the first eligible ones do
/// not.
#[test]
fn searches_examine_eligible_nodes_or_the_first_ones() {
    let without_nodes = |sample: &str| {
        let folder = tempfile::tempdir().unwrap();
        run(SMALL, &[sample, "cases=20"], folder.path());
        let rows = numbers(&frames(folder.path())[0], ["without_nodes", "solved"]);
        let sum = |place: usize| rows.iter().filter_map(|row| row[place]).sum::<f64>();
        (sum(0), sum(1))
    };
    let (eligible, unchecked) = (without_nodes("sample=case"), without_nodes("sample=case-unchecked"));
    assert!(eligible.0 == 0.0 && unchecked.0 > 0.0, "{eligible:?} {unchecked:?}");
    assert!(eligible.1 > unchecked.1, "{eligible:?} {unchecked:?}");
}

/// Searches in the files of a case start when those of its row do: nodes, reservations and request
/// are equal, and only the draws of the search differ.
#[test]
fn rows_can_be_recomputed_from_files() {
    let folder = tempfile::tempdir().unwrap();
    let written = folder.path().join("results/files");
    run(SMALL, &["files='files'", "replications=1"], &folder.path().join("results"));
    let frame = &frames(&folder.path().join("results"))[0];
    let kind = frame.column_index("kind").unwrap();
    let mut starts = 0;
    for (row, line) in numbers(frame, ["size", "case", "solved", "start_s"]).into_iter().enumerate() {
        let [size, case, solved, start] = line;
        let name = format!("{}-{}-{}", size.unwrap(), case.unwrap(), frame.text(row, kind));
        let read = |extension: &str| {
            fs::read_to_string(written.join("usage-0.1-grid-0").join(format!("{name}.{extension}"))).unwrap()
        };
        let nodes = Resources::parse("nodes.csv", &read("nodes.csv")).unwrap();
        assert_eq!(nodes.names.len(), 3 * size.unwrap() as usize);
        let used = file::reservations("use.csv", &read("use.csv"), &nodes).unwrap();
        let grid = file::grid("use.csv", &nodes, &used).unwrap();
        let window = Window { now: SimTime::ZERO, patience: SimSpan::ZERO };
        let request = file::request("request.toml", &read("toml"), &nodes, window).unwrap();
        let parameters = Parameters { largest_multiple: 3, ..Parameters::default() };
        let mut coallocator = Coallocator::new(parameters);
        let mut found: Vec<SimTime> = (0..10)
            .filter_map(|seed| coallocator.search(&grid, &request, Seed::new(seed)).ok())
            .map(|solution| solution.allocation.start)
            .collect();
        found.sort_unstable();
        // If all searches agree, the draws do not matter.
        if solved == Some(10.0) && found.first() == found.last() && found.len() == 10 {
            assert_eq!(Some(found[0].as_secs_f64()), start, "{name}");
            starts += 1;
        } else if solved == Some(0.0) {
            assert!(found.len() < 10, "{name}");
        }
    }
    assert!(starts > 5, "{starts}");
}

/// Counts of 6 cases are not compared with published counts of 90.
#[test]
fn published_counts_are_beside_as_many_cases_only() {
    let folder = tempfile::tempdir().unwrap();
    run(SMALL, &["replications=1"], folder.path());
    let table = |name: &str| fs::read_to_string(folder.path().join("tables").join(name)).unwrap();
    assert!(!table("table_2.md").contains("| published |"), "{}", table("table_2.md"));
    assert!(table("table_2.md").contains("not comparable"));
    let header = "size,count,cases,ours,low,high,published_cases,published,ratio";
    assert_eq!(table("table_2.csv").lines().next(), Some(header));
    assert!(table("table_2.csv").lines().skip(1).all(|line| line.ends_with(",,,")));
    // Fractions of the optimum and hours are comparable.
    let parts = table("table_3.csv");
    let of = |metric: &str| parts.lines().find(|line| line.contains(metric)).unwrap().to_owned();
    assert!(
        of("collective,solved").ends_with(",,,") && of("factor_of_optimum").contains(",0.92,"),
        "{parts}"
    );
}
