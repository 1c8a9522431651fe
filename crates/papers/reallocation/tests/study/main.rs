//! Tests the grid study in the framework.

use dfrsim_lab::{Part, Registry, Results, RunError, RunOptions, RunReport, Shard, Status};
use dfrsim_paper_reallocation::register;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

const QUICK: &str = include_str!("../../../../../scenarios/grid_quick.toml");

fn registry() -> Registry {
    register(Registry::new())
}

fn try_run(text: &str, overrides: &[&str], options: &RunOptions) -> Result<RunReport, RunError> {
    let overrides: Vec<String> = overrides.iter().map(|&set| set.to_owned()).collect();
    let scenario = registry().parse(text, "grid.toml", Some(&options.out), &overrides).unwrap();
    scenario.run(options, &AtomicBool::new(false), &())
}

fn run(overrides: &[&str], out: &Path) -> RunReport {
    try_run(QUICK, overrides, &RunOptions { threads: 2, ..RunOptions::new(out) }).unwrap()
}

fn faults(text: &str) -> String {
    let parsed = registry().parse(text, "grid.toml", None, &[]);
    parsed.map(|_| ()).unwrap_err().to_string()
}

/// Returns rows and tables.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = [folder.to_owned(), folder.join("tables")].map(|each| fs::read_dir(each).unwrap());
    let paths = entries.into_iter().flatten().map(|entry| entry.unwrap().path());
    let csv = paths.filter(|path| path.extension().is_some_and(|extension| extension == "csv"));
    csv.map(|path| {
        (path.display().to_string().replace(&folder.display().to_string(), ""), fs::read(path).unwrap())
    })
    .collect()
}

#[test]
fn a_row_for_each_simulation_and_the_published_tables() {
    let folder = tempfile::tempdir().unwrap();
    let report = run(&[], folder.path());
    // Two platforms, three local policies; without reallocation, and two algorithms with six
    // heuristics.
    assert_eq!((report.counts.total, report.counts.of(Status::Ok)), (2 * 3 * 13, 2 * 3 * 13));
    let registry = registry();
    let results = Results::read(folder.path(), &registry).unwrap();
    assert_eq!(results.manifest.audit, "always");
    let frame = &results.rows().unwrap()[0];
    let [algorithm, jobs, changed, all, own, reference, relative] = [
        "algorithm",
        "jobs",
        "changed",
        "mean_turnaround_s",
        "changed_turnaround_s",
        "reference_turnaround_s",
        "relative_turnaround",
    ]
    .map(|column| frame.column_index(column).unwrap());
    assert_eq!((frame.primary(), frame.text(0, algorithm)), (Some(relative), "none".to_owned()));
    for row in 0..frame.len() {
        let number = |column| frame.number(row, column);
        if row % 13 == 0 {
            assert_eq!((number(changed), number(own)), (Some(0.0), None));
        } else if let Some(relative) = number(relative) {
            let (own, reference) = (number(own).unwrap(), number(reference).unwrap());
            assert_eq!(relative, own / reference);
            // The change of the mean is the gain or loss of the changed jobs, averaged over all
            // jobs.
            let none = frame.number(row - row % 13, all).unwrap();
            let expected = none + (own - reference) * number(changed).unwrap() / number(jobs).unwrap();
            assert!((number(all).unwrap() - expected).abs() < 1e-6 * none, "{row}");
        }
    }
    let tables: Vec<&str> = results.tables().collect();
    // Tables 1 to 17, and gains, metrics, starvation, reference and windows; claims and a summary
    // exist only for the report's scenarios.
    assert_eq!(tables.len(), 17 + 5);
    let table_2 = fs::read_to_string(folder.path().join("tables/table_02.csv")).unwrap();
    let mut lines = table_2.lines();
    assert_eq!(lines.next(), Some("local,heuristic,workload,ours,published,ratio"));
    // 248 of 550 jobs.
    assert_eq!(lines.next(), Some("FCFS,mct,days,45.09090909090909,,"));
}

/// Shows published values and claims only for scenarios that name the report; with several
/// replications the claims have intervals.
#[test]
fn statements_and_published_values_are_for_the_scenarios_of_the_report() {
    let folder = tempfile::tempdir().unwrap();
    let narrow =
        ["local=['FCFS', 'CONS']", "meta.heuristics=['mct']", "replications=3", "published='rr-7226'"];
    let claims = |overrides: &[&str]| {
        run(overrides, folder.path());
        fs::read_to_string(folder.path().join("tables/claims.csv")).ok()
    };
    assert_eq!(claims(&narrow[..3]), None);
    let text = claims(&narrow).unwrap();
    let starved = text.lines().find(|line| line.contains("starvation never occurred")).unwrap();
    assert!(starved.contains(",holds,") && starved.contains("0 of 12 simulations; at most "), "{starved}");
    let line = text.lines().find(|line| line.contains("(table 2)")).unwrap();
    // FCFS minus CONS in percent of the jobs: mean and interval, followed by the published
    // difference.
    let numbers: Vec<f64> = line.split(',').filter_map(|cell| cell.parse().ok()).collect();
    let [ours, low, high, published] = numbers[..] else { panic!("{line}") };
    assert!(low < ours && ours < high && (published - 5.962).abs() < 1e-3, "{line}");
}

/// A different conservative policy replaces that of the text, unless both run.
#[test]
fn statements_are_for_any_conservative_policy() {
    let folder = tempfile::tempdir().unwrap();
    let statements = |local: &str| {
        run(&[local, "meta.heuristics=['mct']", "published='rr-7226'"], folder.path());
        fs::read_to_string(folder.path().join("tables/claims.csv")).unwrap().lines().count()
    };
    let text = statements("local=['FCFS', 'CONS']");
    assert!(text > 40, "{text}");
    for local in ["local=['FCFS', 'CONS/REPLAN']", "local=['FCFS', 'CONS', 'CONS/REPLAN']"] {
        assert_eq!(statements(local), text, "{local}");
    }
    assert!(statements("local=['FCFS', 'EASY']") < text);
}

/// Estimates by the first core and early mapping change the choice of clusters; every simulation is
/// audited.
#[test]
fn estimates_and_moments_are_fields() {
    let starts = |overrides: &[&str]| columns(QUICK, overrides, ["mean_wait_s"])[0].clone();
    let plain = starts(&[]);
    assert_ne!(plain, starts(&["meta.estimate='first-core'"]));
    assert_ne!(plain, starts(&["meta.mapped='at-previous'"]));
}

#[test]
fn narrowing_and_widening_reuses_every_row_that_remains() {
    let folder = tempfile::tempdir().unwrap();
    let counts = |overrides: &[&str]| {
        let counts = run(overrides, folder.path()).counts;
        (counts.restored, counts.computed)
    };
    assert_eq!(counts(&["local='CONS'", "meta.heuristics=['mct', 'minmin']"]), (0, 2 * 5));
    assert_eq!(counts(&["local='CBF'", "meta.heuristics='minmin'"]), (2 * 3, 0));
    assert_eq!(counts(&["local=['CONS', 'EASY']", "meta.heuristics='minmin'"]), (2 * 3, 2 * 3));
    // The threshold affects only the algorithm without cancellation.
    let threshold = "meta.threshold_s=600";
    assert_eq!(counts(&["local='CONS'", "meta.heuristics='minmin'", threshold]), (2 * 2, 2));
    // Jobs that wait on several clusters are not moved.
    assert_eq!(counts(&["local='CONS'", "meta.copies=2"]), (0, 2));
}

#[test]
fn shards_merge_to_the_same_bytes() {
    let [whole, parts] = std::array::from_fn(|_| tempfile::tempdir().unwrap());
    let narrow = ["local=['CONS', 'EASY']", "meta.heuristics='mct'"];
    run(&narrow, whole.path());
    let part = |part| {
        let options = RunOptions { part, ..RunOptions::new(parts.path()) };
        try_run(QUICK, &narrow, &options).unwrap();
    };
    (1..=2).for_each(|number| part(Part::Shard(Shard::new(number, 2).unwrap())));
    part(Part::Merged(vec![parts.path().to_owned()]));
    assert_eq!(files(parts.path()), files(whole.path()));
}

#[test]
fn events_are_written_and_pass_the_checker() {
    let folder = tempfile::tempdir().unwrap();
    let events = folder.path().join("events");
    run(&["local='CONS'", "heterogeneous=true", "meta.heuristics='mct'", "events='events'"], folder.path());
    let mut names: Vec<String> = Vec::new();
    for entry in fs::read_dir(events).unwrap() {
        let path = entry.unwrap().path();
        dfrsim_paper_reallocation::audit::audit(&fs::read(&path).unwrap()[..]).unwrap();
        names.push(path.file_name().unwrap().to_str().unwrap().to_owned());
    }
    names.sort_unstable();
    let name = |variant: &str| format!("days-heterogeneous-CONS-0-{variant}.jsonl");
    assert_eq!(names, ["none", "with-mct", "without-mct"].map(name));
}

/// The answer of a run is its first table: what moving jobs brings, or the runs with several copies.
#[test]
fn the_answer_comes_first() {
    let first = |overrides: &[&str]| {
        let folder = tempfile::tempdir().unwrap();
        let report = run(overrides, folder.path());
        (report.tables[0].name.clone(), report.tables[0].is_printed)
    };
    assert_eq!(first(&["local='CONS'", "meta.heuristics='mct'"]), ("gains".to_owned(), true));
    assert_eq!(first(&["local='CONS'", "meta.copies=2"]), ("reference".to_owned(), true));
}

/// Every job has a copy on each cluster of a federation. The first table has the waits of the users
/// before and after; their mean equals that of the rows.
#[test]
fn a_federation_says_who_waits_less() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("site.swf");
    let line = |number: u64| {
        let (at, run, width, user) = (number * 900, 600 + number % 7 * 400, 1 + number % 48, number % 3);
        format!("{number} {at} 0 {run} {width} -1 -1 {width} {} -1 1 {user} 1 1 1 1 -1 -1", run + 600)
    };
    let lines: Vec<String> = (1..900).map(line).collect();
    fs::write(&log, format!("; UnixStartTime: 0\n{}\n", lines.join("\n"))).unwrap();
    let scenario = format!(
        "study = 'grid'\nlocal = ['SLURM', 'EASY']\nheterogeneous = false\n\
         meta = {{ mapping = 'home', federation = true }}\n\
         clusters = [{{ name = 'a', cores = 64, speed = 1 }}, {{ name = 'b', cores = 64, speed = 1 }}]\n\
         [[workloads]]\nname = 'days'\ndays = [8]\n\
         sites = [{{ cluster = 'a', log = '{}' }}, {{ cluster = 'b', jobs = [60], load = 0.2 }}]\n",
        log.display()
    );
    let out = folder.path().join("results");
    let report = try_run(&scenario, &[], &RunOptions::new(&out)).unwrap();
    assert_eq!((report.counts.total, report.counts.of(Status::Ok)), (4, 4));
    assert_eq!((report.tables[0].name.as_str(), report.tables[0].is_printed), ("users", true));
    let text = fs::read_to_string(out.join("tables/users_all.csv")).unwrap();
    let all: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    let column = |name: &str| all[0].iter().position(|known| *known == name).unwrap();
    let value = |line: &Vec<&str>, name: &str| line[column(name)].parse::<f64>().unwrap();
    let registry = registry();
    let results = Results::read(&out, &registry).unwrap();
    let frame = &results.rows().unwrap()[0];
    let place = frame.column_index("mean_wait_s").unwrap();
    let waits: Vec<f64> = (0..frame.len()).map(|row| frame.number(row, place).unwrap()).collect();
    let whole: Vec<&Vec<&str>> = all.iter().filter(|line| line[column("site")] == "all").collect();
    assert_eq!(whole.len(), 2);
    for line in &whole {
        let near = |name: &str| waits.iter().any(|wait| (wait / 3_600.0 - value(line, name)).abs() < 1e-6);
        assert!(near("wait_before_h") && near("wait_after_h"), "{line:?} and {waits:?}");
        assert!(value(line, "change_h_low") <= value(line, "change_h"), "{line:?}");
    }
    // The users of the log, who wait at their own site, and those of generated jobs, who are unknown.
    let users: Vec<&str> = all[1..].iter().map(|line| line[column("user")]).collect();
    assert!(["0", "1", "2", "unknown"].iter().all(|name| users.contains(name)), "{users:?}");
    let less = all.iter().filter(|line| line[column("site")] == "a" && line[column("waits")] == "less");
    assert!(less.count() >= 4, "{text}");
}

#[test]
fn a_federation_needs_one_copy() {
    let several = faults(&format!("meta = {{ copies = 2, federation = true }}\n{QUICK}"));
    assert!(several.contains("a federation requires copies = 1 and no transfers"), "{several}");
}

/// Writes the events of every simulation, for all local policies, mappings and numbers of copies, to
/// a separate file that the audit accepts.
#[test]
fn events_of_every_simulation_pass_the_audit() {
    let local = "local=['FCFS', 'CONS', 'CONS/REPLAN', 'EASY']";
    let folder = tempfile::tempdir().unwrap();
    let audited = |name: &str, overrides: &[&str]| {
        let results = folder.path().join(name);
        let events = results.join("events");
        let all: Vec<&str> = [local, "events='events'"].iter().chain(overrides).copied().collect();
        let computed = run(&all, &results).counts.computed;
        let mut files = 0;
        for entry in fs::read_dir(&events).unwrap() {
            let path = entry.unwrap().path();
            let report = dfrsim_paper_reallocation::audit::audit(&fs::read(&path).unwrap()[..]);
            report.unwrap_or_else(|faults| panic!("{}: {faults}", path.display()));
            files += 1;
        }
        assert_eq!(files, computed, "{name}");
        computed
    };
    assert_eq!(audited("reallocation", &["meta.heuristics=['minmin', 'sufferage']"]), 2 * 4 * 5);
    for mapping in ["random", "round-robin", "queue-length", "least-work-left", "fastest"] {
        let set = format!("meta.mapping='{mapping}'");
        assert_eq!(audited(mapping, &[&set, "meta.heuristics='mct'"]), 2 * 4 * 3);
    }
    assert_eq!(audited("copies", &["meta.copies=2"]), 2 * 4);
    // With long queues both clusters have backfill cycles at the same time, and a copy leaves the queue
    // of one after its cycle, which has no record.
    let long = [
        "meta.copies=2",
        "local='SLURM'",
        "heterogeneous=false",
        "workloads.0.days=[2]",
        "jobs.load=2.5",
        "jobs.max_load=3",
    ];
    assert_eq!(audited("slurm-long-queues", &long), 1);
    assert_eq!(audited("slurm-copies", &["meta.copies=2", "local='SLURM'", "workloads.0.days=[2]"]), 2);
    let conditions = [
        "meta.heuristics=['mct', 'maxgain']",
        "meta.transfer_s=60",
        "meta.publication_s=600",
        "jobs.local_jobs=0.3",
        "clusters.0.outages=[{ from_s = 3600, until_s = 7200 }, { from_s = 90000, until_s = 100000 }]",
        "clusters.1.failures={ mean_up_s = 50000, mean_down_s = 10000 }",
    ];
    assert_eq!(audited("conditions", &conditions), 2 * 4 * 5);
    assert_eq!(audited("failing-copies", &["meta.copies=2", "meta.publication_s=600", conditions[4]]), 2 * 4);
}

/// Returns columns of the rows of a scenario with these fields, under FCFS on the homogeneous
/// platform.
fn columns<const N: usize>(text: &str, overrides: &[&str], names: [&str; N]) -> [Vec<f64>; N] {
    let folder = tempfile::tempdir().unwrap();
    let narrow = ["local='FCFS'", "heterogeneous=false", "meta.heuristics=['mct', 'minmin']"];
    let overrides: Vec<&str> = narrow.iter().chain(overrides).copied().collect();
    let report = try_run(text, &overrides, &RunOptions::new(folder.path())).unwrap();
    assert_eq!(report.counts.of(Status::Ok), report.counts.total);
    let registry = registry();
    let results = Results::read(folder.path(), &registry).unwrap();
    let frame = &results.rows().unwrap()[0];
    names.map(|name| {
        let place = frame.column_index(name).unwrap();
        (0..frame.len()).map(|row| frame.number(row, place).unwrap()).collect()
    })
}

/// A transfer time of a day prevents moves, and transfer times have no effect without moves.
#[test]
fn transfers_are_a_field() {
    let names = ["moves", "mean_turnaround_s"];
    let [plain, turnarounds] = columns(QUICK, &[], names);
    let [short, _] = columns(QUICK, &["meta.transfer_s=60", "meta.transfer_per_core_s=30"], names);
    let [long, same] = columns(QUICK, &["meta.transfer_s=86400"], names);
    let sum = |moves: &[f64]| moves.iter().sum::<f64>();
    assert!(sum(&plain) > sum(&long) && sum(&short) > sum(&long), "{plain:?} {short:?} {long:?}");
    assert_ne!(plain, short);
    // The reference run comes first.
    assert_eq!(same[0], turnarounds[0]);
    let several = faults(&format!("meta = {{ copies = 2, transfer_s = 1 }}\n{QUICK}"));
    assert!(
        several.contains(
            "transfer_s and transfer_per_core_s require copies = 1: jobs with several copies do not move"
        ),
        "{several}"
    );
}

/// The choice of clusters depends on the publication period.
#[test]
fn the_age_of_what_is_known_is_a_field() {
    let turnaround = |overrides: &[&str]| columns(QUICK, overrides, ["mean_turnaround_s"])[0][0];
    let found = [&[][..], &["meta.publication_s=3600"], &["meta.publication_s=86400"]].map(turnaround);
    assert!(found[0] != found[1] && found[1] != found[2], "{found:?}");
}

/// Tests given outages and random ones, which differ between replications.
#[test]
fn failures_are_fields() {
    let names = ["lost_runs", "lost_core_s", "jobs"];
    let [none, no_work, jobs] = columns(QUICK, &[], names);
    assert_eq!((&none, &no_work), (&vec![0.0; 5], &vec![0.0; 5]));
    let [given, work, completed] =
        columns(QUICK, &["clusters.0.outages=[{ from_s = 90000, until_s = 100000 }]"], names);
    assert!(given.iter().all(|&runs| runs > 0.0) && work.iter().all(|&work| work > 0.0), "{given:?}");
    assert_eq!(completed, jobs);
    let [drawn, ..] = columns(
        QUICK,
        &["replications=2", "clusters.0.failures={ mean_up_s = 20000, mean_down_s = 5000 }"],
        names,
    );
    assert!(drawn.iter().all(|&runs| runs > 0.0), "{drawn:?}");
    let [first, second] = [&drawn[..5], &drawn[5..]];
    assert_ne!(first, second);
    let wrong = QUICK.replacen("speed = 1.0", "speed = 1.0\noutages = [{ from_s = 5, until_s = 5 }]", 1);
    let found = faults(&wrong);
    assert!(
        found.contains("expected outages with from_s < until_s, in order and with a gap between them"),
        "{found}"
    );
    let both =
        wrong.replacen("until_s = 5 }]", "until_s = 6 }]\nfailures = { mean_up_s = 5, mean_down_s = 5 }", 1);
    assert!(faults(&both).contains("expected either `outages` or `failures`, not both"));
}

/// Splits a log of a grid by site; the first job of S2 arrives ten minutes after the first one of
/// S1.
#[test]
fn a_log_of_a_grid_is_split_by_site() {
    let line = |job: u32| {
        let site = if job.is_multiple_of(3) { "S2" } else { "S1" };
        let end = "UNITARY -1 -1 -1 -1 -1 -1 -1 -1 -1 -1";
        format!("{job} {} -1 60 2 -1 -1 2 100 -1 1 U7 G1 -1 -1 -1 {site} {site} {end}\n", 300 * job)
    };
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("two.gwf"), (1..=30).map(line).collect::<String>()).unwrap();
    let scenario = "study = 'grid'\nlocal = 'CONS'\nheterogeneous = false\nmeta.heuristics = 'mct'\n\
        [[clusters]]\nname = 'a'\ncores = 4\nspeed = 1\n[[clusters]]\nname = 'b'\ncores = 2\nspeed = 1\n\
        [[workloads]]\nname = 'w'\ndays = [1]\nsites = [{ cluster = 'a', log = 'two.gwf', origin = 'S1' },\n\
        { cluster = 'b', log = 'two.gwf', origin = 'S2' }]\n";
    let events = "events='events'".to_owned();
    let options = RunOptions::new(folder.path().join("out"));
    let run = |text: &str| {
        let parsed =
            registry().parse(text, "grid.toml", Some(folder.path()), std::slice::from_ref(&events)).unwrap();
        parsed.run(&options, &AtomicBool::new(false), &())
    };
    let report = run(scenario).unwrap();
    let reports: Vec<&str> = report.inputs.iter().map(|input| input.report[0].as_str()).collect();
    assert_eq!(
        reports,
        [
            "S1: 20 records, 20 jobs; lines of other sites, left out: 10; 0 days",
            "S2: 10 records, 10 jobs; lines of other sites, left out: 20; 0 days"
        ]
    );
    let windows = fs::read_to_string(options.out.join("tables/windows.csv")).unwrap();
    assert!(
        windows.contains("w,a,0,two.gwf (S1),0,20,") && windows.contains("w,b,0,two.gwf (S2),0,10,"),
        "{windows}"
    );
    // Job 3, the first of S2, is the third one to arrive, at ten minutes.
    let events =
        fs::read_to_string(folder.path().join("out/events/w-homogeneous-CONS-0-none.jsonl")).unwrap();
    assert!(events.contains("\"event\":\"arrive\",\"at_us\":600000000,\"job\":2,"), "{events}");
    let missing = run(&scenario.replace("'S2'", "'S9'")).unwrap_err().to_string();
    assert!(missing.contains("no job is from site `S9`; there are jobs from S1, S2"), "{missing}");
    fs::write(folder.path().join("a.swf"), "").unwrap();
    let swf = QUICK.replace("jobs = [400]", "jobs = [400], log = \"a.swf\", origin = \"S1\"");
    let swf =
        registry().parse(&swf, "grid.toml", Some(folder.path()), &[]).map(|_| ()).unwrap_err().to_string();
    assert!(swf.contains("`origin` requires a log in the Grid Workloads Format"), "{swf}");
    let model = faults(&QUICK.replace("jobs = [400]", "jobs = [400], origin = \"S1\""));
    assert!(model.contains("require a `log`"), "{model}");
}

#[test]
fn all_faults_of_a_scenario_are_found() {
    let wrong = QUICK
        .replace("cluster = \"fast\"", "cluster = \"quick\"")
        .replace("speed = 1.4", "speed = 0")
        .replace("jobs = [400]", "jobs = [400, 5]")
        .replace("\"FCFS\", ", "\"FIFO\", ")
        .replace("local =", "seeds = 2\naudit = false\nlocal =");
    let found = faults(&wrong);
    for part in [
        "`seeds` is now called `replications`",
        "the field `audit` was removed: every simulation is checked",
        "unknown batch policy `FIFO`; did you mean `FIRSTFIT`?",
        "expected a speed from 0.001 to 1000, found 0",
        "slow: expected a number of jobs for each of the 1 months",
    ] {
        assert!(found.contains(part), "{part}: {found}");
    }
    let cluster = faults(&QUICK.replace("cluster = \"fast\"", "cluster = \"quick\""));
    assert!(cluster.contains("days: unknown cluster `quick`"), "{cluster}");
    let shared = faults(&QUICK.replace("cluster = \"fast\"", "cluster = \"slow\""));
    assert!(shared.contains("duplicate site with the cluster `slow`"), "{shared}");
    let missing = faults(&QUICK.replace("jobs = [400]", "log = \"none.swf\""));
    assert!(missing.contains("file not found: none.swf"), "{missing}");
    let unspecified = faults(&QUICK.replace(", jobs = [400]", ""));
    assert!(unspecified.contains("expected `jobs` or `log`"), "{unspecified}");
}

/// A log of a hundred jobs has one with 200 cores.
#[test]
fn a_job_that_fits_nowhere_is_an_error_unless_it_is_to_be_skipped() {
    let line =
        |id: u32, width| format!("{id} {id} -1 60 {width} -1 -1 {width} 100 -1 1 -1 -1 -1 -1 -1 -1 -1\n");
    let log: String = (1..=100).map(|id| line(id, if id == 50 { 200 } else { 2 })).collect();
    let scenario = "study = 'grid'\nlocal = 'CONS'\n[[clusters]]\nname = 'a'\ncores = 64\nspeed = 1\n\
        [[workloads]]\nname = 'w'\ndays = [1]\nsites = [{ cluster = 'a', log = 'wide.swf' }]\n";
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("wide.swf"), log).unwrap();
    let run = |rule: &str| try_run(scenario, &[rule], &RunOptions::new(folder.path()));
    let error = run("jobs.too_wide=error").unwrap_err().to_string();
    assert!(error.contains("wide.swf: job 50 needs 200 cores, and the largest cluster has 64"), "{error}");
    let report = run("jobs.too_wide=skip").unwrap();
    let [input] = &report.inputs[..] else { panic!("{:?}", report.inputs) };
    assert_eq!(input.report, ["100 records, 100 jobs; 0 days"]);
    assert_eq!(input.counts[1], ("jobs".to_owned(), 100));
    let windows = fs::read_to_string(folder.path().join("tables/windows.csv")).unwrap();
    assert_eq!(
        windows.lines().next(),
        Some("workload,site,replication,source,first_day,jobs,load,drawn_walltimes,killed,too_wide")
    );
    let line = windows.lines().nth(1).unwrap();
    assert!(line.starts_with("w,a,0,wide.swf,0,100,") && line.ends_with(",0,0,1"), "{line}");
    let rows = fs::read_to_string(folder.path().join("rows.csv")).unwrap();
    assert!(rows.lines().nth(1).unwrap().contains(",none,,99,1,"), "{rows}");
}

/// Creates a log of fifty jobs, some of which have an undefined status, no submit time or no run
/// time.
fn awkward_log() -> String {
    let line = |id: u32| {
        let submit = if id % 10 == 7 { -1 } else { i64::from(id) * 600 };
        let run = if id.is_multiple_of(25) { 0 } else { 60 * (1 + id % 7) };
        let status = if id % 5 == 3 { 265 } else { 1 };
        format!("{id} {submit} -1 {run} {} -1 -1 -1 -1 -1 {status} -1 -1 -1 -1 -1 -1 -1\n", 1 + id % 4)
    };
    (1..=50).map(line).chain(["what is this\n".to_owned()]).collect()
}

#[test]
fn awkward_logs_run_with_rules() {
    let scenario = "study = 'grid'\nlocal = 'CONS'\nheterogeneous = false\nmeta.heuristics = 'mct'\n[[clusters]]\n\
        name = 'a'\ncores = 4\nspeed = 1\n[[workloads]]\nname = 'w'\ndays = [1]\n\
        [[workloads.sites]]\ncluster = 'a'\nlog = 'awkward.swf'\n";
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("awkward.swf"), awkward_log()).unwrap();
    let run = |rules: &str| try_run(&format!("{scenario}{rules}"), &[], &RunOptions::new(folder.path()));
    let report = |rules: &str| run(rules).unwrap().inputs[0].report[0].clone();
    // Defaults: unknown statuses are kept, jobs without submit time are dropped, and zero run times
    // are set to a second.
    let plain = report("");
    for part in
        ["50 records, 45 jobs", "unknown_status: 10 kept", "no_submit: 5 dropped", "zero_run: 2 clamped"]
    {
        assert!(plain.contains(part), "{part}: {plain}");
    }
    let windows = fs::read_to_string(folder.path().join("tables/windows.csv")).unwrap();
    assert!(windows.lines().nth(1).unwrap().ends_with(",45,0,0"), "no job has a walltime: {windows}");
    // Rules that are not given keep their defaults.
    let ruled = report("rules = { unknown_status = 'drop', no_submit = 'clamp' }\n");
    for part in ["unknown_status: 10 dropped", "no_submit: 5 clamped", "zero_run: 2 clamped"] {
        assert!(ruled.contains(part), "{part}: {ruled}");
    }
    let strict = run("lines = 'strict'\n").unwrap_err().to_string();
    assert!(strict.contains("awkward.swf:51"), "{strict}");
    let error = run("rules = { unknown_status = 'error' }\n").unwrap_err().to_string();
    assert!(error.contains("its status is not defined by the format"), "{error}");
    let wide = faults(&format!("{scenario}rules = {{ too_wide = 'clamp' }}\n"));
    assert!(wide.contains("use `jobs.too_wide` for jobs that fit on no cluster"), "{wide}");
    let alone = faults(&format!("{scenario}offset_days = 1\n").replace("log = 'awkward.swf'", "jobs = [5]"));
    assert!(alone.contains("require a `log`"), "{alone}");
}

/// The second replication begins two days later, and each month has its load.
#[test]
fn sites_have_windows_and_loads() {
    let scenario = "study = 'grid'\nlocal = 'FCFS'\nheterogeneous = false\nreplications = 2\nmeta.heuristics = 'mct'\n\
        [[clusters]]\nname = 'a'\ncores = 4\nspeed = 1\n[[workloads]]\nname = 'w'\ndays = [1, 2]\n\
        [[workloads.sites]]\ncluster = 'a'\nlog = 'a.swf'\noffset_days = 1\nshift_days = 2\n";
    let line =
        |id: u32| format!("{id} {} -1 3600 1 -1 -1 1 7200 -1 1 -1 -1 -1 -1 -1 -1 -1\n", 43_200 * (id - 1));
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.swf"), (1..=20).map(line).collect::<String>()).unwrap();
    let windows = |more: &str| {
        try_run(&format!("{scenario}{more}"), &[], &RunOptions::new(folder.path())).unwrap();
        let text = fs::read_to_string(folder.path().join("tables/windows.csv")).unwrap();
        let cells = |line: &str| line.split(',').skip(2).map(str::to_owned).collect::<Vec<_>>();
        text.lines().skip(1).map(cells).collect::<Vec<_>>()
    };
    // Two jobs a day, each for an hour on one of four cores.
    let natural = windows("");
    assert_eq!(natural[0], ["0", "a.swf", "1", "6", "0.020833333333333332", "0", "0", "0"]);
    assert_eq!(natural[1][..4], ["1", "a.swf", "3", "6"]);
    let loaded = windows("load = [0.5, 0.25]\n");
    let load: f64 = loaded[0][4].parse().unwrap();
    assert!((load - (0.5 + 2.0 * 0.25) / 3.0).abs() < 1e-6, "{load}");
    // All walltimes are logged, unless they shall be replaced.
    let replaced = windows("[jobs]\nlogged_walltimes = 'replace'\n");
    assert_eq!((natural[0][5].as_str(), replaced[0][5].as_str()), ("0", "6"));
    let counted = windows("jobs = [3, 9]\n");
    assert_eq!(counted[0][2..4], ["1", "12"]);
    let many = faults_of_run(&format!("{scenario}jobs = [15, 9]\n"), folder.path());
    assert!(many.contains("a.swf has only 20 jobs, fewer than the 24 that `jobs` requests"), "{many}");
    let late = faults_of_run(&scenario.replace("offset_days = 1", "offset_days = 90"), folder.path());
    assert!(late.contains("a.swf has only 9 days, fewer than `offset_days` = 90"), "{late}");
}

fn faults_of_run(text: &str, folder: &Path) -> String {
    try_run(text, &[], &RunOptions::new(folder)).unwrap_err().to_string()
}

/// Half of the jobs are local and the second cluster has its own policy: rows count the local jobs,
/// and moves are fewer.
#[test]
fn local_jobs_and_policies_of_clusters_are_fields() {
    let own = QUICK.replacen("speed = 1.4", "speed = 1.4\nlocal = 'EASY'", 1);
    assert_ne!(own, QUICK);
    let figures = |text: &str, overrides: &[&str]| {
        columns(text, overrides, ["jobs", "local_jobs", "moves", "questions", "mean_wait_s"])
    };
    let [jobs, none, moves, questions, wait] = figures(QUICK, &[]);
    let [_, local, fewer, _, _] = figures(QUICK, &["jobs.local_jobs=0.5"]);
    assert!(none.iter().all(|&count| count == 0.0));
    let part = local[0] / jobs[0];
    assert!((0.4..0.6).contains(&part), "{part}");
    assert!(fewer.iter().sum::<f64>() < moves.iter().sum(), "{fewer:?} {moves:?}");
    // Reference, MCT, MinMin without cancellation, which queries all remaining jobs before each
    // choice.
    assert!(questions[0] < questions[1] && questions[1] < questions[2], "{questions:?}");
    // One cluster uses backfilling.
    assert!(figures(&own, &[])[4][0] < wait[0]);
}

/// Runs under SLURM, where a cluster has a plan of its running jobs, but no reservations that a
/// cancelled job could have.
#[test]
fn jobs_leave_clusters_under_slurm() {
    let folder = tempfile::tempdir().unwrap();
    let report = run(&["local=\"SLURM\"", "meta.heuristics=\"mct\""], folder.path());
    assert_eq!(report.counts.of(Status::Ok), report.counts.total);
}

/// Simulates a cluster of two node classes that fail, and one with priorities, limits and
/// preemption, under every policy, with and without reallocation. The checker verifies all
/// simulations.
#[test]
fn clusters_have_the_conditions_of_single_ones() {
    let conditions = include_str!("conditions.toml");
    let priorities = r#"
priorities = { weights = { age = 1000, size = 500 }, max_running_per_user = 8, backfill = { max_job_test = 20 } }
"#;
    let local = r#"["FCFS", "EASY", "CONS", "CONS/REPLAN", "EASY/ORDER=WFP3/PLACE=BEST", "CONS/ORDER=SAF/NODES=SHARED"]"#;
    for rule in ["lose", "requeue", "checkpoint:600:10:20"] {
        // Without the load, queues are long in one of them.
        let quick = if rule == "lose" { QUICK.to_owned() } else { QUICK.replace(", load = 0.9", "") };
        let quick = if dfrsim_testing::is_full() {
            quick
        } else {
            quick.replace("[400]", "[120]").replace("[150]", "[50]")
        };
        let text = quick
            .replace("cores = 64\n", &format!("cores = 64\n{}", conditions.replace("RULE", rule)))
            .replace("cores = 48\n", &format!("cores = 48\n{priorities}"))
            .replace(r#"["FCFS", "CONS", "EASY"]"#, local);
        let folder = tempfile::tempdir().unwrap();
        let overrides = ["meta.heuristics=[\"mct\", \"minmin\", \"sufferage\"]", "jobs.failing=0.2"];
        let options = RunOptions { threads: 2, ..RunOptions::new(folder.path()) };
        let report = try_run(&text, &overrides, &options).unwrap();
        assert_eq!(report.counts.total, 2 * 6 * 7);
        let failed = fs::read_to_string(folder.path().join("rows.csv")).unwrap();
        assert_eq!(report.counts.of(Status::Ok), report.counts.total, "{rule}: {failed}");
    }
}

#[test]
fn conditions_must_fit_their_cluster() {
    let with = |more: &str| faults(&QUICK.replace("cores = 64\n", &format!("cores = 64\n{more}\n")));
    let classes = "platform = { classes = [{ name = \"a\", nodes = 63, cores = 4, memory_gb = 8 }] }";
    assert!(with(classes).contains("node classes have 63 nodes in total, expected 64"), "{}", with(classes));
    assert!(with("requests = [\"@ssd:0.2\"]").contains("requests need a `platform`"));
    assert!(with("priorities = { calc_period_s = 0 }").contains("priorities"));
}
