//! The co-allocation study as a user runs it: `dfrsim run` and `dfrsim coallocate`.

use crate::support::{Folder, dfrsim, stderr, stdout};
use dfrsim_coallocation::file::Resources;
use dfrsim_coallocation::planetlab::{PROPERTIES, nodes};
use dfrsim_model::Seed;
use std::fs;
use std::thread;

/// Two nodes, of 4 cores and 3 GB and of 4 cores and 5 GB, and a third of another system.
const NODES: &str = "node,cores,ram_gb,label.os\na,4,3,Linux\nb,4,5,Linux\nc,64,64,Plan 9\n";
/// All cores of the first node until an hour has passed.
const TAKEN: &str = "node,from,until,cores,ram_gb\na,0,3600,4,0\n";
/// Two nodes that together have 8 GB and 6 cores: all the memory of both.
const REQUEST: &str = "duration = 1800\nresources = 2\nearliest = 0\nlatest = 7200\n\
    [minimum]\ncores = 2\nram_gb = 2\n[total]\nram_gb = 8\ncores = 6\n[labels]\nos = \"Linux\"\n";

fn files() -> Folder {
    Folder::with(&[("nodes.csv", NODES), ("taken.csv", TAKEN), ("request.toml", REQUEST)])
}

fn coallocate(folder: &Folder, more: &[&str]) -> assert_cmd::Command {
    let mut command = dfrsim(["coallocate"]);
    let files = [("--resources", "nodes.csv"), ("--timetables", "taken.csv"), ("--request", "request.toml")];
    for (option, name) in files {
        command.arg(option).arg(folder.path(name));
    }
    command.args(more);
    command
}

/// Both nodes are free at 3,600 s. Beyond their minima they have (2, 1) and (2, 3), and (2, 4) is still to be given: a core
/// and 1 GB by the first, a core and 3 GB by the second. 6 of 8 cores and 8 of 8 GB are then used.
#[test]
fn an_answer_is_printed_and_committed_once() {
    let folder = files();
    let answer = "start 3600\n\nnode,from,until,cores,ram_gb\na,3600,5400,3,3\nb,3600,5400,3,5\n\n\
        cores: 6 reserved, utilisation 0.7500\nram_gb: 8 reserved, utilisation 1.0000\nutilisation factor 0.750000\n";
    assert_eq!(stdout(&mut coallocate(&folder, &[])), answer);
    let table = || fs::read_to_string(folder.path("taken.csv")).unwrap();
    assert_eq!(table(), TAKEN, "without --commit nothing is written");
    assert_eq!(stdout(&mut coallocate(&folder, &["--commit"])), answer);
    assert_eq!(table(), format!("{TAKEN}a,3600,5400,3,3\nb,3600,5400,3,5\n"));
    // The same again starts behind the first, and the third cannot wait so long.
    assert!(stdout(&mut coallocate(&folder, &["--commit"])).starts_with("start 5400\n"));
    assert!(stdout(&mut coallocate(&folder, &["--commit"])).starts_with("start 7200\n"));
    let full = table();
    let told = stderr(&mut coallocate(&folder, &["--commit"]), 1);
    assert!(told.contains("rejected: no start was found"), "{told}");
    assert_eq!(table(), full, "what is rejected changes nothing");
}

/// Six at the same time: there is room for three, one after the other.
#[test]
fn two_writers_never_get_the_same_part() {
    let folder = files();
    thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| coallocate(&folder, &["--commit"]).output().unwrap());
        }
    });
    let table = fs::read_to_string(folder.path("taken.csv")).unwrap();
    let mut starts: Vec<&str> = table
        .lines()
        .filter(|line| line.starts_with("b,"))
        .filter_map(|line| line.split(',').nth(1))
        .collect();
    starts.sort_unstable();
    assert_eq!(starts, ["3600", "5400", "7200"], "{table}");
    assert_eq!(table.lines().count(), 2 + 6);
}

#[test]
fn what_is_wrong_with_a_file_is_told() {
    let wrong = [
        ("nodes.csv", "node,cores\na,four\n", "nodes.csv:2: cores: `four` is not an amount"),
        (
            "nodes.csv",
            "node,cores,ram_gb,label.os\na,1,1,x\na,1,1,x\n",
            "nodes.csv:3: node: the name `a` stands twice",
        ),
        (
            "taken.csv",
            "node,from,until,cores\n",
            "taken.csv:1: the columns should be node,from,until,cores,ram_gb",
        ),
        (
            "taken.csv",
            "node,from,until,cores,ram_gb\nd,0,1,1,1\n",
            "taken.csv:2: node: there is no node called `d`",
        ),
        (
            "taken.csv",
            "node,from,until,cores,ram_gb\na,0,9,3,0\na,8,9,2,0\n",
            "taken.csv: cores: 5 of node `a` are reserved at the same time, and it has 4",
        ),
        ("request.toml", "duration = 5\nresources = 2\nlength = 3\n", "unknown field `length`"),
        (
            "request.toml",
            "duration = 5\nresources = 2\n[total]\ndisk = 3\n",
            "request.toml:4: total: there is no property called `disk`",
        ),
        ("request.toml", "duration = 0\nresources = 2\n", "duration: it must end after its begin"),
        ("request.toml", "duration = 5\nresources = 0\n", "resources: it asks for no resources"),
    ];
    for (name, text, message) in wrong {
        let folder = files();
        fs::write(folder.path(name), text).unwrap();
        let before = fs::read_to_string(folder.path("taken.csv")).unwrap();
        let told = stderr(&mut coallocate(&folder, &["--commit"]), 2);
        assert!(told.contains(message), "{told}");
        assert_eq!(fs::read_to_string(folder.path("taken.csv")).unwrap(), before);
    }
}

/// Not only the first fault.
#[test]
fn all_that_is_wrong_with_a_file_is_told() {
    let told = |name: &str, text: &str| {
        let folder = files();
        fs::write(folder.path(name), text).unwrap();
        let told = stderr(&mut coallocate(&folder, &[]), 2);
        told.lines()
            .filter_map(|line| line.split_once(&format!("{name}:")))
            .map(|it| it.1.to_owned())
            .collect::<Vec<_>>()
    };
    let nodes = "node,cores,ram_gb,label.os\na,four,-1,x\nb,1,1\na,1,1,x\n";
    let in_nodes = [
        "3: CSV error: record 2 (line: 3, byte: 39): found record with 3 fields, but the previous record has 4 fields",
        "2: cores: `four` is not an amount from 0 to a hundred million",
        "2: ram_gb: `-1` is not an amount from 0 to a hundred million",
        "4: node: the name `a` stands twice",
    ];
    assert_eq!(told("nodes.csv", nodes), in_nodes);
    let taken = "node,from,until,cores,ram_gb\nd,0,1,1,1\na,9,8,x,0\nb,-3,8,0,y\n";
    let in_taken = [
        "2: node: there is no node called `d`",
        "3: until: it must end after its begin, and before the end of time",
        "3: cores: `x` is not an amount from 0 to a hundred million",
        "4: from: not a number of seconds: `-3`",
        "4: ram_gb: `y` is not an amount from 0 to a hundred million",
    ];
    assert_eq!(told("taken.csv", taken), in_taken);
    let request = "duration = -5\nresources = 2\nlatest = 1e99\n[total]\ndisk = 3\nram_gb = -1\n[labels]\nos = \"x\"\nrack = \"1\"\n";
    let in_request = [
        "1: duration: -5.0 is not a number of seconds from 0 to 500 years",
        "3: latest: 1e99 is not a number of seconds from 0 to 500 years",
        "5: total: there is no property called `disk`",
        "6: total.ram_gb: `-1` is not an amount from 0 to a hundred million",
        "9: labels: there is no label called `rack`",
    ];
    assert_eq!(told("request.toml", request), in_request);
}

/// The sample scenario, smaller still: all tables but those of times, the same on any number of threads.
#[test]
fn a_run_prints_its_tables() {
    let folder = Folder::with(&[]);
    let scenario = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios/coallocation_quick.toml");
    let run = |threads: &str, out: &str| {
        let mut command = dfrsim(["run", scenario, "--threads", threads, "--set", "cases=6", "--set"]);
        command.arg("usage=[0.1]").arg("--out").arg(folder.path(out));
        stdout(&mut command)
    };
    let printed = run("1", "one");
    for part in ["Table 1", "Table 2", "Table 3", "A stream of requests", "What sections 4.3 to 4.5 say"] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
    assert_eq!(run("2", "two"), printed);
    let rows = |out: &str| fs::read_to_string(folder.path(out).join("rows.csv")).unwrap();
    assert_eq!(rows("one"), rows("two"));
}

/// A run of cases for 5 resources, each searched ten times: what stands in these columns of its rows.
fn columns(folder: &Folder, scenario: &str, names: &[&str]) -> Vec<Vec<String>> {
    let small = "study = \"coallocation\"\ngrids = 1\nsizes = [5]\nrepetitions = 10\nusage = 0.2\n";
    fs::write(folder.path("scenario.toml"), format!("{small}{scenario}")).unwrap();
    let out = folder.path("out");
    stdout(dfrsim(["run", "--fresh"]).arg(folder.path("scenario.toml")).arg("--out").arg(&out));
    let rows = fs::read_to_string(out.join("rows.csv")).unwrap();
    let mut lines = rows.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let header = lines.next().unwrap();
    let places: Vec<usize> =
        names.iter().map(|name| header.iter().position(|it| it == name).unwrap()).collect();
    lines.map(|line| places.iter().map(|&place| line[place].to_owned()).collect()).collect()
}

/// The nodes that would have been drawn, as a file: the same study. With labels, which no test case asks for.
#[test]
fn a_study_takes_listed_nodes() {
    let resources = nodes(606, Seed::new(1).fork("coallocation").numbered(0));
    let mut list = Resources {
        names: (0..606).map(|number| format!("node-{number}")).collect(),
        quantities: PROPERTIES.map(|it| it.name.to_owned()).into(),
        qualities: vec!["os".to_owned()],
        resources,
    };
    list.resources.iter_mut().for_each(|it| it.labels = ["Linux".to_owned()].into());
    let folder = Folder::with(&[("nodes.csv", &list.to_csv())]);
    let figures = ["kind", "case", "solved", "start", "factor", "optimum_factor"];
    let drawn = columns(&folder, "cases = 5\n", &figures);
    assert_eq!(columns(&folder, "cases = 5\nnode_list = \"nodes.csv\"\n", &figures), drawn);
    assert!(drawn.iter().any(|line| line[2] == "10"), "{drawn:?}");
    let scenario = fs::read_to_string(folder.path("out").join("scenario.toml")).unwrap();
    assert!(scenario.contains("node_list = \"nodes.csv\""), "{scenario}");

    // Nodes twice as large: those of the file matter.
    list.resources.iter_mut().for_each(|it| it.capacity.iter_mut().for_each(|amount| *amount *= 2));
    fs::write(folder.path("nodes.csv"), list.to_csv()).unwrap();
    let larger = columns(&folder, "cases = 5\nnode_list = \"nodes.csv\"\n", &figures);
    assert_ne!(larger, drawn);
    let table = fs::read_to_string(folder.path("out").join("tables/table_1.md")).unwrap();
    assert!(table.contains("The nodes are those of nodes.csv"), "{table}");
}

#[test]
fn what_is_wrong_with_listed_nodes_is_told() {
    let told = |name: &str, text: &str| {
        let scenario = format!("study = \"coallocation\"\nnode_list = \"{name}\"\n");
        let folder = Folder::with(&[("nodes.csv", text), ("scenario.toml", &scenario)]);
        stderr(dfrsim(["run"]).arg(folder.path("scenario.toml")), 2)
    };
    let both = told("nodes.csv", "node,cores,ram_gb,ghz\na,x,1,1\nb,1,y,1\n");
    assert!(both.contains("nodes.csv:2: cores: `x` is not an amount"), "{both}");
    assert!(both.contains("nodes.csv:3: ram_gb: `y` is not an amount"), "{both}");
    let order = told("nodes.csv", "node,cores,ram_gb,ghz\na,1,1,1\n");
    assert!(order.contains("nodes.csv:1: the properties should be cores,ghz,ram_gb"), "{order}");
    let empty = told("nodes.csv", "node,cores,ghz,ram_gb\n");
    assert!(empty.contains("there must be at least one node"), "{empty}");
    let few = told("nodes.csv", "node,cores,ghz,ram_gb\na,1,1,1\n");
    assert!(few.contains("expected numbers of resources from 1 to 1"), "{few}");
    assert!(told("other.csv", "").contains("other.csv"));
}

/// The nodes of a case decide phase II of all its repetitions alike; where each draws its own, some of them have enough
/// and others have not.
#[test]
fn repetitions_may_draw_nodes_of_their_own() {
    let folder = Folder::with(&[]);
    let partly_sufficient = |scenario: &str| {
        let rows = columns(&folder, scenario, &["without_totals"]);
        rows.iter().filter(|row| (1..10).contains(&row[0].parse::<u32>().unwrap())).count()
    };
    assert_eq!(partly_sufficient("cases = 40\n"), 0);
    assert!(partly_sufficient("cases = 40\nsample = \"repetition\"\noptimum = []\n") > 0);
    let scenario = "study = \"coallocation\"\nsample = \"repetition\"\n";
    let folder = Folder::with(&[("scenario.toml", scenario)]);
    let told = stderr(dfrsim(["run"]).arg(folder.path("scenario.toml")), 2);
    assert!(told.contains("there is one optimum a test case with `sample = \"case\"` only"), "{told}");
}
