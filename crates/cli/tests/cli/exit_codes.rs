//! Tests that every exit code is documented, and every documented one is returned by a real command.

use crate::readme::{check_part, program_page};
use crate::support::{Folder, dfrsim, stderr, stdout};
use dfrsim_commands::exit::Exit;

#[test]
fn help_and_the_page_list_the_codes() {
    let help = stdout(&mut dfrsim(["--help"]));
    let mut table = String::from("| code | name | when |\n|--:|---|---|\n");
    for exit in Exit::ALL {
        table += &format!("| {} | `{}` | {} |\n", exit.code(), exit.name(), exit.meaning());
        assert!(help.contains(&format!("{:>3}  {}", exit.code(), exit.name())), "{help}");
    }
    check_part(&program_page(), "exit codes", &table);
}

#[cfg(unix)]
#[test]
fn every_code_is_that_of_a_command() {
    for exit in Exit::ALL {
        let code = match exit {
            Exit::Success => dfrsim(["policies"]).output().unwrap().status.code(),
            Exit::Failure => {
                let instance = r#"{"fixed": 1, "fluid": 1, "nodes": 1, "jobs": [{"requirements": [0.6], "needs": [1]},
                    {"requirements": [0.6], "needs": [1]}]}"#;
                let folder = Folder::with(&[("full.json", instance)]);
                let mut pack = dfrsim(["solve", "pack"]);
                pack.arg(folder.path("full.json"));
                let message = stderr(&mut pack, Exit::Failure.code().into());
                assert!(message.contains("no algorithm packed the jobs"), "{message}");
                pack.output().unwrap().status.code()
            }
            Exit::Input => dfrsim(["audit", "missing.jsonl"]).output().unwrap().status.code(),
            Exit::Interrupted => interrupted(),
            Exit::ClosedPipe => closed_pipe(),
        };
        assert_eq!(code, Some(exit.code().into()), "{exit:?}");
    }
    let arguments = dfrsim(["policies", "--colour"]).output().unwrap().status.code();
    assert_eq!(arguments, Some(Exit::Input.code().into()));
}

/// Returns the exit code of a sweep that is interrupted once its first runs are in the journal.
#[cfg(unix)]
fn interrupted() -> Option<i32> {
    let folder = Folder::with(&[]);
    let mut run = std::process::Command::new(assert_cmd::cargo::cargo_bin!("dfrsim"));
    run.args("run --quiet --threads 1 --set workloads.lublin.lublin.replications=4000 --out".split(' '));
    let mut run = run.arg(folder.path("out")).stderr(std::process::Stdio::null()).spawn().unwrap();
    let journal = folder.path("out/rows.journal");
    while std::fs::metadata(&journal).map_or(0, |file| file.len()) < 1000 {
        assert!(run.try_wait().unwrap().is_none(), "it ended before it could be interrupted");
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    std::process::Command::new("kill").args(["-INT", &run.id().to_string()]).status().unwrap();
    run.wait().unwrap().code()
}

/// Returns the exit code of a command whose reader has closed the pipe before it prints anything.
#[cfg(unix)]
fn closed_pipe() -> Option<i32> {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut policies = std::process::Command::new(assert_cmd::cargo::cargo_bin!("dfrsim"));
    policies.arg("policies").stdout(writer).status().unwrap().code()
}
