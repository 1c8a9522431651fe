//! Small clusters of virtualised jobs, built and not read: every plan between two configurations passes the checker.
#![no_main]

use arbitrary::Arbitrary;
use dfrsim_context_switch::check::check_plan;
use dfrsim_context_switch::file::{
    PlanFigures, cluster_from_json, configuration_from_json, plan_to_json, states_from_json,
};
use dfrsim_context_switch::{
    Cluster, Configuration, Durations, Limits, Plan, in_states, plan, solve, timetable,
};
use dfrsim_model::Seed;
use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};

#[derive(Arbitrary, Debug)]
struct Problem {
    nodes: Vec<(u8, u8)>,
    vjobs: Vec<Vec<Vm>>,
    constraints: Vec<(u8, u8, u8)>,
    states: Vec<u8>,
}

#[derive(Arbitrary, Debug)]
struct Vm {
    cpu: u8,
    memory: u8,
    before: (u8, u8),
    after: (u8, u8),
}

fn state(number: u8) -> &'static str {
    ["waiting", "running", "running", "sleeping", "dozing", "terminated"][usize::from(number % 6)]
}

fn place(vm: &str, (number, node): (u8, u8), nodes: usize) -> Value {
    let mut value = json!({ "name": vm, "state": state(number) });
    if matches!(state(number), "running" | "sleeping" | "dozing") {
        value["node"] = json!(format!("N{}", usize::from(node) % nodes));
    }
    value
}

fn checked(cluster: &Cluster, before: &Configuration, after: &Configuration, pools: &Plan) {
    let figures = PlanFigures { cost: pools.cost(cluster), bound: None, proven: false };
    let timed = timetable(cluster, pools, after, &Durations::default());
    let document = plan_to_json(cluster, before, after, &timed, &figures);
    check_plan(&document).expect("the plan is one");
}

fuzz_target!(|problem: Problem| {
    let count = problem.nodes.len().clamp(1, 5);
    let capacity = |at: usize| problem.nodes.get(at).copied().unwrap_or((2, 8));
    let nodes: Vec<Value> = (0..count)
        .map(|at| json!({ "name": format!("N{at}"), "cpu": capacity(at).0 % 5, "memory": capacity(at).1 % 17 }))
        .collect();
    let (mut vjobs, mut wanted, mut names) = (Vec::new(), Vec::new(), Vec::new());
    for (at, vms) in problem.vjobs.iter().take(4).enumerate() {
        let mut described = Vec::new();
        for (number, vm) in vms.iter().take(4).enumerate() {
            let name = format!("V{at}-{number}");
            let mut value = place(&name, vm.before, count);
            value["cpu"] = json!(vm.cpu % 3);
            value["memory"] = json!(vm.memory % 9);
            described.push(value);
            wanted.push(place(&name, vm.after, count));
            names.push(name);
        }
        vjobs.push(json!({ "name": format!("J{at}"), "vms": described }));
    }
    let constraints: Vec<Value> = problem
        .constraints
        .iter()
        .take(3)
        .filter(|_| names.len() > 1)
        .map(|&(kind, first, second)| {
            let vms = [first, second].map(|vm| &names[usize::from(vm) % names.len()]);
            match kind % 8 {
                0 => json!({ "kind": "spread", "vms": vms }),
                1 => json!({ "kind": "gather", "vms": vms }),
                2 => json!({ "kind": "ban", "vms": vms, "nodes": ["N0"] }),
                3 => json!({ "kind": "fence", "vms": vms, "nodes": ["N0"] }),
                4 => json!({ "kind": "lonely", "vms": vms }),
                5 => json!({ "kind": "serialise", "vms": vms }),
                6 => json!({ "kind": "running-capacity", "nodes": ["N0"], "limit": first % 4 }),
                _ => json!({ "kind": "overbook", "nodes": ["N0"], "resource": "memory", "ratio": 1.5 }),
            }
        })
        .collect();
    let text = json!({ "nodes": nodes, "vjobs": vjobs, "constraints": constraints }).to_string();
    let Ok((cluster, before)) = cluster_from_json("built.json", &text) else { return };
    let to = json!({ "vms": wanted }).to_string();
    if let Ok(after) = configuration_from_json("wanted.json", &to, &cluster, &before)
        && let Ok(pools) = plan(&cluster, &before, &after)
    {
        checked(&cluster, &before, &after, &pools);
    }
    let asked: Vec<Value> = (problem.states.iter().take(vjobs.len()).enumerate())
        .map(|(at, &number)| json!({ "name": format!("J{at}"), "state": state(number) }))
        .collect();
    let limits = Limits { steps: 20, time: None };
    if let Ok(states) = states_from_json("states.json", &json!({ "vjobs": asked }).to_string(), &cluster)
        && let Ok(wanted) = in_states(&cluster, &before, &states)
        && let Ok(found) = solve(&cluster, &before, &wanted, &limits, Seed::new(1))
    {
        checked(&cluster, &before, &found.configuration, &found.plan);
    }
});
