//! Folders of results in which one file was changed and its digests were made to match: they are read, compared, checked, exported
//! and drawn, or refused.
#![no_main]

use arbitrary::Arbitrary;
use dfrsim_lab::check::{Baseline, CheckOptions, check};
use dfrsim_lab::compare::{CompareOptions, compare};
use dfrsim_lab::{Registry, Results, RunOptions, default_drawings, export};
use dfrsim_plots::{Appearance, draw};
use libfuzzer_sys::fuzz_target;
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::sync::atomic::AtomicBool;
use tempfile::TempDir;

static REGISTRY: LazyLock<Registry> = LazyLock::new(dfrsim::registry);

/// A scenario of each study, so small that all of them run in a second.
const SCENARIOS: [&str; 4] = [
    "study = 'online'\npolicies = ['FCFS', 'EASY']\n[[workloads]]\nname = 'model'\nnodes = 8\nlublin = { replications = 2, jobs = 12, loads = [0.5, 0.7] }\n",
    "study = 'offline'\nalgorithms = ['VP_CPSUM', 'MCB8']\n[[instances]]\nname = 'few'\ngrid = { nodes = 4, jobs = [6, 8], dimensions = 2, sigma = 0.5, rho = 0.25, slack = [0.5] }\nreplications = 2\n",
    "study = 'context-switch'\nsteps = 20\n[samples]\nnodes = 6\nvms = [6, 9]\nreplications = 2\n",
    "study = 'adaptation'\nseed = 14\nreplications = 2\nbudgets = [10, 25]\n",
];

/// Folders of finished results, with their files.
static FOLDERS: LazyLock<(TempDir, Vec<Folder>)> = LazyLock::new(|| {
    let all = tempfile::tempdir().expect("a folder can be made");
    let run = |(number, text): (usize, &&str)| {
        let path = all.path().join(number.to_string());
        let scenario = REGISTRY.parse(text, "scenario.toml", None, &[]).expect("it is one");
        let options = RunOptions { threads: 1, ..RunOptions::new(&path) };
        scenario.run(&options, &AtomicBool::new(false), &()).expect("it runs");
        let mut files = BTreeMap::new();
        read_all(&path, &path, &mut files);
        Folder { path, files }
    };
    let folders = SCENARIOS.iter().enumerate().map(run).collect();
    (all, folders)
});

struct Folder {
    path: PathBuf,
    files: BTreeMap<String, Vec<u8>>,
}

fn read_all(top: &Path, folder: &Path, files: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(folder).expect("it is there").map(|entry| entry.expect("it is there").path()) {
        if entry.is_dir() {
            read_all(top, &entry, files);
        } else if let Some(name) = entry.strip_prefix(top).ok().and_then(Path::to_str) {
            files.insert(name.to_owned(), fs::read(&entry).expect("it is there"));
        }
    }
}

#[derive(Arbitrary, Debug)]
struct Change {
    folder: u8,
    file: u8,
    edits: Vec<(u16, u8, Edit)>,
    forged: bool,
}

#[derive(Arbitrary, Debug)]
enum Edit {
    Byte(u8),
    Text(u8),
    Number(u8),
    Cut,
    Doubled,
}

const TEXTS: [&str; 8] = [",", "\"", "\n", "nan", "failed", "", "\r\n", "é"];
const NUMBERS: [&str; 8] = ["0", "-1", "1e308", "inf", "18446744073709551616", "0.5", "1e-320", "4294967296"];

impl Edit {
    fn make(&self, text: &mut Vec<u8>, at: usize, length: usize) {
        let end = (at + length).min(text.len());
        match self {
            Edit::Byte(byte) => text[at] = *byte,
            Edit::Text(which) => _ = text.splice(at..end, TEXTS[usize::from(which % 8)].bytes()),
            Edit::Number(which) => _ = text.splice(at..end, NUMBERS[usize::from(which % 8)].bytes()),
            Edit::Cut => text.truncate(at),
            Edit::Doubled => {
                let part = text[at..end].to_vec();
                text.splice(end..end, part);
            }
        }
    }
}

fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Writes the digest of a file into the manifest, and seals that again.
fn forge(files: &mut BTreeMap<String, Vec<u8>>, name: &str) {
    const SEAL: &str = "# sha256 ";
    let of_file = files.get(name).map(|content| digest(content));
    let Some(text) = files.get("manifest.toml").and_then(|text| String::from_utf8(text.clone()).ok()) else {
        return;
    };
    let Some((body, _)) = text.rsplit_once(SEAL) else { return };
    let prefix = format!("\"{name}\" = ");
    let line = |line: &str| match &of_file {
        Some(digest) if line.starts_with(&prefix) => format!("{prefix}\"{digest}\"\n"),
        _ => line.to_owned(),
    };
    let sealed: String = body.split_inclusive('\n').map(line).collect();
    let seal = digest(sealed.as_bytes());
    files.insert("manifest.toml".into(), format!("{sealed}{SEAL}{seal}\n").into_bytes());
}

fuzz_target!(|change: Change| {
    let folders = &FOLDERS.1;
    let base = &folders[usize::from(change.folder) % folders.len()];
    let names: Vec<&String> = base.files.keys().collect();
    let name = names[usize::from(change.file) % names.len()].clone();
    let mut files = base.files.clone();
    let content = files.get_mut(&name).expect("it is one of them");
    for (at, length, edit) in change.edits.iter().take(6) {
        if !content.is_empty() {
            let at = usize::from(*at) % content.len();
            edit.make(content, at, usize::from(*length % 12));
        }
    }
    if change.forged {
        forge(&mut files, &name);
    }
    let out = tempfile::tempdir().expect("a folder can be made");
    for (name, content) in &files {
        let path = out.path().join(name);
        fs::create_dir_all(path.parent().expect("it is in a folder")).expect("it can be made");
        fs::write(path, content).expect("it can be written");
    }
    let Ok(results) = Results::read(out.path(), &REGISTRY) else { return };
    let whole = Results::read(&base.path, &REGISTRY).expect("it is whole");
    let options = CompareOptions { resamples: 10, ..CompareOptions::default() };
    for (a, b) in [(&results, &whole), (&whole, &results), (&results, &results)] {
        if let Ok(comparison) = compare(a, b, &options) {
            comparison.exact_tables().iter().for_each(|named| drop(named.table.csv()));
        }
    }
    if let (Ok(now), Ok(before)) = (Baseline::from_results(&results), Baseline::from_results(&whole)) {
        let _ =
            check(&before, &now, &CheckOptions::default()).map(|report| (report.junit(), report.markdown()));
    }
    if let Ok(frames) = results.rows() {
        let _ = export::json_lines(&frames, &mut Vec::new());
        default_drawings(&frames).iter().filter_map(|drawing| draw(drawing, &Appearance::default())).for_each(|figure| drop(figure.picture.svg()));
    }
    let _ = dfrsim_report::page(&results, &[], &[]);
});
