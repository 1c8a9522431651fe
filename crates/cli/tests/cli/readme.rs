//! Tests that the README and the program's page show the output of the program.
//!
//! `DFRSIM_UPDATE_README=1 cargo test -p dfrsim-cli --test cli readme` writes the generated parts.

use crate::support::{Folder, dfrsim, stdout};
use std::fs;
use std::path::{Path, PathBuf};

pub(crate) fn readme() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md"))
}

/// Returns the path of the page that shows all commands.
pub(crate) fn program_page() -> PathBuf {
    readme().with_file_name("crates/cli/README.md")
}

/// Checks that the part of a file between `<!-- name -->` and the next `<!-- end -->` is the
/// expected one, or replaces it.
pub(crate) fn check_part(file: &Path, name: &str, expected: &str) {
    let text = fs::read_to_string(file).unwrap();
    let begin = format!("<!-- {name} -->\n");
    let from = text.find(&begin).expect("the file has the part") + begin.len();
    let to = from + text[from..].find("<!-- end -->").expect("the part ends");
    if std::env::var_os("DFRSIM_UPDATE_README").is_some() {
        fs::write(file, [&text[..from], expected, &text[to..]].concat()).unwrap();
    } else {
        assert_eq!(&text[from..to], expected, "set DFRSIM_UPDATE_README=1 to write it again");
    }
}

#[test]
fn the_list_of_policies_is_what_the_program_prints() {
    let lines = stdout(&mut dfrsim(["policies"]));
    let rows = lines.lines().map(|line| {
        let (name, description) = line.split_once("  ").unwrap();
        format!("| `{name}` | {} |\n", description.trim())
    });
    let list = String::from("| name | what it does |\n|---|---|\n") + &rows.collect::<String>();
    check_part(&readme().with_file_name("crates/simulator/policies/README.md"), "policies", &list);
}

#[test]
fn the_table_of_the_quick_start_is_what_the_program_prints() {
    let folder = Folder::with(&[]);
    let table = stdout(dfrsim(["run", "--out"]).arg(folder.path("results")));
    // The title, the name of the first table, the values that all lines share, the lines.
    let parts: Vec<&str> = table.split("\n\n").take(4).collect();
    let (title, rows) = (parts[0], parts[2..].join("\n\n"));
    let shown = rows.lines().filter(|row| {
        let load = row.split('|').nth(1).map(str::trim);
        load.is_none_or(|load| load.parse::<f64>().is_err())
    });
    let shown: String = shown.map(|row| format!("{row}\n")).collect();
    check_part(&readme(), "quickstart table", &format!("```text\n{title}\n\n{shown}```\n"));
}

/// The site is one that a real Slurm has run.
#[test]
fn the_answer_about_a_site_is_what_the_program_prints() {
    let folder = Folder::with(&[]);
    let site = readme().with_file_name("results/slurm/whole/base.1");
    let mut made =
        dfrsim(["site", "--what-if", "nodes.batch=+3", "--what-if", "PriorityWeightPartition=0", "--out"]);
    made.arg(folder.path("site")).current_dir(site);
    made.args(["--sacct", "jobs.sacct.gz", "--slurm-conf", "slurm.conf", "--sacctmgr", "assoc.txt"]);
    stdout(&mut made);
    let printed =
        stdout(dfrsim(["run", "--out"]).arg(folder.path("results")).arg(folder.path("site/site.toml")));
    let shown =
        printed.lines().filter(|line| ["| jobs_of", "| ---", "| all "].iter().any(|it| line.starts_with(it)));
    let shown: String = shown.map(|line| format!("{line}\n")).collect();
    check_part(&readme(), "what-if", &format!("```text\n{shown}```\n"));
}

#[test]
fn the_readme_is_short() {
    assert!(fs::read_to_string(readme()).unwrap().lines().count() <= 150);
}

/// Checks that the program accepts every command line of both pages.
#[test]
fn the_commands_shown_exist() {
    let text = [readme(), program_page()].map(|file| fs::read_to_string(file).unwrap()).concat();
    let blocks = text.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let lines = blocks.flat_map(str::lines).flat_map(|line| line.split(" && "));
    let commands: Vec<&str> = lines.filter(|line| line.starts_with("dfrsim ")).collect();
    assert!(commands.len() >= 9);
    for line in commands {
        let words: Vec<&str> = line.split('#').next().unwrap().split_whitespace().collect();
        let groups = ["results", "log", "offline", "draw", "solve"];
        let subcommand = if groups.contains(&words[1]) { &words[1..3] } else { &words[1..2] };
        let help = stdout(dfrsim(subcommand).arg("--help"));
        for flag in words.iter().filter(|word| word.starts_with("--")) {
            assert!(help.contains(flag), "{line}: {flag}");
        }
    }
}
