//! Tests `dfrsim solve coallocate` as a user runs it.

use crate::support::{Folder, dfrsim, stderr, stdout};
use std::fs;
use std::thread;

/// Two nodes, of 4 cores and 3 GB and of 4 cores and 5 GB, and a third one with another operating
/// system.
const NODES: &str = "node,cores,ram_gb,label.os\na,4,3,Linux\nb,4,5,Linux\nc,64,64,Plan 9\n";
/// Reservation of all cores of the first node for the first hour.
const TAKEN: &str = "node,from,until,cores,ram_gb\na,0,3600,4,0\n";
/// Request for two nodes with 8 GB and 6 cores in total, which is all the memory of both.
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

/// Runs six requests simultaneously, of which three fit, one after the other.
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

/// The table is one file under all of its names.
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
    assert!(stderr(&mut through("hard.csv"), 2).contains("hard.csv: the file has other hard links"));
    fs::remove_file(folder.path("hard.csv")).unwrap();
    // A lock that is a symbolic link is not opened.
    fs::remove_file(folder.path("taken.csv.lock")).unwrap();
    std::os::unix::fs::symlink("nodes.csv", folder.path("taken.csv.lock")).unwrap();
    assert!(stderr(&mut through("taken.csv"), 2).contains("is a symbolic link, not a lock"));
    assert_eq!(fs::read_to_string(folder.path("nodes.csv")).unwrap(), NODES);
}

/// Runs six requests simultaneously under two names of the table, of which three fit.
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
