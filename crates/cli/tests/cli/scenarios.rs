//! Tests the scenarios of the project: all are valid, and their reference is generated from the
//! declarations of fields.
//!
//! `DFRSIM_UPDATE_README=1 cargo test -p dfrsim-cli scenarios` writes the reference again.

use std::fs;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios")
}

/// Marker after which the text is generated.
const MARKER: &str = "<!-- generated from the declarations of fields -->\n";

#[test]
fn the_reference_is_generated() {
    let registry = dfrsim::registry();
    let mut reference = String::new();
    for study in registry.studies() {
        let heading = format!("\n## `study = \"{}\"`\n\n{}.\n\n", study.name, study.title);
        reference += &heading;
        reference += (study.field_reference)().trim();
        reference.push('\n');
    }
    let path = folder().join("README.md");
    let text = fs::read_to_string(&path).unwrap();
    let begin = text.find(MARKER).expect("the README has the marker") + MARKER.len();
    if std::env::var_os("DFRSIM_UPDATE_README").is_some() {
        fs::write(&path, [&text[..begin], &reference].concat()).unwrap();
    } else {
        assert!(text[begin..] == reference, "set DFRSIM_UPDATE_README=1 to write the reference again");
    }
}

/// Checks that every file is valid, is in the list of the README, and reads back unchanged with all
/// defaults written out. Only logs may be missing.
#[test]
fn all_scenarios_are_right() {
    let registry = dfrsim::registry();
    let list = fs::read_to_string(folder().join("README.md")).unwrap();
    let mut count = 0;
    for entry in fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        count += 1;
        let name = path.file_name().unwrap().to_str().unwrap();
        assert!(list.contains(&format!("| `{name}` |")), "{name} is not in scenarios/README.md");
        match registry.load(&path, &[]) {
            Ok(scenario) => {
                let text = scenario.text;
                let again = registry.parse(&text, "again.toml", path.parent(), &[]).unwrap();
                assert_eq!(again.text, text, "{name}");
            }
            Err(errors) => {
                let is_log = |fault: &dfrsim::lab::fields::Fault| fault.message.starts_with("log `");
                assert!(errors.0.iter().all(is_log), "{name}: {errors}");
            }
        }
    }
    assert!(count >= 30, "{count} scenarios");
}

/// Generates the list of the columns of all rows, with roles, units and meanings.
#[test]
fn the_list_of_columns_is_generated() {
    use dfrsim::lab::{Better, Role};
    let registry = dfrsim::registry();
    let mut list = String::new();
    for study in registry.studies() {
        for row_type in study.row_types {
            let file = dfrsim::lab::file_name(row_type);
            list += &format!(
                "\n### {}: `{file}`\n\n| column | role | unit | meaning |\n|---|---|---|---|\n",
                study.name
            );
            for column in row_type.columns {
                let role = match column.role {
                    Role::Label => "label",
                    Role::Instance => "instance",
                    Role::Variant => "variant",
                    Role::Fact => "fact",
                    Role::Metric(Better::Less) => "metric, less is better",
                    Role::Metric(Better::More) => "metric, more is better",
                    Role::Primary(Better::Less) => "primary metric, less is better",
                    Role::Primary(Better::More) => "primary metric, more is better",
                };
                list += &format!("| `{}` | {role} | {} | {} |\n", column.name, column.unit, column.doc);
            }
        }
    }
    let path = folder().join("../results/README.md");
    let text = fs::read_to_string(&path).unwrap();
    let marker = "<!-- generated from the declarations of columns -->\n";
    let begin = text.find(marker).expect("the README has the marker") + marker.len();
    if std::env::var_os("DFRSIM_UPDATE_README").is_some() {
        fs::write(&path, [&text[..begin], &list].concat()).unwrap();
    } else {
        assert!(text[begin..] == list, "set DFRSIM_UPDATE_README=1 to write the list again");
    }
}

/// Checks that the page of each study has equal parts, in an equal order, and names all of its
/// scenarios.
#[test]
fn the_pages_of_studies_have_the_same_parts() {
    let parts = ["What the paper says", "What we get", "What differs and why", "How to run it"];
    for study in dfrsim::registry().studies() {
        let paper = match study.name {
            "online" => "dfrs",
            "offline" => "vector_packing",
            "grid" => "reallocation",
            name => &name.replace('-', "_"),
        };
        let path = folder().join(format!("../crates/papers/{paper}/README.md"));
        let page = fs::read_to_string(&path).unwrap();
        let found: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix("## ")).collect();
        assert_eq!(found, parts, "{}", path.display());
        let marker = format!("study = \"{}\"\n", study.name);
        for entry in fs::read_dir(folder()).unwrap() {
            let file = entry.unwrap().path();
            let name = file.file_name().unwrap().to_str().unwrap();
            if name.ends_with(".toml") && fs::read_to_string(&file).unwrap().contains(&marker) {
                assert!(page.contains(name), "{} does not name {name}", path.display());
            }
        }
    }
}
