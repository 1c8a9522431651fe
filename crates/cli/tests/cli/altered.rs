//! Tests that no altered byte of any results is accepted, and no run leaves files of an earlier one.

use crate::support::{Folder, QUICK, dfrsim, files, scenario, stderr, stdout};
use dfrsim_lab::{Digest, Results};
use std::fs;
use std::path::{Path, PathBuf};

const PLACES: u32 = 500;
/// Interval of altered positions at which the commands are run too.
const COMMANDS_EVERY: u32 = 25;

fn run(name: &str, overrides: &[&str], out: &Path) {
    let mut command = dfrsim(["run", "--quiet", "--out"]);
    command.arg(out).arg(scenario(name));
    overrides.iter().for_each(|set| _ = command.args(["--set", set]));
    stdout(&mut command);
}

/// Returns all files of results except the lock, in order.
fn all_files(folder: &Path) -> Vec<PathBuf> {
    let (mut found, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            match entry.path() {
                path if path.is_dir() => folders.push(path),
                path if entry.file_name() == ".lock" => drop(path),
                path => found.push(path),
            }
        }
    }
    found.sort();
    found
}

/// Returns a random number below a limit (splitmix64).
fn below(state: &mut u64, limit: usize) -> usize {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((mixed ^ (mixed >> 31)) % limit as u64) as usize
}

#[test]
fn every_altered_byte_is_refused() {
    let folder = Folder::with(&[]);
    let registry = dfrsim::registry();
    let mut places = Vec::new();
    for quick in &QUICK {
        let out = folder.path(quick.study);
        stdout(&mut quick.run(&out, &["--quiet"]));
        assert!(Results::read(&out, &registry).is_ok());
        stdout(
            dfrsim(["results", "check"])
                .arg(&out)
                .arg("--baseline")
                .arg(out.with_extension("baseline"))
                .arg("--update"),
        );
        places.extend(all_files(&out).into_iter().map(|file| (out.clone(), file)));
    }
    let mut state = 1;
    for place in 0..dfrsim_testing::cases(PLACES) {
        let (out, file) = &places[below(&mut state, places.len())];
        let bytes = fs::read(file).unwrap();
        let mut altered = bytes.clone();
        altered[below(&mut state, bytes.len())] ^= 1 + below(&mut state, 255) as u8;
        fs::write(file, &altered).unwrap();
        let refusal = Results::read(out, &registry).err().map(|error| error.to_string());
        let refusal = refusal.unwrap_or_else(|| panic!("place {place}: {} is accepted", file.display()));
        assert!(refusal.contains(file.file_name().unwrap().to_str().unwrap()), "place {place}: {refusal}");
        if place % COMMANDS_EVERY == 0 {
            commands_refuse(&folder, out, file);
        }
        fs::write(file, bytes).unwrap();
        assert!(Results::read(out, &registry).is_ok());
    }
}

fn commands_refuse(folder: &Folder, out: &Path, file: &Path) {
    let baseline = out.with_extension("baseline");
    let commands: [(&str, &[&Path]); 5] = [
        ("check", &[Path::new("--baseline"), &baseline]),
        ("compare", &[out]),
        ("export", &[Path::new("--jsonl"), &folder.path("never")]),
        ("report", &[Path::new("--out"), &folder.path("never")]),
        ("figures", &[Path::new("--out"), &folder.path("never")]),
    ];
    for (name, more) in commands {
        let message = stderr(dfrsim(["results", name]).arg(out).args(more), 2);
        assert!(message.contains(file.file_name().unwrap().to_str().unwrap()), "{name}: {message}");
        assert!(!folder.path("never").exists());
    }
}

/// Deletes tables that the new scenario does not have; those of the user remain.
#[test]
fn a_run_leaves_no_file_of_an_earlier_scenario() {
    let folder = Folder::with(&[]);
    let cases: [(&str, &[&str], &[&str]); 2] = [
        (
            "offline_quick",
            &["algorithms=['GREEDY', 'VP_CPSUM', 'MCB8', 'SG']"],
            &["algorithms=['GREEDY']", "second_phase.algorithms=[]"],
        ),
        (
            "quickstart",
            &["policies=['EASY', 'FCFS']", "workloads.lublin.lublin.replications=1"],
            &["policies=['EASY']", "workloads.lublin.lublin.replications=1"],
        ),
    ];
    for (name, first, second) in cases {
        let (out, fresh) = (folder.path(name), folder.path(&format!("{name}-fresh")));
        run(name, first, &out);
        let of_first: Vec<String> = files(&out).into_iter().map(|(name, _)| name).collect();
        fs::write(out.join("tables/notes.txt"), "of the user").unwrap();
        run(name, second, &out);
        assert_eq!(fs::read_to_string(out.join("tables/notes.txt")).unwrap(), "of the user");
        fs::remove_file(out.join("tables/notes.txt")).unwrap();
        run(name, second, &fresh);
        assert_eq!(files(&out), files(&fresh), "{name}");
        let of_second: Vec<String> = files(&fresh).into_iter().map(|(name, _)| name).collect();
        if name == "offline_quick" {
            assert_ne!(of_first, of_second, "{name}: the two runs should differ");
        }
    }
}

/// Replaces a file and updates its digests, as if another program had written it instead of damage
/// having occurred.
fn forge(out: &Path, name: &str, content: &str) {
    fs::write(out.join(name), content).unwrap();
    let manifest = fs::read_to_string(out.join("manifest.toml")).unwrap();
    let (body, _) = manifest.rsplit_once("# sha256 ").unwrap();
    let of_name = format!("\"{name}\" = ");
    let digest = Digest::from_bytes(content.as_bytes());
    let line = |line: &str| match line.starts_with(&of_name) {
        true => format!("{of_name}\"{digest}\"\n"),
        false => format!("{line}\n"),
    };
    let body: String = body.lines().map(line).collect();
    let seal = Digest::from_bytes(body.as_bytes());
    fs::write(out.join("manifest.toml"), format!("{body}# sha256 {seal}\n")).unwrap();
}

/// Regression test for an error found by mutation testing: `check` took the columns of the header
/// from every line.
#[test]
fn lines_with_fewer_fields_than_the_header_are_refused() {
    let folder = Folder::with(&[]);
    let out = folder.path("adaptation_quick");
    run("adaptation_quick", &["replications=2"], &out);
    let baseline = folder.path("baseline.toml");
    let check = || {
        let mut command = dfrsim(["results", "check"]);
        command.arg(&out).arg("--baseline").arg(&baseline);
        command
    };
    stdout(check().arg("--update"));
    let instances = fs::read_to_string(out.join("instances.csv")).unwrap();
    forge(&out, "instances.csv", &instances);
    stdout(&mut check());
    forge(&out, "instances.csv", &format!("{instances}alone\n"));
    let message = stderr(&mut check(), 2);
    assert!(message.contains("instances.csv") && message.contains("a line with 1 fields"), "{message}");
}
