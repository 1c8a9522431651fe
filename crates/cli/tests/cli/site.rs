//! Sites of Slurm: `dfrsim site`, its variants, and `simulate --slurm-conf`.

use crate::support::{Folder, dfrsim, stderr, stdout};
use serde_json::Value;
use std::fmt::Write as _;
use std::fs;

pub(crate) const CONF: &str = "\
PriorityType=priority/multifactor
PriorityWeightAge=1000
PriorityWeightFairshare=5000
SchedulerParameters=bf_interval=60
AuthType=auth/munge
NodeName=n[1-4] CPUs=8 RealMemory=32000
NodeName=g1 CPUs=8 RealMemory=64000 Gres=gpu:2
PartitionName=cpu Nodes=n[1-4] MaxTime=1-0
PartitionName=gpu Nodes=g1 PriorityTier=2 AllowAccounts=physics
";
const ASSOC: &str = "Account|User|Share|Par Name\nroot||1|\nphysics||70|root\nbiology||30|root\n";
const QOS: &str =
    "Name|Priority|Preempt|PreemptMode|MaxJobsPU\nnormal|0||cluster|\nhigh|10|normal|cluster|4\n";

/// Jobs of seven users, a quarter of them on the one GPU node, which is too small for them.
pub(crate) fn listing() -> String {
    let mut text = "JobID|User|Account|QOS|Partition|State|Submit|Start|End|ElapsedRaw|TimelimitRaw|NNodes|AllocCPUS|ReqMem|AllocTRES\n".to_owned();
    let stamp = |at: u32| format!("2026-03-02T{:02}:{:02}:00", at / 60, at % 60);
    for job in 0..60 {
        let (at, run, gpu) = (job * 9, 20 + job * 7 % 40, job % 4 == 0);
        let (nodes, cpus) = if gpu { (1, 4) } else { (1 + job % 3, 8 * (1 + job % 3)) };
        let (account, partition) =
            if gpu { ("physics", "gpu") } else { (["physics", "biology"][job as usize % 2], "cpu") };
        let gres = if gpu { ",gres/gpu=2" } else { "" };
        writeln!(
            text,
            "{job}|user{}|{account}|{}|{partition}|COMPLETED|{}|{}|{}|{}|{}|{nodes}|{cpus}|{cpus}G|cpu={cpus},mem={cpus}G,node={nodes}{gres}",
            job % 7,
            if job % 10 == 3 { "high" } else { "normal" },
            stamp(at),
            stamp(at + 5),
            stamp(at + 5 + run),
            run * 60,
            run + 10,
        )
        .unwrap();
    }
    text
}

fn files() -> Folder {
    let listing = listing();
    Folder::with(&[
        ("march.sacct", listing.as_str()),
        ("slurm.conf", CONF),
        ("assoc.txt", ASSOC),
        ("qos.txt", QOS),
    ])
}

fn site(folder: &Folder) -> assert_cmd::Command {
    let mut command = dfrsim(["site"]);
    for (option, name) in [
        ("--sacct", "march.sacct"),
        ("--slurm-conf", "slurm.conf"),
        ("--sacctmgr", "assoc.txt"),
        ("--qos", "qos.txt"),
        ("--out", "march"),
    ] {
        command.arg(option).arg(folder.path(name));
    }
    command
}

/// The columns of a table by name, of the lines in which the first columns have these values.
fn lines(csv: &str, wanted: &[(&str, &str)]) -> Vec<Vec<(String, String)>> {
    let mut lines = csv.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
    let header = lines.next().unwrap();
    let named = lines.map(|line| header.iter().cloned().zip(line).collect::<Vec<_>>());
    let has = |line: &Vec<(String, String)>| {
        wanted.iter().all(|(name, value)| line.iter().any(|(column, found)| column == name && found == value))
    };
    named.filter(has).collect()
}

fn number(line: &[(String, String)], column: &str) -> f64 {
    line.iter().find(|(name, _)| name == column).unwrap().1.parse().unwrap()
}

/// What is read of files and log, and not simulated, is listed by what it may change.
#[test]
fn what_is_not_simulated_is_listed() {
    let columns = "JobID|Partition|State|Submit|Start|End|Suspended|TimelimitRaw|NNodes|AllocCPUS|Reservation|SubmitLine\n";
    let job = |id: &str, suspended: &str, line: &str| {
        let times = "2026-03-02T09:00:00|2026-03-02T09:01:00|2026-03-02T09:31:00";
        let reservation = if id == "70" { "course" } else { "" };
        format!("{id}|cpu|COMPLETED|{times}|{suspended}|60|1|8|{reservation}|{line}\n")
    };
    let jobs = [
        job("70", "00:00:00", ""),
        job("71+0", "00:00:00", "sbatch a : b"),
        job("71+1", "00:00:00", "sbatch a : b"),
        job("72", "00:05:00", "sbatch --dependency=after:70 c"),
    ];
    let folder = Folder::with(&[
        ("march.sacct", (columns.to_owned() + &jobs.concat()).as_str()),
        ("slurm.conf", &format!("{CONF}CompleteWait=30\nEpilogMsgTime=2000\n")),
        ("assoc.txt", ASSOC),
        ("qos.txt", "Name|Priority|GraceTime\nnormal|0|00:00:00\nhigh|10|00:02:00\n"),
    ]);
    let text = stdout(&mut site(&folder));
    for line in [
        "1 heterogeneous job of which all components start together\n",
        "not used, may change which jobs may start: PartitionName=gpu AllowAccounts, \
         reservations of jobs, which start on any nodes (1)\n",
        "not used, may change how long jobs run, and what is repeated: CompleteWait, EpilogMsgTime, suspensions of jobs (1)\n",
    ] {
        assert!(text.contains(line), "{line}{text}");
    }
}

/// On the empty site each job has room when it comes. Job 70 runs for half an hour, job 71 for 40 minutes: job 72 waits for both, job 73,
/// submitted 45 minutes after them, does not wait any more, job 74 needs either, job 75 waits until 20 minutes after the start of job 70.
#[test]
fn jobs_wait_for_those_that_they_depend_on() {
    let columns = "JobID|Partition|State|Submit|Start|End|TimelimitRaw|NNodes|AllocCPUS|SubmitLine\n";
    let job = |id: u32, minute: u32, start: u32, end: u32, state: &str, line: &str| {
        let at = |minute: u32| format!("2026-03-02T{:02}:{:02}:00", 9 + minute / 60, minute % 60);
        let times = [minute, start, end].map(at).join("|");
        format!("{id}|cpu|{state}|{times}|60|1|8|{line}\n")
    };
    let listing = columns.to_owned()
        + &job(70, 0, 0, 30, "COMPLETED", "sbatch a")
        + &job(71, 0, 0, 40, "FAILED", "sbatch b")
        + &job(72, 0, 90, 95, "COMPLETED", "sbatch -d afterok:70,afternotok:71 c")
        + &job(73, 45, 90, 95, "COMPLETED", "sbatch -d afterany:70:71 d")
        + &job(74, 0, 90, 95, "COMPLETED", "sbatch -d afterok:70?afterok:71 e")
        + &job(75, 0, 90, 95, "COMPLETED", "sbatch -d after:70+20 f");
    let folder = Folder::with(&[
        ("march.sacct", listing.as_str()),
        ("slurm.conf", CONF),
        ("assoc.txt", ASSOC),
        ("qos.txt", QOS),
    ]);
    let text = stdout(site(&folder).args(["--samples", "0"]));
    assert!(text.contains("jobs that wait until others have ended or started: 4\n"), "{text}");
    assert!(!text.contains("dependencies"), "{text}");
    let scenario = fs::read_to_string(folder.path("march/site.toml")).unwrap();
    assert!(scenario.contains("submission = \"holds\""), "{scenario}");
    let starts = |more: &[&str]| -> Vec<String> {
        let mut simulate = dfrsim(["simulate", "--policy", "EASY/NODES=SHARED", "--jobs-out"]);
        simulate.arg(folder.path("jobs.csv"));
        for (option, name) in [("--workload", "march.sacct"), ("--slurm-conf", "slurm.conf")] {
            simulate.arg(option).arg(folder.path(name));
        }
        stdout(simulate.args(more));
        let jobs = fs::read_to_string(folder.path("jobs.csv")).unwrap();
        jobs.lines().skip(1).map(|line| line.split(',').nth(2).unwrap().to_owned()).collect()
    };
    // In the order of submission: jobs 70 and 71, 75, 74 once job 70 has ended, 72, 73.
    assert_eq!(starts(&[]), ["0", "0", "1200", "1800", "2400", "2700"]);
    assert_eq!(starts(&["--submission", "open"]), ["0", "0", "0", "0", "300", "2700"]);
}

/// Job 70 has the only node of the partition gpu for half an hour: both components of job 71 wait for it, and job 72 does not.
#[test]
fn components_of_a_heterogeneous_job_start_together() {
    let columns = "JobID|JobIDRaw|Partition|State|Submit|Start|End|TimelimitRaw|NNodes|AllocCPUS\n";
    let job = |id: &str, raw: u32, partition: &str, minutes: u32| {
        let times = format!("2026-03-02T09:00:00|2026-03-02T09:00:00|2026-03-02T09:{minutes}:00");
        format!("{id}|{raw}|{partition}|COMPLETED|{times}|30|1|8\n")
    };
    let listing = columns.to_owned()
        + &job("70", 70, "gpu", 30)
        + &job("71+0", 71, "cpu", 20)
        + &job("71+1", 72, "gpu", 20)
        + &job("73", 73, "cpu", 20);
    let folder = Folder::with(&[("march.sacct", listing.as_str()), ("slurm.conf", CONF)]);
    let starts = |policy: &str| -> Vec<f64> {
        let mut simulate = dfrsim(["simulate", "--policy", policy, "--jobs-out"]);
        simulate.arg(folder.path("jobs.csv")).arg("--events-out").arg(folder.path("events.jsonl"));
        for (option, name) in [("--workload", "march.sacct"), ("--slurm-conf", "slurm.conf")] {
            simulate.arg(option).arg(folder.path(name));
        }
        stdout(&mut simulate);
        stdout(dfrsim(["audit"]).arg(folder.path("events.jsonl")));
        let jobs = fs::read_to_string(folder.path("jobs.csv")).unwrap();
        jobs.lines().skip(1).map(|line| line.split(',').nth(2).unwrap().parse().unwrap()).collect()
    };
    let found = starts("SLURM");
    assert!(found[1] >= 1_800.0 && found[1] == found[2], "{found:?}");
    assert!(found[0] < 60.0 && found[3] < 60.0, "{found:?}");
    assert!(starts("EASY/NODES=SHARED")[1] < 60.0);
}

/// Two of the four nodes of the partition cpu are for job 73 from half past nine to half past ten. The others ask for an hour: two have the
/// other nodes, and the third waits for one of these.
#[test]
fn reserved_nodes_are_for_the_jobs_of_the_reservation() {
    let columns = "JobID|User|Partition|State|Submit|Start|End|TimelimitRaw|NNodes|AllocCPUS|Reservation\n";
    let job = |id: u32, limit: u32, minutes: u32, reservation: &str| {
        let times = format!("2026-03-02T09:00:00|2026-03-02T09:00:00|2026-03-02T09:{minutes}:00");
        format!("{id}|ben|cpu|COMPLETED|{times}|{limit}|1|8|{reservation}\n")
    };
    let jobs = [job(70, 60, 30, ""), job(71, 60, 30, ""), job(72, 60, 30, ""), job(73, 30, 10, "course")];
    let reservations = "\
ReservationName=course StartTime=2026-03-02T09:30:00 EndTime=2026-03-02T10:30:00 Duration=01:00:00
   Nodes=n[1-2] NodeCnt=2 CoreCnt=16 Features=(null) PartitionName=cpu Flags=SPEC_NODES
   Users=anna Groups=(null) Accounts=(null) Licenses=(null) State=INACTIVE
";
    let folder = Folder::with(&[
        ("march.sacct", (columns.to_owned() + &jobs.concat()).as_str()),
        ("slurm.conf", CONF),
        ("assoc.txt", ASSOC),
        ("qos.txt", QOS),
        ("reservations.txt", reservations),
    ]);
    let starts = |policy: &str, reserved: bool| -> Vec<f64> {
        let mut simulate = dfrsim(["simulate", "--policy", policy, "--jobs-out"]);
        simulate.arg(folder.path("jobs.csv")).arg("--events-out").arg(folder.path("events.jsonl"));
        for (option, name) in [
            ("--workload", "march.sacct"),
            ("--slurm-conf", "slurm.conf"),
            ("--reservations", "reservations.txt"),
        ] {
            if reserved || option != "--reservations" {
                simulate.arg(option).arg(folder.path(name));
            }
        }
        stdout(&mut simulate);
        stdout(dfrsim(["audit"]).arg(folder.path("events.jsonl")));
        let jobs = fs::read_to_string(folder.path("jobs.csv")).unwrap();
        jobs.lines().skip(1).map(|line| line.split(',').nth(2).unwrap().parse().unwrap()).collect()
    };
    assert_eq!(starts("EASY/NODES=SHARED", false), [0.0; 4]);
    assert_eq!(starts("EASY/NODES=SHARED", true), [0.0, 0.0, 1_800.0, 1_800.0]);
    let slurm = starts("SLURM", true);
    assert!(
        slurm[1] < 60.0 && slurm[2..].iter().all(|start| (1_800.0..1_900.0).contains(start)),
        "{slurm:?}"
    );
    let mut command = site(&folder);
    command.arg("--reservations").arg(folder.path("reservations.txt"));
    let text = stdout(&mut command);
    for line in [
        "reservations: course\n",
        "1 job in reservations that are for other users or accounts: they stay there\n",
    ] {
        assert!(text.contains(line), "{text}");
    }
    assert!(!text.contains("which start on any nodes"), "{text}");
    let scenario = fs::read_to_string(folder.path("march/site.toml")).unwrap();
    assert!(scenario.contains("until_s = 5400"), "{scenario}");
    fs::write(folder.path("reservations.txt"), reservations.replace("n[1-2]", "n[4-5]")).unwrap();
    let error = stderr(&mut command, 2);
    assert!(error.contains("reservations.txt: line 1: Nodes: unknown node `n5`; expected n1, n2"), "{error}");
}

#[test]
fn three_files_become_an_answer() {
    let folder = files();
    let text = stdout(site(&folder).args([
        "--samples",
        "3",
        "--what-if",
        "nodes.gpu=+3",
        "--what-if",
        "bf_interval=600",
    ]));
    for line in [
        "records of the log: 60\n",
        "4 nodes from n1 on: 8 cores, 32000 MB, partition-cpu\n",
        "1 node from g1 on: 8 cores, 64000 MB, 2 gpu, partition-gpu\n",
        "partitions: cpu (tier 1, factor 1, at most 24.0 h), gpu (tier 2, factor 1)\n",
        "2 accounts, 2 of them with jobs of the log; fair share: Fair Tree\n",
        "not used, may change which jobs may start: PartitionName=gpu AllowAccounts\n",
        "not used, may change no figure: AuthType\n",
        "variants: as it is, nodes.gpu=+3, bf_interval=600\n",
    ] {
        assert!(text.contains(line), "{line}{text}");
    }
    let scenario = fs::read_to_string(folder.path("march/site.toml")).unwrap();
    assert!(
        scenario.contains("groups = [\"physics\"]") && scenario.contains("queues = [\"high\"]"),
        "{scenario}"
    );
    let results = folder.path("results");
    let mut run = dfrsim(["run", "--audit", "--out"]);
    let printed = stdout(run.arg(&results).arg(folder.path("march/site.toml")));
    assert!(printed.contains("Hours of waiting"), "{printed}");
    let waits = fs::read_to_string(results.join("tables/waits.csv")).unwrap();
    let of = |name: &str, variant: &str| {
        let policy = format!("SLURM [{variant}]");
        lines(&waits, &[("name", name), ("policy", &policy)]).remove(0)
    };
    let (gpu, more) = (of("gpu", "as it is"), of("gpu", "nodes.gpu=+3"));
    assert_eq!(number(&gpu, "jobs"), 15.0, "{waits}");
    // Jobs that are drawn keep their GPUs: without them two at a time would find room on the node.
    assert!(number(&gpu, "wait_h") > 0.2 && number(&gpu, "wait_low_h") > 0.2, "{waits}");
    assert!(number(&more, "change_h") < -0.2 && number(&more, "change_high_h") < 0.0, "{waits}");
    for part in ["all jobs", "cpu", "physics", "biology", "2 to 4"] {
        of(part, "bf_interval=600");
    }
    // The log itself is simulated as by `simulate`.
    let mut simulate = dfrsim(["simulate", "--format", "json", "--policy", "SLURM"]);
    for (option, name) in [
        ("--workload", "march.sacct"),
        ("--slurm-conf", "slurm.conf"),
        ("--sacctmgr", "assoc.txt"),
        ("--qos", "qos.txt"),
    ] {
        simulate.arg(option).arg(folder.path(name));
    }
    let figures: Value = serde_json::from_str(&stdout(&mut simulate)).unwrap();
    let rows = fs::read_to_string(results.join("rows.csv")).unwrap();
    let row = lines(&rows, &[("instance", "whole"), ("policy", "SLURM [as it is]")]).remove(0);
    assert_eq!(number(&row, "mean_wait_s"), figures["wait_s"]["mean"].as_f64().unwrap());
}

#[test]
fn preemption_and_limits_are_changes_too() {
    let folder = files();
    let changes = [
        "preemption=on",
        "qos.normal.MaxJobsPU=1",
        "account.physics.Share=1; PriorityWeightAge=0",
        "qos.normal.MaxTRESPU=cpu=16",
        "Epilog=1200",
    ];
    let text =
        stdout(site(&folder).args(["--samples", "0"]).args(changes.iter().flat_map(|it| ["--what-if", it])));
    assert!(text.contains("variants: as it is, preemption=on, qos.normal.MaxJobsPU=1, account.physics.Share=1; PriorityWeightAge=0, qos.normal.MaxTRESPU=cpu=16, Epilog=1200"));
    let results = folder.path("results");
    stdout(dfrsim(["run", "--audit", "--out"]).arg(&results).arg(folder.path("march/site.toml")));
    let rows = fs::read_to_string(results.join("rows.csv")).unwrap();
    let of = |variant: &str| lines(&rows, &[("policy", &format!("SLURM [{variant}]"))]).remove(0);
    assert!(number(&of("preemption=on"), "interruptions") > 0.0, "{rows}");
    // The audit knows that limits hold.
    let as_it_is = number(&of("as it is"), "mean_wait_s");
    for limited in ["qos.normal.MaxJobsPU=1", "qos.normal.MaxTRESPU=cpu=16"] {
        assert_ne!(number(&of(limited), "mean_wait_s"), as_it_is, "{rows}");
    }
    assert!(number(&of("Epilog=1200"), "mean_wait_s") > as_it_is + 600.0, "{rows}");
}

#[test]
fn what_is_wrong_is_named_before_files_are_written() {
    for (file, text, arguments, message) in [
        (
            "slurm.conf",
            CONF.replace("=gpu Nodes", "=gpus Nodes"),
            &[][..],
            "the log has jobs of an unknown partition `gpu`; did you mean `gpus`?",
        ),
        (
            "slurm.conf",
            CONF.replace("=physics", "=phisics"),
            &[],
            "line 9: PartitionName=gpu: unknown account `phisics`; did you mean `physics`?",
        ),
        (
            "slurm.conf",
            CONF.replace("CPUs=8 RealMemory=64000", "CPUs=many"),
            &[],
            "line 7: NodeName CPUs: expected a whole number, found `many`",
        ),
        ("slurm.conf", "Include none.conf\n".to_owned(), &[], "line 1: Include: "),
        (
            "slurm.conf",
            "PartitionName=cpu\nPartitionName=gpu\n".to_owned(),
            &[],
            "expected lines with NodeName",
        ),
        (
            "assoc.txt",
            ASSOC.replace("biology", "biologie"),
            &[],
            "unknown account `biology`; did you mean `biologie`?",
        ),
        (
            "assoc.txt",
            ASSOC.replace("70", "most"),
            &[],
            "assoc.txt: line 3: Share: expected a whole number, found `most`",
        ),
        (
            "qos.txt",
            QOS.replace("|normal|", "|norm|"),
            &[],
            "qos.txt: line 3: QOS high Preempt: unknown quality of service `norm`; did you mean `normal`?",
        ),
        (
            "qos.txt",
            String::new(),
            &[],
            "qos.txt: line 1: Name: expected a listing of `sacctmgr show --parsable2`, found an empty file",
        ),
        ("march.sacct", "JobID|State\n".to_owned(), &[], "does not have Submit, Start, End"),
        (
            "qos.txt",
            QOS.to_owned(),
            &["--what-if", "nodes.gpus=+1"],
            "--what-if: nodes.gpus=+1: unknown partition or node `gpus`; did you mean `gpu`?",
        ),
        ("qos.txt", QOS.to_owned(), &["--what-if", "bf_max_job_tests=1"], "did you mean `bf_max_job_test`?"),
        ("qos.txt", QOS.to_owned(), &["--policy", "EAZY"], "did you mean `EASY`?"),
    ] {
        let folder = files();
        fs::write(folder.path(file), text).unwrap();
        let found = stderr(site(&folder).args(arguments), 2);
        assert!(found.contains(message), "{message}\n{found}");
        assert!(!folder.path("march").exists(), "{message}");
    }
}

#[test]
fn a_processor_of_a_listing_is_no_node_by_default() {
    let folder = files();
    let simulate = |arguments: &[&str]| {
        let mut command = dfrsim(["simulate", "--policy", "EASY", "--format", "json", "--workload"]);
        command.arg(folder.path("march.sacct")).args(arguments);
        command
    };
    let refused = stderr(&mut simulate(&["--nodes", "40"]), 2);
    assert!(
        refused.contains("60 jobs have fewer nodes than processors") && refused.contains("--slurm-conf"),
        "{refused}"
    );
    for unit in [&["--nodes", "40", "--unit", "processor"], &["--nodes", "40", "--unit", "node"]] {
        stdout(&mut simulate(unit));
    }
    let platform = "classes = [{ name = 'a', nodes = 4, cores = 8, memory_gb = 32 }, { name = 'b', nodes = 2, cores = 8, memory_gb = 64 }]";
    fs::write(folder.path("platform.toml"), platform).unwrap();
    let platform = folder.path("platform.toml");
    let on = ["--platform", platform.to_str().unwrap()];
    let listed = [
        "--annotate",
        "hpc2n",
        "--join",
        "listed",
        "--cores",
        "8",
        "--node-memory",
        "64",
        "--floor-tenths",
        "0",
    ];
    let reference =
        "reference = { cores = 8, memory_gb = 64 }\n".to_owned() + &fs::read_to_string(&platform).unwrap();
    let found = stdout(&mut simulate(&on));
    fs::write(&platform, reference).unwrap();
    assert_eq!(found, stdout(&mut simulate(&[&on[..], &listed[..]].concat())));
}

/// What `log info` recommends for a listing works.
#[test]
fn recommended_commands_simulate_a_listing() {
    let folder = files();
    let info: Value = serde_json::from_str(&stdout(
        dfrsim(["log", "info", "--format", "json"]).arg(folder.path("march.sacct")),
    ))
    .unwrap();
    let suggestions = info["suggestions"].as_array().unwrap();
    assert_eq!(suggestions.len(), 2);
    for suggestion in suggestions.iter().map(|it| it.as_str().unwrap()) {
        let words: Vec<&str> = suggestion.split(' ').skip(1).map(|word| word.trim_matches('\'')).collect();
        stdout(&mut dfrsim(words));
    }
    assert!(
        suggestions[1].as_str().unwrap().contains("--nodes 3 --annotate hpc2n --join listed"),
        "{suggestions:?}"
    );
    let converted = folder.path("march.swf");
    let mut convert = dfrsim(["log", "convert"]);
    convert.arg(folder.path("march.sacct")).arg("--out").arg(&converted);
    let said = stderr(&mut convert, 0);
    assert!(said.contains("SWF does not hold the nodes of 60 jobs, GPUs (15 jobs)"), "{said}");
    assert!(!fs::read_to_string(converted).unwrap().contains("physics"), "names of accounts are not written");
}

/// Accounts and classes of a file may have the names of the log.
#[test]
fn priorities_of_a_file_have_names() {
    let folder = files();
    let simulate = |settings: &str| {
        fs::write(folder.path("site.toml"), settings).unwrap();
        let mut command =
            dfrsim(["simulate", "--policy", "EASY", "--nodes", "40", "--unit", "processor", "--priority"]);
        command.arg(folder.path("site.toml")).arg("--workload").arg(folder.path("march.sacct"));
        command
    };
    let settings = |list: &str| {
        format!("weights = {{ fair_share = 100 }}\naccounts = [{{ name = 'a', groups = [{list}] }}]\n")
    };
    let by_name = stdout(&mut simulate(&settings("'biology'")));
    assert_eq!(by_name, stdout(&mut simulate(&settings("2"))));
    let error = stderr(&mut simulate(&settings("'bioology'")), 2);
    assert!(error.contains("unknown group `bioology`; did you mean `biology`?"), "{error}");
}
