//! Tests the configurations from which the optimiser starts.

use crate::common::*;
use dfrsim_context_switch::workload::{InitialState, Sample, SampleShape};
use dfrsim_context_switch::*;
use dfrsim_model::Seed;
use rayon::prelude::*;

/// Limits under which only the start configuration is computed.
const BEGINNING: Limits = Limits { steps: 0, time: None };

/// Keeps running VMs in place if an arriving VM is larger and must not share a node with them.
#[test]
fn who_may_stay_stays() {
    let vms: Vec<(u32, i64, i64)> = (0..4).map(|vjob| (vjob, 1, 1)).chain([(4, 1, 3)]).collect();
    let places = Configuration::new((0..4).map(running).chain([WAITING]).collect());
    let spread = Constraint::new(ConstraintKind::Spread, vec![(0..5).map(VmId).collect()], Vec::new());
    let cluster = cluster(&[(4, 8); 5], &vms).with_constraints(vec![spread], &places);
    let wanted = in_states(&cluster, &places, &[None, None, None, None, Some(VmState::Running)]).unwrap();
    for seed in 0..20 {
        let found = solve(&cluster, &places, &wanted, &BEGINNING, Seed::new(seed)).unwrap();
        assert_eq!(words(&cluster, &found.plan), "run VM5 N5", "seed {seed}");
    }
}

/// Moves the cheapest set of VMs from an overloaded node.
#[test]
fn the_cheapest_vms_leave_an_overloaded_node() {
    let cluster = cluster(&[(4, 16), (4, 16)], &[(0, 3, 5), (1, 2, 2), (2, 1, 2)]);
    let places = Configuration::new(vec![running(0); 3]);
    let found = solve(&cluster, &places, &places, &BEGINNING, Seed::new(1)).unwrap();
    assert_eq!(words(&cluster, &found.plan), "migrate VM2 N1>N2");
}

/// Finds a configuration for the states chosen by the decision module without the nodes that it
/// found for them.
#[test]
fn what_was_decided_is_found_by_states_alone() {
    let failed: Vec<String> = (1..=100_u64)
        .into_par_iter()
        .filter_map(|seed| {
            let shape = SampleShape { nodes: 200, vms: 500, busy: Some(0.9) };
            let Sample { cluster, current } = Sample::draw(shape, &InitialState::ALL, Seed::new(seed));
            let queue = first_come_first_served(&cluster);
            let decided = select_running(&cluster, &current, &queue, SuspendTo::Disk);
            let state = |vjob| Some(decided.place(cluster.vms_of(vjob)[0]).state());
            let states: Vec<Option<VmState>> = cluster.vjob_ids().map(state).collect();
            let wanted = in_states(&cluster, &current, &states).unwrap();
            solve(&cluster, &current, &wanted, &BEGINNING, Seed::new(1))
                .err()
                .map(|error| format!("{seed}: {error}"))
        })
        .collect();
    assert!(failed.is_empty(), "{failed:#?}");
}
