//! `dfrsim solve adapt` as a user runs it.

use crate::support::{Folder, dfrsim, stderr, stdout};
use std::fs;

/// Jobs that need 6, 6 and 4 of 10 share the first of two nodes; a new one needs all of a node.
const CLUSTER: &str = r#"{
    "nodes": [{"name": "N1", "cpu": 10, "memory": 8}, {"name": "N2", "cpu": 10, "memory": 8}],
    "jobs": [
        {"name": "a", "cpu": 6, "memory": 4, "on": ["N1"]},
        {"name": "b", "cpu": 6, "memory": 2, "on": ["N1"]},
        {"name": "c", "cpu": 4, "memory": 1, "on": ["N1"]},
        {"name": "d", "cpu": 10, "memory": 3}
    ]
}"#;

fn adapt(folder: &Folder, arguments: &[&str]) -> assert_cmd::Command {
    let mut command = dfrsim(["solve", "adapt"]);
    command.arg(folder.path("cluster.json")).args(arguments);
    command
}

#[test]
fn a_budget_says_what_moves_and_the_plan_is_one_for_dfrsim_plan() {
    let folder = Folder::with(&[("cluster.json", CLUSTER)]);
    let printed = stdout(&mut adapt(&folder, &["--budget", "0", "1", "all", "--exact", "10"]));
    let lines: Vec<Vec<&str>> = printed.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(printed.lines().next(), Some("2 nodes, 4 vjobs, 4 VMs, 1 of them new"));
    assert_eq!(lines[2], ["now", "0.625000", "1"]);
    // 10/16 on N1; with c on N2, 10/12 and 10/14; no placement is better, even if every task may move.
    assert_eq!(lines[3], ["0", "0.625000", "0", "0", "2", "100.00", "%", "0", "0.625000"]);
    assert_eq!(lines[4][..4], ["1", "0.714285", "1", "1"]);
    assert_eq!(lines[4][1], lines[4][8]);
    assert_eq!(lines[5][..2], ["all", "0.714285"]);

    let out = [
        "--budget",
        "25%",
        "--plan-out",
        &folder.path("plan.json").display().to_string(),
        "--state-out",
        &folder.path("adapted.json").display().to_string(),
    ]
    .map(str::to_owned);
    let out: Vec<&str> = out.iter().map(String::as_str).collect();
    let printed = stdout(&mut adapt(&folder, &out));
    assert!(printed.contains("\nc   N1    N2       1\nd         N2       3\n"), "{printed}");
    assert!(printed.contains("plan: 1 migration, 1 run"), "{printed}");
    let checked = stdout(dfrsim(["solve", "plan", "--check"]).arg(folder.path("plan.json")));
    assert!(checked.starts_with("2 actions in 1 pool"), "{checked}");
    // The cluster that is written is where the next adaptation begins.
    let after = Folder::with(&[("cluster.json", &fs::read_to_string(folder.path("adapted.json")).unwrap())]);
    let printed = stdout(&mut adapt(&after, &["--budget", "0"]));
    assert!(printed.contains("now      0.714285") && printed.ends_with("nothing to do\n"), "{printed}");
}

#[test]
fn moves_can_be_counted_and_pinned_tasks_stay() {
    let pinned = CLUSTER.replace("\"memory\": 1, ", "\"memory\": 1, \"pinned\": true, ");
    let folder = Folder::with(&[("cluster.json", &pinned)]);
    let printed = stdout(&mut adapt(&folder, &["--budget", "1", "--cost", "moves"]));
    // a or b goes: 10/10 and 10/16 are no better than to stay.
    assert!(printed.contains("\n1        0.625000      0      0"), "{printed}");
}

#[test]
fn the_example_is_adapted() {
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios/adapt/cluster.json");
    let printed =
        stdout(dfrsim(["solve", "adapt", example, "--budget", "0", "25%", "all"]).arg("--cost=memory"));
    assert!(printed.starts_with("4 nodes, 5 vjobs, 11 VMs, 2 of them new\n"), "{printed}");
    let yields: Vec<f64> = printed
        .lines()
        .filter_map(|line| line.split_whitespace().nth(1)?.parse().ok())
        .filter(|part: &f64| *part <= 1.0)
        .collect();
    assert!(yields.is_sorted() && yields.len() == 5, "{printed}");
}

#[test]
fn faults_of_the_file_have_line_and_field() {
    let wrong = CLUSTER
        .replace(
            "\"N1\"]},\n        {\"name\": \"b\"",
            "\"N7\"], \"pined\": true},\n        {\"name\": \"a\"",
        )
        .replace("\"memory\": 3", "\"memory\": -3");
    let folder = Folder::with(&[("cluster.json", &wrong)]);
    let message = stderr(&mut adapt(&folder, &["--budget", "all"]), 2);
    for part in [
        "cluster.json:4: jobs[0]: unknown field `pined`; did you mean `pinned`?",
        "cluster.json:4: jobs[0].on[0]: unknown node `N7`; expected N1 or N2",
        "cluster.json:5: jobs[1].name: two vjobs have the name `a`",
        "cluster.json:7: jobs[3].memory: -3 is not a number from 0 to 4294967295 with at most six decimals",
    ] {
        assert!(message.contains(part), "{message}");
    }
    let message = stderr(&mut adapt(&folder, &["--budget", "120%"]), 2);
    assert!(message.contains("expected a percentage of the total as in 25%"), "{message}");
    let full = CLUSTER.replace("\"memory\": 3", "\"memory\": 9");
    let folder = Folder::with(&[("cluster.json", &full)]);
    let message = stderr(&mut adapt(&folder, &["--budget", "all"]), 1);
    assert!(message.contains("no placement was found"), "{message}");
}

/// Memory decides: a and d fill N1, b and c are on nodes of their own.
#[test]
fn aims_say_what_is_wanted_beside_the_yield() {
    let nodes = "node,cpu,memory,watts\nN1,10,10,200\nN2,10,10,100\nN3,10,10,100\n";
    let vms = "vm,vjob,cpu,memory,node\na,a,1,8,N1\nd,d,1,2,N1\nb,b,1,4,N2\nc,c,1,4,N3\n";
    let folder = Folder::with(&[("nodes.csv", nodes), ("vms.csv", vms)]);
    let solve = |arguments: &str| {
        let mut command = dfrsim(["solve", "adapt"]);
        command.args(["nodes.csv", "vms.csv"].map(|file| folder.path(file)));
        command.args(["--keep-yield", "1"]).args(arguments.split_whitespace());
        command
    };
    let line = |arguments: &str| {
        let printed = stdout(&mut solve(arguments));
        printed.lines().nth(3).unwrap_or_default().split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    // Budget, yield, moved, moves, nodes, peak, may fail: only b and c fit elsewhere.
    assert_eq!(line(""), ["all", "1.000000", "0", "0", "3", "100.00", "%", "2"]);
    // d goes.
    assert_eq!(line("--aim peak"), ["all", "1.000000", "2", "1", "3", "80.00", "%", "2"]);
    // b and c share a node, so that a and d can be on the empty one.
    assert_eq!(line("--aim failure"), ["all", "1.000000", "4", "1", "2", "100.00", "%", "3"]);
    assert_eq!(line("--aim nodes")[..5], ["all", "1.000000", "4", "1", "2"]);
    // All but c leave their nodes, for the two of 100 watts; a budget of 4 leaves N1 on.
    assert_eq!(line("--aim nodes --node-price watts")[..6], ["all", "1.000000", "14", "3", "2", "200"]);
    assert_eq!(
        line("--aim nodes --node-price watts --budget 4")[..6],
        ["4", "1.000000", "4", "1", "2", "300"]
    );
    let message = stderr(&mut solve("--aim nodes --node-price wats"), 2);
    assert!(message.contains("unknown resource `wats`; did you mean `watts`?"), "{message}");
    let message = stderr(&mut solve("--node-price watts"), 2);
    assert!(message.contains("--node-price needs --aim nodes"), "{message}");
}
