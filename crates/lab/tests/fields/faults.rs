//! Tests that all errors are reported at once, each at its position.

use crate::example::{Everything, SMALL, environment, faults, read};
use dfrsim_lab::fields::{Document, ScenarioSource};

#[test]
fn all_faults_of_all_tables() {
    let text = include_str!("faults.toml");
    let expected: Vec<&str> = include_str!("faults.txt").lines().collect();
    let found = faults(text, &[]);
    for (found, expected) in found.iter().zip(&expected) {
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

/// Refuses what is listed twice, as it would count once; regular expressions may overlap.
#[test]
fn elements_that_are_listed_twice_are_refused() {
    let again = |what: &str, first: u32| {
        format!("{what} is the same as element {first} of the list; remove one of them")
    };
    let with = |list: &str| SMALL.replacen("policies = \"FCFS\"", &format!("policies = {list}"), 1);
    let found = faults(&with(r#"["EASY", "FCFS", "EASY"]"#), &[]);
    assert_eq!(found, [format!("2:29: {}", again("\"EASY\"", 1))]);
    assert!(read(&with(r#"["FCFS", { matching = "^F" }, { matching = "." }]"#), &[]).is_ok());
    let found = faults(SMALL, &["simulation.penalty=[5, 6.0, 6, 5]"]);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].ends_with(&again("6", 2)) && found[1].ends_with(&again("5", 1)), "{found:?}");
}

/// Reports an unknown field of a table in which `log` and `equal` are read as alternatives too.
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
        ("1e30", "expected at most 500 years, in seconds, found 1e30"),
        ("1e-9", "expected a number of seconds of at least one microsecond, found 1e-9"),
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
