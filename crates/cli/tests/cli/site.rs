//! Tests variants of a Slurm site by the results of their simulations; more in
//! `cmd/site/`.

use crate::support::{Folder, dfrsim, stderr, stdout};
use serde_json::Value;
use std::fs;

pub(crate) const CONF: &str = include_str!("cmd/site/in/slurm.conf");
/// Jobs of seven users, a quarter of them on the one GPU node, which is too small for them.
pub(crate) const LISTING: &str = include_str!("cmd/site/in/march.sacct");

fn files() -> Folder {
    Folder::with(&[
        ("march.sacct", LISTING),
        ("slurm.conf", CONF),
        ("assoc.txt", include_str!("cmd/site/in/assoc.txt")),
        ("qos.txt", include_str!("cmd/site/in/qos.txt")),
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

/// Returns the columns of a table by name, for the lines in which the given columns have these
/// values.
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

#[test]
fn three_files_become_an_answer() {
    let folder = files();
    let changes = "--samples 3 --what-if nodes.gpu=+3 --what-if bf_interval=600";
    let text = stdout(site(&folder).args(changes.split(' ')));
    for line in [
        ": 60 lines: 60 jobs, 0 rejected, 0 left out\n",
        "4 nodes from n1 on: 8 cores, 32000 MB, partition-cpu\n",
        "1 node from g1 on: 8 cores, 64000 MB, 2 gpu, partition-gpu\n",
        "partitions: cpu (4 nodes, 32 CPUs, tier 1, factor 1, at most 24.0 h), gpu (1 node, 8 CPUs, tier 2, factor 1)\n",
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
    assert_eq!(number(&gpu, "ran"), 15.0, "{waits}");
    // Resampled jobs keep their GPUs: without these, two at a time would fit on the node.
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

/// Changes have their noise, and a verdict on it. At this site more nodes help everyone but the jobs of
/// the other partition, a longer interval harms, and so do cycles that coincide with windows of 30 s.
#[test]
fn answers_have_their_noise() {
    let folder = files();
    let changes = ["nodes.gpu=+3", "bf_interval=600", "bf_interval=20", "Epilog=2"];
    let what_ifs = || changes.iter().flat_map(|change| ["--what-if", change]);
    let verdicts = |options: &str| {
        stdout(site(&folder).args(options.split(' ')).args(what_ifs()));
        let results = folder.path("results");
        let printed = stdout(dfrsim(["run", "--out"]).arg(&results).arg(folder.path("march/site.toml")));
        let waits = fs::read_to_string(results.join("tables/waits.csv")).unwrap();
        let of = |change| {
            lines(&waits, &[("name", "all jobs"), ("policy", &format!("SLURM [{change}]"))]).remove(0)
        };
        let verdicts =
            changes.map(|change| of(change).into_iter().find(|(name, _)| name == "verdict").unwrap().1);
        (verdicts, printed, waits, fs::read_to_string(results.join("rows.csv")).unwrap())
    };
    let (found, printed, waits, rows) = verdicts("--samples 3 --copies 5");
    assert_eq!(found, ["shorter", "longer", "shorter", "longer"], "{printed}");
    assert!(printed.contains("| within noise "), "{printed}");
    assert!(printed.contains(" ± ") && !printed.contains("± ?"), "{printed}");
    // The log, five copies and three drawn workloads, each as it is and with four changes.
    assert_eq!(rows.lines().count(), 1 + 9 * 5);
    assert!(rows.contains(",whole,") && rows.contains(",whole-copy-004,") && rows.contains(",sample-002,"));
    assert!(waits.contains(",wait_se_h,") && waits.contains(",change_se_h,"));
    let (found, printed, ..) = verdicts("--samples 0 --copies 0");
    assert_eq!(found, ["noise unknown"; 4]);
    assert!(printed.contains("± ?"), "{printed}");
    assert!(
        stderr(site(&folder).args(["--copies", "2"]), 2).contains("expected 0, or a number from 5 to 1000")
    );
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
    let text = stdout(
        site(&folder)
            .args(["--samples", "0", "--copies", "0"])
            .args(changes.iter().flat_map(|it| ["--what-if", it])),
    );
    assert!(text.contains("variants: as it is, preemption=on, qos.normal.MaxJobsPU=1, account.physics.Share=1; PriorityWeightAge=0, qos.normal.MaxTRESPU=cpu=16, Epilog=1200"));
    let results = folder.path("results");
    stdout(dfrsim(["run", "--audit", "--out"]).arg(&results).arg(folder.path("march/site.toml")));
    let rows = fs::read_to_string(results.join("rows.csv")).unwrap();
    let of = |variant: &str| lines(&rows, &[("policy", &format!("SLURM [{variant}]"))]).remove(0);
    assert!(number(&of("preemption=on"), "interruptions") > 0.0, "{rows}");
    // The audit checks the limits; they must also change the waits.
    let as_it_is = number(&of("as it is"), "mean_wait_s");
    for limited in ["qos.normal.MaxJobsPU=1", "qos.normal.MaxTRESPU=cpu=16"] {
        assert_ne!(number(&of(limited), "mean_wait_s"), as_it_is, "{rows}");
    }
    assert!(number(&of("Epilog=1200"), "mean_wait_s") > as_it_is + 600.0, "{rows}");
}

/// Returns a listing of jobs of one node and some of its memory in GB, by these users.
fn listing(users: &[&str], jobs: usize, memory: impl Fn(usize) -> u64) -> String {
    let mut text = String::from(
        "JobID|User|Account|QOS|Partition|State|Submit|Start|End|Timelimit|NNodes|AllocCPUS|ReqMem|AllocTRES\n",
    );
    for job in 0..jobs {
        let (hour, minute) = (job * 7 / 60, job * 7 % 60);
        let (user, gb) = (users[job % users.len()], memory(job));
        let at =
            |hours: usize, seconds: &str| format!("2026-04-01T{:02}:{minute:02}:{seconds}", hour + hours);
        text += &format!(
            "{}|{user}|lab|normal|cpu|COMPLETED|{}|{}|{}|02:00:00|1|4|{gb}G|cpu=4,mem={gb}G,node=1\n",
            job + 1,
            at(0, "00"),
            at(0, "30"),
            at(1, "30"),
        );
    }
    text
}

const SMALL: &str = "SelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\n\
    NodeName=n[1-2] CPUs=8 RealMemory=16000\nNodeName=b1 CPUs=8 RealMemory=64000\n\
    PartitionName=cpu Nodes=n[1-2] Default=YES\nPartitionName=big Nodes=b1\n";

#[test]
fn jobs_that_fit_no_node_are_told() {
    let jobs = listing(&["a", "b", "c", "d"], 10, |job| if job < 9 { 40 } else { 2 });
    let folder = Folder::with(&[("jobs.sacct", &jobs), ("slurm.conf", SMALL)]);
    let told = "9 of 10 jobs fit no node that they may use";
    let why = "9 jobs: memory of a node: up to 40.0 GB requested, the largest node has 15.6 GB";
    let text = stdout(&mut folder.dfrsim("site --sacct jobs.sacct --slurm-conf slurm.conf --out o"));
    assert!(text.contains(told) && text.contains(why), "{text}");
    let printed = stdout(&mut folder.dfrsim("run o/site.toml --out results"));
    assert!(printed.contains(told) && printed.contains(why), "{printed}");
    assert!(printed.contains("9 of 10 jobs (90.0 %) are rejected or lost"), "{printed}");
    let waits = fs::read_to_string(folder.path("results/tables/waits.csv")).unwrap();
    let all = lines(&waits, &[("name", "all jobs")]).remove(0);
    assert_eq!((number(&all, "came"), number(&all, "ran"), number(&all, "rejected")), (10.0, 1.0, 9.0));
    let mut simulate = folder.dfrsim("simulate --workload jobs.sacct --slurm-conf slurm.conf --policy SLURM");
    let said = String::from_utf8(simulate.output().unwrap().stderr).unwrap();
    assert!(said.contains(told) && said.contains(why), "{said}");
}

#[test]
fn sites_of_few_users_run() {
    let without_user = |text: String| text.replace("JobID|User|", "JobID|").replace("|a|lab", "|lab");
    let of = |users: &[&str]| listing(users, 40, |_| 2);
    for jobs in [of(&["a"]), of(&["a", "b"]), of(&["a", "b", "c"]), without_user(of(&["a"]))] {
        let folder = Folder::with(&[("jobs.sacct", &jobs), ("slurm.conf", SMALL)]);
        stdout(&mut folder.dfrsim("site --sacct jobs.sacct --slurm-conf slurm.conf --out o"));
        let printed = stdout(&mut folder.dfrsim("run o/site.toml --out results"));
        assert!(
            printed.contains("drawn instances have the same jobs as another one and count once"),
            "{printed}"
        );
        // The listing records half a minute for each job.
        let waits = fs::read_to_string(folder.path("results/tables/waits.csv")).unwrap();
        let all = lines(&waits, &[("name", "all jobs")]).remove(0);
        assert!((number(&all, "recorded_h") - 30.0 / 3600.0).abs() < 1e-4, "{waits}");
    }
}

#[test]
fn waits_are_compared_over_the_jobs_that_ran_in_both() {
    let folder = files();
    stdout(site(&folder).args(["--samples", "0", "--copies", "0", "--what-if", "qos.normal.MaxSubmitPU=1"]));
    let results = folder.path("results");
    let printed = stdout(dfrsim(["run", "--out"]).arg(&results).arg(folder.path("march/site.toml")));
    let waits = fs::read_to_string(results.join("tables/waits.csv")).unwrap();
    let of = |variant: &str| {
        lines(&waits, &[("name", "all jobs"), ("policy", &format!("SLURM [{variant}]"))]).remove(0)
    };
    let (own, limited) = (of("as it is"), of("qos.normal.MaxSubmitPU=1"));
    let rejected = number(&limited, "rejected");
    assert!(rejected > 5.0, "{waits}");
    assert_eq!(number(&limited, "compared"), 60.0 - rejected);
    // Subtracting the means of all jobs would give another number.
    let naive = number(&limited, "wait_h") - number(&own, "wait_h");
    assert!((number(&limited, "change_h") - naive).abs() > 1e-3, "{waits}");
    assert!(
        printed.contains("jobs (") && printed.contains("that ran here and with the first variant"),
        "{printed}"
    );
    let degradation = printed.contains("egradation");
    assert!(!degradation && printed.contains("Hours of waiting"), "{printed}");
    let compare = stdout(
        dfrsim(["results", "compare", "--metric", "mean_wait_s", "--variant", "SLURM [as it is]"])
            .args(["--with", "SLURM [qos.normal.MaxSubmitPU=1]"])
            .args([&results, &results]),
    );
    assert!(compare.contains("warning: in 1 of 1 pairs"), "{compare}");
    stdout(dfrsim(["results", "report"]).arg(&results));
    let page = fs::read_to_string(results.join("report.html")).unwrap();
    let (waits, answer) = (page.find("id=\"lead\""), page.find("id=\"answer\""));
    assert!(waits.is_some() && waits < answer, "the report begins with the waits");
}

#[test]
fn options_about_the_log_reach_the_scenario() {
    let folder = files();
    let exact = CONF.replace(" AllowAccounts=physics", "")
        + "SelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\n";
    fs::write(folder.path("slurm.conf"), exact).unwrap();
    fs::write(folder.path("qos.txt"), "Name|Priority|MaxJobsPU\nnormal|0|\nhigh|10|4\n").unwrap();
    let options = "--size allocated --skip 2 --first 40 --from 600 --to 90000 --rule failed=drop --strict";
    let text = stdout(site(&folder).args(options.split(' ')));
    assert!(text.contains("left out: records outside the selected part"), "{text}");
    let scenario: toml::Table = fs::read_to_string(folder.path("march/site.toml")).unwrap().parse().unwrap();
    let swf = &scenario["workloads"][0]["swf"];
    assert_eq!(swf["size"].as_str(), Some("allocated"));
    assert_eq!(swf["lines"].as_str(), Some("strict"));
    assert_eq!(swf["rules"]["failed"].as_str(), Some("drop"));
    let select: Vec<_> =
        ["skip", "first", "from", "to"].iter().map(|field| swf["select"][*field].as_integer()).collect();
    assert_eq!(select, [Some(2), Some(40), Some(600), Some(90000)]);
    assert_eq!(scenario["objective"].as_str(), Some("mean_wait_s"));
    let said = stderr(site(&folder).args(["--flops", "1e9"]), 2);
    assert!(said.contains("--flops is for Batsim workloads"), "{said}");
}

/// Refuses settings that are not simulated, with `--strict`, in `site` and in `simulate`.
#[test]
fn a_site_that_is_not_simulated_as_it_is_is_refused_strictly() {
    let folder = files();
    let mut simulate = dfrsim(["simulate", "--policy", "SLURM", "--workload"]);
    simulate.arg(folder.path("march.sacct")).arg("--slurm-conf").arg(folder.path("slurm.conf"));
    for command in [&mut site(&folder), &mut simulate] {
        let printed = stderr(command.arg("--strict"), 2);
        for part in [
            "slurm.conf: line 9: PartitionName=gpu AllowAccounts: this is not simulated and may change which jobs may start; jobs concerned: 15\n",
            "slurm.conf: SelectType is not set: ",
            "hint: without `--strict`, these are listed",
        ] {
            assert!(printed.contains(part), "{part}{printed}");
        }
    }
}

/// Events may name a node that a variant lacks.
#[test]
fn a_variant_may_lack_a_node_with_events() {
    let folder = files();
    let events = "NodeName|TimeStart|TimeEnd|State\nn4|2026-03-02T10:00:00|2026-03-02T12:00:00|DOWN\n";
    fs::write(folder.path("events.txt"), events).unwrap();
    let options =
        ["--samples", "0", "--copies", "0", "--what-if", "nodes.cpu=-1", "--what-if", "nodes.cpu=+1"];
    stdout(site(&folder).arg("--events").arg(folder.path("events.txt")).args(options));
    let outages = fs::read_to_string(folder.path("march/outages.csv")).unwrap();
    assert!(outages.contains("\"n4\","), "{outages}");
    let results = folder.path("results");
    stdout(dfrsim(["run", "--audit", "--out"]).arg(&results).arg(folder.path("march/site.toml")));
}

/// Rejects a broken listing with the hint that other commands that read logs give too.
#[test]
fn a_broken_listing_is_refused_with_what_would_help() {
    let folder = files();
    fs::write(folder.path("march.sacct"), format!("{LISTING}x\n")).unwrap();
    let mut simulate = dfrsim(["simulate", "--policy", "SLURM", "--workload"]);
    simulate.arg(folder.path("march.sacct")).arg("--slurm-conf").arg(folder.path("slurm.conf"));
    for command in [&mut site(&folder), &mut simulate] {
        let printed = stderr(command.arg("--strict"), 2);
        assert!(printed.contains("hint: without `--strict`, such lines are skipped"), "{printed}");
    }
}

/// The commands that `log info` recommends for a listing work.
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
    assert!(said.contains("SWF cannot represent the nodes of 60 jobs, GPUs (15 jobs)"), "{said}");
    assert!(!fs::read_to_string(converted).unwrap().contains("physics"), "names of accounts are not written");
}
