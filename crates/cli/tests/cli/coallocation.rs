//! `dfrsim solve coallocate` as a user runs it.

use crate::support::{Folder, dfrsim, stderr, stdout};
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
    let mut command = dfrsim(["solve", "coallocate"]);
    command.arg(folder.path("nodes.csv")).arg(folder.path("taken.csv"));
    command.arg("--request").arg(folder.path("request.toml")).args(more);
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
    assert_eq!(table(), TAKEN, "without --commit the table does not change");
    assert_eq!(stdout(&mut coallocate(&folder, &["--commit"])), answer);
    assert_eq!(table(), format!("{TAKEN}a,3600,5400,3,3\nb,3600,5400,3,5\n"));
    // The same again starts behind the first, and the third cannot wait so long.
    assert!(stdout(&mut coallocate(&folder, &["--commit"])).starts_with("start 5400\n"));
    assert!(stdout(&mut coallocate(&folder, &["--commit"])).starts_with("start 7200\n"));
    let full = table();
    let printed = stderr(&mut coallocate(&folder, &["--commit"]), 1);
    assert!(printed.contains("rejected: no start was found"), "{printed}");
    assert_eq!(table(), full, "a rejected request does not change the table");
}

/// Of two nodes 4 cores and 3.5 are free. 4.25, at least half a core of each: half a core of each, and the 3.25 that lack in the ratio
/// 3.5 : 3. In whole ones these are 5, at least one of each, and the 3 that lack in the ratio 3 : 2. There is no eighth whole one.
#[test]
fn cores_are_whole_where_that_is_asked_for() {
    let answer = |whole: &str, cores: f64| {
        let request = format!(
            "duration = 60\nresources = 2\n{whole}[minimum]\ncores = 0.5\n[total]\ncores = {cores}\n"
        );
        let nodes = "node,cores\na,4\nb,4\n";
        let taken = "node,from,until,cores\nb,0,99999,0.5\n";
        let folder = Folder::with(&[("nodes.csv", nodes), ("taken.csv", taken), ("request.toml", &request)]);
        let output = coallocate(&folder, &[]).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(answer("", 4.25).contains("a,0,60,2.25\nb,0,60,2\n"), "{}", answer("", 4.25));
    let whole = "whole = [\"cores\"]\n";
    assert!(answer(whole, 4.25).contains("a,0,60,3\nb,0,60,2\n"), "{}", answer(whole, 4.25));
    assert!(answer(whole, 7.0).contains("a,0,60,4\nb,0,60,3\n"), "{}", answer(whole, 7.0));
    assert_eq!(answer(whole, 8.0), "");
    let folder = files();
    fs::write(folder.path("request.toml"), "duration = 5\nresources = 2\nwhole = [\"disk\"]\n").unwrap();
    let printed = stderr(&mut coallocate(&folder, &[]), 2);
    assert!(printed.contains("request.toml:3:10: whole[0]: unknown property `disk`"), "{printed}");
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
fn faults_of_a_file_are_reported() {
    let wrong = [
        ("nodes.csv", "node,cores\na,four\n", "nodes.csv:2: cores: `four` is not a number"),
        (
            "nodes.csv",
            "node,cores,ram_gb,label.os\na,1,1,x\na,1,1,x\n",
            "nodes.csv:3: node: two nodes have the name `a`",
        ),
        ("taken.csv", "node,from,until,disk\na,0,1,1\n", "taken.csv:2: unknown property `disk`"),
        ("taken.csv", "node,from,until,cores,ram_gb\nd,0,1,1,1\n", "taken.csv:2: node: unknown node `d`"),
        (
            "taken.csv",
            "node,from,until,cores,ram_gb\na,0,9,3,0\na,8,9,2,0\n",
            "taken.csv: cores: 5 of node `a` are reserved at the same time, but it has 4",
        ),
        ("request.toml", "duration = 5\nresources = 2\nlength = 3\n", "unknown field `length`"),
        (
            "request.toml",
            "duration = 5\nresources = 2\n[total]\ndisk = 3\n",
            "request.toml:4:8: total.disk: unknown property `disk`",
        ),
        ("request.toml", "duration = 0\nresources = 2\n", "duration: it must end after it begins"),
        ("request.toml", "duration = 5\nresources = 0\n", "resources: it asks for no resources"),
    ];
    for (name, text, message) in wrong {
        let folder = files();
        fs::write(folder.path(name), text).unwrap();
        let before = fs::read_to_string(folder.path("taken.csv")).unwrap();
        let printed = stderr(&mut coallocate(&folder, &["--commit"]), 2);
        assert!(printed.contains(message), "{printed}");
        assert_eq!(fs::read_to_string(folder.path("taken.csv")).unwrap(), before);
    }
}

/// Not only the first fault.
#[test]
fn all_faults_of_a_file_are_reported() {
    let faults = |name: &str, text: &str| {
        let folder = files();
        fs::write(folder.path(name), text).unwrap();
        let printed = stderr(&mut coallocate(&folder, &[]), 2);
        printed
            .lines()
            .filter_map(|line| line.split_once(&format!("{name}:")))
            .map(|it| it.1.to_owned())
            .collect::<Vec<_>>()
    };
    let nodes = "node,cores,ram_gb,label.os\na,four,-1,x\nb,1,1\na,1,1,x\n";
    let in_nodes = [
        "3: CSV error: record 2 (line: 3, byte: 39): found record with 3 fields, but the previous record has 4 fields",
        "2: cores: `four` is not a number from 0 to 4294967295 with at most six decimals",
        "2: ram_gb: `-1` is not a number from 0 to 4294967295 with at most six decimals",
        "4: node: two nodes have the name `a`",
    ];
    assert_eq!(faults("nodes.csv", nodes), in_nodes);
    let taken = "node,from,until,cores,ram_gb\nd,0,1,1,1\na,9,8,x,0\nb,-3,8,0,y\n";
    let in_taken = [
        "2: node: unknown node `d`; expected a, b or c",
        "3: until: it must end after it begins",
        "3: cores: `x` is not a number from 0 to 4294967295 with at most six decimals",
        "4: from: not a number of seconds: `-3`",
        "4: ram_gb: `y` is not a number from 0 to 4294967295 with at most six decimals",
    ];
    assert_eq!(faults("taken.csv", taken), in_taken);
    let request = "duration = -5\nresources = 2\nlatest = 1e99\n[total]\ndisk = 3\nram_gb = -1\n[labels]\nos = \"x\"\nrack = \"1\"\n";
    let in_request = [
        "1:12: duration: -5 is not a number of seconds from 0 to 500 years",
        "3:10: latest: 1e99 is not a number of seconds from 0 to 500 years",
        "5:8: total.disk: unknown property `disk`; expected cores or ram_gb",
        "6:10: total.ram_gb: -1 is not an amount from 0 to a hundred million",
        "9:8: labels.rack: unknown label `rack`; expected os",
    ];
    assert_eq!(faults("request.toml", request), in_request);
}

/// The table is the same file under all of its names.
#[cfg(unix)]
#[test]
fn a_link_to_the_timetables_is_the_same_table() {
    let folder = files();
    std::os::unix::fs::symlink("taken.csv", folder.path("link.csv")).unwrap();
    let through = |name: &str| {
        let mut command = dfrsim(["solve", "coallocate", "--commit"]);
        command.arg(folder.path("nodes.csv")).arg(folder.path(name));
        command.arg("--request").arg(folder.path("request.toml"));
        command
    };
    assert!(stdout(&mut through("link.csv")).starts_with("start 3600\n"));
    assert!(folder.path("link.csv").is_symlink());
    assert!(stdout(&mut through("taken.csv")).starts_with("start 5400\n"));
    assert!(stdout(&mut through("link.csv")).starts_with("start 7200\n"));
    assert_eq!(folder.names(), ["link.csv", "nodes.csv", "request.toml", "taken.csv", "taken.csv.lock"]);
    fs::hard_link(folder.path("taken.csv"), folder.path("hard.csv")).unwrap();
    assert!(stderr(&mut through("hard.csv"), 2).contains("hard.csv: the file has other names (hard links)"));
    fs::remove_file(folder.path("hard.csv")).unwrap();
    // A lock that leads elsewhere is not opened.
    fs::remove_file(folder.path("taken.csv.lock")).unwrap();
    std::os::unix::fs::symlink("nodes.csv", folder.path("taken.csv.lock")).unwrap();
    assert!(stderr(&mut through("taken.csv"), 2).contains("is a symbolic link, not a lock"));
    assert_eq!(fs::read_to_string(folder.path("nodes.csv")).unwrap(), NODES);
}

/// Six at the same time by two names: there is room for three.
#[cfg(unix)]
#[test]
fn writers_through_links_wait_for_each_other() {
    let folder = files();
    std::os::unix::fs::symlink("taken.csv", folder.path("link.csv")).unwrap();
    thread::scope(|scope| {
        for writer in 0..6 {
            let folder = &folder;
            scope.spawn(move || {
                let name = if writer % 2 == 0 { "taken.csv" } else { "link.csv" };
                let mut command = dfrsim(["solve", "coallocate", "--commit"]);
                command.arg(folder.path("nodes.csv")).arg("--request").arg(folder.path("request.toml"));
                command.arg(folder.path(name)).output().unwrap()
            });
        }
    });
    let table = fs::read_to_string(folder.path("taken.csv")).unwrap();
    assert_eq!(table.lines().count(), 2 + 6, "{table}");
}

#[test]
fn only_what_can_be_read_again_is_committed() {
    let folder = files();
    let request = REQUEST.replace("duration = 1800", "duration = 16000000000");
    fs::write(folder.path("request.toml"), request).unwrap();
    let printed = stderr(&mut coallocate(&folder, &["--commit"]), 2);
    assert!(printed.contains("not committed") && printed.contains("until"), "{printed}");
    assert_eq!(fs::read_to_string(folder.path("taken.csv")).unwrap(), TAKEN);
}
