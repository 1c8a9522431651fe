//! Tests output files: links, devices and pipes are written through and once, file modes are
//! preserved, and no output of a command overwrites another one.
#![cfg(unix)]

use crate::support::{Folder, dfrsim, stderr, stdout};
use std::fs::{self, File};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

const LOG: &str = "; MaxNodes: 8\n\
    1 0 -1 100 4 -1 -1 4 -1 -1 1 1 1 1 1 -1 -1 -1\n\
    2 10 -1 50 2 -1 -1 2 -1 -1 1 1 1 1 1 -1 -1 -1\n\
    3 5 -1 50 2 -1 -1 2 -1 -1 1 1 1 1 1 -1 -1 -1\n";

fn folder() -> Folder {
    Folder::with(&[("log.swf", LOG)])
}

const SIMULATE: [&str; 9] =
    ["simulate", "--nodes", "8", "--unit", "processor", "--policy", "EASY", "--workload", "log.swf"];

fn simulate(folder: &Folder, more: &[&str]) -> assert_cmd::Command {
    let mut command = dfrsim(SIMULATE);
    command.current_dir(folder.path("")).args(more);
    command
}

/// Creates the simulation as a `std::process::Command`, for tests that need its standard streams or
/// its process.
fn simulate_as_process(folder: &Folder, more: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("dfrsim"));
    command.current_dir(folder.path("")).args(SIMULATE).args(more);
    command
}

/// Returns three jobs and a header, from a log that is out of order and therefore read twice.
fn jobs(folder: &Folder) -> Vec<u8> {
    stdout(&mut simulate(folder, &["--jobs-out", "expected.csv"]));
    let jobs = fs::read(folder.path("expected.csv")).unwrap();
    assert_eq!(jobs.iter().filter(|byte| **byte == b'\n').count(), 4);
    jobs
}

#[test]
fn a_pipe_gets_the_lines_of_an_unsorted_log_once() {
    let folder = folder();
    let expected = jobs(&folder);
    let program = assert_cmd::cargo::cargo_bin!("dfrsim");
    let script = "mkfifo pipe; cat pipe > read & \"$1\" simulate --nodes 8 --unit processor --policy EASY \
        --workload log.swf --jobs-out pipe --events-out /dev/stdout > events && wait";
    let output = Command::new("sh")
        .current_dir(folder.path(""))
        .args(["-c", script, "sh"])
        .arg(program)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(fs::read(folder.path("read")).unwrap(), expected);
    let events = fs::read_to_string(folder.path("events")).unwrap();
    assert_eq!(events.lines().filter(|line| line.contains("\"policy\"")).count(), 1, "{events}");
}

#[test]
fn standard_output_is_written_by_any_name_and_not_replaced() {
    let folder = folder();
    for name in
        ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].into_iter().filter(|name| Path::new(name).exists())
    {
        let redirected = File::create(folder.path("out.swf")).unwrap();
        let inode = redirected.metadata().unwrap().ino();
        let program = assert_cmd::cargo::cargo_bin!("dfrsim");
        let mut command = Command::new(program);
        command.args(["log", "generate", "--jobs", "3", "--nodes", "2", "--seed", "1", "--out", name]);
        assert!(command.stdout(redirected).stderr(Stdio::null()).status().unwrap().success(), "{name}");
        let written = fs::read_to_string(folder.path("out.swf")).unwrap();
        assert_eq!(written.lines().filter(|line| !line.starts_with(';')).count(), 3, "{name}");
        assert_eq!(fs::metadata(folder.path("out.swf")).unwrap().ino(), inode, "{name}");
        assert_eq!(
            stdout(&mut dfrsim([
                "log", "generate", "--jobs", "3", "--nodes", "2", "--seed", "1", "--out", name
            ])),
            written
        );
    }
    assert!(!fs::metadata("/dev/stdout").unwrap().is_file() || Path::new("/dev/stdout").is_symlink());
}

#[test]
fn links_are_written_through() {
    let folder = folder();
    let expected = jobs(&folder);
    fs::create_dir(folder.path("far")).unwrap();
    symlink("far/target.csv", folder.path("link.csv")).unwrap();
    for _ in 0..2 {
        stdout(&mut simulate(&folder, &["--jobs-out", "link.csv"]));
        assert!(folder.path("link.csv").is_symlink());
        assert_eq!(fs::read(folder.path("far/target.csv")).unwrap(), expected);
        fs::write(folder.path("far/target.csv"), "earlier").unwrap();
    }
    symlink("turn", folder.path("turn")).unwrap();
    let message = stderr(&mut simulate(&folder, &["--jobs-out", "turn"]), 2);
    assert!(message.contains("turn: cannot be written: too many symbolic links"), "{message}");
    assert!(stderr(&mut simulate(&folder, &["--jobs-out", "far"]), 2).contains("far: cannot be written"));
}

#[test]
fn a_file_keeps_its_mode() {
    let folder = folder();
    jobs(&folder);
    let mode = |name: &str| fs::metadata(folder.path(name)).unwrap().permissions().mode() & 0o777;
    fs::write(folder.path("usual"), "").unwrap();
    assert_eq!(mode("expected.csv"), mode("usual"), "a new file has the mode of any new file");
    for given in [0o600, 0o640, 0o755] {
        fs::set_permissions(folder.path("expected.csv"), fs::Permissions::from_mode(given)).unwrap();
        jobs(&folder);
        assert_eq!(mode("expected.csv"), given);
    }
    // Root may write everything.
    if fs::metadata(folder.path("usual")).unwrap().uid() != 0 {
        fs::set_permissions(folder.path("expected.csv"), fs::Permissions::from_mode(0o444)).unwrap();
        assert!(
            stderr(&mut simulate(&folder, &["--jobs-out", "expected.csv"]), 2).contains("permission denied")
        );
        fs::create_dir(folder.path("closed")).unwrap();
        fs::write(folder.path("closed/open.csv"), "earlier, and longer than what comes").unwrap();
        fs::set_permissions(folder.path("closed"), fs::Permissions::from_mode(0o555)).unwrap();
        let written = simulate(&folder, &["--jobs-out", "closed/open.csv"]).output().unwrap();
        fs::set_permissions(folder.path("closed"), fs::Permissions::from_mode(0o755)).unwrap();
        assert!(written.status.success());
        let open = fs::read_to_string(folder.path("closed/open.csv")).unwrap();
        assert!(open.starts_with("job_id") && !open.contains("earlier"));
    }
}

/// Leaves only files with temporary names if the program is killed.
#[cfg(target_os = "linux")]
#[test]
fn a_program_that_is_killed_leaves_no_part_of_a_file() {
    let folder = folder();
    let before = folder.names();
    // The second output is a pipe without a reader: the program waits there after it has written the
    // first one.
    assert!(Command::new("mkfifo").arg(folder.path("pipe")).status().unwrap().success());
    let mut command = simulate_as_process(&folder, &["--events-out", "pipe", "--swf-out", "schedule.swf"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert!(child.try_wait().unwrap().is_none(), "it waits for a reader");
    child.kill().unwrap();
    child.wait().unwrap();
    fs::remove_file(folder.path("pipe")).unwrap();
    let mut left = folder.names();
    left.retain(|name| !name.starts_with(".dfrsim-"));
    assert_eq!(left, before);
}

/// Writes the files of a plan into the folder, and returns the arguments.
fn plan(folder: &Folder) -> [&'static str; 5] {
    let current = r#"{"nodes": [{"name": "N1", "cpu": 2, "memory": 4096}, {"name": "N2", "cpu": 2, "memory": 4096}],
        "vjobs": [{"name": "A", "vms": [{"name": "A1", "cpu": 1, "memory": 512, "state": "running", "node": "N1"}]}]}"#;
    fs::write(folder.path("current.json"), current).unwrap();
    fs::write(folder.path("wanted.json"), r#"{"vms": [{"name": "A1", "state": "running", "node": "N2"}]}"#)
        .unwrap();
    ["solve", "plan", "current.json", "--to", "wanted.json"]
}

/// If any file of a command cannot be written, none of its files appears.
#[cfg(target_os = "linux")]
#[test]
fn files_of_one_command_appear_together() {
    let folder = folder();
    stdout(&mut simulate(&folder, &["--events-out", "events.jsonl"]));
    let plan = [&plan(&folder)[..], &["--plan-out", "plan.json", "--picture", "plan.svg"]].concat();
    let simulate = [&SIMULATE[..], &["--jobs-out", "jobs.csv", "--swf-out", "out.swf"]].concat();
    let cases: [(&[&str], &[&str]); 4] = [
        (&plan, &["plan.json", "plan.svg", "plan.csv"]),
        (&simulate, &["jobs.csv", "out.swf"]),
        (&["draw", "gantt", "events.jsonl", "--out", "gantt.svg"], &["gantt.svg", "gantt.csv"]),
        (&["draw", "timeline", "events.jsonl", "--out", "line.png"], &["line.png", "line.csv"]),
    ];
    let before = folder.names();
    for (arguments, files) in cases {
        for full in files {
            symlink("/dev/full", folder.path(full)).unwrap();
            let message = stderr(dfrsim(arguments).current_dir(folder.path("")), 2);
            assert!(message.contains(&format!("{full}: cannot be written: no space is left")), "{message}");
            fs::remove_file(folder.path(full)).unwrap();
            assert_eq!(folder.names(), before, "{arguments:?}, {full}");
        }
    }
}

#[test]
fn no_file_of_a_command_destroys_another() {
    let folder = folder();
    symlink("log.swf", folder.path("link.swf")).unwrap();
    stdout(&mut simulate(&folder, &["--events-out", "easy.jsonl", "--jobs-out", "easy.csv"]));
    let planned = plan(&folder);
    let snapshot = || {
        folder
            .names()
            .into_iter()
            .map(|name| fs::read(folder.path(&name)).map(|it| (name, it)))
            .collect::<Result<Vec<_>, _>>()
            .unwrap()
    };
    let before = snapshot();
    let with = |more: &[&'static str]| [&SIMULATE[..], more].concat();
    let cases: Vec<(Vec<&str>, &str)> = vec![
        (with(&["--jobs-out", "q", "--events-out", "q"]), "--events-out: q is also --jobs-out"),
        (with(&["--jobs-out", "q", "--swf-out", "./q"]), "--swf-out: ./q is also --jobs-out"),
        (with(&["--jobs-out", "log.swf"]), "--jobs-out: log.swf is also --workload"),
        (with(&["--jobs-out", "link.swf"]), "--jobs-out: link.swf is also --workload"),
        (
            with(&["--failures", "easy.csv", "--jobs-out", "easy.csv"]),
            "--jobs-out: easy.csv is also --failures",
        ),
        (
            with(&["--priority", "easy.csv", "--swf-out", "easy.csv"]),
            "--swf-out: easy.csv is also --priority",
        ),
        (vec!["log", "convert", "log.swf", "--out", "log.swf"], "--out: log.swf is also the input"),
        (
            vec!["draw", "gantt", "easy.jsonl", "--out", "easy.svg"],
            "easy.csv: the data of the picture would overwrite this file",
        ),
        (
            [&planned[..], &["--plan-out", "z.csv", "--picture", "z.svg"]].concat(),
            "the data of --picture: z.csv is also --plan-out",
        ),
        (
            [&planned[..], &["--plan-out", "current.json"]].concat(),
            "--plan-out: current.json is also the state",
        ),
        (
            vec!["bound", "--workload", "log.swf", "--nodes", "8", "--out", "log.swf"],
            "--out: log.swf is also --workload",
        ),
    ];
    for (arguments, expected) in cases {
        let message = stderr(dfrsim(&arguments).current_dir(folder.path("")), 2);
        assert!(message.contains(expected), "{arguments:?}: {message}");
        assert_eq!(snapshot(), before, "{arguments:?}");
    }
    for _ in 0..2 {
        stdout(dfrsim(["draw", "gantt", "easy.jsonl", "--out", "gantt.svg"]).current_dir(folder.path("")));
    }
}

/// Simulates while standard error is closed by its reader, or goes to a full disk.
#[cfg(target_os = "linux")]
#[test]
fn standard_error_that_cannot_be_written_ends_no_run() {
    let folder = folder();
    let full = || Stdio::from(File::options().write(true).open("/dev/full").unwrap());
    let closed = || {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        Stdio::from(writer)
    };
    let expected = stdout(&mut simulate(&folder, &[]));
    for error in [full(), closed()] {
        let output = simulate_as_process(&folder, &[]).stderr(error).output().unwrap();
        assert!(output.status.success());
        assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
    }
    for (error, code) in [(full(), 2), (closed(), 2)] {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("dfrsim"));
        command.current_dir(folder.path("")).args(["audit", "none.jsonl"]);
        assert_eq!(command.stderr(error).output().unwrap().status.code(), Some(code));
    }
}
