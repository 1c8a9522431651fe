//! What the folders promise: arrows point down, no study knows another, and the frame names none.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// From the floor to the roof.
const FLOORS: [&str; 7] = ["base", "engine", "lab", "studies", "output", "dfrsim", "cli"];

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The packages: name, floor, dependencies on other packages of the project. Tests may look up: those of the auditor run the
/// simulator that it shares no code with.
fn packages() -> BTreeMap<String, (usize, Vec<String>)> {
    let mut packages = BTreeMap::new();
    for (floor, name) in FLOORS.iter().enumerate() {
        let folder = crates().join(name);
        let inner = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
        for path in inner.chain([folder.clone()]).filter(|path| path.join("Cargo.toml").exists()) {
            let text = fs::read_to_string(path.join("Cargo.toml")).unwrap();
            let manifest: toml::Table = text.parse().unwrap();
            let package = manifest["package"]["name"].as_str().unwrap().to_owned();
            let tables = ["dependencies", "build-dependencies"];
            let dependencies = tables.iter().filter_map(|table| manifest.get(*table)?.as_table());
            let names = dependencies.flat_map(|table| table.keys().cloned());
            packages.insert(package, (floor, names.filter(|name| name.starts_with("dfrsim")).collect()));
        }
    }
    packages
}

#[test]
fn arrows_point_down_and_no_study_knows_another() {
    let packages = packages();
    assert!(packages.len() > 20, "{packages:?}");
    for (package, (floor, dependencies)) in &packages {
        for dependency in dependencies {
            let below = packages[dependency].0;
            let is_allowed = match FLOORS[*floor] {
                // Within these floors cargo sees to it that there is no circle.
                "base" | "engine" | "output" => below <= *floor,
                _ => below < *floor,
            };
            assert!(is_allowed, "{package} depends on {dependency}, which is not below it");
        }
    }
    assert_eq!(packages["dfrsim-lab"].1, ["dfrsim-model"]);
}

/// The source files below a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(each) = folders.pop() {
        for entry in fs::read_dir(each).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files
}

#[test]
fn the_frame_names_no_study() {
    let names =
        ["online", "on-line", "offline", "off-line", "coallocation", "co-allocation", "context-switch"];
    let more = ["context_switch", "discovery", "adaptation", "policy", "policies", "scheduler"];
    for path in sources(&crates().join("lab/src")) {
        let text = fs::read_to_string(&path).unwrap();
        // Examples in documentation may speak of a study; code may not.
        let code = text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"));
        let code = code.take_while(|(_, line)| !line.contains("#[cfg(test)]"));
        for (number, line) in code {
            let line = line.to_lowercase();
            let named = names.iter().chain(&more).find(|name| line.contains(**name));
            assert_eq!(named, None, "{}:{}: {line}", path.display(), number + 1);
        }
    }
}
