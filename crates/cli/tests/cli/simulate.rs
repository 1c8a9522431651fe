//! `dfrsim simulate` as a user runs it: figures, files, and every way in which it can fail.

use crate::support::{Folder, dfrsim, stderr, stdout};
use std::fs;

/// Three jobs on two processors: the first fills both for 100 s, the second waits for them, the third fits beside it.
const LOG: &str = "\
; MaxProcs: 2
1  0 -1 100 2 -1 -1 2 100 -1 1 1 -1 -1 -1 -1 -1 -1
2 10 -1  50 1 -1 -1 1  60 -1 1 1 -1 -1 -1 -1 -1 -1
3 20 -1  40 1 -1 -1 1  40 -1 1 1 -1 -1 -1 -1 -1 -1
";

const ARGUMENTS: [&str; 8] =
    ["simulate", "--nodes", "2", "--unit", "processor", "--policy", "EASY", "--workload"];

#[test]
fn the_jobs_file_holds_the_schedule() {
    let folder = Folder::with(&[("log.swf", LOG)]);
    let jobs = folder.path("jobs.csv");
    dfrsim(ARGUMENTS).arg(folder.path("log.swf")).arg("--jobs-out").arg(&jobs).assert().success();
    let lines: Vec<String> = fs::read_to_string(jobs).unwrap().lines().map(str::to_owned).collect();
    assert!(lines[0].starts_with("job_id,submit,start,end,tasks,stretch,bounded_stretch,"));
    assert!(lines[1].starts_with("1,0,0,100,2,1,1,"));
    assert!(lines[2].starts_with("2,10,100,150,1,2.8,2.8,"));
    assert!(lines[3].starts_with("3,20,100,140,1,3,3,"));
    assert_eq!(lines.len(), 4);
}

#[test]
fn figures_come_as_text_and_as_json() {
    let folder = Folder::with(&[("log.swf", LOG)]);
    let text = stdout(dfrsim(ARGUMENTS).arg(folder.path("log.swf")));
    assert!(text.contains("makespan [s]           150"), "{text}");
    let json = stdout(dfrsim(ARGUMENTS).arg(folder.path("log.swf")).args(["--format", "json"]));
    let figures: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(figures["stretch"]["max"], 3.0);
    assert_eq!(figures["wait_s"]["mean"], (90.0 + 80.0) / 3.0);
}

#[test]
fn events_pass_the_audit_and_changed_ones_do_not() {
    let folder = Folder::with(&[("log.swf", LOG)]);
    let events = folder.path("events.jsonl");
    dfrsim(ARGUMENTS).arg(folder.path("log.swf")).arg("--events-out").arg(&events).assert().success();
    dfrsim(["audit"]).arg(&events).assert().success();
    let early = fs::read_to_string(&events).unwrap().replacen(
        r#"{"event":"complete","at_us":140000000"#,
        r#"{"event":"complete","at_us":139000000"#,
        1,
    );
    fs::write(&events, early).unwrap();
    dfrsim(["audit"]).arg(&events).assert().code(1);
}

/// The third job is backfilled, which is a rule of EASY and a fault of FCFS; estimates are in the file.
#[test]
fn the_audit_knows_the_rules_of_batch_policies() {
    let folder = Folder::with(&[("log.swf", LOG)]);
    let events = folder.path("events.jsonl");
    let mut simulate = dfrsim(ARGUMENTS);
    simulate.arg(folder.path("log.swf")).args(["--estimates", "requested", "--events-out"]).arg(&events);
    simulate.assert().success();
    let text = fs::read_to_string(&events).unwrap();
    assert_eq!(text.matches(r#""run_us":50000000,"estimate_us":60000000,"user":1}"#).count(), 1, "{text}");
    assert_eq!(text.matches("estimate_us").count(), 1, "{text}");
    let fine = stdout(dfrsim(["audit", "--policy", "EASY"]).arg(&events));
    assert!(fine.ends_with("each job starts when EASY would start it\n"), "{fine}");
    let other = stderr(dfrsim(["audit", "--policy", "EASY/SPARE"]).arg(&events), 1);
    assert!(other.contains("line 1: the file is of policy `EASY`, not `EASY/SPARE`"), "{other}");
    let unknown = stderr(dfrsim(["audit", "--policy", "GreedyPM*"]).arg(&events), 2);
    assert!(unknown.contains("unknown policy to check `GreedyPM*`"), "{unknown}");
}

/// The rules of a name are those of the default options: what other ones decide is not judged by them.
#[test]
fn the_audit_says_when_options_keep_it_from_judging() {
    let folder = Folder::with(&[("log.swf", LOG)]);
    let events = folder.path("events.jsonl");
    let audited = |options: &[&str]| {
        let mut simulate = dfrsim(["simulate", "--nodes", "2", "--unit", "processor", "--workload"]);
        simulate.arg(folder.path("log.swf")).args(["--policy", "MCB*/per/OPT=MIN"]).args(options);
        simulate.arg("--events-out").arg(&events).assert().success();
        let audit = ["audit", "--policy", "MCB*/per/OPT=MIN", "--format", "json"];
        let json = stdout(dfrsim(audit).arg(&events));
        serde_json::from_str::<serde_json::Value>(&json).unwrap()
    };
    assert_eq!(audited(&[])["judged"], true);
    let unjudged = audited(&["--packing", "mcb8", "--drop", "skip"]);
    assert_eq!(unjudged["judged"], false);
    assert_eq!(unjudged["not_judged"], "decisions with packing mcb8, drop skip");
}

/// Every policy keeps to its rules on a log that is too much for the machine, and its file is of no other policy's rules.
#[test]
fn the_audit_knows_the_rules_of_all_policies() {
    let folder = Folder::with(&[]);
    let log = folder.path("log.swf");
    let generate = ["log", "generate", "--jobs", "60", "--nodes", "8", "--seed", "1", "--load", "2", "--out"];
    stdout(dfrsim(generate).arg(&log));
    let names = stdout(&mut dfrsim(["policies", "--names"]));
    let mut checked = 0;
    for policy in names.lines() {
        let events = folder.path("events.jsonl");
        let mut simulate = dfrsim(["simulate", "--nodes", "8", "--annotate", "lublin", "--penalty", "60"]);
        simulate.args(["--period", "300", "--policy", policy, "--workload"]).arg(&log);
        stdout(simulate.arg("--events-out").arg(&events));
        let audit = |name: &str, period: &str| {
            let mut audit = dfrsim(["audit", "--policy", name, "--period", period]);
            audit.arg(&events).output().unwrap()
        };
        let fine = audit(policy, "300");
        assert!(fine.status.success(), "{policy}: {}", String::from_utf8_lossy(&fine.stderr));
        let other = if policy == "EQUIPARTITION" { "EASY" } else { "EQUIPARTITION" };
        assert_eq!(audit(other, "300").status.code(), Some(1), "{policy} as {other}");
        checked += 1;
    }
    assert!(checked > 120, "{checked} policies");
}

#[test]
fn all_faults_of_a_log_are_reported_and_no_file_is_written() {
    let broken = LOG.replace("\n2 10", "\n2 ten").replace("3 20 -1  40 1", "3 20 -1 -40 1");
    let folder = Folder::with(&[("log.swf", &broken), ("jobs.csv", "earlier")]);
    let jobs = folder.path("jobs.csv");
    let mut command = dfrsim(ARGUMENTS);
    let printed = stderr(command.arg(folder.path("log.swf")).arg("--strict").arg("--jobs-out").arg(&jobs), 2);
    assert!(printed.contains("without strict reading"), "{printed}");
    assert!(printed.contains("log.swf:3: field 2 (submit time): found `ten`"), "{printed}");
    assert!(printed.contains("log.swf:4: field 4 (run time): found `-40`"), "{printed}");
    assert_eq!(fs::read_to_string(jobs).unwrap(), "earlier");
    assert_eq!(folder.names(), ["jobs.csv", "log.swf"], "no half-written file is left");
    let printed = stderr(dfrsim(ARGUMENTS).arg(folder.path("log.swf")), 0);
    let reasons =
        "broken lines left out: 2 (1 by their submit time, 1 by their run time; the first is line 3)";
    assert!(printed.contains(reasons), "{printed}");
}

#[test]
fn jobs_wider_than_the_machine_are_left_out_and_counted_or_refused() {
    let wide = LOG.replace("100 2 -1 -1 2", "100 3 -1 -1 3");
    let folder = Folder::with(&[("log.swf", &wide)]);
    let printed = stderr(dfrsim(ARGUMENTS).arg(folder.path("log.swf")), 0);
    assert!(printed.contains("3 records, 2 jobs; too_wide: 1 dropped"), "{printed}");
    for refusing in [&["--strict"][..], &["--too-wide", "error"]] {
        let printed = stderr(dfrsim(ARGUMENTS).arg(folder.path("log.swf")).args(refusing), 2);
        assert!(
            printed.contains("log.swf:2: job 1: it has 3 tasks, but the machine has 2 units"),
            "{printed}"
        );
        assert!(printed.contains("hint: `--too-wide` has other rules"), "{printed}");
    }
}

/// One job of one processor, all alone: a core of a node is what is used.
#[test]
fn cores_are_what_annotations_assume() {
    let folder = Folder::with(&[("log.swf", "1 0 -1 100 1 -1 -1 1 100 -1 1 1 -1 -1 -1 -1 -1 -1\n")]);
    let simulate = |arguments: &[&str]| {
        let mut command =
            dfrsim(["simulate", "--nodes", "1", "--policy", "FCFS", "--format", "json", "--workload"]);
        command.arg(folder.path("log.swf")).args(arguments);
        command
    };
    let utilisation = |arguments: &[&str]| {
        let figures: serde_json::Value = serde_json::from_str(&stdout(&mut simulate(arguments))).unwrap();
        figures["utilisation"].as_f64().unwrap()
    };
    assert_eq!(utilisation(&["--annotate", "lublin"]), 0.25);
    assert_eq!(utilisation(&["--annotate", "lublin", "--cores", "2"]), 0.5);
    assert_eq!(utilisation(&["--annotate", "hpc2n"]), 0.5);
    assert_eq!(utilisation(&["--annotate", "hpc2n", "--cores", "8"]), 0.125);
    let printed = stderr(&mut simulate(&["--cores", "2"]), 2);
    assert!(printed.contains("--annotate hpc2n or lublin"), "{printed}");
}

#[test]
fn a_wrong_policy_is_answered_with_the_nearest_name() {
    let printed = stderr(&mut dfrsim(["simulate", "--workload", "x", "--nodes", "2", "--policy", "EAZY"]), 2);
    assert!(printed.contains("did you mean `EASY`?"), "{printed}");
}

#[test]
fn a_missing_log_is_reported_with_the_places_searched() {
    let printed = stderr(dfrsim(ARGUMENTS).arg("missing.swf"), 2);
    assert!(printed.contains("missing.swf") && printed.contains("traces"), "{printed}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_said() {
    let folder = Folder::with(&[("log.swf", LOG)]);
    let mut command = dfrsim(ARGUMENTS);
    let printed = stderr(command.arg(folder.path("log.swf")).args(["--jobs-out", "/dev/full"]), 2);
    assert!(printed.contains("/dev/full: cannot be written"), "{printed}");
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_ends_quietly() {
    use std::io::Read as _;
    use std::process::{Command, Stdio};
    let folder = Folder::with(&[("log.swf", LOG)]);
    let program = assert_cmd::cargo::cargo_bin!("dfrsim");
    let mut child = Command::new(program)
        .args(["policies"])
        .current_dir(folder.path("."))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut printed = String::new();
    child.stderr.take().unwrap().read_to_string(&mut printed).unwrap();
    let status = child.wait().unwrap();
    assert_eq!(printed, "");
    // The list fits a pipe's buffer, so it may be written before the pipe is seen to be closed.
    assert!(matches!(status.code(), Some(0 | 141)), "{status}");
}

#[test]
fn out_of_order_logs_are_sorted_with_a_notice() {
    let lines: Vec<&str> = LOG.lines().collect();
    let shuffled = [lines[0], lines[2], lines[1], lines[3], ""].join("\n");
    let folder = Folder::with(&[("log.swf", &shuffled)]);
    let mut command = dfrsim(ARGUMENTS);
    let output = command.arg(folder.path("log.swf")).output().unwrap();
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("out of order: 1"));
    assert!(String::from_utf8_lossy(&output.stdout).contains("makespan [s]           150"));
}

/// Commands that are in groups now work by their earlier names, and help lists them in their groups only.
#[test]
fn earlier_names_of_commands_work() {
    let folder = Folder::with(&[("log.swf", LOG)]);
    let info = |command: &[&str]| stdout(dfrsim(command).arg(folder.path("log.swf")));
    assert_eq!(info(&["workload", "info"]), info(&["log", "info"]));
    assert_eq!(stdout(&mut dfrsim(["pack", "--list"])), stdout(&mut dfrsim(["solve", "pack", "--list"])));
    let help = stdout(&mut dfrsim(["--help"]));
    assert!(
        help.contains("\n  results ") && !help.contains("\n  merge ") && !help.contains("\n  pack "),
        "{help}"
    );
}

/// A tick a second for 500 years.
#[test]
fn a_long_simulation_shows_its_progress() {
    let job = "1 0 -1 15000000000 1 -1 -1 1 -1 -1 1 1 1 1 1 -1 -1 -1\n";
    let folder = Folder::with(&[("log.swf", job)]);
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("dfrsim"));
    command.args(["simulate", "--nodes", "1", "--policy", "/per/OPT=MIN", "--period", "1", "--workload"]);
    command.arg(folder.path("log.swf")).stderr(std::process::Stdio::piped());
    let mut running = command.stdout(std::process::Stdio::null()).spawn().unwrap();
    let lines = std::io::BufRead::lines(std::io::BufReader::new(running.stderr.take().unwrap()));
    let progress = lines.map(Result::unwrap).find(|line| line.contains("0 of 1 jobs have left"));
    running.kill().unwrap();
    running.wait().unwrap();
    assert!(progress.unwrap().contains("1 are in the system at second "));
}

/// Node 1 is down from 30 to 60 s: the first job, which ran on both nodes, has lost 60 node-seconds and begins again later.
#[test]
fn nodes_go_down_and_come_back() {
    let outages = "nodes,from_s,until_s,announced_s\n1,30,60,\n";
    let folder = Folder::with(&[("log.swf", LOG), ("down.csv", outages)]);
    let events = folder.path("events.jsonl");
    let mut command = dfrsim(ARGUMENTS);
    command.arg(folder.path("log.swf")).arg("--failures").arg(folder.path("down.csv"));
    let json = stdout(command.arg("--format").arg("json").arg("--events-out").arg(&events));
    let figures: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(figures["outages"]["interruptions"], 1);
    assert_eq!(figures["outages"]["lost_work_node_s"], 60.0);
    let makespan = figures["makespan_s"].as_f64().unwrap();
    let availability = figures["outages"]["availability"].as_f64().unwrap();
    assert!((availability - (1.0 - 30.0 / (2.0 * makespan))).abs() < 1e-12);
    let report = stdout(dfrsim(["audit", "--policy", "EASY"]).arg(&events));
    assert!(report.contains("1 interruptions, 0 jobs lost, 60.0 node-seconds of work lost"), "{report}");
    let picture = folder.path("gantt.svg");
    dfrsim(["draw", "gantt"]).arg(&events).arg("--out").arg(&picture).assert().success();
    assert!(fs::read_to_string(&picture).unwrap().contains("\ndown\n"));
    assert!(stdout(dfrsim(["explain", "--job", "0"]).arg(&events)).contains("interrupt"));
}

/// The second node is half as fast, and the only one with GPUs, for which all jobs ask that have one task.
#[test]
fn nodes_may_differ() {
    let platform = "classes = [{ name = 'fast', nodes = 1, cores = 4, memory_gb = 8 },
        { name = 'slow', nodes = 1, cores = 4, memory_gb = 8, speed = 0.5, resources = { gpu = 2 } }]";
    let folder = Folder::with(&[("log.swf", LOG), ("nodes.toml", platform)]);
    let (events, log) = (folder.path("events.jsonl"), folder.path("log.swf"));
    let simulate = |arguments: &[&str]| {
        let mut command = dfrsim(["simulate", "--workload"]);
        command.arg(&log).arg("--platform").arg(folder.path("nodes.toml")).args(arguments);
        command
    };
    let arguments = ["--policy", "EASY", "--request", "gpu:1:1:max1", "--format", "json", "--events-out"];
    let figures = stdout(simulate(&arguments).arg(&events));
    let figures: serde_json::Value = serde_json::from_str(&figures).unwrap();
    assert_eq!(figures["rejected"], 0);
    assert!(
        fs::read_to_string(&events).unwrap().lines().nth(1).unwrap().starts_with(r#"{"event":"classes""#)
    );
    assert!(stdout(dfrsim(["audit", "--policy", "EASY"]).arg(&events)).contains("no fault"));
    dfrsim(["draw", "gantt"]).arg(&events).arg("--out").arg(folder.path("gantt.svg")).assert().success();
    for policy in ["EASY/PLACE=BEST", "EASY/NODES=SHARED", "FCFS/NODES=EXCLUSIVE"] {
        let figures =
            stdout(simulate(&["--policy", policy, "--format", "json", "--events-out"]).arg(&events));
        let figures: serde_json::Value = serde_json::from_str(&figures).unwrap();
        assert!(figures["ranges_per_start"].as_f64().unwrap() >= 1.0);
        assert!(stdout(dfrsim(["audit", "--policy", policy]).arg(&events)).contains("no fault"));
    }
    // Where the cores of nodes are unknown, tasks share them by their CPU needs.
    let mut on_equal = dfrsim(["simulate", "--policy", "EASY/NODES=SHARED", "--nodes", "2", "--workload"]);
    assert!(stdout(on_equal.arg(&log)).contains("EASY/NODES=SHARED"));
    let served: [&[&str]; 3] = [
        &["--policy", "EASY/NODES=SHARED", "--failures", "exponential:1e6,exponential:1e3"],
        &["--policy", "CONS/NODES=SHARED"],
        &["--policy", "EQUIPARTITION"],
    ];
    for arguments in served {
        assert!(stdout(&mut simulate(arguments)).contains(arguments[1]), "{arguments:?}");
    }
    for (arguments, message) in [
        (&["--policy", "EASY", "--request", "fpga:1:1"][..], "--request fpga:1:1: no class of"),
        (
            &["--policy", "EASY", "--request", "gpu"],
            "unknown request `gpu`; expected RESOURCE:PROBABILITY:NUMBERS",
        ),
        (&["--policy", "EASY", "--nodes", "2"], "cannot be used with"),
    ] {
        let found = stderr(&mut simulate(arguments), 2);
        assert!(found.contains(message), "{arguments:?}: {found}");
    }
    let mcb8 = stdout(&mut simulate(&["--policy", "MCB*/OPT=MIN", "--packing", "mcb8"]));
    assert!(mcb8.contains("MCB*/OPT=MIN"), "{mcb8}");
}

#[test]
fn wrong_outages_are_refused() {
    let folder = Folder::with(&[("log.swf", LOG), ("down.csv", "nodes,from_s,until_s\n7,30,60\n")]);
    for (arguments, message) in [
        (&["--failures", "none.csv"][..], "No such file"),
        (&["--failures", "fixed:1,often"], "unknown distribution of times `often`"),
        (&["--maintenance", "1:2:3"], "shorter than the time from one to the next"),
        (&["--maintenance", "1:2"], "expected FIRST:EVERY:LENGTH"),
        (&["--maintenance", "1:20:3:5"], "is of node 5, and there are 2"),
        (&["--maintenance", "1:20:3", "--interruption", "stop"], "says not what happens to jobs"),
        (&["--rack", "4:0.5"], "--failures"),
    ] {
        let found = stderr(dfrsim(ARGUMENTS).arg(folder.path("log.swf")).args(arguments), 2);
        assert!(found.contains(message), "{arguments:?}: {found}");
    }
    let file = folder.path("down.csv");
    let found = stderr(dfrsim(ARGUMENTS).arg(folder.path("log.swf")).arg("--failures").arg(file), 2);
    assert!(found.contains("down.csv:2: nodes: node 7 does not exist, there are 2"), "{found}");
}

/// Two groups on two processors: the second job of group 1 comes before that of group 2, which has used less at 100 s.
#[test]
fn jobs_are_ordered_by_fair_share() {
    let log = "1 0 -1 100 2 -1 -1 2 100 -1 1 1 1 -1 -1 -1 -1 -1\n2 10 -1 50 2 -1 -1 2 50 -1 1 1 1 -1 -1 -1 -1 -1\n\
        3 20 -1 30 2 -1 -1 2 30 -1 1 2 2 -1 -1 -1 -1 -1\n";
    let settings = "calc_period_s = 100\nhalf_life_s = 100\nweights = { fair_share = 1000 }\n";
    let folder = Folder::with(&[("log.swf", log), ("fair.toml", settings), ("plain.toml", "")]);
    let run = |settings: &str| {
        let events = folder.path("events.jsonl");
        let mut command =
            dfrsim(["simulate", "--nodes", "2", "--unit", "processor", "--policy", "EASY", "--workload"]);
        command.arg(folder.path("log.swf")).arg("--priority").arg(folder.path(settings));
        stdout(command.arg("--events-out").arg(&events));
        fs::read_to_string(events).unwrap()
    };
    let events = run("fair.toml");
    let starts: Vec<&str> = events.lines().filter(|line| line.contains("\"start\"")).collect();
    assert!(starts[1].contains("\"at_us\":100000000,\"job\":2"), "{starts:?}");
    assert!(events.lines().nth(1).unwrap().contains("\"fair_share\":1000"), "{events}");
    stdout(dfrsim(["audit", "--policy", "EASY"]).arg(folder.path("events.jsonl")));
    // Settings that change no schedule leave the file as it is without them.
    let plain = run("plain.toml");
    let events = folder.path("without.jsonl");
    let mut command =
        dfrsim(["simulate", "--nodes", "2", "--unit", "processor", "--policy", "EASY", "--workload"]);
    stdout(command.arg(folder.path("log.swf")).arg("--events-out").arg(&events));
    assert_eq!(plain, fs::read_to_string(events).unwrap());
}

/// On one processor both jobs of a queue each run from 0 s on, with 3/4 and 1/4 of it.
#[test]
fn jobs_share_by_weight() {
    let log =
        "1 0 -1 75 1 -1 -1 1 75 -1 1 1 1 -1 7 -1 -1 -1\n2 0 -1 75 1 -1 -1 1 75 -1 1 1 1 -1 8 -1 -1 -1\n";
    let weights = "[[qos]]\nname = 'urgent'\nqueues = [7]\nweight = 3\n";
    let equal = "[[qos]]\nname = 'all'\nweight = 3\n";
    let folder = Folder::with(&[("log.swf", log), ("weights.toml", weights), ("equal.toml", equal)]);
    let run = |policy: &str, settings: Option<&str>| {
        let events = folder.path("events.jsonl");
        let mut command =
            dfrsim(["simulate", "--nodes", "1", "--unit", "processor", "--policy", policy, "--workload"]);
        command.arg(folder.path("log.swf")).arg("--events-out").arg(&events);
        settings.map(|file| command.arg("--priority").arg(folder.path(file)));
        stdout(&mut command);
        stdout(dfrsim(["audit", "--policy", policy]).arg(&events));
        fs::read_to_string(events).unwrap()
    };
    let policy = "Greedy*/OPT=MIN";
    let events = run(policy, Some("weights.toml"));
    assert!(events.lines().nth(1).unwrap().contains("\"weight\":3"), "{events}");
    let ends: Vec<&str> = events.lines().filter(|line| line.contains("\"complete\"")).collect();
    assert!(ends[0].contains("\"at_us\":100000000,\"job\":0") && ends[1].contains(":150000000,"), "{ends:?}");
    // Equal weights leave the file as it is without them, and so do weights under a policy that orders jobs.
    assert_eq!(run(policy, Some("equal.toml")), run(policy, None));
    assert_eq!(run("EASY", Some("weights.toml")), run("EASY", None));
}

/// Two of three jobs of a user preempt the other one, which is suspended twice. Without that a node fails.
#[test]
fn jobs_make_room_for_others() {
    let log = "1 0 -1 100 2 -1 -1 2 100 -1 1 1 1 1 -1 -1 -1 -1\n2 10 -1 20 2 -1 -1 2 20 -1 1 2 2 1 -1 -1 -1 -1\n\
        3 40 -1 20 1 -1 -1 1 20 -1 1 2 2 1 -1 -1 -1 -1\n";
    let urgent = "preempt_mode = 'suspend'\nqos = [{ name = 'urgent', users = [2], preempt = ['rest'] }, { name = 'rest' }]\n";
    let folder = Folder::with(&[
        ("log.swf", log),
        ("urgent.toml", urgent),
        ("plain.toml", "weights = { age = 1 }\n"),
        ("down.csv", "nodes,from_s,until_s,announced_s\n1,50,60,\n"),
    ]);
    let events = folder.path("events.jsonl");
    let run = |settings: &str, more: &[&str]| {
        let plain = ["simulate", "--nodes", "2", "--unit", "processor", "--policy", "EASY", "--workload"];
        let mut command = dfrsim(plain);
        command.arg(folder.path("log.swf")).arg("--priority").arg(folder.path(settings)).args(more);
        let answer = stdout(
            command.arg("--penalty").arg("5").arg("--events-out").arg(&events).args(["--format", "json"]),
        );
        stdout(dfrsim(["audit", "--policy", "EASY"]).arg(&events));
        serde_json::from_str::<serde_json::Value>(&answer).unwrap()
    };
    let figures = run("urgent.toml", &[]);
    assert_eq!(
        (&figures["preemptions"], &figures["outages"]["interruptions"]),
        (&2.into(), &0.into()),
        "{figures}"
    );
    let down = folder.path("down.csv");
    let figures = run("plain.toml", &["--failures", down.to_str().unwrap()]);
    assert_eq!(figures["outages"]["interruptions"], 1, "{figures}");
}

#[test]
fn wrong_priorities_are_refused() {
    let folder = Folder::with(&[
        ("log.swf", LOG),
        ("unknown.toml", "half_life = 5\n"),
        ("zero.toml", "calc_period_s = 0\n"),
        ("heavy.toml", "[[qos]]\nname = 'a'\nweight = 101\n"),
        ("loop.toml", "qos = [{ name = 'a', preempt = ['a'] }]\n"),
        ("slurm.conf", "PriorityWeightAge=much\n"),
        (
            "three.toml",
            "half_life = 5\n[[qos]]\nname = 'a'\nweigth = 2\n[[accounts]]\nname = 'b'\ngroups = ['physics']\n",
        ),
    ]);
    for (file, arguments, message) in [
        ("none.toml", &[][..], "No such file"),
        ("unknown.toml", &[], "unknown field `half_life`"),
        ("zero.toml", &[], "calc_period_s: expected 1 to 16000000000 seconds"),
        ("slurm.conf", &[], "line 1: PriorityWeightAge: expected a whole number, found `much`"),
        ("loop.toml", &[], "qos.a.preempt: it preempts itself"),
        ("heavy.toml", &[], "heavy.toml:3:10: qos.a.weight: expected 1 to 100"),
        (
            "three.toml",
            &[],
            "three.toml:1:1: half_life: unknown field `half_life`; did you mean `half_life_s`?",
        ),
        ("three.toml", &[], "three.toml:4:1: qos[0].weigth: unknown field `weigth`; did you mean `weight`?"),
        ("three.toml", &[], "three.toml:5:1: accounts[0]: unknown group `physics`"),
    ] {
        let plain = ARGUMENTS
            .iter()
            .copied()
            .filter(|it| !arguments.contains(&"--policy") || !["--policy", "EASY"].contains(it));
        let mut command = dfrsim(plain.collect::<Vec<_>>());
        command.arg(folder.path("log.swf")).args(arguments).arg("--priority").arg(folder.path(file));
        let found = stderr(&mut command, 2);
        assert!(found.contains(message), "{file}: {found}");
    }
}
