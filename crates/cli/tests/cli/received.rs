//! Tests files received from others: commands need consent, no file is written outside the folder,
//! and altered archives are rejected.

use crate::support::{Folder, dfrsim, scenario, stderr, stdout};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::fs;
use std::io::{Cursor, Read as _, Write as _};
use std::path::Path;
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

pub(crate) const SCENARIO: &str = r#"
study = "online"
policies = ["FCFS", "EASY"]
workloads = [{ name = "small", nodes = 8, lublin = { replications = 1, jobs = 10 }, platform = "pl.toml" }]
outages = { file = "out.csv" }
"#;
const PLATFORM: &str = "[[classes]]\nname = \"all\"\nnodes = 8\ncores = 4\nmemory_gb = 8\n";
const OUTAGES: &str = "nodes,from_s,until_s\n1,100,200\n";

pub(crate) type Files = BTreeMap<String, Vec<u8>>;

fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Creates a command with its own record of permitted commands.
pub(crate) fn command(folder: &Folder, arguments: &[&str]) -> assert_cmd::Command {
    let mut command = dfrsim(arguments);
    command.current_dir(folder.path("")).env("XDG_STATE_HOME", folder.path("state"));
    command
}

/// Creates a folder with results in `r` and their archive `a.zip`.
pub(crate) fn archived(text: &str) -> Folder {
    let folder = Folder::with(&[("s.toml", text), ("pl.toml", PLATFORM), ("out.csv", OUTAGES)]);
    stdout(&mut command(&folder, &["run", "-q", "s.toml", "--out", "r", "--allow-commands"]));
    stdout(&mut command(&folder, &["results", "archive", "r", "--out", "a.zip"]));
    fs::remove_dir_all(folder.path("state")).ok();
    folder
}

pub(crate) fn unpacked(archive: &Path) -> Files {
    let mut zip = ZipArchive::new(Cursor::new(fs::read(archive).unwrap())).unwrap();
    let count = zip.len();
    let read = |place| {
        let mut entry = zip.by_index(place).unwrap();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        (entry.name().to_owned(), bytes)
    };
    (0..count).map(read).collect()
}

pub(crate) fn packed(archive: &Path, files: &Files) {
    let mut out = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        out.start_file(name, SimpleFileOptions::default()).unwrap();
        out.write_all(bytes).unwrap();
    }
    fs::write(archive, out.finish().unwrap().into_inner()).unwrap();
}

/// Replaces a text in a file; panics if the file does not contain it.
fn replaced(files: &mut Files, name: &str, from: &str, to: &str) {
    let text = String::from_utf8(files[name].clone()).unwrap();
    assert!(text.contains(from), "{name}: {text}");
    files.insert(name.to_owned(), text.replacen(from, to, 1).into_bytes());
}

/// Updates all digests and the seal of the manifest, as a forger would.
pub(crate) fn digested_again(files: &mut Files) {
    let text = String::from_utf8(files["manifest.toml"].clone()).unwrap();
    let mut body = text.rsplit_once("# sha256 ").unwrap().0.to_owned();
    let listed = body.split_once("[files]").unwrap().1.to_owned();
    for line in listed.lines().filter(|line| line.contains(" = ")) {
        let (name, old) = line.split_once(" = ").unwrap();
        if let Some(bytes) = files.get(name.trim_matches('"')) {
            body = body.replace(old.trim_matches('"'), &digest(bytes));
        }
    }
    let sealed = format!("{body}# sha256 {}\n", digest(body.as_bytes()));
    let crate_text = String::from_utf8(files["ro-crate-metadata.json"].clone()).unwrap();
    let old = listed.lines().filter_map(|line| line.split_once(" = "));
    let new = body.split_once("[files]").unwrap().1.to_owned();
    let new: BTreeMap<&str, &str> = new.lines().filter_map(|line| line.split_once(" = ")).collect();
    let described = old.fold(crate_text, |text, (name, old)| {
        text.replace(old.trim_matches('"'), new[name].trim_matches('"'))
    });
    files.insert("ro-crate-metadata.json".to_owned(), described.into_bytes());
    files.insert("manifest.toml".to_owned(), sealed.into_bytes());
}

#[cfg(unix)]
#[test]
fn commands_of_a_scenario_need_consent_which_is_remembered_for_the_folder() {
    let policy = "pipe:sh -c 'touch PWNED; exit 3'";
    let text = format!(
        "study = \"online\"\npolicies = [\"FCFS\", \"{policy}\"]\nworkloads = [{{ name = \"l\", nodes = 8, lublin = \
         {{ replications = 1, jobs = 5 }} }}]\n"
    );
    let folder = Folder::with(&[("e.toml", &text)]);
    let run = |more: &[&str]| command(&folder, &[&["run", "-q", "e.toml"], more].concat());
    let has_run = || fs::remove_file(folder.path("PWNED")).is_ok();

    let refused = stderr(&mut run(&["--out", "r"]), 2);
    assert!(refused.contains(policy) && refused.contains("--allow-commands"), "{refused}");
    assert!(!has_run() && !folder.path("r").exists());
    let refused = stderr(&mut command(&folder, &["submit", "e.toml", "--dry-run"]), 2);
    assert!(refused.contains(policy), "{refused}");
    let allowed = stdout(&mut command(&folder, &["submit", "e.toml", "--dry-run", "--allow-commands"]));
    assert!(allowed.contains(" --allow-commands --shard"), "{allowed}");

    // The policy fails instead of being rejected. It may run again without consent, but only in this
    // folder.
    stderr(&mut run(&["--out", "r", "--allow-commands"]), 1);
    assert!(has_run());
    stderr(&mut run(&["--out", "r", "--fresh"]), 1);
    assert!(has_run());
    stderr(&mut run(&["--out", "other"]), 2);
    fs::write(folder.path("e.toml"), text.replace("exit 3", "exit 4")).unwrap();
    stderr(&mut run(&["--out", "r"]), 2);
    assert!(!has_run());

    // Commands given on the command line need no consent.
    let set = "policies=[\"pipe:sh -c 'touch PWNED; exit 5'\"]";
    stderr(&mut run(&["--out", "own", "--set", set]), 1);
    assert!(has_run());
}

#[cfg(unix)]
#[test]
fn verify_runs_no_command_unless_it_is_allowed() {
    let text = "study = \"online\"\npolicies = [\"FCFS\", \"pipe:sh script.sh\"]\nworkloads = [{ name = \"l\", nodes = 8, \
                lublin = { replications = 1, jobs = 5 } }]\n";
    let folder = Folder::with(&[("e.toml", text)]);
    let script = format!("touch PWNED\n{}", include_str!("one_by_one.sh"));
    fs::write(folder.path("script.sh"), &script).unwrap();
    stdout(&mut command(&folder, &["run", "-q", "e.toml", "--out", "r", "--allow-commands"]));
    stdout(&mut command(&folder, &["results", "archive", "r", "--out", "a.zip"]));
    let has_run = || fs::remove_file(folder.path("PWNED")).is_ok();
    assert!(has_run());
    let files = unpacked(&folder.path("a.zip"));
    let copy = files.keys().find(|name| name.ends_with("-script.sh")).unwrap();
    assert_eq!(files[copy], script.as_bytes());

    stderr(&mut command(&folder, &["results", "verify", "a.zip"]), 1);
    assert!(!has_run());
    let refused = stderr(&mut command(&folder, &["results", "verify", "a.zip", "--rerun"]), 1);
    assert!(refused.contains("pipe:sh script.sh") && !has_run(), "{refused}");
    let rerun = ["results", "verify", "a.zip", "--rerun", "--allow-commands"];
    assert!(stdout(&mut command(&folder, &rerun)).contains("files are identical"));
    assert!(has_run());
}

#[test]
fn what_a_scenario_writes_stays_in_the_results() {
    let folder = Folder::with(&[]);
    let quick = scenario("grid_quick");
    let events = |name: &str| {
        let set = format!("events=\"{name}\"");
        let mut run =
            command(&folder, &["run", "-q", "--set", "local=\"FCFS\"", "--set", &set, "--out", "g"]);
        run.arg(&quick);
        run
    };
    let outside = folder.path("outside").display().to_string();
    for wrong in
        [outside.as_str(), "../outside", "a/../../outside", "tables", "rows/x", "inputs", ".hidden", ""]
    {
        let refused = stderr(&mut events(wrong), 2);
        assert!(refused.contains("expected the name of a folder in the results"), "{wrong}: {refused}");
    }
    stdout(&mut events("events/deep"));
    assert!(fs::read_dir(folder.path("g/events/deep")).unwrap().count() > 0);
    #[cfg(unix)]
    {
        fs::create_dir(folder.path("elsewhere")).unwrap();
        std::os::unix::fs::symlink(folder.path("elsewhere"), folder.path("g/link")).unwrap();
        let failed = stderr(events("link").arg("--fresh"), 1);
        assert!(failed.contains("symbolic link"), "{failed}");
        assert_eq!(fs::read_dir(folder.path("elsewhere")).unwrap().count(), 0);
    }
}

/// An archive contains platforms, outages and all other files of its scenario, so that it can be run
/// again where these files do not exist.
#[test]
fn an_archive_has_all_files_of_its_scenario() {
    let folder = archived(SCENARIO);
    let manifest = fs::read_to_string(folder.path("r/manifest.toml")).unwrap();
    for (name, text) in [("pl.toml", PLATFORM), ("out.csv", OUTAGES)] {
        assert!(
            manifest.contains(&format!("file = \"{name}\"\nsha256 = \"{}\"", digest(text.as_bytes()))),
            "{manifest}"
        );
        fs::remove_file(folder.path(name)).unwrap();
    }
    let verified = stdout(&mut command(&folder, &["results", "verify", "a.zip", "--rerun"]));
    assert!(verified.starts_with("verified: a.zip\n"), "{verified}");
    assert!(verified.contains("files are identical"), "{verified}");
}

/// Rejects forged and malicious archives.
#[test]
fn hostile_archives_are_refused_and_leave_no_file() {
    let folder = archived(SCENARIO);
    let whole = unpacked(&folder.path("a.zip"));
    let before = folder.names();
    let row = String::from_utf8(whole["rows.csv"].clone()).unwrap();
    let stretch = row.lines().next().unwrap().split(',').position(|it| it == "max_bounded_stretch").unwrap();
    let value = format!(",{},", row.lines().nth(1).unwrap().split(',').nth(stretch).unwrap());
    let table = "tables/degradation.csv";
    type Alter<'a> = Box<dyn Fn(&mut Files) + 'a>;
    let add = |name: &'static str| -> Alter<'static> {
        Box::new(move |files| _ = files.insert(name.to_owned(), b"x".to_vec()))
    };
    let manifest = |from: &'static str, to: &'static str| -> Alter<'static> {
        Box::new(move |files| {
            replaced(files, "manifest.toml", from, to);
            digested_again(files);
        })
    };
    let altered = |name: &'static str, from: String, to: &'static str| -> Alter<'static> {
        Box::new(move |files| {
            replaced(files, name, &from, to);
            digested_again(files);
        })
    };
    let lies: Vec<(&str, Alter<'_>)> = vec![
        ("`unlisted.sh` is in the archive, but not listed", add("unlisted.sh")),
        ("`../slip.sh` is in the archive, but not listed", add("../slip.sh")),
        ("`/var/tmp/slip.sh` is in the archive, but not listed", add("/var/tmp/slip.sh")),
        ("`tables/more.csv` is in the archive, but not listed", add("tables/more.csv")),
        ("`rows.journal` is in the archive, but not listed", add("rows.journal")),
        ("`.lock` is in the archive, but not listed", add(".lock")),
        ("is a folder or a link", add("folder/")),
        (
            "ro-crate-metadata.json does not match the results",
            Box::new(|files| replaced(files, "ro-crate-metadata.json", "study `online`", "study `offline`")),
        ),
        (
            "ro-crate-metadata.json does not match the results",
            Box::new(|files| _ = files.insert("ro-crate-metadata.json".to_owned(), b"{}".to_vec())),
        ),
        (
            "ro-crate-metadata.json is missing from the archive",
            Box::new(|files| _ = files.remove("ro-crate-metadata.json")),
        ),
        ("manifest.toml is missing from the archive", Box::new(|files| _ = files.remove("manifest.toml"))),
        ("rows.csv is missing from the archive", Box::new(|files| _ = files.remove("rows.csv"))),
        ("scenario.toml is missing from the archive", Box::new(|files| _ = files.remove("scenario.toml"))),
        ("lists 18 rows, but there are 2", manifest("total = 2", "total = 18")),
        ("rows", manifest("total = 2", "total = 18446744073709551615")),
        ("which lies outside the results", manifest("\"rows.csv\"", "\"../rows.csv\"")),
        ("which lies outside the results", manifest("\"rows.csv\"", "\"/etc/passwd\"")),
        ("unknown study `offline2`", manifest("study = \"online\"", "study = \"offline2\"")),
        ("version", manifest("semantics = 4", "semantics = 99")),
        ("these files do not follow from the rows: ", altered("rows.csv", value.clone(), ",97.5,")),
        (
            "the rows do not belong to the scenario: ",
            altered("rows.csv", row.lines().nth(1).unwrap()[..16].to_owned(), "0123456789abcdef"),
        ),
        (
            "rows.csv: line 2",
            altered("rows.csv", row.lines().nth(1).unwrap().to_owned(), "0123456789abcdef,ok"),
        ),
        ("the rows do not belong to the scenario: ", altered("scenario.toml", "EASY".to_owned(), "CONS")),
        (
            "the rows do not belong to the scenario: ",
            altered("scenario.toml", "seed = 1".to_owned(), "seed = 2"),
        ),
        ("these files do not follow from the rows: ", altered("instances.csv", "small".to_owned(), "large")),
        ("these files do not follow from the rows: ", altered(table, "small".to_owned(), "large")),
        ("checksum mismatch", Box::new(|files| replaced(files, "rows.csv", "FCFS", "EASY"))),
        ("checksum mismatch", Box::new(|files| replaced(files, "scenario.toml", "EASY", "CONS"))),
    ];
    for (place, (fault, alter)) in lies.iter().enumerate() {
        let mut files = whole.clone();
        alter(&mut files);
        packed(&folder.path("b.zip"), &files);
        let mut verify = command(&folder, &["results", "verify", "b.zip", "--into", "theirs"]);
        assert_eq!(verify.output().unwrap().status.code(), Some(1), "{place}: {fault}");
        fs::remove_dir_all(folder.path("theirs")).ok();
        let refused = stderr(&mut verify, 1);
        assert!(refused.contains(fault) && refused.contains("error: b.zip: "), "{place}: {refused}");
        // What could not be checked is unpacked, and what is altered is not.
        assert_eq!(folder.path("theirs").exists(), refused.contains("not verified: "), "{place}: {refused}");
        fs::remove_dir_all(folder.path("theirs")).ok();
        fs::remove_file(folder.path("b.zip")).unwrap();
        assert_eq!(folder.names(), before, "{place}");
    }
    assert!(!Path::new("/var/tmp/slip.sh").exists());

    // A zip bomb: a small file that unpacks to a large one.
    let mut bomb = whole.clone();
    bomb.insert("rows.csv".to_owned(), vec![b'0'; 20_000_000]);
    packed(&folder.path("b.zip"), &bomb);
    let verify = ["results", "verify", "b.zip", "--into", "theirs", "--max-unpacked", "0.01"];
    let refused = stderr(&mut command(&folder, &verify), 2);
    assert!(refused.contains("but the limit is 0.0 GB"), "{refused}");
    fs::remove_file(folder.path("b.zip")).unwrap();
    assert_eq!(folder.names(), before);

    // Rows occur twice, and different readers take the first or the second ones. No writer creates
    // such an archive, so the second entry first gets another name of equal length.
    let mut twice = whole.clone();
    twice.insert("rows.cs!".to_owned(), b"x".to_vec());
    packed(&folder.path("b.zip"), &twice);
    let mut bytes = fs::read(folder.path("b.zip")).unwrap();
    let places: Vec<usize> =
        (0..bytes.len() - 8).filter(|&at| bytes[at..].starts_with(b"rows.cs!")).collect();
    assert_eq!(places.len(), 2, "in the entry and in the directory");
    places.iter().for_each(|at| bytes[at + 7] = b'v');
    fs::write(folder.path("b.zip"), bytes).unwrap();
    let refused = stderr(&mut command(&folder, &["results", "verify", "b.zip", "--into", "theirs"]), 1);
    assert!(refused.contains("an entry occurs twice"), "{refused}");

    // A symbolic link.
    let mut linked = ZipWriter::new(Cursor::new(Vec::new()));
    linked.add_symlink("rows.csv", "/etc/passwd", SimpleFileOptions::default()).unwrap();
    fs::write(folder.path("b.zip"), linked.finish().unwrap().into_inner()).unwrap();
    let refused = stderr(&mut command(&folder, &["results", "verify", "b.zip", "--into", "theirs"]), 1);
    assert!(refused.contains("is a folder or a link"), "{refused}");
    fs::remove_file(folder.path("b.zip")).unwrap();
    assert_eq!(folder.names(), before);

    // The unchanged archive is accepted, and an existing folder is not changed.
    stdout(&mut command(&folder, &["results", "verify", "a.zip", "--rerun", "--into", "theirs"]));
    assert_eq!(fs::read(folder.path("theirs/rows.csv")).unwrap(), whole["rows.csv"]);
    stderr(&mut command(&folder, &["results", "verify", "a.zip", "--into", "theirs"]), 2);
}

/// Refuses to pack results whose manifest names a file outside the folder.
#[test]
fn no_file_outside_is_packed() {
    let folder = archived(SCENARIO);
    fs::write(folder.path("outside.txt"), "x").unwrap();
    let text = fs::read_to_string(folder.path("r/manifest.toml")).unwrap();
    let body = text.rsplit_once("# sha256 ").unwrap().0;
    let body = format!("{body}\"../outside.txt\" = \"{}\"\n", digest(b"x"));
    let sealed = format!("{body}# sha256 {}\n", digest(body.as_bytes()));
    fs::write(folder.path("r/manifest.toml"), sealed).unwrap();
    let refused = stderr(&mut command(&folder, &["results", "archive", "r", "--out", "b.zip"]), 2);
    assert!(refused.contains("`../outside.txt`, which lies outside the results"), "{refused}");
    assert!(!folder.path("b.zip").exists());
}

/// Reports an error if the table of a run cannot be printed.
#[cfg(target_os = "linux")]
#[test]
fn a_lost_table_is_an_error() {
    let folder = Folder::with(&[("s.toml", SCENARIO), ("pl.toml", PLATFORM), ("out.csv", OUTAGES)]);
    let full = fs::File::create("/dev/full").unwrap();
    let mut run = std::process::Command::new(assert_cmd::cargo::cargo_bin!("dfrsim"));
    run.args(["run", "-q", "s.toml", "--out", "r"]).current_dir(folder.path("")).stdout(full);
    let output = run.output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("no space is left on the disk"));
    assert!(folder.path("r/rows.csv").exists());
}

fn stdout_of(command: &mut assert_cmd::Command) -> String {
    String::from_utf8(command.output().unwrap().stdout).unwrap()
}

/// Signatures use OpenSSH: without it they are not tested.
#[test]
fn a_signature_says_who_made_an_archive() {
    let folder = archived(SCENARIO);
    let keygen = |arguments: &[&str]| {
        let mut command = std::process::Command::new("ssh-keygen");
        command.current_dir(folder.path("")).args(arguments).output()
    };
    let made = |name: &str| {
        keygen(&["-q", "-t", "ed25519", "-N", "", "-f", name]).is_ok_and(|it| it.status.success())
    };
    if !made("key") || !made("other") {
        return;
    }
    let signers = |key: &str| {
        let public = fs::read_to_string(folder.path(&format!("{key}.pub"))).unwrap();
        fs::write(folder.path("signers"), format!("anna@lab.example {public}")).unwrap();
    };
    let verify = || command(&folder, &["results", "verify", "a.zip", "--signers", "signers"]);
    signers("key");
    let missing = stderr(&mut verify(), 2);
    assert!(missing.contains("a.zip.sig"), "{missing}");
    stdout(&mut command(&folder, &["results", "archive", "r", "--out", "a.zip", "--sign", "key"]));
    assert!(stdout(&mut verify()).contains("signed by \"anna@lab.example\""));
    signers("other");
    assert!(stdout_of(&mut verify()).starts_with("not verified: a.zip: a.zip.sig: "));
    signers("key");
    let mut bytes = fs::read(folder.path("a.zip")).unwrap();
    bytes.push(0);
    fs::write(folder.path("a.zip"), bytes).unwrap();
    let refused = stderr(&mut verify(), 1);
    assert!(refused.contains("ssh-keygen failed"), "{refused}");
}
