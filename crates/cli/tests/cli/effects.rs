//! Tests that no option of any command is without effect.
//!
//! `effects/cases.txt` gives each option of each command a case in which it changes standard output,
//! a file or the exit code, or in which it is refused. The options are those of clap's own
//! description of the program, so that an option without a case is found.

use crate::support::Folder;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Folders with the input files of the cases, below the folder of this file's crate.
const INPUTS: [&str; 7] = [
    "tests/cli/effects",
    "tests/cli/cmd/site/in",
    "tests/cli/cmd/interchange/in",
    "tests/cli/cmd/forecast/in",
    "../../scenarios/adapt",
    "../../scenarios/plan",
    "../../scenarios/offline",
];
const CASES: &str = include_str!("effects/cases.txt");

/// Options that all commands share; one command has a case.
const SHARED: [&str; 2] = ["--max-memory", "--help"];

/// A case of an option.
struct Case<'a> {
    command: &'a str,
    option: Vec<&'a str>,
    base: Vec<&'a str>,
    expected: Expected,
}

/// Expected effect of an option.
#[derive(PartialEq)]
enum Expected {
    /// The results differ from those of the base.
    Change,
    /// The command ends with exit code 2.
    Refusal,
    /// Nothing can be seen, for a reason that is given.
    Nothing,
}

/// A line that prepares files: a command, or a copy of a file with a text replaced.
enum Before {
    Command(&'static str),
    Copy { from: &'static str, to: &'static str, old: String, new: String },
}

impl Before {
    fn prepare(&self, inputs: &Folder) {
        match self {
            Before::Command(line) => _ = inputs.dfrsim(line).env_remove("DFRSIM_TRACES").assert().success(),
            Before::Copy { from, to, old, new } => {
                let text = fs::read_to_string(inputs.path(from)).unwrap();
                assert!(text.contains(old), "{old} is not in {from}");
                fs::write(inputs.path(to), text.replace(old, new)).unwrap();
            }
        }
    }
}

/// Returns the lines that prepare the input files, and the cases.
fn cases() -> (Vec<Before>, Vec<Case<'static>>) {
    let (mut before, mut cases) = (Vec::new(), Vec::new());
    let (mut command, mut base) = ("", Vec::new());
    for line in CASES.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(prepared) = line.strip_prefix("$ ") {
            before.push(Before::Command(prepared));
        } else if let Some(copied) = line.strip_prefix("% ") {
            let [from, to, old, new] = copied.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
            let (old, new) = (old.replace('_', " "), new.replace('_', " "));
            before.push(Before::Copy { from, to, old, new });
        } else if let Some((name, words)) = line.strip_prefix('[').and_then(|line| line.split_once(']')) {
            (command, base) = (name, words.split_whitespace().collect());
        } else {
            let (line, reason) = line.split_once('~').map_or((line, None), |(line, why)| (line, Some(why)));
            let (line, is_refused) = line.trim().strip_suffix('!').map_or((line, false), |line| (line, true));
            let (option, other) =
                line.split_once('@').map_or((line, None), |(option, base)| (option, Some(base)));
            cases.push(Case {
                command,
                option: option.split_whitespace().collect(),
                base: other.map_or_else(|| base.clone(), |other| other.split_whitespace().collect()),
                expected: match (reason, is_refused) {
                    (Some(_), _) => Expected::Nothing,
                    (None, true) => Expected::Refusal,
                    (None, false) => Expected::Change,
                },
            });
        }
    }
    (before, cases)
}

impl Case<'_> {
    /// Returns the arguments with the option, which replaces its value in the base.
    fn changed(&self) -> Vec<&str> {
        let mut arguments = self.base.clone();
        match arguments.iter().position(|word| *word == self.option[0]) {
            Some(place) => arguments[place..place + self.option.len()].copy_from_slice(&self.option),
            None => arguments.extend(&self.option),
        }
        arguments
    }

    /// Returns a description of the fault; `None` if the option has its effect.
    fn fault(&self, inputs: &Path) -> Option<String> {
        let name = format!("{} {}", self.command, self.changed().join(" "));
        if self.expected == Expected::Nothing {
            return None;
        }
        let changed = Observed::of(inputs, self.command, &self.changed());
        if self.expected == Expected::Refusal {
            return (changed.code != Some(2)).then(|| format!("{name}: expected a refusal"));
        }
        let base = Observed::of(inputs, self.command, &self.base);
        match changed.code {
            Some(2) => Some(format!("{name}: {}", changed.message)),
            _ => (base == changed).then(|| format!("{name}: the option has no effect")),
        }
    }
}

/// Visible results of a command.
struct Observed {
    code: Option<i32>,
    output: Vec<u8>,
    files: BTreeMap<PathBuf, Vec<u8>>,
    message: String,
}

impl PartialEq for Observed {
    fn eq(&self, other: &Observed) -> bool {
        (self.code, &self.output, &self.files) == (other.code, &other.output, &other.files)
    }
}

impl Observed {
    /// Runs a command in a copy of the input files.
    fn of(inputs: &Path, command: &str, arguments: &[&str]) -> Observed {
        let folder = Folder::with(&[]);
        copy(inputs, &folder.path(""));
        let words = command.split(' ').chain(arguments.iter().copied()).collect::<Vec<_>>().join(" ");
        let output = folder.dfrsim(&words).env_remove("DFRSIM_TRACES").output().unwrap();
        let mut files = BTreeMap::new();
        collect(&folder.path(""), &folder.path(""), &mut files);
        Observed {
            code: output.status.code(),
            output: output.stdout,
            files,
            message: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Collects the files below a folder, by their path below `root`. Of manifests, which have times,
/// only the use of the audit counts.
fn collect(root: &Path, folder: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            collect(root, &path, files);
        } else if name != "times.csv" && !name.starts_with('.') {
            let mut content = fs::read(&path).unwrap();
            if name == "manifest.toml" {
                let text = String::from_utf8(content).unwrap();
                content =
                    text.lines().filter(|line| line.starts_with("audit")).collect::<String>().into_bytes();
            }
            files.insert(path.strip_prefix(root).unwrap().to_owned(), content);
        }
    }
}

#[test]
fn every_option_has_a_case() {
    let (_, cases) = cases();
    let has_case: BTreeSet<(&str, &str)> = cases.iter().map(|case| (case.command, case.option[0])).collect();
    let options = dfrsim_commands::options();
    let missing: Vec<String> = options
        .iter()
        .filter(|(_, option)| !SHARED.contains(&option.as_str()) && option != "--format")
        .filter(|(command, option)| !has_case.contains(&(command.as_str(), option.as_str())))
        .map(|(command, option)| format!("{command} {option}"))
        .collect();
    assert!(missing.is_empty(), "options without a case in effects/cases.txt: {missing:#?}");
    let is_known = |case: &&Case<'_>| {
        options
            .iter()
            .any(|(command, option)| (command.as_str(), option.as_str()) == (case.command, case.option[0]))
    };
    let unknown: Vec<String> = cases
        .iter()
        .filter(|case| !is_known(case))
        .map(|case| format!("{} {}", case.command, case.option[0]))
        .collect();
    assert!(unknown.is_empty(), "cases of options that do not exist: {unknown:#?}");
}

#[test]
fn no_option_is_without_effect() {
    let (before, cases) = cases();
    let inputs = Folder::with(&[]);
    for folder in INPUTS {
        copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &inputs.path(""));
    }
    before.iter().for_each(|line| line.prepare(&inputs));
    let faults: Vec<String> = cases.par_iter().filter_map(|case| case.fault(&inputs.path(""))).collect();
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}
