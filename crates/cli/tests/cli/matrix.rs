//! Tests every command on every study: the table of crates/cli/README.md is generated here.

use crate::readme::{check_part, program_page};
use crate::schema::{altered_is_refused, schema, valid_lines};
use crate::support::{Folder, QUICK, Quick, dfrsim, files, of_this_run, scenario, stderr, stdout};
use crate::validator::fault;
use assert_cmd::Command;
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Commands in the order of the table.
const COMMANDS: [&str; 12] = [
    "run",
    "resume",
    "shards, merge",
    "status",
    "submit",
    "check",
    "compare",
    "export",
    "schema",
    "report",
    "figures",
    "altered files refused",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs a command that must succeed.
fn succeeds(command: &mut Command) -> bool {
    command.assert().success();
    true
}

/// Context in which the commands of a study are run.
struct Trial<'a> {
    folder: Folder,
    quick: &'a Quick,
}

impl Trial<'_> {
    fn path(&self, name: &str) -> String {
        self.folder.path(name).to_str().unwrap().to_owned()
    }
    /// Runs the scenario into a folder.
    fn run(&self, out: &str, more: &[&str]) {
        let mut run = self.quick.run(&self.folder.path(out), &["--quiet"]);
        succeeds(run.args(more).current_dir(root()));
    }

    fn try_all(&self) -> Vec<bool> {
        let whole = self.path("whole");
        self.run("whole", &[]);
        let before = files(&self.folder.path("whole"));
        self.run("whole", &[]);
        let resumed = files(&self.folder.path("whole")) == before;

        for shard in ["1/3", "2/3", "3/3"] {
            self.run("parts", &["--shard", shard]);
        }
        let status = succeeds(&mut dfrsim(["results", "status", &self.path("parts")]));
        let merged = succeeds(&mut dfrsim(["results", "merge", "--quiet", &self.path("parts")]))
            && files(&self.folder.path("parts")) == before;
        let fresh = self.path("fresh");
        let mut submit = dfrsim(["submit", "--dry-run", "--audit", "--out", &fresh]);
        submit.arg(scenario(self.quick.scenario)).args(self.quick.set()).current_dir(root());
        let submitted = stdout(&mut submit).contains(" --quiet --audit --shard ");

        let (baseline, page) = (self.path("baseline.toml"), self.path("report.html"));
        let (rows, figures) = (self.path("rows.jsonl"), self.path("figures"));
        let commands: [Vec<&str>; 5] = [
            vec!["results", "check", &whole, "--baseline", &baseline],
            vec!["results", "compare", "--resamples", "100", &whole, &whole],
            vec!["results", "export", &whole, "--jsonl", &rows],
            vec!["results", "report", &whole, "--out", &page],
            vec!["results", "figures", &whole, "--out", &figures],
        ];
        let update: Vec<&str> = commands[0].iter().copied().chain(["--update"]).collect();
        succeeds(&mut dfrsim(&update));
        let on_results: Vec<bool> = commands.iter().map(|command| succeeds(&mut dfrsim(command))).collect();
        let has_rows = fs::read_dir(self.folder.path(".")).unwrap().any(|entry| {
            let path = entry.unwrap().path();
            path.extension().is_some_and(|it| it == "jsonl") && fs::metadata(&path).unwrap().len() > 0
        });
        let has_figures = fs::read_dir(&figures).unwrap().count() > 0;

        let described = self.is_described(&rows);
        let mut refused = true;
        for (name, content) in &before {
            // One byte suffices, as the framework's own tests alter each of them.
            let mut altered = content.clone();
            let at = altered.len() / 2;
            altered[at] ^= 1;
            let path = self.folder.path("whole").join(name);
            fs::write(&path, altered).unwrap();
            for command in &commands {
                let text = stderr(&mut dfrsim(command), 2);
                assert!(text.contains(name), "{name} altered, {command:?}: {text}");
                refused &= !text.contains("panicked at");
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
            described,
            on_results[3],
            on_results[4] && has_figures,
            refused,
        ]
    }
}

impl Trial<'_> {
    /// Returns whether all exported rows and the manifest are valid by their schemas, and altered
    /// ones are not.
    fn is_described(&self, rows: &str) -> bool {
        let schema = schema(&["rows", self.quick.study]);
        let lines = valid_lines(&schema, Path::new(rows));
        let mut seen = BTreeSet::new();
        for line in
            lines.iter().filter(|line| seen.insert((line["rows"].to_string(), line["status"].to_string())))
        {
            altered_is_refused(&schema, line, |_| true);
        }
        let manifest = fs::read_to_string(self.folder.path("whole/manifest.toml")).unwrap();
        let manifest: serde_json::Value = toml::from_str(&manifest).unwrap();
        let schema = crate::schema::schema(&["manifest"]);
        assert_eq!(fault(&schema, &manifest), None, "{manifest:#}");
        for name in manifest.as_object().unwrap().keys().filter(|name| *name != "inputs") {
            let mut without = manifest.clone();
            without.as_object_mut().unwrap().remove(name);
            assert_ne!(fault(&schema, &without), None, "without {name}");
        }
        true
    }
}

/// Formats the table of the program's page.
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
    let trial = |quick| Trial { folder: Folder::with(&[]), quick };
    let tried: Vec<(&str, Vec<bool>)> =
        of_this_run().par_iter().map(|quick| (quick.study, trial(quick).try_all())).collect();
    let table = table(&tried);
    assert!(!table.contains("**no**"), "{table}");
    if tried.len() == QUICK.len() {
        check_part(&program_page(), "studies x commands", &table);
    }
}
