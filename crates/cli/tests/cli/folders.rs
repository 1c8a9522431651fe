//! Tests invalid result folders: foreign files, links, and names that break lines.

use crate::support::{Folder, dfrsim, stderr, stdout};
use std::fs;

const SCENARIO: &str = "# matched by hand\nstudy = \"online\"\npolicies = [\"EASY\", \"FCFS\"]\n[[workloads]]\n\
    name = \"model\"\nnodes = 8\nlublin = { replications = 2, jobs = 20 }\n";

fn run(folder: &Folder, out: &str, more: &[&str]) -> assert_cmd::Command {
    let mut command = dfrsim(["run", "--quiet", "scenario.toml", "--out", out]);
    command.current_dir(folder.path("")).args(more);
    command
}

#[test]
fn files_that_no_run_wrote_are_not_replaced() {
    let folder = Folder::with(&[("scenario.toml", SCENARIO)]);
    let message = stderr(&mut run(&folder, ".", &[]), 2);
    assert!(message.contains("scenario.toml is also the scenario, which it would overwrite"), "{message}");
    assert_eq!(folder.names(), ["scenario.toml"]);
    fs::create_dir(folder.path("mine")).unwrap();
    for name in ["rows.csv", "manifest.toml", "instances.csv", "tables", "rows.journal"] {
        let path = folder.path("mine").join(name);
        fs::write(&path, "mine").unwrap();
        for _ in 0..2 {
            let message = stderr(&mut run(&folder, "mine", &[]), 2);
            assert!(
                message.contains(&format!("mine/{name}: exists and was not written by a run")),
                "{message}"
            );
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
        fs::remove_file(path).unwrap();
    }
    // Other files are not an obstacle.
    fs::write(folder.path("mine/notes.txt"), "mine").unwrap();
    stdout(&mut run(&folder, "mine", &[]));
    assert_eq!(fs::read_to_string(folder.path("mine/notes.txt")).unwrap(), "mine");
    // The resolved scenario may be run again in its own folder.
    stdout(dfrsim(["run", "--quiet", "mine/scenario.toml", "--out", "mine"]).current_dir(folder.path("")));
    assert_eq!(fs::read_to_string(folder.path("scenario.toml")).unwrap(), SCENARIO);
}

#[cfg(unix)]
#[test]
fn links_in_a_result_folder_lead_nowhere() {
    use std::os::unix::fs::symlink;
    let folder = Folder::with(&[("scenario.toml", SCENARIO), ("precious", "precious")]);
    for name in [".lock", "rows.journal"] {
        let out = folder.path("out");
        fs::create_dir_all(&out).unwrap();
        if name != ".lock" {
            fs::write(out.join(".lock"), "").unwrap();
        }
        symlink(folder.path("precious"), out.join(name)).unwrap();
        let message = stderr(&mut run(&folder, "out", &["--fresh"]), if name == ".lock" { 2 } else { 0 });
        if name == ".lock" {
            assert!(message.contains("out/.lock: is a symbolic link"), "{message}");
        }
        assert_eq!(fs::read_to_string(folder.path("precious")).unwrap(), "precious", "{name}");
        fs::remove_dir_all(&out).unwrap();
    }
    let out = folder.path("out");
    fs::create_dir_all(&out).unwrap();
    fs::write(out.join(".lock"), "").unwrap();
    symlink(folder.path("precious"), out.join("rows.journal")).unwrap();
    let message = stderr(&mut run(&folder, "out", &[]), 2);
    assert!(message.contains("rows.journal: is a symbolic link"), "{message}");
    assert_eq!(fs::read_to_string(folder.path("precious")).unwrap(), "precious");
}

/// Rejects names that break files: a newline breaks lines of journals, a long name the width of
/// tables, and `=` begins a formula.
#[test]
fn names_that_break_files_are_refused_in_every_study() {
    let long = "n".repeat(65_536);
    let cases = [
        ("quickstart", "workloads", "lublin"),
        ("grid_quick", "workloads", "days"),
        ("offline_quick", "instances", ""),
        ("discovery_quick", "workloads", "balanced"),
    ];
    for (scenario, _, _) in cases {
        let text = fs::read_to_string(crate::support::scenario(scenario)).unwrap();
        let line = text.lines().find(|line| line.starts_with("name = ")).unwrap();
        for name in ["two\\nlines", "\\u001b[2J", "=1+1", "@sum", "", long.as_str()] {
            let folder =
                Folder::with(&[("scenario.toml", &text.replacen(line, &format!("name = \"{name}\""), 1))]);
            let message = stderr(&mut run(&folder, "out", &[]), 2);
            assert!(
                message.contains("1 to 200 characters, no control characters")
                    || message.contains("has a line break or another control character"),
                "{scenario}, {name:.20}: {message:.500}"
            );
            assert!(!message.contains('\u{1b}'));
        }
    }
}

#[test]
fn shell_scripts_are_refused_texts_that_end_a_line() {
    let folder = Folder::with(&[("scenario.toml", SCENARIO), ("x\ntouch INJECTED #.toml", SCENARIO)]);
    let submit = |arguments: &[&str]| {
        let mut command = dfrsim(["submit", "--dry-run"]);
        command.current_dir(folder.path("")).args(arguments);
        command
    };
    for arguments in [
        &["x\ntouch INJECTED #.toml", "--out", "out"][..],
        &["scenario.toml", "--out", "o\nut"],
        &["scenario.toml", "--partition", "x\n#SBATCH --uid=0"],
        &["scenario.toml", "--time", "1\n"],
    ] {
        let message = stderr(&mut submit(arguments), 2);
        assert!(message.contains("cannot be used in a script: it has control characters"), "{message}");
    }
    assert!(stdout(&mut submit(&["scenario.toml", "--partition", "$(touch X)"])).contains("'$(touch X)'"));
}

/// The batch system accepts the shards and rejects the merge: the message contains the job of the
/// shards.
#[cfg(unix)]
#[test]
fn a_merge_that_is_refused_does_not_hide_the_job_of_the_shards() {
    use std::os::unix::fs::PermissionsExt as _;
    let sbatch = "#!/bin/sh\nfor script; do :; done\ncase $script in *array.sh) echo 77 ;; *) echo full >&2; exit 1 ;; esac\n";
    let folder = Folder::with(&[("scenario.toml", SCENARIO), ("sbatch", sbatch)]);
    fs::set_permissions(folder.path("sbatch"), fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", folder.path("").display(), std::env::var("PATH").unwrap());
    let mut command = dfrsim(["submit", "scenario.toml", "--array", "2", "--out", "out"]);
    let message = stderr(command.current_dir(folder.path("")).env("PATH", path), 2);
    assert!(message.contains("the shards are submitted as job 77, but the merge is not"), "{message}");
    assert!(message.contains("full") && message.contains("run `dfrsim results merge`"), "{message}");
}
