//! Tests instances of BtrPlace.

use crate::common::*;
use dfrsim_context_switch::file::{btrplace_state, btrplace_states, cluster_of, states_of};
use dfrsim_context_switch::*;
use dfrsim_input::{Faults, Input, Reader};
use dfrsim_model::Seed;

/// Instance with three nodes, one of them off, two VMs that run on the first node, and one VM to be
/// started. VM 0 shall get more CPU than is left, and stays on the first two nodes; VM 1 may not
/// leave its node, and VM 2 must not be on a node with VM 0.
const INSTANCE: &str = include_str!("btrplace_instance.json");

fn state(text: &str) -> Result<(Cluster, Configuration, Configuration), Faults> {
    let input = btrplace_state(Input::json("instance.json", text)?)?;
    let mut reader = Reader::default();
    let state = dfrsim_state::State::read(&mut reader, [&input]);
    let read = state.and_then(|state| cluster_of(&mut reader, &state));
    let (cluster, current) = reader.finish(read)?;
    let states = states_of(&btrplace_states(Input::json("instance.json", text)?)?, &cluster)?;
    let wanted = in_states(&cluster, &current, &states).unwrap();
    Ok((cluster, current, wanted))
}

#[test]
fn an_instance_is_a_state_and_states() {
    let (cluster, current, wanted) = state(INSTANCE).unwrap();
    let found = solve(&cluster, &current, &wanted, &Limits::default(), Seed::new(1)).unwrap();
    assert!(found.proven);
    let plan = words(&cluster, &found.plan);
    assert!(plan.starts_with("migrate VM0 first>N1, run VM2 "), "{plan}");
    assert_ne!(found.configuration.place(VmId(2)), running(1), "{plan}");
    checked(&cluster, &current, &found.configuration, &found.plan);
}

/// Reports an error of an instance with its line, and rejects unknown constraints.
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
        let faults = state(&broken).unwrap_err().to_string();
        assert!(faults.contains(message), "{faults}");
    }
}
