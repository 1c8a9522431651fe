//! Rules of the layout: dependencies point down, no paper knows another, the frame names none, checkers share no code with what they
//! check, and modules form no cycles.

mod modules;

use modules::Modules;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Folders of crates, lowest first. A crate depends only on crates in lower folders and, where cargo sees to it that there is no cycle
/// ([`INNER`]), on crates of its own folder.
const FLOORS: [&str; 9] =
    ["base", "simulator", "solver", "lab", "papers", "output", "commands", "dfrsim", "cli"];

/// Folders whose crates may depend on each other.
const INNER: [&str; 4] = ["base", "simulator", "solver", "output"];

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The folders of the packages, each with its floor.
fn folders() -> Vec<(usize, PathBuf)> {
    let mut folders = Vec::new();
    for (floor, name) in FLOORS.iter().enumerate() {
        let folder = crates().join(name);
        let inner = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
        let packages = inner.chain([folder.clone()]).filter(|path| path.join("Cargo.toml").exists());
        folders.extend(packages.map(|path| (floor, path)));
    }
    folders
}

/// The packages: name, floor, dependencies on other packages of the project. Tests may look up: those of the auditor run the
/// simulator that it shares no code with.
fn packages() -> BTreeMap<String, (usize, Vec<String>)> {
    let mut packages = BTreeMap::new();
    for (floor, path) in folders() {
        let text = fs::read_to_string(path.join("Cargo.toml")).unwrap();
        let manifest: toml::Table = text.parse().unwrap();
        let package = manifest["package"]["name"].as_str().unwrap().to_owned();
        let tables = ["dependencies", "build-dependencies"];
        let dependencies = tables.iter().filter_map(|table| manifest.get(*table)?.as_table());
        let names = dependencies.flat_map(|table| table.keys().cloned());
        packages.insert(package, (floor, names.filter(|name| name.starts_with("dfrsim")).collect()));
    }
    packages
}

#[test]
fn dependencies_point_down_and_no_paper_knows_another() {
    let packages = packages();
    assert!(packages.len() > 20, "{packages:?}");
    for (package, (floor, dependencies)) in &packages {
        for dependency in dependencies {
            let below = packages[dependency].0;
            let is_allowed = below < *floor || below == *floor && INNER.contains(&FLOORS[*floor]);
            assert!(is_allowed, "{package} depends on {dependency}, which is not below it");
        }
    }
    assert_eq!(packages["dfrsim-lab"].1, ["dfrsim-input", "dfrsim-model"]);
    // The commands get papers in the registry, so that cargo compiles both at the same time.
    let paper = packages["dfrsim-commands"].1.iter().find(|name| name.starts_with("dfrsim-paper"));
    assert_eq!(paper, None);
}

/// Crates that a checker may use: types, readers, and the building blocks of the audit of one cluster.
const USED_BY_CHECKERS: [&str; 4] = ["dfrsim_model", "dfrsim_input", "dfrsim_state", "dfrsim_audit"];

#[test]
fn checkers_share_no_code_with_what_they_check() {
    let mut checkers = 0;
    for (floor, folder) in folders() {
        if !["solver", "papers"].contains(&FLOORS[floor]) {
            continue;
        }
        for path in sources(&folder.join("src")) {
            let inner = path.strip_prefix(folder.join("src")).unwrap().to_str().unwrap();
            let module = inner.split(['/', '.']).next().unwrap();
            if !["audit", "check"].contains(&module) {
                continue;
            }
            checkers += 1;
            let text = fs::read_to_string(&path).unwrap();
            let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
            for line in code.take_while(|line| !line.contains("#[cfg(test)]")) {
                let own = line.contains("crate::") && !line.contains(&format!("crate::{module}"));
                let used = line.split("dfrsim_").skip(1).map(|rest| {
                    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
                    format!("dfrsim_{}", &rest[..end])
                });
                let foreign: Vec<_> =
                    used.filter(|name| !USED_BY_CHECKERS.contains(&name.as_str())).collect();
                assert!(!own && foreign.is_empty(), "{}: {line}", path.display());
            }
        }
    }
    assert!(checkers > 20, "{checkers} files of checkers");
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

/// Circles that are still to be taken apart: the package, and one of the modules.
const CIRCLES: [(&str, &str); 0] = [];

/// Modules of a package use each other in one direction. Each file is a module, and an arrow goes from a file to the one that
/// defines what a path in it names (`use`, or any path in code, through imports and re-exports). A re-export is no arrow, and
/// neither is the use of what encloses a module: a file, and those in the folder of its name, are one thing. What is compiled
/// for tests alone does not count.
#[test]
fn modules_form_no_circles() {
    let (mut found, mut new) = (BTreeSet::new(), String::new());
    for path in folders().into_iter().map(|(_, path)| path) {
        let package = path.strip_prefix(crates()).unwrap().display().to_string();
        for root in ["src/lib.rs", "src/main.rs"].map(|root| path.join(root)) {
            for (circle, arrows) in root.exists().then(|| Modules::of(&root).circles()).into_iter().flatten()
            {
                match CIRCLES.iter().find(|(of, module)| *of == package && circle.contains(*module)) {
                    Some(known) => _ = found.insert(*known),
                    None => new += &format!("{package}: a circle\n{arrows}"),
                }
            }
        }
    }
    assert!(new.is_empty(), "{new}");
    let gone: Vec<_> = CIRCLES.iter().filter(|known| !found.contains(*known)).collect();
    assert!(gone.is_empty(), "these are circles no longer, so take them off the list: {gone:?}");
}

/// A crate whose modules go round, one through a re-export, and beside it what is no circle.
#[test]
fn circles_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write("lib.rs", "mod a; mod b; mod c; mod d; pub use b::B; pub struct Root;");
    write("a.rs", "use crate::B; pub struct A(B);");
    write("b.rs", "pub struct B; fn b() { let _ = super::a::A; }");
    write("c.rs", "mod inner; use crate::a::A; pub struct C(inner::Inner, A);");
    write("c/inner.rs", "use super::C; use crate::{Root, d::D}; pub struct Inner(Box<C>, Root, D);");
    write("d.rs", "pub struct D; #[cfg(test)] mod tests { use crate::c::C; }");
    let circles = Modules::of(&folder.path().join("lib.rs")).circles();
    let names: Vec<String> = circles.iter().flat_map(|circle| circle.0.iter().cloned()).collect();
    assert_eq!(names, ["a", "b"]);
    assert_eq!(circles[0].1, "    a uses b: crate::B\n    b uses a: super::a::A\n");
}
