//! Tests `dfrsim bench` as a user runs it.

use crate::support::{Folder, dfrsim, stdout};
use serde_json::Value;

const ONCE: [&str; 4] = ["bench", "--repeat", "1", "--name"];

#[test]
fn machines_are_rated_and_shown_side_by_side() {
    let folder = Folder::with(&[]);
    let ours = stdout(dfrsim(ONCE).args(["ours", "--format", "json"]));
    let rated: Value = serde_json::from_str(&ours).unwrap();
    let works: Vec<&str> =
        rated["works"].as_array().unwrap().iter().map(|work| work["work"].as_str().unwrap()).collect();
    assert_eq!(works, ["read", "easy", "cons", "dfrs", "pack"]);
    // Twice as slow in each workload gives half the rating.
    let mut half = rated.clone();
    half["machine"] = "half".into();
    for work in half["works"].as_array_mut().unwrap() {
        work["seconds"] = (2.0 * work["seconds"].as_f64().unwrap()).into();
    }
    std::fs::write(folder.path("ours.json"), &ours).unwrap();
    std::fs::write(folder.path("half.json"), half.to_string()).unwrap();
    let with = [folder.path("ours.json"), folder.path("half.json")];
    let beside = stdout(dfrsim(ONCE).args(["again", "read", "--format", "json", "--with"]).args(with));
    let beside: Value = serde_json::from_str(&beside).unwrap();
    let others = beside["others"].as_array().unwrap();
    let rating = |place: usize| others[place]["rating"].as_f64().unwrap();
    assert!((rating(0) / rating(1) - 2.0).abs() < 1e-9, "{beside}");
    assert_eq!(rating(0), rated["rating"].as_f64().unwrap());
    assert_eq!(rating(2), 1.0, "the reference is the last");
    let text = stdout(dfrsim(ONCE).args(["short", "read"]));
    let line = text.lines().find(|line| line.starts_with("short")).unwrap();
    assert_eq!(line.split_whitespace().filter(|&cell| cell == "-").count(), 4, "{text}");
}
