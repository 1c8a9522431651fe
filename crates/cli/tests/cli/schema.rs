//! `dfrsim schema`: what this program writes is valid by its schemas, and other documents are not.

use crate::support::{Folder, dfrsim, stderr, stdout};
use crate::validator::fault;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// The schema of something.
pub(crate) fn schema(of: &[&str]) -> Value {
    let schema: Value = serde_json::from_str(&stdout(dfrsim(["schema"]).args(of))).unwrap();
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema", "{of:?}");
    schema
}

/// Every line of a file is as the schema says; gives the lines.
pub(crate) fn valid_lines(schema: &Value, path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for line in &lines {
        assert_eq!(fault(schema, line), None, "{}: {line}", path.display());
    }
    assert!(!lines.is_empty());
    lines
}

/// The schema refuses the object without any of its fields that `is_required`, with one more, and with a field of another type.
pub(crate) fn altered_is_refused(schema: &Value, object: &Value, is_required: impl Fn(&str) -> bool) {
    let fields = object.as_object().unwrap();
    let refused = |fields| assert_ne!(fault(schema, &Value::Object(fields)), None, "{object}");
    refused(
        [fields.clone(), json!({"colour": 1}).as_object().unwrap().clone()].into_iter().flatten().collect(),
    );
    for (name, value) in fields {
        if is_required(name) {
            let mut without = fields.clone();
            without.remove(name);
            refused(without);
        }
        let mut other = fields.clone();
        other[name] = if value.is_string() { json!(-1.5) } else { json!("text") };
        // Text may be where there is none yet.
        if !value.is_null() {
            refused(other);
        }
    }
}

#[test]
fn events_are_as_their_schema_says() {
    let folder = Folder::with(&[]);
    let at = |words: &[&str]| stdout(dfrsim(words).current_dir(folder.path("")));
    at(&[
        "log", "generate", "--jobs", "80", "--nodes", "16", "--seed", "1", "--load", "0.9", "--out",
        "week.swf",
    ]);
    let schema = schema(&["events"]);
    let mut kinds = std::collections::BTreeSet::new();
    for (policy, more) in [("GreedyPM*/per/OPT=MIN", "--penalty=30"), ("EASY", "--estimates=requested")] {
        let simulate = ["simulate", "--workload", "week.swf", "--nodes", "16", "--annotate", "lublin"];
        at(&[&simulate[..], &["--policy", policy, more, "--events-out", "week.jsonl"]].concat());
        for line in valid_lines(&schema, &folder.path("week.jsonl")) {
            let kind = line["event"].as_str().unwrap().to_owned();
            if kinds.insert(kind) {
                altered_is_refused(&schema, &line, |name| {
                    !["tau_us", "period_us", "estimate_us", "user", "objectives"].contains(&name)
                });
            }
        }
    }
    let expected = ["complete", "migrate", "pause", "resume", "run", "start", "submit", "summary", "yield"];
    assert!(kinds.iter().map(String::as_str).eq(expected), "{kinds:?}");
    let run =
        json!({"event": "run", "format": 999, "policy": "EASY", "nodes": 2, "penalty_us": 0, "tau_us": 0});
    assert!(fault(&schema, &run).is_some(), "another version of the format");
}

/// From the schema alone: which column is the primary metric, in which direction, and what distinguishes rows.
#[test]
fn rows_have_roles_units_and_directions() {
    for study in dfrsim::registry().studies() {
        let schema = schema(&["rows", study.name()]);
        assert_eq!(
            (&schema["x-study"], &schema["x-semantics"]),
            (&json!(study.name()), &json!(study.semantics()))
        );
        let types = schema["oneOf"].as_array().unwrap();
        assert_eq!(types.len(), study.row_types().len());
        for (own, row_type) in types.iter().zip(study.row_types()) {
            let properties = own["properties"].as_object().unwrap();
            let primary = properties.values().filter(|column| column["x-role"] == "primary");
            let primary: Vec<&Value> = primary.collect();
            let expected = row_type.columns.iter().filter(|column| column.is_primary()).count();
            assert_eq!(primary.len(), expected, "{}", study.name());
            assert!(primary.iter().all(|column| column["x-better"].is_string()));
            assert!(properties.values().all(|column| column["description"].is_string()));
            let required: Vec<&str> =
                own["required"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
            assert!(
                required.iter().rev().zip(row_type.columns.iter().rev()).all(|(name, own)| *name == own.name)
            );
        }
    }
    let online = schema(&["rows", "online"]);
    assert_eq!(online["oneOf"][0]["properties"]["period_s"]["x-unit"], "s");
}

#[test]
fn what_has_no_schema_is_named() {
    let message = stderr(&mut dfrsim(["schema", "rows", "onlin"]), 2);
    assert!(message.contains("unknown study `onlin`; expected one of online, "), "{message}");
    let message = stderr(&mut dfrsim(["schema", "answer", "completions"]), 2);
    assert!(message.contains("`completions` is not a command with --format json"), "{message}");
}
