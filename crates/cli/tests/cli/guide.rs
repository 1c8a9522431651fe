//! Tests that all commands of the guide's pages work: `crates/dfrsim/src/guide/*.md`.
//!
//! Blocks marked `sh` run in the order of their page, in a folder that looks like the root of the
//! repository. In blocks marked `sh,no_run` the arguments of `dfrsim` are parsed. Blocks marked
//! `python` and `r` run if the interpreter and the packages are installed. Rust blocks are tests of
//! the library's documentation.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Returns the pages with their names, in alphabetical order.
fn pages() -> Vec<(String, String)> {
    let folder = root().join("crates/dfrsim/src/guide");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut pages: Vec<_> = files
        .filter(|file| file.extension().is_some_and(|extension| extension == "md"))
        .map(|file| {
            (file.file_stem().unwrap().to_str().unwrap().to_owned(), fs::read_to_string(&file).unwrap())
        })
        .collect();
    pages.sort();
    pages
}

/// Returns the blocks of a page as (mark, text).
fn blocks(page: &str) -> Vec<(&str, &str)> {
    let mut parts = page.split("```").skip(1);
    let mut blocks = Vec::new();
    while let (Some(block), Some(_)) = (parts.next(), parts.next()) {
        blocks.push(block.split_once('\n').unwrap());
    }
    blocks
}

/// A folder in which commands of the guide run.
struct Workspace(tempfile::TempDir);

impl Workspace {
    fn new() -> Workspace {
        let place = Workspace(tempfile::tempdir().unwrap());
        for name in ["scenarios", "crates"] {
            symlink(root().join(name), place.0.path().join(name)).unwrap();
        }
        place
    }
    /// Runs a program that finds `dfrsim` on its path, and no logs.
    fn run(&self, program: &str, arguments: &[&str]) -> Output {
        let folder = Path::new(env!("CARGO_BIN_EXE_dfrsim")).parent().unwrap();
        let mut paths = vec![folder.to_owned()];
        paths.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
        Command::new(program)
            .args(arguments)
            .current_dir(&self.0)
            .env("PATH", std::env::join_paths(paths).unwrap())
            .env_remove("DFRSIM_TRACES")
            .output()
            .unwrap()
    }
    fn expect(&self, page: &str, program: &str, arguments: &[&str]) {
        let output = self.run(program, arguments);
        assert!(
            output.status.success(),
            "page `{page}`: {program} {}\n{}\n{}",
            arguments.join(" "),
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

/// Returns the top-level packages that a Python program imports.
fn imports(program: &str) -> Vec<&str> {
    let names = program.lines().filter_map(|line| {
        let rest = line.strip_prefix("import ").or_else(|| line.strip_prefix("from "))?;
        rest.split([' ', '.', ',']).next()
    });
    names.collect()
}

/// Returns the reason why a program in another language cannot run here.
fn obstacle(place: &Workspace, language: &str, program: &str) -> Option<String> {
    let interpreter = if language == "python" { "python3" } else { "Rscript" };
    if !place.run("sh", &["-c", &format!("{interpreter} --version")]).status.success() {
        return Some(format!("no {interpreter}"));
    }
    let missing = |name: &&str| !place.run("python3", &["-c", &format!("import {name}")]).status.success();
    let imported = if language == "python" { imports(program) } else { Vec::new() };
    imported.into_iter().find(missing).map(|name| format!("no Python package `{name}`"))
}

/// Shell function that appends `--help` to the arguments of `dfrsim`: an unknown argument is
/// reported before the help.
const PARSE: &str = "dfrsim() { command dfrsim \"$@\" --help > /dev/null; }\n";

fn check_page(name: &str) {
    let (_, page) = pages().into_iter().find(|(page, _)| page == name).unwrap();
    let place = Workspace::new();
    let mut count = 0;
    for (mark, text) in blocks(&page) {
        match mark {
            "sh" => place.expect(name, "sh", &["-euc", text]),
            "sh,no_run" => {
                for line in text.lines().filter(|line| line.starts_with("dfrsim ")) {
                    place.expect(name, "sh", &["-euc", &format!("{PARSE}{line}")]);
                }
            }
            "python" | "r" => match obstacle(&place, mark, text) {
                Some(reason) => println!("page `{name}`: a block is skipped: {reason}"),
                None if mark == "python" => place.expect(name, "python3", &["-c", text]),
                None => place.expect(name, "Rscript", &["-e", text]),
            },
            // These are tests of the library.
            "" => continue,
            "rust,ignore" => {
                let has_it = |file| {
                    let program = fs::read_to_string(root().join("crates/own-policy/src").join(file));
                    program.unwrap().contains(text)
                };
                let is_found = ["main.rs", "bin/own-study.rs"].into_iter().any(has_it);
                assert!(is_found, "page `{name}`: this is in no program of crates/own-policy:\n{text}");
            }
            other => panic!("page `{name}`: a block is marked `{other}`"),
        }
        count += 1;
    }
    assert!(count > 0, "page `{name}` has no block to run");
}

#[test]
fn first_hour() {
    check_page("first_hour");
}

#[test]
fn your_log() {
    check_page("your_log");
}

#[test]
fn forecast() {
    check_page("forecast");
}

#[test]
fn users() {
    check_page("users");
}

/// Checks the page if Python is installed, as the policy is a Python process.
#[test]
fn your_policy() {
    if Workspace::new().run("sh", &["-c", "python3 --version"]).status.success() {
        check_page("your_policy");
    } else {
        println!("skipped: no python3");
    }
}

#[test]
fn your_study() {
    check_page("your_study");
}

#[test]
fn cluster_sweep() {
    check_page("cluster_sweep");
}

#[test]
fn hosts() {
    check_page("hosts");
}

#[test]
fn gpus() {
    check_page("gpus");
}

#[test]
fn power() {
    check_page("power");
}

#[test]
fn outages() {
    check_page("outages");
}

#[test]
fn nodes() {
    check_page("nodes");
}

#[test]
fn priorities() {
    check_page("priorities");
}

#[test]
fn weights() {
    check_page("weights");
}

#[test]
fn reading_results() {
    check_page("reading_results");
}

#[test]
fn received() {
    check_page("received");
}

#[test]
fn papers() {
    check_page("papers");
}

#[test]
fn guarantees() {
    check_page("guarantees");
}

#[test]
fn coming_from() {
    check_page("coming_from");
}

/// Checks that pages without blocks are known, all links within the repository lead to a file, and
/// the index has every page.
#[test]
fn every_page_is_checked_and_linked() {
    let pages = pages();
    let without: Vec<&str> =
        pages.iter().filter(|(_, page)| blocks(page).is_empty()).map(|(name, _)| name.as_str()).collect();
    assert_eq!(without, ["README", "decisions", "glossary"]);
    let index = &pages[0].1;
    let folder = root().join("crates/dfrsim/src/guide");
    for (name, page) in &pages {
        assert!(name == "README" || index.contains(&format!("[{name}]: {name}.md")), "no link to `{name}`");
        for link in
            page.lines().filter(|line| line.starts_with('[')).filter_map(|line| line.split_once("]: "))
        {
            assert!(folder.join(link.1).exists(), "page `{name}`: {}", link.1);
        }
    }
}

/// Checks that everything that CONTRIBUTING.md names exists: files and folders of the repository,
/// and arguments of `dfrsim`.
#[test]
fn contributing_is_up_to_date() {
    let page = fs::read_to_string(root().join("CONTRIBUTING.md")).unwrap();
    let words = page.split(['`', ' ', '(', ')', '\n', ':', ';', ',']);
    let is_path =
        |word: &&str| ["crates/", "scripts/", "results/", ".ci/"].iter().any(|top| word.starts_with(top));
    let paths: Vec<&str> = words.filter(is_path).filter(|path| *path != "results/release").collect();
    assert!(paths.len() > 15, "{paths:?}");
    for path in paths {
        assert!(root().join(path).exists(), "{path}");
    }
    let place = Workspace::new();
    for line in page.lines().filter_map(|line| line.trim().strip_prefix("target/dist/")) {
        place.expect("CONTRIBUTING", "sh", &["-euc", &format!("{PARSE}{line}")]);
    }
}

/// Returns the commands of `dfrsim` within the sentences of a page, in backticks.
fn commands_in_sentences(page: &str) -> Vec<&str> {
    let outside = page.split("```").step_by(2);
    let spans = outside.flat_map(|text| text.split('`').skip(1).step_by(2));
    spans.filter(|span| span.starts_with("dfrsim ") && !span.contains('\n')).collect()
}

/// Checks the commands within sentences of all pages: their subcommands and options must exist. Words
/// in capitals and dots stand for what the reader puts there.
#[test]
fn commands_in_sentences_are_parsed() {
    let mut pages = pages();
    let others = ["README.md", "scenarios/README.md", "results/README.md", "crates/cli/README.md"];
    let papers = fs::read_dir(root().join("crates/papers")).unwrap();
    let papers = papers.map(|entry| entry.unwrap().path().join("README.md")).filter(|page| page.exists());
    for page in others.map(|page| root().join(page)).into_iter().chain(papers) {
        pages.push((page.display().to_string(), fs::read_to_string(&page).unwrap()));
    }
    let place = Workspace::new();
    let (mut seen, mut wrong) = (BTreeSet::new(), Vec::new());
    for (name, page) in &pages {
        for command in commands_in_sentences(page) {
            // A value for each placeholder, and one for an option that is named without its value.
            let words = command.split(' ').map(|word| match word {
                "N" | "..." => "1",
                "YIELD" => "0.5",
                "STUDY" => "online",
                "SET" => "dissertation",
                "COMMAND" => "run",
                word => word,
            });
            let command = words.collect::<Vec<_>>().join(" ");
            if !seen.insert(command.clone()) {
                continue;
            }
            let parse = |line: &str| place.run("sh", &["-euc", &format!("{PARSE}{line}")]).status.success();
            let is_right = parse(&command) || (command.contains(" --") && parse(&format!("{command} 1")));
            if !is_right {
                wrong.push(format!("page `{name}`: `{command}` is not understood"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(seen.len() > 50, "{seen:?}");
}

/// Checks that blocks that do not run are parsed: a wrong argument is an error.
#[test]
fn a_wrong_argument_is_found() {
    let place = Workspace::new();
    let parse = |line: &str| place.run("sh", &["-euc", &format!("{PARSE}{line}")]).status.success();
    assert!(parse("dfrsim run scenarios/grid.toml --set replications=1"));
    assert!(!parse("dfrsim run scenarios/grid.toml --replications 1"));
    assert!(!parse("dfrsim runs scenarios/grid.toml"));
}
