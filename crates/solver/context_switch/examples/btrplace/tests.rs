use super::*;
use dfrsim_context_switch::check::check_plan;
use dfrsim_context_switch::file::{PlanFigures, cluster_of, plan_to_json, states_of};
use dfrsim_context_switch::*;
use dfrsim_input::{Faults, Reader};
use dfrsim_model::{NodeId, Seed};

/// Three nodes, one of them off; VMs 0 and 1 run on the first node, and VM 2 must be started. VM 0
/// needs more CPU than is free there, and must stay on the first two nodes. VM 1 must not leave its
/// node, and VM 2 must not share a node with VM 0.
const INSTANCE: &str = include_str!("instance.json");

/// Converts an instance and reads the resulting files as `dfrsim solve plan` does.
fn read(text: &str) -> Result<(Cluster, Configuration, Configuration), Faults> {
    let instance = Instance::parse(&Input::json("instance.json", text)?)?;
    let input = Input::json("state.json", &instance.state().to_string())?;
    let mut reader = Reader::default();
    let state = dfrsim_state::State::read(&mut reader, [&input]);
    let loaded = state.and_then(|state| cluster_of(&mut reader, &state));
    let (cluster, current) = reader.finish(loaded)?;
    let states = states_of(&Input::json("states.json", &instance.states().to_string())?, &cluster)?;
    let wanted = in_states(&cluster, &current, &states).unwrap();
    Ok((cluster, current, wanted))
}

#[test]
fn an_instance_is_a_state_and_states() {
    let (cluster, current, wanted) = read(INSTANCE).unwrap();
    let found = solve(&cluster, &current, &wanted, &Limits::default(), Seed::new(1)).unwrap();
    assert!(found.proven);
    let pool = &found.plan.pools()[0];
    let names: Vec<&str> = pool.iter().map(|action| cluster.vm(action.vm()).name.as_str()).collect();
    assert_eq!(names, ["VM0", "VM2"]);
    assert_eq!(pool[0].kind(), Kind::Migrate);
    assert_eq!(found.configuration.place(VmId(0)), Place::Running(NodeId(1)));
    assert_eq!(cluster.node(NodeId(0)).name, "first");
    assert_ne!(found.configuration.place(VmId(2)), Place::Running(NodeId(1)));
    let pools = timetable(&cluster, &found.plan, &found.configuration, &Durations::default());
    let figures = PlanFigures { cost: found.cost, bound: Some(found.bound), proven: found.proven };
    let text = plan_to_json(&cluster, &current, &found.configuration, &pools, &figures);
    check_plan(&text).unwrap_or_else(|faults| panic!("{faults}\n{text}"));
}

/// Errors in instances carry the line number, and an unknown constraint is an error.
#[test]
fn faults_of_instances_have_their_lines() {
    for (what, instead, message) in [
        (
            "\"root\"",
            "\"rooted\"",
            "instance.json:17: constraints[4].id: unknown constraint `rooted`; did you mean `root`?",
        ),
        ("\"vm\": 2", "\"vm\": -2", "instance.json:14: constraints[1].vm: -2 is not an integer"),
        ("\"readyVMs\": [2]", "\"readyVMs\": 2", "instance.json:3: model.mapping.readyVMs: invalid type"),
        ("\"running\", \"vm\": 2", "\"running\", \"vm\": 7", "unknown vjob `VM7`"),
    ] {
        let broken = INSTANCE.replacen(what, instead, 1);
        let faults = read(&broken).unwrap_err().to_string();
        assert!(faults.contains(message), "{faults}");
    }
}
