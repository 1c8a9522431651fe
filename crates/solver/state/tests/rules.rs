//! Rules of a state: selectors of labels, weights, and overcommit ratios.

use dfrsim_input::{Input, Reader};
use dfrsim_state::{Constraint, State};
use serde_json::{Value, json};

/// Reads a state with two web servers and a database on three nodes, and these constraints.
fn read(constraints: &Value) -> Result<(Vec<Constraint>, String), String> {
    let state = json!({
        "nodes": [
            { "name": "n1", "cpu": 4, "memory": 8, "labels": { "zone": "a" }, "overcommit": { "cpu": 3 } },
            { "name": "n2", "cpu": 4, "memory": 8, "labels": { "zone": "b" } },
            { "name": "n3", "cpu": 4, "memory": 8 }],
        "overcommit": { "cpu": 1.5 },
        "vms": [
            { "name": "web1", "cpu": 1, "memory": 1, "labels": { "app": "web", "tier": "x" } },
            { "name": "web2", "cpu": 1, "memory": 1, "labels": { "app": "web", "tier": "y" } },
            { "name": "db", "cpu": 1, "memory": 1, "labels": { "app": "db" } }],
        "constraints": constraints });
    let input = Input::json("state.json", &state.to_string()).unwrap();
    let mut reader = Reader::default();
    let read = State::read(&mut reader, [&input])
        .and_then(|state| Some((state.read_constraints(&mut reader)?, state.to_json())));
    reader.finish(read).map_err(|faults| faults.to_string())
}

#[test]
fn labels_select_vms_and_nodes() {
    let (found, _) = read(&json!([
        { "kind": "spread", "vms": { "label": { "app": "web" } } },
        { "kind": "fence", "weight": 7, "vms": ["db", { "label": { "app": ["db", "web"], "tier": "y" } }],
          "nodes": { "label": { "zone": ["a", "b"] } } },
        { "kind": "among", "vms": { "label": { "app": "web" } }, "groups": { "by_label": "zone" } },
        { "kind": "split", "groups": { "by_label": "app" } },
    ]))
    .unwrap();
    assert_eq!(found[0].vms, [["web1", "web2"]]);
    assert_eq!(
        (&found[1].vms, &found[1].nodes),
        (&vec![vec!["db".into(), "web2".into()]], &vec![vec!["n1".into(), "n2".into()]])
    );
    assert_eq!(found[1].weight, Some(7));
    assert_eq!(found[2].nodes, [["n1"], ["n2"]]);
    assert_eq!(found[3].vms, [vec!["db"], vec!["web1", "web2"]]);
    assert!(found[0].is_continuous && !found[1].is_continuous);
}

#[test]
fn ratios_of_nodes_come_before_those_of_all() {
    let (_, text) = read(&json!([])).unwrap();
    let state: Value = serde_json::from_str(&text).unwrap();
    let ratios: Vec<&Value> =
        state["nodes"].as_array().unwrap().iter().map(|it| &it["overcommit"]["cpu"]).collect();
    assert_eq!(json!(ratios), json!([3, 1.5, 1.5]));
    assert_eq!(state["vjobs"][0]["vms"][0]["labels"], json!({ "app": "web", "tier": "x" }));
}

#[test]
fn wrong_rules_are_named() {
    for (constraint, expected) in [
        (
            json!({ "kind": "spread", "vms": { "label": { "ap": "web" } } }),
            "no VM has the label `ap`; expected one of `app`, `tier`",
        ),
        (json!({ "kind": "spread", "vms": { "label": { "app": "x" } } }), "no VM has these labels"),
        (json!({ "kind": "spread", "vms": { "label": {} } }), "expected at least one label"),
        (json!({ "kind": "split", "groups": { "by_label": "zone" } }), "no VM has the label `zone`"),
        (json!({ "kind": "root", "vms": ["db"], "weight": 3 }), "unknown field `weight`"),
        (json!({ "kind": "spread", "vms": ["db"], "weight": 0 }), "weight"),
        (
            json!({ "kind": "spread", "vms": ["db"], "weight": 3, "continuous": true }),
            "a rule with a weight is about the end",
        ),
    ] {
        let faults = read(&json!([constraint])).unwrap_err();
        assert!(faults.contains(expected), "{faults}");
    }
}

#[test]
fn tables_have_labels_and_ratios() {
    let nodes =
        Input::csv("nodes.csv", "node,cpu,memory,label.zone,overcommit.cpu\nn1,4,8,a,2.5\nn2,4,8,b,\n");
    let vms = Input::csv("vms.csv", "vm,cpu,memory,node,label.app\nweb,1,1,n1,web\ndb,1,1,n2,\n");
    let mut reader = Reader::default();
    let state = State::read(&mut reader, [&nodes, &vms]);
    let state = reader.finish(state).unwrap();
    assert_eq!(state.resources, ["cpu", "memory"]);
    assert_eq!(state.nodes[0].overcommit["cpu"].to_string(), "2.5");
    assert!(state.nodes[1].overcommit.is_empty() && state.vms[1].labels.is_empty());
    assert!(state.vms_to_csv().contains("pinned,label.app,cpu"), "{}", state.vms_to_csv());
    let wrong = Input::csv("nodes.csv", "node,cpu,memory,overcommit.gpu\nn1,4,8,2\n");
    let mut reader = Reader::default();
    let state = State::read(&mut reader, [&wrong]);
    let faults = reader.finish(state).unwrap_err().to_string();
    assert!(faults.contains("`overcommit`: the node has no resource `gpu`"), "{faults}");
}
