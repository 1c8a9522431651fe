//! Tests unusual logs: odd ones, through pipes, with times at the limit of the range.

use crate::support::{Folder, dfrsim, stderr, stdout};
use std::fs;

/// Creates a line of a job of one processor.
fn line(job: u64, submit: i64, run_time: u64, requested: i64) -> String {
    format!("{job} {submit} -1 {run_time} 1 -1 -1 1 {requested} -1 1 1 -1 -1 -1 -1 -1 -1\n")
}

fn simulate(log: &std::path::Path, arguments: &[&str]) -> assert_cmd::Command {
    let mut command = dfrsim(["simulate", "--policy", "EASY", "--workload"]);
    command.arg(log).args(arguments);
    command
}

/// Writes every line once to the output pipe, for any order of the log.
#[cfg(unix)]
#[test]
fn an_unsorted_log_is_written_once_to_a_pipe() {
    let text = (1..=50).map(|job| line(job, 1_000 - i64::try_from(job).unwrap(), 10, 10)).collect::<String>();
    let folder = Folder::with(&[("log.swf", &text)]);
    let pipe = folder.path("out.fifo");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || fs::read_to_string(pipe).unwrap()
    });
    simulate(&folder.path("log.swf"), &["--nodes", "2", "--jobs-out"]).arg(&pipe).assert().success();
    assert_eq!(reader.join().unwrap().lines().count(), 51);
    let whole =
        simulate(std::path::Path::new("/dev/stdin"), &["--nodes", "2"]).write_stdin(text).assert().success();
    let printed = String::from_utf8_lossy(&whole.get_output().stderr).into_owned();
    assert!(printed.contains("50 lines: 50 jobs"), "{printed}");
}

#[test]
fn times_and_periods_out_of_range_are_refused() {
    let long: String = (1..=1_300).map(|job| line(job, 0, 16_000_000_000, -1)).collect();
    let folder =
        Folder::with(&[("long.swf", &long), ("two.swf", &(line(1, 0, 10, 10) + &line(2, 9, 10, 10)))]);
    for policy in ["FCFS", "EASY", "CONS", "Greedy*/OPT=MIN", "EQUIPARTITION"] {
        let mut command = dfrsim(["simulate", "--nodes", "1", "--policy", policy, "--workload"]);
        let printed = stderr(command.arg(folder.path("long.swf")), 2);
        assert!(printed.contains("run past 18000000000000 s"), "{policy}: {printed}");
    }
    let schedule = folder.path("schedule.swf");
    let mut command = simulate(&folder.path("long.swf"), &["--nodes", "1", "--first", "1100", "--swf-out"]);
    let printed = stderr(command.arg(&schedule), 2);
    assert!(printed.contains("a log can only hold times up to 16000000000 s"), "{printed}");
    assert!(!schedule.exists());
    for arguments in
        [["--period", "0"], ["--period", "0.0000001"], ["--load", "1e-310"], ["--load", "1e-320"]]
    {
        let mut command = simulate(&folder.path("two.swf"), &["--nodes", "1"]);
        let printed = stderr(command.args(arguments), 2);
        assert!(
            printed.contains("at least 1 s") || printed.contains("these jobs allow loads"),
            "{arguments:?}: {printed}"
        );
    }
}

#[test]
fn converted_logs_say_what_they_are_and_what_was_left_out() {
    let jobs: String = (1..=20).map(|job| line(job, 5, 10, -1)).collect();
    let text = format!("; MaxJobs: 20\n{}{}x\n{jobs}", line(90, 1, 10, -1), line(91, -1, 10, -1));
    let folder = Folder::with(&[("log.swf", &text)]);
    for (name, marker) in [("out.swf", &b"; Ma"[..]), ("out.swf.gz", &[0x1f, 0x8b])] {
        let out = folder.path(name);
        let mut command = dfrsim(["log", "convert", "--first", "5"]);
        let printed = stderr(command.arg(folder.path("log.swf")).arg("--out").arg(&out), 0);
        assert!(
            printed.contains("rejected: lines with an invalid job number: 1")
                && printed.contains("rejected: jobs dropped by the rule no_submit: 1"),
            "{printed}"
        );
        assert!(fs::read(&out).unwrap().starts_with(marker));
        let info = stdout(dfrsim(["log", "info"]).arg(&out));
        assert!(info.contains("4 lines: 4 jobs, 0 rejected"), "{info}");
    }
    assert!(fs::read_to_string(folder.path("out.swf")).unwrap().starts_with("; MaxJobs: 4\n"));
    let hidden = folder.path("hidden.swf");
    let mut command = dfrsim(["log", "anonymise", "--first", "5"]);
    stderr(command.arg(folder.path("log.swf")).arg("--out").arg(&hidden), 0);
    assert!(fs::read_to_string(&hidden).unwrap().starts_with("; MaxJobs: 4\n"));
}

/// Accepts any bytes as names of files, including those that are not UTF-8.
#[cfg(target_os = "linux")]
#[test]
fn logs_may_have_any_name() {
    use std::os::unix::ffi::OsStrExt as _;
    let folder = Folder::with(&[]);
    let log = folder.path(".").join(std::ffi::OsStr::from_bytes(b"\xff.swf"));
    fs::write(&log, format!("\u{feff}; MaxProcs: 1\n{}", line(1, 0, 10, 10))).unwrap();
    simulate(&log, &[]).assert().success();
    dfrsim(["log", "info"]).arg(&log).assert().success();
    dfrsim(["log", "convert"]).arg(&log).arg("--out").arg(folder.path("out.swf")).assert().success();
}

/// Checks that the anonymous file has no names and gives equal simulations.
#[test]
fn an_anonymous_log_has_the_same_simulations() {
    for name in ["slurm-22.05.sacct", "documented.pbs"] {
        let log = format!("{}/../base/workload/tests/workload/reference/{name}", env!("CARGO_MANIFEST_DIR"));
        let folder = Folder::with(&[]);
        let (same, shifted) = (folder.path("same.swf"), folder.path("shifted.swf"));
        stderr(dfrsim(["log", "anonymise", &log, "--out"]).arg(&same), 0);
        let notices = stderr(dfrsim(["log", "anonymise", &log, "--shift", "--out"]).arg(&shifted), 0);
        assert!(notices.contains(" users, "), "{notices}");
        let text = fs::read_to_string(&shifted).unwrap();
        assert!(text.lines().all(|line| !line.starts_with(';') || line.starts_with("; Max")), "{text}");
        for policy in ["EASY", "GreedyPM*/per/OPT=MIN/MVT=600"] {
            let options =
                ["--nodes", "16", "--unit", "processor", "--estimates", "requested", "--size", "allocated"];
            let of = |workload: &std::path::Path| {
                let mut command = dfrsim(["simulate", "--policy", policy, "--workload"]);
                stdout(command.arg(workload).args(options))
            };
            let expected = of(std::path::Path::new(&log));
            assert_eq!(of(&same), expected, "{name}");
            assert_eq!(of(&shifted), expected, "{name}");
        }
    }
}

/// Rejects free text in header dates, and reports the users that a single job identifies.
#[test]
fn an_anonymous_log_has_no_text_of_the_header_and_says_whom_one_job_identifies() {
    let line = |(job, user, run): (u64, u64, u64)| {
        format!("{job} {} 1 {run} 4 -1 -1 4 {} -1 1 {user} 3 7 2 1 -1 -1\n", job * 60, run + 100)
    };
    let jobs = (0..12).map(|job| (job + 1, job % 6, 1_000 + job)).chain([(13, 5, 900_000)]);
    let header = "; MaxProcs: 64 of Anna\n; UnixStartTime: 1700000000 anna@lab.example\n; TimeZoneString: Europe/Berlin \
                  (Anna Smith, desk 12)\n; Note: anna\n";
    let log = format!("{header}{}", jobs.map(line).collect::<String>());
    let folder = Folder::with(&[("t.swf", &log), ("odd.swf", &log.replace("Europe/Berlin", "Anna/Smith"))]);
    let anonymise = |name: &str, more: &[&str]| {
        let mut command = dfrsim(["log", "anonymise"]);
        let answer = stdout(
            command
                .arg(folder.path(name))
                .arg("--out")
                .arg(folder.path("o.swf"))
                .args(["--format", "json"])
                .args(more),
        );
        let text = fs::read_to_string(folder.path("o.swf")).unwrap();
        (text, serde_json::from_str::<serde_json::Value>(&answer).unwrap())
    };
    let (text, answer) = anonymise("t.swf", &[]);
    assert!(!text.to_lowercase().contains("anna") && !text.contains("Smith"), "{text}");
    for kept in ["MaxProcs: 64\n", "UnixStartTime: 1700000000\n", "TimeZoneString: Europe/Berlin\n"] {
        assert!(text.contains(kept), "{text}");
    }
    assert_eq!((&answer["users"], &answer["users_identified_by_one_job"]), (&6.into(), &6.into()));
    assert!(!anonymise("odd.swf", &[]).0.contains("Anna"));

    let (text, answer) = anonymise("t.swf", &["--shift", "--coarse"]);
    assert!(text.lines().filter(|line| !line.starts_with(';')).count() == 12, "{text}");
    assert_eq!((&answer["users_identified_by_one_job"], &answer["k"]), (&0.into(), &6.into()));
    assert_eq!((&answer["coarse"]["dropped_jobs"], &answer["coarse"]["lost_users"]), (&1.into(), &0.into()));
    for easy in ["before", "after"].map(|when| &answer["simulated"][when]) {
        assert!(easy["mean_wait_s"].is_number() && easy["mean_bounded_stretch"].is_number(), "{answer}");
    }
    // Submissions are known to a quarter of an hour at best, to which they are rounded.
    let periods = |answer: &serde_json::Value| -> Vec<u64> {
        let all = answer["submission"].as_array().unwrap().iter();
        all.map(|by| by["period_s"].as_u64().unwrap()).collect()
    };
    assert_eq!(periods(&answer), [900, 3_600, 86_400]);

    let (text, answer) = anonymise("t.swf", &["--shift", "--times", "day"]);
    assert_eq!(periods(&answer), [86_400]);
    assert_eq!(answer["times"]["removed_waits"], 13);
    let fields = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let jobs = || text.lines().filter(|line| !line.starts_with(';')).map(fields);
    assert!(jobs().all(|fields| fields[1] == "0" && fields[2] == "-1"), "{text}");
    let (_, exact) = anonymise("t.swf", &["--shift"]);
    let by_one_job = |answer: &serde_json::Value| answer["submission"][0]["by_one_job"].as_u64().unwrap();
    assert_eq!((by_one_job(&exact), by_one_job(&answer)), (6, 0));
    let (shuffled, answer) = anonymise("t.swf", &["--times", "shuffle-within=1h"]);
    assert_eq!(shuffled, anonymise("t.swf", &["--times", "shuffle-within=1h"]).0);
    assert!(answer["times"]["moved_jobs"].as_u64() > Some(6), "{answer}");
    let submits = |text: &str| -> Vec<String> {
        text.lines().filter(|line| !line.starts_with(';')).map(|line| fields(line)[1].clone()).collect()
    };
    assert_eq!(submits(&shuffled), submits(&anonymise("t.swf", &[]).0));
    let mut command = dfrsim(["log", "anonymise", "--coarse", "--k", "7", "--out"]);
    let refused = stderr(command.arg(folder.path("o.swf")).arg(folder.path("t.swf")), 2);
    assert!(
        refused.contains("the log has 6 users, but hiding each among 7 needs at least that many"),
        "{refused}"
    );
}

/// Jobs that wait for one another, or for themselves, would never start.
#[test]
fn circles_of_dependencies_are_errors_with_both_lines() {
    let line = |job: u64, after: u64| format!("{job} {job} 0 10 1 -1 -1 1 100 -1 1 1 1 1 1 1 {after} 5\n");
    let log = |jobs: &[(u64, u64)]| jobs.iter().map(|&(job, after)| line(job, after)).collect::<String>();
    let folder = Folder::with(&[
        ("circle.swf", &log(&[(1, 2), (2, 1)])),
        ("itself.swf", &log(&[(1, 1)])),
        ("right.swf", &log(&[(1, 7), (2, 1)])),
    ]);
    let simulate = |log: &str, submission: &str| {
        let line = format!(
            "simulate --workload {log} --nodes 4 --unit processor --policy EASY --submission {submission}"
        );
        let output = folder.dfrsim(&line).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    for submission in ["dependencies", "holds"] {
        let (code, errors) = simulate("circle.swf", submission);
        assert_eq!(code, Some(2), "{errors}");
        let expected = "circle.swf:2: job 2 waits for job 1 of line 1, which waits for job 2";
        assert!(errors.contains(expected), "{errors}");
        let (code, errors) = simulate("itself.swf", submission);
        assert!(code == Some(2) && errors.contains("itself.swf:1: job 1 follows itself"), "{errors}");
        assert_eq!(simulate("right.swf", submission).0, Some(0));
    }
    assert_eq!(simulate("circle.swf", "open").0, Some(0));
}
