//! Verifies archives that were made to deceive: altered rows, tables, scenarios and manifests with all
//! digests made again, and files that would take much memory or time. None is `verified`, none takes
//! more than 1 GB or 10 s, none leaves a file, and no text of theirs looks like a line of the program.

use crate::received::{Files, SCENARIO, archived, command, digested_again, packed, unpacked};
use crate::support::{Folder, stdout};
use rayon::prelude::*;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// Text that no line of any output may begin with.
const INJECTED: &str = "signed by alice";
/// Largest memory of the program while it verifies, in kilobytes, and its longest processor time, in
/// hundredths of a second.
const MAX_KB: u64 = 1_000_000;
const MAX_TICKS: u64 = 1_000;
/// Time after which the program is killed.
const LONGEST: Duration = Duration::from_secs(200);

/// A hostile archive: its name in messages, and how it is made of the files of a right one.
struct Case {
    name: String,
    alter: Box<dyn Fn(&mut Files) + Send + Sync>,
    /// True if all digests are made again.
    digested: bool,
    /// True if it is verified with a new run, too, although it is known to be altered without one.
    reruns: bool,
}

fn case(name: impl Into<String>, alter: impl Fn(&mut Files) + Send + Sync + 'static) -> Case {
    Case { name: name.into(), alter: Box::new(alter), digested: true, reruns: true }
}

fn text(files: &Files, name: &str) -> String {
    String::from_utf8(files[name].clone()).unwrap()
}

fn put(files: &mut Files, name: &str, text: impl Into<Vec<u8>>) {
    files.insert(name.to_owned(), text.into());
}

/// Creates a case with a part of a file replaced, which must be there.
fn replaced(name: &'static str, from: &'static str, to: impl Into<String>) -> Case {
    let to = to.into();
    let shown: String = to.chars().take(40).collect();
    case(format!("{name}: {from} -> {shown:?}"), move |files| {
        let old = text(files, name);
        assert!(old.contains(from), "{name} has no {from}: {old}");
        put(files, name, old.replacen(from, &to, 1));
    })
}

/// Creates a case with other lines in the file of rows.
fn rows(name: &'static str, change: impl Fn(&[String]) -> Vec<String> + Send + Sync + 'static) -> Case {
    case(format!("rows: {name}"), move |files| {
        let lines: Vec<String> = text(files, "rows.csv").lines().map(str::to_owned).collect();
        let changed = change(&lines);
        assert_ne!(lines, changed, "{name}");
        put(files, "rows.csv", changed.join("\n") + "\n");
        let manifest = text(files, "manifest.toml");
        let total = format!("total = {}", changed.len() - 1);
        put(files, "manifest.toml", manifest.replacen("total = 2", &total, 1));
    })
}

/// Returns a case for each value of the first row and of the first line of each table; a quarter of them
/// unless the run is full. One of eight is verified with a new run even if it is altered without one: what
/// finds the others comes before the run.
fn each_value(whole: &Files) -> Vec<Case> {
    let mut cases = Vec::new();
    let tables = whole.keys().filter(|name| *name == "rows.csv" || name.starts_with("tables/"));
    for name in tables.filter(|name| name.ends_with(".csv")) {
        let content = text(whole, name);
        let mut records = content.lines();
        let (header, first) = (records.next().unwrap(), records.next().unwrap());
        if header.contains('"') || first.contains('"') {
            continue;
        }
        for (at, column) in header.split(',').enumerate() {
            let mut values: Vec<String> = first.split(',').map(str::to_owned).collect();
            values[at] = match values[at].parse::<f64>() {
                Ok(number) => (number + 1.0).to_string(),
                Err(_) => format!("{}x", values[at]),
            };
            let (name, line, changed) = (name.clone(), first.to_owned(), values.join(","));
            cases.push(case(format!("{name}: {column}"), move |files| {
                let old = text(files, &name);
                put(files, &name, old.replacen(&line, &changed, 1));
            }));
        }
    }
    let step = if dfrsim_testing::is_full() { 1 } else { 4 };
    let cases = cases.into_iter().step_by(step).enumerate();
    cases.map(|(at, case)| Case { reruns: at % 8 == 0, ..case }).collect()
}

fn of_rows() -> Vec<Case> {
    let last = |lines: &[String]| lines.last().unwrap().clone();
    vec![
        rows("one is missing", |lines| lines[..2].to_vec()),
        rows("one occurs twice", move |lines| [lines, &[last(lines)]].concat()),
        rows("exchanged", |lines| vec![lines[0].clone(), lines[2].clone(), lines[1].clone()]),
        rows("one of another policy", move |lines| {
            [lines, &[last(lines).replace("EASY", "CONS").replacen(char::is_alphanumeric, "0", 1)]].concat()
        }),
        rows("policies exchanged", |lines| {
            lines
                .iter()
                .map(|line| line.replace("FCFS", "?").replace("EASY", "FCFS").replace('?', "EASY"))
                .collect()
        }),
        rows("not a number", |lines| replace_number(lines, "NaN")),
        rows("infinite", |lines| replace_number(lines, "inf")),
        rows("huge", |lines| replace_number(lines, "1e999")),
        rows("negative", |lines| replace_number(lines, "-5")),
        rows("formula", |lines| replace_number(lines, "=1+1")),
        rows("a column more", |lines| lines.iter().map(|line| format!("{line},1")).collect()),
        rows("failed", |lines| lines.iter().map(|line| line.replace(",ok,", ",failed,")).collect()),
        rows("a message", |lines| {
            let mut lines = lines.to_vec();
            lines[1] = lines[1].replace(",ok,", &format!(",\"ok\n{INJECTED}\","));
            lines
        }),
        rows("a field of ten million characters", |lines| replace_number(lines, &"9".repeat(10_000_000))),
        rows("half a million", |lines| {
            let more = lines[1].clone();
            lines.iter().cloned().chain(std::iter::repeat_n(more, 500_000)).collect()
        }),
    ]
}

/// Replaces the first number with a decimal point.
fn replace_number(lines: &[String], by: &str) -> Vec<String> {
    let mut lines = lines.to_vec();
    let mut values: Vec<&str> = lines[1].split(',').collect();
    let at = values.iter().position(|value| value.contains('.') && value.parse::<f64>().is_ok()).unwrap();
    values[at] = by;
    lines[1] = values.join(",");
    lines
}

fn of_scenarios() -> Vec<Case> {
    let injected = format!("title = \"a\\n{INJECTED}\"");
    let deep = format!("seed = 1\nx = {}{}", "[".repeat(100_000), "]".repeat(100_000));
    let scenario = |from, to: &str| replaced("scenario.toml", from, to);
    vec![
        scenario("EASY", "CONS"),
        scenario("EASY", &format!("EASY\\n{INJECTED}")),
        scenario("seed = 1", "seed = 2"),
        scenario("seed = 1", "seed = 1\nunknown = 1"),
        scenario("seed = 1", "seed = ["),
        scenario("seed = 1", &deep),
        scenario("seed = 1", "seed = 1\ntitle = \"Another\""),
        scenario("title = \"\"", &injected),
        scenario("study = \"online\"", &format!("study = \"online\\n{INJECTED}\"")),
        scenario("study = \"online\"", "study = \"offline\""),
        scenario("jobs = 10", "jobs = 11"),
        scenario("jobs = 10", "jobs = 20000000"),
        scenario("jobs = 10", "jobs = 9000000"),
        scenario("jobs = 10", "jobs = 2000000000"),
        scenario("jobs = 10", "jobs = 18446744073709551615"),
        scenario("replications = 1", "replications = 2"),
        scenario("replications = 1", "replications = 4000000000"),
        scenario("nodes = 8", "nodes = 4294967295"),
        scenario("\"small\"", "\"large\""),
        scenario("\"small\"", &format!("\"small\\n{INJECTED}\"")),
        scenario("\"pl.toml\"", "\"/dev/zero\""),
        scenario("\"pl.toml\"", "\"/etc/passwd\""),
        scenario("\"out.csv\"", "\"/dev/stdin\""),
        scenario("\"out.csv\"", "\"fifo\""),
        scenario("\"FCFS\"", "\"FCFS\", \"pipe:touch PWNED\""),
        case("a scenario of zeros", |files| put(files, "scenario.toml", vec![0; 1_000_000])),
        case("an endless line", |files| put(files, "scenario.toml", "a".repeat(50_000_000))),
        case("no text", |files| put(files, "scenario.toml", [0xff, 0xfe, 0x80].repeat(100))),
    ]
}

fn of_manifests() -> Vec<Case> {
    let manifest = |from, to: &str| replaced("manifest.toml", from, to);
    vec![
        manifest("title = \"\"", &format!("title = \"a\\n{INJECTED}\"")),
        manifest("title = \"\"", "title = \"Another\""),
        manifest("version = \"", &format!("version = \"\\n{INJECTED}\\n\\u001b[2J")),
        manifest("seed = 1", "seed = 2"),
        manifest("study = \"online\"", &format!("study = \"x\\n{INJECTED}\"")),
        manifest("semantics = ", "semantics = 9"),
        manifest("total = 2", "total = 3"),
        manifest("ok = 2", "ok = 3"),
        manifest("file = \"pl.toml\"", "file = \"other.toml\""),
        manifest("file = \"pl.toml\"", &format!("file = \"pl.toml\\n{INJECTED}\"")),
        manifest("\"rows.csv\"", &format!("\"rows.csv\\n{INJECTED}\"")),
        manifest("\"rows.csv\"", "\"/etc/passwd\""),
        manifest("[files]", "[files]\n\"../x\" = \"0\""),
        manifest("[host]", &format!("x = {}{}\n[host]", "[".repeat(50_000), "]".repeat(50_000))),
        case("twenty thousand files", |files| {
            let more: String = (0..20_000).map(|number| format!("\"tables/{number}\" = \"0\"\n")).collect();
            let old = text(files, "manifest.toml");
            put(files, "manifest.toml", old.replacen("[files]\n", &format!("[files]\n{more}"), 1));
        }),
    ]
}

fn of_files(whole: &Files) -> Vec<Case> {
    let copies: Vec<String> = whole.keys().filter(|name| name.starts_with("inputs/")).cloned().collect();
    assert_eq!(copies.len(), 2, "{copies:?}");
    let mut cases: Vec<Case> = copies
        .into_iter()
        .map(|copy| {
            case(format!("{copy}: another"), move |files| {
                let old = text(files, &copy);
                put(files, &copy, old.replace('8', "9").replace("200", "300"));
            })
        })
        .collect();
    for name in whole.keys().filter(|name| !name.ends_with(".csv") || *name == "instances.csv").cloned() {
        if name != "times.csv" && !name.starts_with("inputs/") {
            cases.push(Case {
                digested: name != "manifest.toml" && !name.starts_with("ro-crate"),
                ..case(format!("{name}: a line more"), move |files| {
                    let old = text(files, &name);
                    put(files, &name, format!("{old}{INJECTED}\n"));
                })
            });
        }
    }
    cases.push(Case {
        digested: false,
        ..replaced("ro-crate-metadata.json", "\"./\"", format!("\"./\\n{INJECTED}\""))
    });
    cases.push(case("tables of zeros", |files| {
        let names: Vec<String> = files.keys().filter(|name| name.starts_with("tables/")).cloned().collect();
        names.iter().for_each(|name| put(files, name, vec![b'0'; 15_000_000]));
    }));
    cases.push(case("rows of zeros", |files| put(files, "rows.csv", vec![b'0'; 240_000_000])));
    cases.push(case("more than may be unpacked", |files| put(files, "rows.csv", vec![b','; 250_000_001])));
    cases
}

/// Waits for a command, and kills it after the longest time; returns its exit code, its largest memory
/// in kilobytes, and its processor time.
fn watched(mut child: Child) -> (Option<i32>, u64, u64) {
    let (begin, mut most, mut ticks) = (Instant::now(), 0, 0);
    let folder = Path::new("/proc").join(child.id().to_string());
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap_or_default();
    loop {
        let memory = read("status");
        let line = memory.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        most = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse().ok()).unwrap_or(most);
        let times = read("stat");
        let after_name = times.rsplit(')').next().unwrap_or_default();
        let used: Vec<u64> =
            after_name.split(' ').skip(12).take(2).filter_map(|it| it.parse().ok()).collect();
        ticks = ticks.max(used.iter().sum());
        if let Some(ended) = child.try_wait().unwrap() {
            return (ended.code(), most, ticks);
        }
        if begin.elapsed() > LONGEST {
            child.kill().unwrap();
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Verifies the archive `b.zip` and checks what every hostile archive must show; returns the verdict.
fn verify(folder: &Folder, name: &str, more: &[&str]) -> String {
    let mut verify = std::process::Command::new(assert_cmd::cargo::cargo_bin!("dfrsim"));
    verify.args(["results", "verify", "b.zip", "--into", "theirs"]).args(more);
    verify.current_dir(folder.path("")).env("XDG_STATE_HOME", folder.path("state"));
    let outputs = ["stdout", "stderr"].map(|name| File::create(folder.path(name)).unwrap());
    let [out, errors] = outputs;
    let child = verify.stdin(Stdio::null()).stdout(out).stderr(errors).spawn().unwrap();
    let (code, memory, ticks) = watched(child);
    let read = |name: &str| {
        let mut bytes = Vec::new();
        File::open(folder.path(name)).unwrap().read_to_end(&mut bytes).unwrap();
        fs::remove_file(folder.path(name)).unwrap();
        String::from_utf8(bytes).unwrap()
    };
    let (printed, errors) = (read("stdout"), read("stderr"));
    let at = format!("{name} {more:?}: {code:?}, {memory} kB, {ticks} ticks\n{printed}{errors}");
    assert!(ticks <= MAX_TICKS && memory <= MAX_KB, "{at}");
    assert!(
        !printed.lines().chain(errors.lines()).any(|line| line.trim_start().starts_with(INJECTED)),
        "{at}"
    );
    assert!(!(printed + &errors).contains('\u{1b}'), "{at}");
    assert!(!folder.path("PWNED").exists(), "{at}");
    let unpacked = fs::remove_dir_all(folder.path("theirs")).is_ok();
    let first = at.lines().nth(1).unwrap_or_default();
    match code {
        Some(1) if first.starts_with("altered: b.zip: ") => assert!(!unpacked, "{at}"),
        Some(1) => assert!(first.starts_with("not verified: b.zip: "), "{at}"),
        Some(2) => assert!(!unpacked && first.starts_with("error: "), "{at}"),
        _ => panic!("{at}"),
    }
    first.split(':').next().unwrap().to_owned()
}

/// Creates a folder with the archive of a right run, its results, and a pipe that nobody reads.
fn folder_with_a_pipe() -> Folder {
    let folder = archived(SCENARIO);
    assert!(std::process::Command::new("mkfifo").arg(folder.path("fifo")).status().unwrap().success());
    folder
}

/// Packs a case in a folder, verifies it without and with a new run, and returns both verdicts.
fn verdicts(folder: &Folder, whole: &Files, case: &Case) -> [String; 2] {
    let (before, mut files) = (folder.names(), whole.clone());
    (case.alter)(&mut files);
    if case.digested {
        digested_again(&mut files);
    }
    packed(&folder.path("b.zip"), &files);
    drop(files);
    let first = verify(folder, &case.name, &[]);
    let is_known = first == "altered" && !case.reruns;
    let second = if is_known { first.clone() } else { verify(folder, &case.name, &["--rerun"]) };
    fs::remove_file(folder.path("b.zip")).unwrap();
    assert_eq!(folder.names(), before, "{}", case.name);
    [first, second]
}

#[cfg(target_os = "linux")]
#[test]
fn no_hostile_archive_is_verified() {
    let whole = unpacked(&archived(SCENARIO).path("a.zip"));
    let cases = [of_rows(), of_scenarios(), of_manifests(), of_files(&whole), each_value(&whole)];
    let cases: Vec<Case> = cases.into_iter().flatten().collect();
    assert!(cases.len() >= 60);
    let found: Vec<[String; 2]> = cases
        .par_iter()
        .map_init(folder_with_a_pipe, |folder, case| verdicts(folder, &whole, case))
        .collect();
    let count = |verdict: &str| found.iter().flatten().filter(|found| *found == verdict).count();
    assert!(count("altered") > 60 && count("not verified") > 0, "{found:?}");
}

/// Rows that were altered before the tables were made from them are found only by computing them.
#[test]
fn forged_rows_with_tables_of_their_own_are_not_verified() {
    let folder = archived(SCENARIO);
    let mut files = unpacked(&folder.path("a.zip"));
    let lines: Vec<String> = text(&files, "rows.csv").lines().map(str::to_owned).collect();
    put(&mut files, "rows.csv", replace_number(&lines, "97.5").join("\n") + "\n");
    digested_again(&mut files);
    for (name, bytes) in files.iter().filter(|(name, _)| !name.starts_with("ro-crate")) {
        fs::write(folder.path("r").join(name), bytes).unwrap();
    }
    stdout(&mut command(&folder, &["run", "-q", "s.toml", "--out", "r"]));
    assert!(fs::read_to_string(folder.path("r/rows.csv")).unwrap().contains("97.5"));
    stdout(&mut command(&folder, &["results", "archive", "r", "--out", "b.zip"]));
    assert_eq!(verify(&folder, "forged", &[]), "not verified");
    assert_eq!(verify(&folder, "forged", &["--rerun"]), "altered");
}

#[test]
fn a_right_archive_is_verified_by_a_new_run_only() {
    let folder = archived(SCENARIO);
    fs::copy(folder.path("a.zip"), folder.path("b.zip")).unwrap();
    assert_eq!(verify(&folder, "right", &[]), "not verified");
    let verified = stdout(&mut command(&folder, &["results", "verify", "b.zip", "--rerun"]));
    assert!(verified.starts_with("verified: b.zip\n"), "{verified}");
}
