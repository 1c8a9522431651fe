//! Tests `dfrsim solve` as a user runs it: a result of one problem is the input of the next.

use crate::support::{Folder, dfrsim, stderr, stdout};
use std::fmt::Write as _;
use std::fs;

/// Creates a cluster of 40 nodes of three kinds and 500 VMs of 100 vjobs. Some VMs have GPUs, most
/// run where first-fit places them, and the CPU is overcommitted.
fn cluster() -> (String, String) {
    let mut nodes = "node,cpu,memory,gpu,label.rack\n".to_owned();
    let mut free = Vec::new();
    for node in 0..40_usize {
        let (cpu, memory, gpu) = [(16, 131_072, 0), (32, 262_144, 0), (48, 393_216, 4)][node % 3];
        writeln!(nodes, "n{node},{cpu},{memory},{gpu},r{}", node / 10).unwrap();
        free.push((memory, gpu));
    }
    let mut vms = "vm,vjob,cpu,memory,gpu,node,least_yield\n".to_owned();
    for vm in 0..500_usize {
        let cpu = [1, 2, 4, 8][vm * 7 % 4];
        let memory = [2_048, 4_096, 8_192, 16_384, 24_576][vm * 11 % 5];
        let gpu = usize::from(vm % 25 == 0);
        let is_new = vm % 10 == 9;
        let fits = |&(_, &(has, gpus)): &(usize, &(usize, usize))| has >= memory && gpus >= gpu;
        let node = free.iter().enumerate().find(fits).map(|(node, _)| node).filter(|_| !is_new);
        if let Some(node) = node {
            free[node].0 -= memory;
            free[node].1 -= gpu;
        }
        let on = node.map(|node| format!("n{node}")).unwrap_or_default();
        writeln!(vms, "vm{vm},job{},{cpu}.5,{memory},{gpu},{on},0.1", vm / 5).unwrap();
    }
    (nodes, vms)
}

fn solve(folder: &Folder, line: &str) -> assert_cmd::Command {
    let mut command = dfrsim(["solve"]);
    for word in line.split_whitespace() {
        match word.contains('.') && !word.starts_with("0.") {
            true => command.arg(folder.path(word)),
            false => command.arg(word),
        };
    }
    command
}

#[test]
fn a_cluster_of_500_vms_goes_from_csv_to_a_checked_plan() {
    let (nodes, vms) = cluster();
    let folder = Folder::with(&[("nodes.csv", &nodes), ("vms.csv", &vms)]);
    let packed =
        stdout(&mut solve(&folder, "pack nodes.csv vms.csv --state-out packed.json --plan-out there.json"));
    assert!(
        packed.contains("VP_EJECT") && packed.contains(" 50 starts, ") || packed.contains("\n50 starts, "),
        "{packed}"
    );
    let least: f64 = packed.lines().nth(2).unwrap().split_whitespace().nth(1).unwrap().parse().unwrap();
    let line = "adapt nodes.csv vms.csv --budget 0 10% --state-out adapted.json --format json";
    let adapted: serde_json::Value = serde_json::from_str(&stdout(&mut solve(&folder, line))).unwrap();
    let budgets = adapted["budgets"].as_array().unwrap();
    let yields: Vec<f64> = budgets.iter().map(|tried| tried["minimum_yield"].as_f64().unwrap()).collect();
    assert!(yields[0] < yields[1] && yields[1] <= least + 0.05, "{yields:?}, {least}");
    assert!(budgets[1]["moved"].as_u64() <= budgets[1]["allowed"].as_u64());
    // Moves without cost do not improve the packing.
    let again = stdout(&mut solve(&folder, "adapt packed.json --budget 0 --state-out same.json"));
    assert!(again.ends_with("nothing to do\n"), "{again}");
    let states = ["packed.json", "same.json"].map(|name| fs::read_to_string(folder.path(name)).unwrap());
    assert_eq!(states[0], states[1]);
    // Plan from the current places of the VMs to the adapted state, and back as CSV.
    let line = "plan nodes.csv vms.csv --to adapted.json --plan-out plan.json --state-out after.csv --picture plan.svg";
    let planned = stdout(&mut solve(&folder, line));
    assert!(planned.contains(" migrations, ") && planned.contains("50 runs"), "{planned}");
    for plan in ["plan.json", "there.json"] {
        let checked = stdout(&mut solve(&folder, &format!("plan --check {plan}")));
        assert!(checked.ends_with(": no violation\n"), "{checked}");
    }
    let there = stdout(&mut solve(&folder, "plan nodes.csv after.csv --to adapted.json"));
    assert!(there.starts_with("nothing to do\n"), "{there}");
}

#[test]
fn constraints_hold_in_all_problems() {
    let state = include_str!("fixtures/constraints.json");
    let folder = Folder::with(&[("state.json", state)]);
    for line in ["pack state.json", "adapt state.json --budget all", "plan state.json --decide"] {
        stdout(&mut solve(&folder, &format!("{line} --state-out after.json")));
        let after: serde_json::Value =
            serde_json::from_str(&fs::read_to_string(folder.path("after.json")).unwrap()).unwrap();
        let places =
            after["vjobs"].as_array().unwrap().iter().map(|vjob| vjob["vms"][0]["node"].as_str().unwrap());
        assert_eq!(places.collect::<Vec<_>>(), ["N1", "N2", "N1", "N2"], "{line}");
        assert_eq!(after["constraints"].as_array().unwrap().len(), 3);
    }
    // Gathered VMs that do not fit on any node beside the one that is pinned.
    let gather = state
        .replace("\"constraints\": [", "\"constraints\": [{\"kind\": \"gather\", \"vms\": [\"c\", \"d\"]}, ");
    fs::write(folder.path("state.json"), gather).unwrap();
    let message = stderr(&mut solve(&folder, "pack state.json --state-out none.json"), 1);
    let rules = "gather of `c`, `d`; ban of `c` and `N2`; running-capacity of `N1`; root of `a`";
    assert!(message.contains(&format!("these cannot hold together: {rules}")), "{message}");
    assert!(!folder.path("none.json").exists());
}
