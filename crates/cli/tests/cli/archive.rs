//! Tests archives of results: verified, run again, and rejected when damaged.

use crate::support::{Folder, dfrsim, stderr, stdout};
use std::fs;
use std::io::{Cursor, Read as _, Write as _};
use std::path::Path;
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

const SCENARIO: &str = include_str!("fixtures/archive_scenario.toml");

/// Creates a folder with results and their archive.
fn archived() -> Folder {
    let folder = Folder::with(&[("small.toml", SCENARIO)]);
    stdout(dfrsim(["run", "-q"]).arg(folder.path("small.toml")).arg("--out").arg(folder.path("results")));
    stdout(&mut archive(&folder, "a.zip"));
    folder
}

fn archive(folder: &Folder, name: &str) -> assert_cmd::Command {
    let mut command = dfrsim(["results", "archive"]);
    command.arg(folder.path("results")).arg("--out").arg(folder.path(name));
    command
}

fn verify(file: &Path) -> assert_cmd::Command {
    let mut command = dfrsim(["results", "verify"]);
    command.arg(file);
    command
}

/// Returns the archive with changed bytes in some of its files.
fn altered(archive: &Path, alter: impl Fn(&str, Vec<u8>) -> Option<Vec<u8>>) -> Vec<u8> {
    let mut zip = ZipArchive::new(Cursor::new(fs::read(archive).unwrap())).unwrap();
    let mut out = ZipWriter::new(Cursor::new(Vec::new()));
    for place in 0..zip.len() {
        let mut entry = zip.by_index(place).unwrap();
        let (name, mut bytes) = (entry.name().to_owned(), Vec::new());
        entry.read_to_end(&mut bytes).unwrap();
        if let Some(bytes) = alter(&name, bytes) {
            out.start_file(name, SimpleFileOptions::default()).unwrap();
            out.write_all(&bytes).unwrap();
        }
    }
    out.finish().unwrap().into_inner()
}

#[test]
fn an_archive_is_verified_and_runs_to_the_same_bytes() {
    let folder = archived();
    stdout(&mut archive(&folder, "b.zip"));
    assert_eq!(fs::read(folder.path("a.zip")).unwrap(), fs::read(folder.path("b.zip")).unwrap());
    // The results are not needed any more.
    fs::remove_dir_all(folder.path("results")).unwrap();
    let text = stdout(verify(&folder.path("a.zip")).args(["--rerun", "--into"]).arg(folder.path("theirs")));
    assert!(text.starts_with("verified: "), "{text}");
    assert!(
        text.contains("title \"Two policies\", study \"online\", seed 3, written by \"dfrsim\""),
        "{text}"
    );
    assert!(text.contains("\n4 rows, "), "{text}");
    assert!(text.ends_with(" files are identical\n"), "{text}");
    let rows = fs::read_to_string(folder.path("theirs/rows.csv")).unwrap();
    assert_eq!(rows.lines().count(), 5);
    let problem = stderr(verify(&folder.path("a.zip")).arg("--into").arg(folder.path("theirs")), 2);
    assert!(problem.contains("theirs"), "{problem}");
}

#[test]
fn an_archive_says_what_it_is_to_other_programs() {
    let folder = archived();
    let mut zip = ZipArchive::new(fs::File::open(folder.path("a.zip")).unwrap()).unwrap();
    let names: Vec<String> = zip.file_names().map(str::to_owned).collect();
    let metadata: serde_json::Value =
        serde_json::from_reader(zip.by_name("ro-crate-metadata.json").unwrap()).unwrap();
    let graph = metadata["@graph"].as_array().unwrap();
    let entity = |id: &str| graph.iter().find(|entity| entity["@id"] == id).unwrap();
    assert_eq!(entity("ro-crate-metadata.json")["about"]["@id"], "./");
    assert_eq!(entity("./")["name"], "Two policies");
    assert_eq!(entity("#run")["instrument"]["@id"], "#dfrsim");
    // Exactly the files of the archive are described.
    let mut parts: Vec<&str> = entity("./")["hasPart"]
        .as_array()
        .unwrap()
        .iter()
        .map(|part| part["@id"].as_str().unwrap())
        .collect();
    let mut packed: Vec<&str> =
        names.iter().map(String::as_str).filter(|name| !name.starts_with("ro-")).collect();
    parts.sort_unstable();
    packed.sort_unstable();
    assert_eq!(parts, packed);
    assert!(parts.iter().all(|name| entity(name)["@type"] == "File"));
}

#[test]
fn damaged_archives_are_refused() {
    let folder = archived();
    let whole = folder.path("a.zip");
    let refused_with = |code: i32, bytes: Vec<u8>| {
        fs::write(folder.path("damaged.zip"), bytes).unwrap();
        stderr(&mut verify(&folder.path("damaged.zip")), code)
    };
    let refused = |bytes: Vec<u8>| refused_with(1, bytes);
    let rows = altered(&whole, |name, bytes| {
        let text = String::from_utf8(bytes).unwrap();
        Some(if name == "rows.csv" { text.replacen("ok", "no", 1) } else { text }.into_bytes())
    });
    let problem = refused(rows);
    assert!(problem.contains("rows.csv: differs from what the run wrote (checksum mismatch)"), "{problem}");
    let problem = refused(altered(&whole, |name, bytes| (name != "rows.csv").then_some(bytes)));
    assert!(problem.contains("damaged.zip: rows.csv is missing from the archive"), "{problem}");
    let problem = refused(altered(&whole, |name, bytes| (name != "manifest.toml").then_some(bytes)));
    assert!(problem.contains("damaged.zip: manifest.toml is missing from the archive"), "{problem}");
    let manifest = altered(&whole, |name, bytes| {
        let text = String::from_utf8(bytes).unwrap();
        Some(
            if name == "manifest.toml" { text.replace("rows.csv", "../rows.csv") } else { text }.into_bytes(),
        )
    });
    let problem = refused(manifest);
    assert!(problem.contains("checksum"), "{problem}");
    let bytes = fs::read(&whole).unwrap();
    let problem = refused_with(2, bytes[..bytes.len() / 2].to_vec());
    assert!(problem.contains("damaged.zip: not an archive of results"), "{problem}");
    let problem = refused_with(2, b"no archive".to_vec());
    assert!(problem.contains("damaged.zip: not an archive of results"), "{problem}");
    let problem = stderr(&mut verify(&folder.path("missing.zip")), 2);
    assert!(problem.contains("missing.zip"), "{problem}");
}
