//! Tests that overrides replace the values of the file.

use crate::example::{FULL, Policy, SMALL, Source, faults, read};
use dfrsim_model::SimSpan;

#[test]
fn values_are_replaced() {
    let overrides = [
        "title = a b",
        "seed = 2",
        "policies=[\"EASY\", 'MCB']",
        "simulation.penalty=1.5",
        "workloads.equal.equal=7",
        "workloads.0.log.file=b.swf",
        "clusters.fast.speed=2",
        "second.policies=FCFS",
    ];
    let scenario = read(FULL, &overrides).unwrap();
    assert_eq!((scenario.title.as_str(), scenario.seed), ("a b", 2));
    assert_eq!(scenario.policies, [Policy("EASY"), Policy("MCB")]);
    assert_eq!(scenario.simulation.penalties, [SimSpan::from_micros(1_500_000)]);
    assert_eq!(scenario.workloads[1].source, Source::Equal(7));
    let Source::Log(log) = &scenario.workloads[0].source else { panic!("the first one is a log") };
    assert_eq!((log.file.given.as_str(), log.file.path.to_str()), ("b.swf", Some("/logs/b.swf")));
    assert_eq!(scenario.second.as_ref().unwrap().policies, [Policy("FCFS")]);
}

#[test]
fn tables_that_the_file_does_not_have_are_made() {
    let scenario = read(SMALL, &["simulation.overrun=kill", "clusters.new.speed=3"]).unwrap();
    assert!(scenario.clusters.contains_key("new"));
    assert!(scenario.second.is_none());
}

#[test]
fn faults_are_those_of_the_override() {
    for (set, message) in [
        ("seed", "expected `key=value`"),
        ("seed=", "expected `key=value`"),
        ("a..b=1", "`a..b` is not a key; expected names joined by dots"),
        ("policies.x=1", "`policies` is a value (string), not a table"),
        ("workloads.nodes=1", "`workloads` is a list; select an entry by its index or its name"),
        ("workloads.x.nodes=1", "`workloads` has no entry `x`; expected one of `w`"),
        ("workloads.ww.nodes=1", "`workloads` has no entry `ww`; did you mean `w`?"),
        ("workloads.1.nodes=1", "`workloads` has only 1 entries, counted from 0; there is no entry 1"),
        ("workloads=1", "`workloads` is a list of tables; set the keys of one of them"),
        ("nods=1", "unknown field `nods`; expected"),
        ("workloads.w.nodes=[1, 2]", "expected a number of nodes from 1 to 4294967295, found a list"),
        ("simulation.floor={ a = 1 }", "expected a yield above 0, at most 1, found a table"),
        ("sizes=[1, 0]", "expected a number of resources from 1 to 100, found 0"),
        ("seed=1\nx=2", "has a line break or another control character"),
    ] {
        let found = faults(SMALL, &[set]);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains(message), "{found:?}");
    }
    let deep = format!("{}=1", ["a"; 10_000].join("."));
    assert!(faults(SMALL, &[&deep])[0].ends_with("is not a key; expected names joined by dots"));
}
