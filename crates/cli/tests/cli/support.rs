//! Helpers that run `dfrsim` in tests.

use assert_cmd::Command;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// Creates a command that runs the program with these arguments.
pub(crate) fn dfrsim(arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("dfrsim"));
    command.args(arguments);
    command
}

/// Returns the standard output of a command that succeeds.
pub(crate) fn stdout(command: &mut Command) -> String {
    String::from_utf8(command.assert().success().get_output().stdout.clone()).unwrap()
}

/// Returns the standard error of a command that fails with this exit code.
pub(crate) fn stderr(command: &mut Command, code: i32) -> String {
    String::from_utf8(command.assert().code(code).get_output().stderr.clone()).unwrap()
}

/// A folder that is deleted when the test ends.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn with(files: &[(&str, &str)]) -> Folder {
        let folder = Folder(tempfile::tempdir().unwrap());
        for (name, text) in files {
            fs::write(folder.path(name), text).unwrap();
        }
        folder
    }
    /// Creates a command from the words of a line, to be run in this folder.
    pub(crate) fn dfrsim(&self, line: &str) -> Command {
        let mut command = dfrsim(line.split(' '));
        command.current_dir(self.path(""));
        command
    }
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
    /// Returns the sorted names in this folder, including hidden files.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

/// Returns the path of a scenario of this project.
pub(crate) fn scenario(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../scenarios/{name}.toml"))
}

/// Returns all result files that depend only on the scenario, with their bytes, in order: all except
/// hidden ones, the manifest, and the run times.
pub(crate) fn files(results: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    let mut folders = vec![results.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let (path, name) = (entry.path(), entry.file_name().into_string().unwrap());
            if path.is_dir() {
                folders.push(path);
            } else if !name.starts_with('.') && name != "manifest.toml" && name != "times.csv" {
                let name = path.strip_prefix(results).unwrap().display().to_string();
                files.push((name, fs::read(path).unwrap()));
            }
        }
    }
    files.sort();
    files
}

/// A study's quick scenario, reduced further, and two variants of it to compare.
pub(crate) struct Quick {
    pub(crate) study: &'static str,
    pub(crate) scenario: &'static str,
    set: &'static [&'static str],
    pub(crate) variants: [&'static str; 2],
}

/// Returns the studies that a test of all studies runs: all of them if the run is full, and otherwise the main one.
pub(crate) fn of_this_run() -> &'static [Quick] {
    if dfrsim_testing::is_full() { &QUICK } else { &QUICK[..1] }
}

pub(crate) const QUICK: [Quick; 7] = [
    Quick {
        study: "online",
        scenario: "quickstart",
        set: &[
            "policies=['EASY', 'CONS', 'GreedyPM*/per/OPT=MIN']",
            "workloads.lublin.lublin.replications=2",
            "workloads.lublin.lublin.jobs=60",
        ],
        variants: ["EASY", "CONS"],
    },
    Quick {
        study: "offline",
        scenario: "offline_quick",
        set: &["algorithms=['GREEDY', 'VP_CPSUM', 'MCB8', 'SG', 'OPT']"],
        variants: ["VP_CPSUM", "MCB8"],
    },
    Quick {
        study: "grid",
        scenario: "grid_quick",
        set: &["local=['FCFS', 'CONS']", "meta.heuristics=['mct', 'minmin']"],
        variants: ["mct", "minmin"],
    },
    Quick {
        study: "coallocation",
        scenario: "coallocation_quick",
        set: &["cases=6"],
        variants: ["simple", "collective"],
    },
    Quick {
        study: "context-switch",
        scenario: "context_switch_quick",
        set: &[],
        variants: ["booking", "first-fit"],
    },
    Quick {
        study: "discovery",
        scenario: "discovery_quick",
        set: &["replications=2"],
        variants: ["Xen", "DYNAMIC"],
    },
    Quick {
        study: "adaptation",
        scenario: "adaptation_quick",
        set: &["replications=4"],
        variants: ["bytes", "moves"],
    },
];

impl Quick {
    /// Returns the overrides as arguments.
    pub(crate) fn set(&self) -> impl Iterator<Item = &'static str> {
        self.set.iter().flat_map(|set| ["--set", set])
    }
    /// Creates a command that runs the scenario into a folder.
    pub(crate) fn run(&self, out: &Path, more: &[&str]) -> Command {
        let mut command = dfrsim(["run"]);
        command.arg(scenario(self.scenario)).args(self.set()).arg("--out").arg(out).args(more);
        command
    }
}
