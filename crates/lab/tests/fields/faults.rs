//! All faults at once, each at its place.

use crate::example::{Everything, SMALL, environment, faults, read};
use dfrsim_lab::fields::{Document, ScenarioSource};

#[test]
fn all_faults_of_all_tables() {
    let text = r#"study = "everything"
polices = ["FCFS"]
policies = ["FCSF", { matching = "^X" }, { matching = "(" }, { match = "a" }, 3]
seeds = 4
audit = "yes"
sizes = [1, "two", 300]
time_limit = 0
second = 4
seed = -1

[simulation]
penalty = []
floor = 0
memory = 1.5
overrun = "klil"
flops = 0
margins = [1]
meaning = 42

[[workloads]]
name = ""
nodes = -3
log = { file = "missing", annotation = { cores = { cors = 1 } } }

[[workloads]]
name = "b"
log = 1
equal = 1

[[workloads]]
name = "c"
nodes = 99999999999999999999

[clusters.x]
speed = 0.0001
[clusters]
y = 1
"#;
    let expected = [
        "2:1: unknown field `polices`; did you mean `policies`?",
        "3:13: unknown policy `FCSF`; did you mean `FCFS`?",
        "3:34: no policy matches `^X`",
        "3:55: `(` is not a regular expression: ",
        "3:62: missing field `matching`",
        "3:64: unknown field `match`; did you mean `matching`?",
        "3:79: expected the name of a policy, { matching = \"a regular expression\" } or a list of these, found 3",
        "4:1: `seeds` is now called `replications`",
        "5:9: expected `true` or `false`, found \"yes\"",
        "6:13: expected a number of resources from 1 to 100, found \"two\"",
        "6:20: expected a number of resources from 1 to 100, found 300",
        "7:14: expected a number of seconds above 0, found 0",
        "8:10: expected a table, found 4",
        "9:8: expected a seed from 0, found -1",
        "12:11: expected at least one: a number of seconds from 0 or a list of them, found an empty list",
        "13:9: expected a yield above 0, at most 1, found 0",
        "14:10: expected a part of a node from 0 to 1, found 1.5",
        "15:11: expected `extend` or `kill`, found \"klil\"; did you mean `kill`?",
        "16:9: expected flop/s from 1 to 1000000000000000000, found 0",
        "17:11: expected two numbers of seconds, found a list",
        "18:1: unknown field `meaning`; expected penalty, floor, memory, overrun, flops or margins",
        "21:8: expected the name of a workload: 1 to 200 characters, no control characters, not beginning with = + - or @, found \"\"",
        "22:9: expected a number of nodes from 1 to 4294967295, found -3",
        "23:16: there is no file missing",
        "23:52: unknown field `cors`; did you mean `cores`?",
        "25:1: missing field `nodes`",
        "28:9: expected only one of `log` or `equal`",
        "30:1: expected one of `log` or `equal`",
        "32:9: expected a number of nodes from 1 to 4294967295, found 99999999999999999999",
        "35:9: expected a speed with three decimals, found 0.0001",
        "37:5: expected a table, found 1",
    ];
    let found = faults(text, &[]);
    for (found, expected) in found.iter().zip(expected) {
        assert!(found.starts_with(expected), "expected {expected}\nfound    {found}");
    }
    assert_eq!(found.len(), expected.len(), "{found:#?}");
}

#[test]
fn what_is_missing_is_said_of_the_table() {
    assert_eq!(
        faults("study = \"everything\"", &[]),
        ["file: missing field `policies`", "file: expected at least one `workloads` table"]
    );
    assert_eq!(faults("", &[]), ["file: missing field `study`"]);
    assert_eq!(
        faults("study = \"everything\"\npolicies = []\nworkloads = []", &[]),
        ["2:12: expected at least one policy", "3:13: expected at least one table, found an empty list"]
    );
}

#[test]
fn tables_of_one_name_are_refused() {
    let text = format!("{SMALL}[[workloads]]\nequal = 1\nname = \"w\"\nnodes = 1\n");
    assert_eq!(faults(&text, &[]), ["9:8: duplicate workload `w`"]);
}

/// `log` and `equal` are read as alternatives too.
#[test]
fn an_unknown_field_is_reported_with_each_known_one_once() {
    let text = format!("{SMALL}[[workloads]]\nequal = 1\nname = \"v\"\nnodes = 1\nzzz = 1\n");
    assert_eq!(faults(&text, &[]), ["11:1: unknown field `zzz`; expected name, nodes, log or equal"]);
}

#[test]
fn fields_are_checked_together() {
    let text = format!("{SMALL}[simulation]\nmargins = [2_000, 0]\noverrun = \"kill\"");
    let expected = "8:11: a warm-up this long goes with `overrun = \"extend\"` only";
    assert_eq!(faults(&text, &[]), [expected]);
}

#[test]
fn spans_of_time_have_their_limits() {
    for (seconds, message) in [
        ("1e30", "expected at most 500 years in seconds, found 1e30"),
        ("1e-9", "expected a number of seconds that is not 0 in microseconds, found 1e-9"),
        ("nan", "expected a number of seconds above 0, found nan"),
        ("inf", "expected a number of seconds above 0, found inf"),
    ] {
        let expected = format!("override `time_limit={seconds}`: {message}");
        assert_eq!(faults(SMALL, &[&format!("time_limit={seconds}")]), [expected]);
    }
}

#[test]
fn faults_of_toml_are_all_of_them() {
    let found = faults("study = \"everything\"\na = [1,\nb = 2\nc = = 3\n", &[]);
    assert!(found.len() >= 2, "{found:?}");
}

#[test]
fn a_fault_is_shown_in_its_line() {
    let errors = read(&SMALL.replace("nodes = 4", "nodes = -3"), &["seed=x"]).unwrap_err().to_string();
    assert_eq!(
        errors,
        "a.toml:5:9: expected a number of nodes from 1 to 4294967295, found -3\n  5 | nodes = -3\n    |         ^^\n\
         override `seed=x`: expected a seed from 0, found \"x\""
    );
}

#[test]
fn a_document_knows_its_study() {
    let environment = environment();
    let source = |text| ScenarioSource {
        text,
        name: "a.toml",
        folder: None,
        overrides: &[],
        environment: &environment,
    };
    let document = Document::parse(&source(SMALL)).unwrap();
    assert_eq!(document.study().unwrap(), "everything");
    assert_eq!(document.read::<Everything>().unwrap().policies.len(), 1);
    let other = Document::parse(&source("study = \"ofline\"")).unwrap();
    let message = other.unknown_study(["online", "offline"]).to_string();
    assert!(message.starts_with("a.toml:1:9: unknown study `ofline`; did you mean `offline`?"), "{message}");
    assert_eq!(faults("study = 3", &[]), ["1:9: expected a text, found 3"]);
}
