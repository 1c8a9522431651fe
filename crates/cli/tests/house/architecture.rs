//! Tests of the layering rules: dependencies point downwards, no paper depends on another, the
//! framework names no study, checkers share no code with the code that they check, and modules have
//! no dependency cycles.

mod modules;

use crate::sources::{crates, sources};
use modules::Modules;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Folders of crates, lowest level first. A crate depends only on crates of lower folders, and in
/// the folders of [`INNER`] also on crates of its own folder, where cargo prevents cycles.
const FLOORS: [&str; 9] =
    ["base", "simulator", "solver", "lab", "papers", "output", "commands", "dfrsim", "cli"];

/// Folders whose crates may depend on each other.
const INNER: [&str; 4] = ["base", "simulator", "solver", "output"];

/// Returns the folders of the packages, each with its level, an index into [`FLOORS`].
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

/// Returns, for each package, its level and its dependencies on packages of this project.
///
/// Dependencies of tests are exempt: the auditor's tests run the simulator, with which the auditor
/// shares no code.
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
    // The commands reach papers only through the registry, so that cargo can compile both in
    // parallel.
    let paper = packages["dfrsim-commands"].1.iter().find(|name| name.starts_with("dfrsim-paper"));
    assert_eq!(paper, None);
}

/// Crates that a checker may use: types, parsers, and the parts of the audit of a single cluster.
const USED_BY_CHECKERS: [&str; 4] = ["dfrsim_model", "dfrsim_input", "dfrsim_state", "dfrsim_audit"];

#[test]
fn checkers_share_no_code_with_what_they_check() {
    let mut checkers = 0;
    for (floor, folder) in folders() {
        if !["solver", "papers"].contains(&FLOORS[floor]) || !folder.join("src").exists() {
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

#[test]
fn the_frame_names_no_study() {
    let names =
        ["online", "on-line", "offline", "off-line", "coallocation", "co-allocation", "context-switch"];
    let more = ["context_switch", "discovery", "adaptation", "policy", "policies", "scheduler"];
    for path in sources(&crates().join("lab/src")) {
        let text = fs::read_to_string(&path).unwrap();
        // Examples in documentation may mention a study; code may not.
        let code = text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"));
        let code = code.take_while(|(_, line)| !line.contains("#[cfg(test)]"));
        for (number, line) in code {
            let line = line.to_lowercase();
            let named = names.iter().chain(&more).find(|name| line.contains(**name));
            assert_eq!(named, None, "{}:{}: {line}", path.display(), number + 1);
        }
    }
}

/// Returns the root files of the crates to examine, each with the folder of its crate: those of the
/// program and of the Python package.
fn roots() -> Vec<(String, PathBuf)> {
    let folders = folders().into_iter().map(|(_, path)| path).chain([crates().join("python")]);
    let roots = folders.flat_map(|path| {
        let name = path.strip_prefix(crates()).unwrap().display().to_string();
        ["src/lib.rs", "src/main.rs"].map(|root| (name.clone(), path.join(root)))
    });
    roots.filter(|(_, root)| root.exists()).collect()
}

/// Checks that the modules of a package have no dependency cycles.
///
/// Each file is a module. An edge leads from a file to the file that defines what a path in it names
/// (`use`, or any path in code), through imports and re-exports. Re-exports add no edge, and neither
/// do uses of an enclosing module, because a file and the files in the folder of its name form one
/// unit. Code that is compiled only for tests is ignored.
#[test]
fn modules_form_no_circles() {
    let found = roots().into_iter().flat_map(|(package, root)| {
        let circles = Modules::of(&root).circles();
        circles.into_iter().map(move |(_, arrows)| format!("{package}: a circle\n{arrows}"))
    });
    let found: String = found.collect();
    assert!(found.is_empty(), "{found}");
}

/// Checks that folders have no dependency cycles. A file and all files in the folder of its name
/// form one unit, and edges lead between units that are in one folder.
#[test]
fn folders_form_no_circles() {
    let found = roots().into_iter().flat_map(|(package, root)| {
        let circles = Modules::of(&root).circles_of_folders();
        circles.into_iter().map(move |(_, arrows)| format!("{package}: a circle of folders\n{arrows}"))
    });
    let found: String = found.collect();
    assert!(found.is_empty(), "{found}");
}

/// Writes the files of a crate for a test.
fn write_all(folder: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

/// Finds the only cycle of a crate, which passes through a re-export.
#[test]
fn circles_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let files = [
        ("lib.rs", "mod a; mod b; mod c; mod d; pub use b::B; pub struct Root;"),
        ("a.rs", "use crate::B; pub struct A(B);"),
        ("b.rs", "pub struct B; fn b() { let _ = super::a::A; }"),
        ("c.rs", "mod inner; use crate::a::A; pub struct C(inner::Inner, A);"),
        ("c/inner.rs", "use super::C; use crate::{Root, d::D}; pub struct Inner(Box<C>, Root, D);"),
        ("d.rs", "pub struct D; #[cfg(test)] mod tests { use crate::c::C; }"),
    ];
    write_all(folder.path(), &files);
    let circles = Modules::of(&folder.path().join("lib.rs")).circles();
    let names: Vec<String> = circles.iter().flat_map(|circle| circle.0.iter().cloned()).collect();
    assert_eq!(names, ["a", "b"]);
    assert_eq!(circles[0].1, "    a uses b: crate::B\n    b uses a: super::a::A\n");
}

/// Finds the cycle of two folders whose files have no cycle.
#[test]
fn circles_of_folders_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let files = [
        ("lib.rs", "mod a; mod b; mod c;"),
        ("a.rs", "mod high; mod low; pub struct A(high::High);"),
        ("a/high.rs", "use super::low::Low; use crate::b::B; pub struct High(B, Low);"),
        ("a/low.rs", "pub struct Low;"),
        ("b.rs", "mod inner; pub use inner::B;"),
        ("b/inner.rs", "use crate::{a::low::Low, c::C}; pub struct B(Low, C);"),
        ("c.rs", "pub struct C;"),
    ];
    write_all(folder.path(), &files);
    let modules = Modules::of(&folder.path().join("lib.rs"));
    assert!(modules.circles().is_empty());
    let circles = modules.circles_of_folders();
    assert_eq!(circles.len(), 1);
    assert_eq!(circles[0].0, BTreeSet::from(["a".to_owned(), "b".to_owned()]));
    let arrows = "    a uses b: crate::b::B (a/high)\n    b uses a: crate::a::low::Low (b/inner)\n";
    assert_eq!(circles[0].1, arrows);
}
