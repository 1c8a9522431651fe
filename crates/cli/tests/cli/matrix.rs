//! Every command on every study: the table of the README comes from here.

use crate::readme::{check_part, readme};
use crate::support::{Folder, dfrsim, files, scenario};
use std::fs;
use std::path::{Path, PathBuf};

/// A quick scenario of each study, with overrides that make it quicker still.
const STUDIES: [(&str, &str, &[&str]); 7] = [
    ("online", "quickstart", &["workloads.lublin.lublin.replications=2", "workloads.lublin.lublin.jobs=60"]),
    ("offline", "offline_quick", &[]),
    ("grid", "grid_quick", &[]),
    ("coallocation", "coallocation_quick", &[]),
    ("context-switch", "context_switch_quick", &[]),
    ("discovery", "discovery_quick", &[]),
    ("adaptation", "adaptation_quick", &[]),
];

/// The commands, in the order of the table.
const COMMANDS: [&str; 11] = [
    "run",
    "resume",
    "shards, merge",
    "status",
    "submit",
    "check",
    "compare",
    "export",
    "report",
    "figures",
    "altered files refused",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What a study is tried on.
struct Trial {
    folder: Folder,
    scenario: PathBuf,
    overrides: Vec<String>,
}

impl Trial {
    fn new(name: &str, overrides: &[&str]) -> Trial {
        Trial {
            folder: Folder::with(&[]),
            scenario: scenario(name),
            overrides: overrides.iter().flat_map(|set| ["--set".to_owned(), (*set).to_owned()]).collect(),
        }
    }
    fn path(&self, name: &str) -> String {
        self.folder.path(name).to_str().unwrap().to_owned()
    }
    /// Runs the scenario into a folder, and gives the exit code and what was printed.
    fn run(&self, out: &str, more: &[&str]) -> (i32, String) {
        let out = self.path(out);
        let mut arguments = vec!["run", self.scenario.to_str().unwrap(), "--quiet", "--out", &out];
        arguments.extend(self.overrides.iter().map(String::as_str));
        arguments.extend(more);
        self.call(&arguments)
    }
    fn call(&self, arguments: &[&str]) -> (i32, String) {
        let output = dfrsim(arguments).current_dir(root()).output().unwrap();
        let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat();
        assert!(!text.contains("panicked at"), "{arguments:?}: {text}");
        (output.status.code().unwrap_or(-1), text)
    }
    /// A command on the results that must succeed.
    fn succeeds(&self, arguments: &[&str]) -> bool {
        let (code, text) = self.call(arguments);
        assert_eq!(code, 0, "{arguments:?}: {text}");
        true
    }

    fn try_all(&self) -> Vec<bool> {
        let whole = self.path("whole");
        let run = self.run("whole", &[]);
        assert_eq!(run.0, 0, "{}", run.1);
        let before = files(&self.folder.path("whole"));
        let again = self.run("whole", &[]);
        let resumed = again.0 == 0 && files(&self.folder.path("whole")) == before;

        for shard in ["1/3", "2/3", "3/3"] {
            let part = self.run("parts", &["--shard", shard]);
            assert_eq!(part.0, 0, "{}", part.1);
        }
        let status = self.succeeds(&["results", "status", &self.path("parts")]);
        let merged = self.succeeds(&["results", "merge", "--quiet", &self.path("parts")])
            && files(&self.folder.path("parts")) == before;
        let fresh = self.path("fresh");
        let mut submit =
            vec!["submit", self.scenario.to_str().unwrap(), "--dry-run", "--audit", "--out", &fresh];
        submit.extend(self.overrides.iter().map(String::as_str));
        let submitted = self.call(&submit);
        let submitted = submitted.0 == 0 && submitted.1.contains(" --quiet --audit --shard ");

        let (baseline, page) = (self.path("baseline.toml"), self.path("report.html"));
        let (rows, figures) = (self.path("rows.jsonl"), self.path("figures"));
        let commands: [Vec<&str>; 5] = [
            vec!["results", "check", &whole, "--baseline", &baseline],
            vec!["results", "compare", &whole, &whole],
            vec!["results", "export", &whole, "--jsonl", &rows],
            vec!["results", "report", &whole, "--out", &page],
            vec!["results", "figures", &whole, "--out", &figures],
        ];
        let update: Vec<&str> = commands[0].iter().copied().chain(["--update"]).collect();
        self.succeeds(&update);
        let on_results: Vec<bool> = commands.iter().map(|command| self.succeeds(command)).collect();
        let has_rows = fs::read_dir(self.folder.path(".")).unwrap().any(|entry| {
            let path = entry.unwrap().path();
            path.extension().is_some_and(|it| it == "jsonl") && fs::metadata(&path).unwrap().len() > 0
        });
        let has_figures = fs::read_dir(&figures).unwrap().count() > 0;

        let mut refused = true;
        for (name, content) in &before {
            // Any byte will do; the frame's own tests alter each of them.
            let mut altered = content.clone();
            let at = altered.len() / 2;
            altered[at] ^= 1;
            let path = self.folder.path("whole").join(name);
            fs::write(&path, altered).unwrap();
            for command in &commands {
                let (code, text) = self.call(command);
                assert_eq!(code, 2, "{name} altered, {command:?}: {text}");
                assert!(text.contains(name), "{name} altered, {command:?}: {text}");
                refused &= code == 2;
            }
            fs::write(&path, content).unwrap();
        }
        vec![
            true,
            resumed,
            merged,
            status,
            submitted,
            on_results[0],
            on_results[1],
            on_results[2] && has_rows,
            on_results[3],
            on_results[4] && has_figures,
            refused,
        ]
    }
}

/// The table of the README.
fn table(tried: &[(&str, Vec<bool>)]) -> String {
    let mut text = "| |".to_owned();
    tried.iter().for_each(|(study, _)| text += &format!(" {study} |"));
    text += "\n| --- |";
    tried.iter().for_each(|_| text += " --- |");
    for (row, command) in COMMANDS.iter().enumerate() {
        text += &format!("\n| {command} |");
        for (_, yes) in tried {
            text += if yes[row] { " yes |" } else { " **no** |" };
        }
    }
    text + "\n"
}

#[test]
fn every_command_serves_every_study() {
    let tried: Vec<(&str, Vec<bool>)> = STUDIES
        .iter()
        .map(|(study, scenario, overrides)| (*study, Trial::new(scenario, overrides).try_all()))
        .collect();
    let table = table(&tried);
    assert!(!table.contains("**no**"), "{table}");
    check_part(&readme(), "studies x commands", &table);
}
