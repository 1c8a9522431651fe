//! Tests tables: each shipped map on rows in the layout of its data set, and wrong maps and tables.

use dfrsim_model::platform::classes::DEVICE_PART;
use dfrsim_model::{JobId, Share};
use dfrsim_workload::formats::table::{self, Map};
use dfrsim_workload::log::{Effect, Fate, LogError, Reason, Source as _, Strictness, Whole};
use dfrsim_workload::prepare::{self, Options};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/workload/tables").join(name)
}

/// Reads a fixture with the map of its name, as commands do.
fn shipped(file: &str, strictness: Strictness) -> Whole {
    let path = fixture(file);
    let map = table::find(path.file_stem().unwrap().to_str().unwrap()).unwrap();
    let options = Options { columns: Some(Arc::new(map)), lines: strictness, ..Options::default() };
    prepare::read_whole(&path, &options).unwrap_or_else(|error| panic!("{error}"))
}

/// Formats the jobs: number, submit, wait, run and requested time, allocated and requested
/// processors, memory in kilobytes for each processor, status, GPUs.
fn jobs(whole: &Whole) -> Vec<String> {
    let requests = whole.resource_requests();
    let job = |line: dfrsim_workload::log::Line| {
        let record = line.record;
        let swf: Vec<String> = record.to_string().split(' ').map(str::to_owned).collect();
        let asked = requests.iter().find(|(id, _)| id.0 == record.job).map(|(_, asked)| asked);
        let gpus = asked.into_iter().flatten().find(|(name, _)| name == "gpu").map_or(0, |(_, gpus)| *gpus);
        let memory = if swf[9] == "-1" { &swf[6] } else { &swf[9] };
        let [number, submit, wait, run, allocated] = &swf[..5] else { panic!() };
        format!(
            "{number} {submit} {wait} {run} {} {allocated} {} {memory} {} {gpus}",
            swf[8], swf[7], swf[10]
        )
    };
    whole.clone().map(job).collect()
}

#[test]
fn each_shipped_map_reads_the_rows_of_its_data_set() {
    let cases: [(&str, &[&str], u64); 15] = [
        (
            "accasim.txt",
            &["1 0 0 600 900 2 -1 -1 -1 0", "2 10 590 3600 -1 4 -1 -1 -1 0", "3 30 0 1 60 1 -1 -1 -1 0"],
            0,
        ),
        (
            "helios.csv",
            &[
                "11 0 5 3600 -1 4 -1 -1 1 1",
                "12 600 0 600 -1 64 -1 -1 0 16",
                "13 1200 600 60 -1 1 -1 -1 5 0",
                "14 1210 0 86400 -1 32 -1 -1 0 8",
            ],
            1,
        ),
        // Two workers of CycleGAN, and sixteen of any model, have no known rate.
        (
            "gavel.txt",
            &["1 0 -1 61 -1 1 -1 -1 -1 1", "2 35 -1 610 -1 4 -1 -1 -1 4", "3 120 -1 139 -1 1 -1 -1 -1 1"],
            1,
        ),
        ("gavel-msr.txt", &["1 0 -1 60 -1 8 -1 -1 -1 8", "2 6 -1 4 -1 1 -1 -1 -1 1"], 1),
        ("philly.json", &["1 0 60 660 -1 3 -1 -1 1 3", "2 60 -1 0 -1 -1 -1 -1 5 0"], 1),
        (
            "alibaba-pai-2020.csv",
            &[
                "1 0 -1 600 -1 12 -1 5120000 1 1",
                "2 10 -1 10 -1 4 -1 2097152 0 0",
                "3 30 -1 1 -1 2 -1 47185920 1 1",
            ],
            1,
        ),
        (
            "alibaba-gpu-2023.csv",
            &[
                "1 0 3 297 -1 1600 -1 31457.28 -1 0",
                "2 10 0 100 -1 325 -1 96152.024615 1 1",
                "3 20 10 90 -1 400 -1 78123.52 0 8",
                "4 30 110 0 -1 400 -1 78123.52 -1 1",
                "5 40 100 0 -1 400 -1 78123.52 0 1",
            ],
            0,
        ),
        ("alibaba-gpu-2025.csv", &["1 0 10 60 -1 64 -1 5242880 -1 0", "2 20 10 600 -1 8 -1 8388608 -1 2"], 3),
        ("alcf.csv", &["71 0 3600 1800 3600 512 512 -1 1 0", "72 10 0 600 600 64 64 -1 0 0"], 0),
        (
            "eagle.csv",
            &[
                "501 0 600 3600 7200 72 -1 -1 1 0",
                "502 30 0 1800 1800 36 -1 2560000 0 2",
                "503 60 60 0 1800 36 -1 2560000 5 2",
            ],
            0,
        ),
        (
            "supercloud.csv",
            &[
                "9001 0 60 1000 -1 40 20 4352000 1 2",
                "9002 10 0 100 3600 80 80 4352000 0 0",
                "9003 20 100 0 3600 -1 80 -1 5 0",
            ],
            1,
        ),
        (
            "jobcomp.txt",
            &["31 0 240 1800 3600 24 -1 -1 1 0", "32 30 90 0 -1 -1 -1 -1 5 0", "33 60 0 70 60 1 -1 -1 0 0"],
            0,
        ),
        (
            "lsb-acct.txt",
            &["7610 0 1 839 -1 4 -1 512 1 0", "7611 5 50 800 -1 1 -1 -1 0 0", "7612 15 940 0 -1 1 -1 -1 0 0"],
            1,
        ),
        (
            "sge.txt",
            &["71 0 100 3600 -1 8 -1 128 1 0", "72 10 0 10 -1 1 -1 -1 0 0", "73 20 -1 0 -1 1 -1 -1 1 0"],
            1,
        ),
        ("xdmod.txt", &["81 0 300 3600 86400 64 64 4194304 1 0", "90 10 0 600 1800 8 8 524288 5 2"], 1),
    ];
    for (file, expected, left_out) in cases {
        let whole = shipped(file, Strictness::Lenient);
        assert_eq!(jobs(&whole), expected, "{file}");
        let report = whole.clone().finish().unwrap();
        let account = &report.account;
        assert_eq!(account.total(Fate::LeftOut), left_out, "{file}: {:?}", account.notices());
        assert_eq!(account.lines, report.records + account.total(Fate::LeftOut) + report.broken, "{file}");
        assert_eq!(report.broken, u64::from(file.starts_with("lsb")), "{file}");
    }
    assert_eq!(table::names().count(), cases.len(), "a fixture for each map");
}

#[test]
fn fractions_of_processors_and_gpus_are_rounded_up_and_counted() {
    let account = shipped("alibaba-pai-2020.csv", Strictness::Lenient).finish().unwrap().account;
    let changed: Vec<(&str, u64)> = account
        .entries()
        .into_iter()
        .filter(|entry| entry.fate == Fate::Changed)
        .map(|entry| (entry.reason.as_ref(), entry.count))
        .collect();
    let of = |field| format!("jobs with a fraction in {field}, rounded up");
    assert_eq!(changed[..2], [(of("processors").as_str(), 1), (of("gpus").as_str(), 1)]);
    assert!(changed[2].0.starts_with("jobs numbered in the order of the file"), "{changed:?}");
    assert_eq!(changed.len(), 3);
    assert_eq!(account.of(Reason::WITH_GPUS), 2);
}

#[test]
fn columns_that_no_field_has_are_listed() {
    let account = shipped("helios.csv", Strictness::Lenient).finish().unwrap().account;
    let unused: Vec<&str> = account
        .fields
        .iter()
        .filter(|field| field.effect == Effect::NoEffect)
        .map(|field| field.name.as_str())
        .collect();
    assert_eq!(unused, ["queue"]);
    assert_eq!(account.fields.len(), 12);
}

const MAP: &str = r#"
source = "a test"
[job]
submit = "submit"
start = "start"
run_time = { column = "run", unit = "min" }
processors = "cpus"
status = { column = "state", completed = ["ok"], failed = ["bad"] }
"#;

fn read(text: &str, map: &str, strictness: Strictness) -> Result<Whole, LogError> {
    table::read(text.as_bytes(), "jobs.csv", &Map::parse("map.toml", map).unwrap(), strictness)
}

#[test]
fn all_wrong_cells_are_reported_with_their_line_and_column() {
    let text = "submit;start;run;cpus;state\n0;1;1;4;ok\nx;2;1;-4;ok\n5;6;1;4;odd\n7;8;y\n9;9;1;2;ok;\n";
    let message = read(text, MAP, Strictness::Strict).unwrap_err().to_string();
    assert_eq!(
        message,
        "jobs.csv:3: column `submit`: found `x`, expected a time such as 2026-03-01T09:00:00, or a number of seconds\n\
         jobs.csv:3: column `cpus`: found `-4`, expected a number of at least 0\n\
         jobs.csv:4: column `state`: found `odd`, expected one of ok, bad\n\
         jobs.csv:5: found 3 fields, expected 5"
    );
    let report = read(text, MAP, Strictness::Lenient).unwrap().finish().unwrap();
    assert_eq!((report.records, report.broken, report.account.lines), (2, 3, 5));
}

#[test]
fn a_table_without_the_columns_of_the_map_is_refused() {
    let message =
        read("submitted,start,runs,cpu\n1,2,3,4\n", MAP, Strictness::Lenient).unwrap_err().to_string();
    assert_eq!(
        message,
        "jobs.csv:1: no column `submit`, which the map names for `submit`; did you mean `submitted`?\n\
         jobs.csv:1: no column `run`, which the map names for `run_time`; did you mean `runs`?\n\
         jobs.csv:1: no column `cpus`, which the map names for `processors`; did you mean `cpu`?\n\
         jobs.csv:1: no column `state`, which the map names for `status`; did you mean `start`?"
    );
}

#[test]
fn all_errors_of_a_map_are_reported() {
    let map = "sorce = 'x'\n[table]\nform = 'delimitd'\n[job]\nsubmit = { colum = 'a' }\nrun_time = { column = 'b', unit = 'GB' }\nprocessor = 'c'\n";
    let message = Map::parse("map.toml", map).unwrap_err().to_string();
    for part in [
        "map.toml:1:1: unknown field `sorce`; did you mean `source`?",
        "unknown form `delimitd`; did you mean `delimited`?",
        "job.submit: unknown field `colum`; did you mean `column`?",
        "`GB` is not a unit of the field `run_time`",
        "unknown field `processor`; did you mean `processors`?",
        "missing field: processors, requested_processors or nodes",
    ] {
        assert!(message.contains(part), "{part}\n{message}");
    }
}

#[test]
fn an_unknown_map_is_reported_with_the_known_ones() {
    let message = table::find("heliso").unwrap_err().to_string();
    assert!(
        message.starts_with("unknown map `heliso`; did you mean `helios`?; the maps are accasim, alcf, "),
        "{message}"
    );
}

#[test]
fn a_table_without_a_map_is_described() {
    let message = prepare::read_whole(&fixture("helios.csv"), &Options::default()).unwrap_err().to_string();
    assert!(
        message.contains("helios.csv: found a table with commas, columns job_id, user, vc, "),
        "{message}"
    );
    assert!(
        message.ends_with("its columns are those of the map `helios`: give `--columns helios`"),
        "{message}"
    );
    assert_eq!(message.lines().count(), 1);
    for (file, map) in [
        ("accasim.txt", "accasim"),
        ("alcf.csv", "alcf"),
        ("alibaba-gpu-2023.csv", "alibaba-gpu-2023"),
        ("alibaba-gpu-2025.csv", "alibaba-gpu-2025"),
        ("eagle.csv", "eagle"),
        ("supercloud.csv", "supercloud"),
        ("philly.json", "philly"),
        ("jobcomp.txt", "jobcomp"),
        ("lsb-acct.txt", "lsb-acct"),
        ("sge.txt", "sge"),
    ] {
        let message = prepare::read_whole(&fixture(file), &Options::default()).unwrap_err().to_string();
        assert!(message.ends_with(&format!("give `--columns {map}`")), "{message}");
    }
    for (file, map) in [("gavel.txt", "gavel"), ("gavel-msr.txt", "gavel-msr")] {
        let message = prepare::read_whole(&fixture(file), &Options::default()).unwrap_err().to_string();
        assert!(message.contains(&format!("if it is one, give `--columns {map}`")), "{message}");
    }
}

/// A pod has 0.44 of a GPU; another one has eight whole ones of one of two types.
#[test]
fn parts_and_types_of_gpus_are_requests() {
    let whole = shipped("alibaba-gpu-2023.csv", Strictness::Strict);
    let requests = whole.resource_requests();
    let of = |job: u64| requests.get(&JobId(job)).unwrap().clone();
    let part = Share::from_ratio(44, 100).units();
    assert_eq!(of(2), [("gpu".to_owned(), 1), (DEVICE_PART.to_owned(), part)]);
    assert_eq!(of(3), [("gpu".to_owned(), 8), ("@V100M16|V100M32".to_owned(), 1)]);
    let text = fs::read_to_string(fixture("alibaba-gpu-2023.csv")).unwrap();
    let map = table::find("alibaba-gpu-2023").unwrap();
    let fault = |from: &str, to: &str| {
        let changed = text.replace(from, to);
        assert_ne!(changed, text);
        table::read(changed.as_bytes(), "pods.csv", &map, Strictness::Strict).unwrap_err().to_string()
    };
    let zero = fault("1,440", "1,0");
    assert!(
        zero.contains("pods.csv:3") && zero.contains("gpu_milli") && zero.contains("above 0.004"),
        "{zero}"
    );
    assert!(fault("1,440", "1,1440").contains("at most a whole one"));
    let several = fault("8,1000", "8,300");
    assert!(several.contains("pods.csv:4") && several.contains("whole GPUs, as a task has 8"), "{several}");
}

/// Run times are steps divided by a rate that the model and the number of workers determine.
#[test]
fn run_times_are_steps_by_their_rates() {
    let map = "source = 'a test'\n[table]\ndelimiter = ','\n[job]\nsubmit = 'at'\nprocessors = 'workers'\n\
        run_time = { column = 'steps', rate_of = ['model', 'workers'] }\n";
    let text = "at,model,workers,steps\n0,net,2,90\n1,net,4,90\n";
    let rates = format!("{map}[rates]\n'net, 2' = 4.5\n");
    assert_eq!(jobs(&read(text, &rates, Strictness::Lenient).unwrap()), ["1 0 -1 20 -1 2 -1 -1 -1 0"]);
    let account = read(text, &rates, Strictness::Strict).unwrap().finish().unwrap().account;
    assert_eq!(account.total(Fate::LeftOut), 1);
    assert!(
        account.notices().iter().any(|it| it.contains("jobs of a kind whose rate the map does not have"))
    );
    let wrong = |map: &str| Map::parse("map.toml", map).unwrap_err().to_string();
    assert!(wrong(map).contains("expected a table `[rates]`"), "{}", wrong(map));
    let zero = format!("{map}[rates]\n'net, 2' = 0\n");
    assert!(
        wrong(&zero).starts_with("map.toml:9:12: rates.net, 2: 0 is not a number above 0"),
        "{}",
        wrong(&zero)
    );
}

/// A column may name parts of GPUs, such as profiles of MIG.
#[test]
fn profiles_of_gpus_are_requests() {
    let map = format!("{MAP}gpus = 'gpus'\ngpu_profile = 'profile'\n");
    let map = map
        .replace("start = \"start\"\n", "")
        .replace("status = { column = \"state\", completed = [\"ok\"], failed = [\"bad\"] }\n", "");
    let text = "submit,run,cpus,gpus,profile\n0,1,4,2,1g.5gb\n5,1,4,1,\n";
    let whole = read(text, &map, Strictness::Strict).unwrap();
    let requests = whole.resource_requests();
    let of = |job: u64| requests.get(&JobId(job)).unwrap().clone();
    assert_eq!(of(1), [("gpu".to_owned(), 2), ("1g.5gb".to_owned(), 2)]);
    assert_eq!(of(2), [("gpu".to_owned(), 1)]);
}

/// Two instances have half of a GPU each, and three instances a quarter each; GPUs above one are whole.
#[test]
fn instances_have_parts_of_gpus() {
    let rows = "j1,worker,2,Terminated,0,60,100,1,50,\nj2,worker,3,Terminated,0,60,100,1,25,\nj3,ps,2,Terminated,0,60,100,1,200,\n";
    let map = table::find("alibaba-pai-2020").unwrap();
    let whole = table::read(rows.as_bytes(), "tasks.csv", &map, Strictness::Strict).unwrap();
    let requests = whole.resource_requests();
    let of = |job: u64| requests.get(&JobId(job)).unwrap().clone();
    let part = |hundredths| (DEVICE_PART.to_owned(), Share::from_ratio(hundredths, 100).units());
    assert_eq!(of(1), [("gpu".to_owned(), 1), part(50)]);
    assert_eq!(of(2), [("gpu".to_owned(), 1), part(25)]);
    assert_eq!(of(3), [("gpu".to_owned(), 4)]);
    assert_eq!(whole.clone().map(|line| line.record.nodes).collect::<Vec<_>>(), [Some(2), Some(3), Some(2)]);
}

#[test]
fn a_log_needs_no_map() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    fs::write(&path, "; MaxProcs: 8\n1 0 5 60 4 -1 -1 4 100 -1 1 7 1 -1 1 1 -1 -1\n").unwrap();
    let columns = Some(Arc::new(table::find("helios").unwrap()));
    let message =
        prepare::read_whole(&path, &Options { columns, ..Options::default() }).unwrap_err().to_string();
    assert!(message.ends_with("log: found a log in SWF, which needs no `--columns`"), "{message}");
}

#[test]
fn json_lines_and_lists_below_a_key_are_read() {
    let map = |path: &str| {
        format!(
            "source = 'a test'\n[table]\n{path}\n[job]\nnumber = 'id'\nsubmit = 'times.submit'\nrun_time = {{ column = 'times.end', minus = 'times.submit' }}\nprocessors = 'cpus'\n"
        )
    };
    let job = |id: u32| {
        format!("{{\"id\": {id}, \"times\": {{\"submit\": {id}, \"end\": {}}}, \"cpus\": 2}}", id + 9)
    };
    let lines = format!("{}\n{}\n", job(1), job(2));
    let list = format!("{{\"data\": {{\"jobs\": [{},\n{}]}}}}", job(1), job(2));
    for (text, path) in [(lines.as_str(), ""), (list.as_str(), "path = 'data.jobs'")] {
        let whole = read(text, &map(path), Strictness::Strict).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(jobs(&whole), ["1 0 -1 9 -1 2 -1 -1 -1 0", "2 1 -1 9 -1 2 -1 -1 -1 0"], "{text}");
    }
    let fault = read(&list, &map("path = 'data.runs'"), Strictness::Strict).unwrap_err().to_string();
    assert!(fault.contains("expected the list of jobs under the key `data.runs`"), "{fault}");
}
