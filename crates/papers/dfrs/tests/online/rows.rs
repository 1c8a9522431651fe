//! Tests rows and tables against values derived by hand.

use crate::run::SCENARIO;
use crate::{frame, numbers, registry, run, run_with, table};
use dfrsim_cluster::JobRecord;
use dfrsim_lab::compare::{CompareOptions, compare};
use dfrsim_lab::{Registry, Results, RunOptions, RunReport};
use dfrsim_model::{Job, JobId, SimSpan};
use dfrsim_paper_dfrs::{Own, register};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

const LOG: &str = "study = 'online'\npolicies = ['FCFS']\n\
    [[workloads]]\nname = 'log'\nnodes = 1\nswf = { file = 'log.swf' }\n";

fn run_beside(text: &str, folder: &Path) -> RunReport {
    let options = RunOptions { audit: true, ..RunOptions::new(folder.join("out")) };
    run_with(&registry(), text, &[], Some(folder), &options)
}

/// A job of 100 s with a requested time of 60 s is killed after 60 s: the bound must not assume
/// more.
///
/// Both jobs arrive at second 0 on one processor, and the second one needs 20 s. With deadlines 60 S
/// and 20 S the work of 80 s needs S = 80 / 60; with the complete run time it would be 120 / 100.
#[test]
fn killed_jobs_have_the_bound_of_what_they_run() {
    let folder = tempfile::tempdir().unwrap();
    let log =
        "1 0 -1 100 1 -1 -1 1 60 -1 1 1 -1 -1 -1 -1 -1 -1\n2 0 -1 20 1 -1 -1 1 20 -1 1 1 -1 -1 -1 -1 -1 -1\n";
    fs::write(folder.path().join("log.swf"), log).unwrap();
    let text = LOG.replace("[[", "[simulation]\nestimates = 'requested'\noverrun = 'kill'\n[[");
    let report = run_beside(&text, folder.path());
    let rows = frame(&folder.path().join("out"));
    let bound = numbers(&rows, "FCFS", "bound")[0];
    assert!((bound - 80.0 / 60.0).abs() < 1e-9, "{bound}");
    assert_eq!(numbers(&rows, "FCFS", "killed"), [1.0]);
    let input = &report.inputs[0];
    let account = input.account.as_ref().unwrap();
    assert_eq!((input.file.as_str(), account.lines, account.jobs), ("log.swf", 2, 2));
    assert_eq!(input.path.as_deref(), Some(&*folder.path().join("log.swf")));
}

/// Job 2 has no requested time: policies get its exact run time only if that is asked for by name.
#[test]
fn missing_requests_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let log = "1 0 -1 100 1 -1 -1 1 160 -1 1 1 -1 -1 -1 -1 -1 -1\n2 0 -1 20 1 -1 -1 1 -1 -1 1 1 -1 -1 -1 -1 -1 -1\n";
    fs::write(folder.path().join("log.swf"), log).unwrap();
    let with = |estimates: &str| LOG.replace("[[", &format!("[simulation]\nestimates = '{estimates}'\n[["));
    let scenario = registry().parse(&with("requested"), "test.toml", Some(folder.path()), &[]).unwrap();
    let options = RunOptions::new(folder.path().join("out"));
    let error = scenario.run(&options, &AtomicBool::new(false), &()).unwrap_err().to_string();
    assert!(error.contains("workload `log`: 1 of 2 jobs have no requested time"), "{error}");
    let report = run_beside(&with("requested-or-exact"), folder.path());
    assert_eq!(report.counts.failures(), 0);
}

/// Job 1 of user 5 runs for 100 s on one processor, then jobs 2 and 3 of users 5 and 6 run for 100 s
/// and 50 s: the stretches are 1, 2 and 5, and the users' means are 1.5 and 5. All simulations are
/// audited.
#[test]
fn jobs_count_by_weight_and_by_user() {
    let folder = tempfile::tempdir().unwrap();
    let log = "1 0 -1 100 1 -1 -1 1 100 -1 1 5 -1 -1 -1 -1 -1 -1\n2 0 -1 100 1 -1 -1 1 100 -1 1 5 -1 -1 -1 -1 -1 -1\n\
               3 0 -1 50 1 -1 -1 1 50 -1 1 6 -1 -1 -1 -1 -1 -1\n";
    fs::write(folder.path().join("log.swf"), log).unwrap();
    let figures = |simulation: &str| {
        run_beside(&LOG.replace("[[", &format!("[simulation]\n{simulation}\n[[")), folder.path());
        let rows = frame(&folder.path().join("out"));
        ["weighted_bounded_stretch", "fairness", "max_user_bounded_stretch"]
            .map(|metric| numbers(&rows, "FCFS", metric)[0])
    };
    let fairness = 6.5 * 6.5 / (2.0 * (1.5 * 1.5 + 25.0));
    assert_eq!(figures("warm_up = 0"), [(100.0 + 200.0 + 250.0) / 250.0, fairness, 5.0]);
    assert_eq!(figures("weights = 'equal'"), [8.0 / 3.0, fairness, 5.0]);
    assert_eq!(figures("user_weights = { 5 = 0.5 }"), [(50.0 + 100.0 + 250.0) / 150.0, fairness, 5.0]);
}

/// Job 3 of user 6 ends at second 50 on two processors, not at 150 as in the log. Job 4 arrived 50 s
/// after that end; it arrives at second 100 instead of 200 if users wait for their jobs, and at 70
/// if the think time of field 18 is used. Job 2 of user 5 arrives at 130 in each case.
#[test]
fn users_wait_for_their_jobs() {
    let folder = tempfile::tempdir().unwrap();
    let log = "1 0 0 100 1 -1 -1 1 100 -1 1 5 -1 -1 -1 -1 -1 -1\n3 0 100 50 1 -1 -1 1 50 -1 1 6 -1 -1 -1 -1 -1 -1\n\
               2 130 0 100 1 -1 -1 1 100 -1 1 5 -1 -1 -1 -1 -1 -1\n4 200 0 500 1 -1 -1 1 500 -1 1 6 -1 -1 -1 -1 3 20\n";
    fs::write(folder.path().join("log.swf"), log).unwrap();
    let closed = |submission: &str| {
        let text = LOG
            .replace("nodes = 1", "nodes = 2")
            .replace(".swf' }", &format!(".swf', submission = '{submission}' }}"));
        let report = run_beside(&text, folder.path());
        let rows = frame(&folder.path().join("out"));
        let figures =
            ["makespan_s", "max_wait_s", "bound", "degradation"].map(|it| numbers(&rows, "FCFS", it)[0]);
        (figures, report.inputs[0].report.last().cloned().unwrap_or_default())
    };
    assert_eq!(closed("open").0, [700.0, 0.0, 1.0, 1.0]);
    let (figures, links) = closed("sessions");
    assert_eq!(
        (figures, links.as_str()),
        ([600.0, 0.0, 1.0, 1.0], "log: 2 jobs depend on another one; sessions: 2")
    );
    let (figures, links) = closed("dependencies");
    assert_eq!((figures, links.as_str()), ([570.0, 0.0, 1.0, 1.0], "log: 1 jobs depend on another one"));
    // A session ends half a minute after all of its jobs have ended: job 4 begins a new session, job
    // 2 does not.
    let (figures, links) = closed("sessions:think:30");
    assert_eq!(
        (figures, links.as_str()),
        ([700.0, 0.0, 1.0, 1.0], "log: 1 jobs depend on another one; sessions: 3")
    );

    let by_week = LOG.replace(".swf' }", ".swf', submission = 'sessions', cut = 'week' }");
    let error = registry().parse(&by_week, "s.toml", Some(folder.path()), &[]).err().unwrap().to_string();
    assert!(error.contains("jobs of one week may follow jobs of another one"), "{error}");
}

/// The second job never ran: it is dropped, and the table notes that.
#[test]
fn jobs_that_are_left_out_are_reported_below_the_table() {
    let folder = tempfile::tempdir().unwrap();
    let log =
        "1 0 -1 100 1 -1 -1 1 60 -1 1 1 -1 -1 -1 -1 -1 -1\n2 0 -1 0 1 -1 -1 1 20 -1 5 1 -1 -1 -1 -1 -1 -1\n";
    fs::write(folder.path().join("log.swf"), log).unwrap();
    let report = run_beside(LOG, folder.path());
    let text = table(&report, "summary").markdown();
    assert!(text.ends_with("\nlog: 2 records, 1 jobs; cancelled: 1 kept; zero_run: 1 dropped\n"), "{text}");
    let counts: BTreeMap<String, u64> = report.inputs[0].counts.iter().cloned().collect();
    assert_eq!((counts["records"], counts["jobs"], counts["zero_run_dropped"]), (2, 1, 1));
}

/// Merges the only load of a workload with the line for all loads. There is one line per policy,
/// with the first penalty, and one for each interruption rule.
#[test]
fn lines_of_a_summary_differ() {
    let folder = tempfile::tempdir().unwrap();
    let lublin = "lublin = { replications = 2, jobs = 5, loads = [0.5] }";
    let simulation = "[simulation]\npenalty = [7, 9]\npacking = ['cp', 'mcb8']\n[[workloads";
    let text = LOG.replace("swf = { file = 'log.swf' }", lublin).replace("[[workloads", simulation);
    let text = text.replace("['FCFS']", "['FCFS', 'MCB*/OPT=MIN']");
    let report = run(&text, &[], folder.path());
    let summary = table(&report, "summary").markdown();
    assert_eq!(["| FCFS", "| MCB*"].map(|name| summary.matches(name).count()), [1, 1], "{summary}");
    let rules = "[outages]\ninterruption = ['requeue', 'lose']\n[outages.failures]\nbetween = 'fixed:90'\nrepair = 'fixed:9'\n[[";
    let report = run(&text.replacen("[[", rules, 1), &[], folder.path());
    for name in ["summary", "degradation"] {
        let text = table(&report, name).markdown();
        assert!(text.contains(" requeue ") && text.contains(" lose "), "{text}");
    }
}

/// Two jobs of 10 s and 20 s run on one node, in a workload of Batsim: the second one waits 10 s, so
/// its stretch is 1.5.
#[test]
fn a_workload_of_batsim_is_run() {
    let folder = tempfile::tempdir().unwrap();
    let jobs = r#"{"nb_res": 1, "jobs": [
        {"id": "a", "subtime": 0, "res": 1, "profile": "p"}, {"id": "b", "subtime": 0, "res": 1, "profile": "q"}],
        "profiles": {"p": {"type": "delay", "delay": 10}, "q": {"type": "parallel_homogeneous", "cpu": 40, "com": 0}}}"#;
    fs::write(folder.path().join("w"), jobs).unwrap();
    run_beside(
        &LOG.replace("swf = { file = 'log.swf' }", "batsim = { file = 'w', flops = 2 }"),
        folder.path(),
    );
    let rows = frame(&folder.path().join("out"));
    assert_eq!(numbers(&rows, "FCFS", "max_stretch"), [1.5]);
    assert_eq!(numbers(&rows, "FCFS", "counted"), [2.0]);
}

fn lines(path: &Path) -> Vec<BTreeMap<String, String>> {
    let text = fs::read_to_string(path).unwrap();
    let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
    let header = lines.next().unwrap();
    lines.map(|line| header.iter().cloned().zip(line).collect()).collect()
}

/// Computes the mean, sample standard deviation and maximum of the degradation from the rows by
/// their definitions.
#[test]
fn tables_say_what_the_rows_say() {
    let folder = tempfile::tempdir().unwrap();
    run(SCENARIO, &[], folder.path());
    let rows = lines(&folder.path().join("rows.csv"));
    let lines = lines(&folder.path().join("tables/degradation.csv"));
    // 4 scopes (plain; scaled at 0.5, at 0.9, at all loads), 2 taus, 2 penalties, 3 policies.
    assert_eq!(lines.len(), 4 * 2 * 2 * 3);
    for line in &lines {
        let same = |row: &&BTreeMap<String, String>| {
            ["workload", "policy", "penalty_s", "tau_s"].iter().all(|&name| row[name] == line[name])
                && (line["load"] == "all" || row["load"] == line["load"])
        };
        let group: Vec<_> = rows.iter().filter(same).collect();
        assert_eq!(group.len(), if line["load"] == "all" { 4 } else { 2 });
        assert_eq!(line["instances"], group.len().to_string());
        let value = |row: &BTreeMap<String, String>, name: &str| row[name].parse::<f64>().unwrap();
        let degradations = group.iter().map(|row| value(row, "max_bounded_stretch") / value(row, "bound"));
        let degradations: Vec<f64> = degradations.collect();
        let count = degradations.len() as f64;
        let mean = degradations.iter().sum::<f64>() / count;
        let variance = degradations.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / (count - 1.0);
        let max = degradations.iter().copied().fold(0.0, f64::max);
        let bound = group.iter().map(|row| value(row, "bound")).sum::<f64>() / count;
        let expected = [mean, variance.sqrt(), max, bound];
        for (name, expected) in
            ["mean_degradation", "sd_degradation", "max_degradation", "mean_bound"].iter().zip(expected)
        {
            let found = value(line, name);
            assert!((found - expected).abs() <= 1e-9 * expected, "{name}: {found} for {expected}");
        }
    }
}

/// Compares wrong CPU needs, used or discovered, with the policy that knows the exact ones, instance
/// by instance; the checker verifies all simulations.
#[test]
fn wrong_cpu_needs_are_compared_with_exact_ones() {
    let text = "study = 'online'\npolicies = ['GreedyPM*/per/OPT=MIN']\n\
        [simulation]\ncpu_needs = ['exact', 'factor:0.5']\ndiscovery_s = 60\n\
        [[workloads]]\nname = 'model'\nnodes = 16\nlublin = { replications = 2, jobs = 60, loads = 0.7 }\n";
    let folder = tempfile::tempdir().unwrap();
    let options = RunOptions { audit: true, ..RunOptions::new(folder.path()) };
    let report = run_with(&registry(), text, &[], None, &options);
    // Exact needs are not discovered.
    assert_eq!((report.counts.total, report.counts.failures()), (2 * 3, 0), "{:?}", report.failures);
    let stretch = numbers(&frame(folder.path()), "GreedyPM*/per/OPT=MIN", "max_bounded_stretch");
    let table = lines(&folder.path().join("tables/cpu_needs.csv"));
    assert_eq!(table.len(), 3);
    for (place, line) in table.iter().enumerate() {
        let ratio = |instance: usize| stretch[3 * instance + place] / stretch[3 * instance];
        let expected = (ratio(0) * ratio(1)).sqrt();
        let found: f64 = line["max_ratio"].parse().unwrap();
        assert!((found - expected).abs() < 1e-9 * expected, "{line:?}");
    }
    assert_eq!((table[1]["discovery_s"].as_str(), table[2]["discovery_s"].as_str()), ("", "60"));
    // Without wrong needs this table does not exist.
    let exact = run(text, &["simulation.cpu_needs=exact"], folder.path());
    assert!(exact.tables.iter().all(|table| table.name != "cpu_needs"));
    assert_eq!(exact.counts.computed, 0);
}

/// One node; jobs of 1,000 s from 0 s on and of 10 s from 100 s on, each with 0.6 of the memory. No
/// schedule is below 1.01 if pauses have no penalty, and none is below 1.11 with a penalty of 300 s,
/// as the long job cannot end by 1,110 s if it pays the penalty. FCFS has 91.
#[test]
fn tables_have_what_can_be_reached() {
    let folder = tempfile::tempdir().unwrap();
    let memory = 6 * 1024 * 1024 / 10;
    let job = |id, submit, run| {
        format!("{id} {submit} -1 {run} 1 -1 {memory} 1 {run} {memory} 1 1 -1 -1 -1 -1 -1 -1\n")
    };
    fs::write(folder.path().join("log.swf"), job(1, 0, 1000) + &job(2, 100, 10)).unwrap();
    let text = LOG.replace("policies", "clairvoyant = true\npolicies");
    let text = text.replace("nodes = 1\n", "nodes = 1\nnode_memory_gb = 1\n");
    let text =
        text.replace("'log.swf'", "'log.swf', annotation = { hpc2n = { cores = 1, memory_kb = 1048576 } }");
    let report = run_beside(&text, folder.path());
    let rows = frame(&folder.path().join("out"));
    let [bound, least, reached] =
        ["bound", "penalty_bound", "reached"].map(|column| numbers(&rows, "FCFS", column)[0]);
    assert!(
        (bound - 1.01).abs() < 1e-9 && (least - 1.11).abs() < 1e-5 && reached == 1.31,
        "{bound} {least} {reached}"
    );
    let means = table(&report, "degradation").csv();
    let mut lines = means.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let (header, values) = (lines.next().unwrap(), lines.next().unwrap());
    let place = header.iter().position(|name| *name == "mean_reached_degradation").unwrap();
    assert_eq!(values[place].parse::<f64>().unwrap(), 1.31 / bound);
}

#[test]
fn jobs_and_metrics_of_the_program_are_in_rows_and_tables() {
    let folder = tempfile::tempdir().unwrap();
    let text = "study = 'online'\npolicies = ['FCFS', 'EASY']\nmetrics = ['last_end']\n\
        [[workloads]]\nname = 'mine'\nnodes = 2\nown = { source = 'SERIAL' }\n";
    let job = |id, run| Job { id: JobId(id), run_time: SimSpan::from_secs(run), tasks: 2, ..Job::default() };
    let own = |version: &str| {
        let ends =
            |jobs: &[JobRecord]| jobs.last().map(|job| job.end.as_secs_f64()).ok_or_else(|| "no job".into());
        Own::default()
            .source("SERIAL", move |nodes, _| Ok(vec![job(1, 10), job(2, u64::from(nodes))]))
            .metric("last_end", version, ends)
    };
    let run = |own: Own, text: &str| {
        let registry = register(Registry::new()).with(own);
        let scenario = registry.parse(text, "mine.toml", None, &[]).map_err(|errors| errors.to_string())?;
        let options = RunOptions::new(folder.path());
        Ok::<RunReport, String>(scenario.run(&options, &AtomicBool::new(false), &()).unwrap())
    };
    let report = run(own("1"), text).unwrap();
    assert_eq!((report.counts.total, report.counts.failures()), (2, 0));
    let rows = frame(folder.path());
    let place = rows.column_index("own").unwrap();
    assert_eq!(rows.text(0, place), r#"{"last_end":12.0}"#);
    assert_eq!(rows.number(0, rows.column_index("last_end").unwrap()), Some(12.0));
    let registry = registry();
    let results = Results::read(folder.path(), &registry).unwrap();
    let names = |name: &str| vec![name.to_owned()];
    let (metrics, variant, with) = (names("last_end"), names("FCFS"), names("EASY"));
    let options = CompareOptions { metrics, variant, with, ..CompareOptions::default() };
    let compared = compare(&results, &results, &options).unwrap();
    assert_eq!(
        (compared.parts[0].groups[0].metric.name, compared.parts[0].groups[0].pairs.len()),
        ("last_end", 1)
    );
    let means = table(&report, "metrics").csv();
    let lines: Vec<&str> = means.lines().collect();
    assert!(lines[0].ends_with(",last_end") && lines[1].ends_with(",12"), "{means}");
    assert_eq!(run(own("1"), text).unwrap().counts.restored, 2);
    assert_eq!(run(own("2"), text).unwrap().counts.restored, 0);
    let fault = run(own("1"), &text.replace("'SERIAL'", "'SERIA'")).unwrap_err();
    assert!(fault.contains("unknown source of this program `SERIA`; did you mean `SERIAL`?"), "{fault}");
}
