//! Tests `dfrsim schema`: the output of this program is valid by its schemas, and other documents
//! are not.

use crate::support::{Folder, dfrsim, stderr, stdout};
use crate::validator::fault;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// Returns the schema that these words select.
pub(crate) fn schema(of: &[&str]) -> Value {
    let schema: Value = serde_json::from_str(&stdout(dfrsim(["schema"]).args(of))).unwrap();
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema", "{of:?}");
    schema
}

/// Checks that every line of a file is valid by the schema; returns the lines.
pub(crate) fn valid_lines(schema: &Value, path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for line in &lines {
        assert_eq!(fault(schema, line), None, "{}: {line}", path.display());
    }
    assert!(!lines.is_empty());
    lines
}

/// Checks that the schema rejects the object without any of its fields that `is_required`, with an
/// additional field, and with a field of another type.
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
        // A field that is null may be a text in other objects.
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
        let simulate = ["simulate", "--workload", "week.swf", "--nodes", "6", "--annotate", "lublin"];
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

/// The schema alone determines the primary metric, its direction, and the columns that distinguish
/// rows.
#[test]
fn rows_have_roles_units_and_directions() {
    for study in dfrsim::registry().studies() {
        let schema = schema(&["rows", study.name]);
        assert_eq!(
            (&schema["x-study"], &schema["x-semantics"]),
            (&json!(study.name), &json!(study.semantics))
        );
        let types = schema["oneOf"].as_array().unwrap();
        assert_eq!(types.len(), study.row_types.len());
        for (own, row_type) in types.iter().zip(study.row_types) {
            let properties = own["properties"].as_object().unwrap();
            let primary = properties.values().filter(|column| column["x-role"] == "primary");
            let primary: Vec<&Value> = primary.collect();
            let expected = row_type.columns.iter().filter(|column| column.is_primary()).count();
            assert_eq!(primary.len(), expected, "{}", study.name);
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

/// Validates the requests to a policy and its answers, with classes, outages and a site.
#[cfg(unix)]
#[test]
fn lines_of_the_pipe_are_as_their_schemas_say() {
    let platform = "classes = [{ name = 'a', nodes = 4, cores = 4, memory_gb = 8 },
        { name = 'b', nodes = 4, cores = 4, memory_gb = 8, speed = 0.5, resources = { gpu = 2 }, features = ['x'] }]";
    let policy = r#"tee sent | { read -r a; echo '{"lists":true}'; while read -r ask; do case $ask in *'"event":"end"'*) exit;; esac
jobs=$(echo "$ask" | grep -o '"waiting":[^]]*' | grep -o '"job":[0-9]*' | cut -d: -f2 | tr '\n' ',')
echo "{\"start\":[${jobs%,}]}"; done; } | tee answered"#;
    let files = [
        ("classes.toml", platform),
        ("policy.sh", policy),
        ("site.toml", "weights = { age = 5 }\n[[qos]]\nname = 'a'\nqueues = [1]\nweight = 2\n"),
    ];
    let folder = Folder::with(&files);
    stdout(&mut folder.dfrsim("log generate --jobs 40 --nodes 8 --seed 1 --load 0.9 --out week.swf"));
    let line = "simulate --workload week.swf --platform classes.toml --request gpu:0.3:1+2 --priority site.toml \
                --failures exponential:30000,exponential:3000 --maintenance 500:90000:1500:0-3 --events-out week.jsonl";
    stdout(folder.dfrsim(line).args(["--policy", "pipe:sh policy.sh"]));
    stdout(&mut folder.dfrsim("audit week.jsonl"));
    let lines = valid_lines(&schema(&["pipe", "message"]), &folder.path("sent"));
    for name in ["interrupted", "down", "windows", "running"] {
        assert!(lines.iter().any(|line| line.get(name).is_some()), "{name}");
    }
    assert_eq!(
        (&lines[0]["classes"][1]["resources"]["gpu"], &lines[0]["site"]["weights"]["age"]),
        (&json!(2), &json!(5))
    );
    for altered in [json!({"event": "begin", "format": 1}), json!({"event": "decide", "now": "noon"})] {
        assert_ne!(fault(&schema(&["pipe", "message"]), &altered), None, "{altered}");
    }
    let answers = fs::read_to_string(folder.path("answered")).unwrap();
    let answers: Vec<Value> =
        answers.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect();
    answers.iter().for_each(|answer| assert_eq!(fault(&schema(&["pipe", "answer"]), answer), None));
    altered_is_refused(&schema(&["pipe", "answer"]), &answers[0], |_| false);
}
