//! Tests damaged files of clusters, wanted states and plans: they are read, or rejected with a
//! position, and what is read is written back unchanged.

#[path = "../../../fuzz/damage.rs"]
mod damage;

use damage::damage;
use dfrsim_context_switch::check::check_plan;
use dfrsim_context_switch::file::{
    cluster_from_json, cluster_to_json, configuration_from_json, states_from_json,
};
use dfrsim_context_switch::plan;
use proptest::prelude::*;

const CURRENT: &str = include_str!("../../../fuzz/seeds/plan/current.json");
const WANTED: &str = include_str!("../../../fuzz/seeds/plan/wanted.json");
const STATES: &str = include_str!("../../../fuzz/seeds/plan/states.json");
const PLAN: &str = include_str!("../../../fuzz/seeds/plan/plan.json");

proptest! {
    #![proptest_config(ProptestConfig::with_cases(dfrsim_testing::cases(500)))]
    #[test]
    fn clusters(text in damage().prop_map(|it| it.of_text(CURRENT))) {
        match cluster_from_json("current.json", &text) {
            Ok((cluster, current)) => {
                let written = cluster_to_json(&cluster, &current);
                let (again, configuration) = cluster_from_json("again.json", &written).unwrap();
                prop_assert_eq!(cluster_to_json(&again, &configuration), written);
            }
            Err(error) => prop_assert!(error.to_string().starts_with("current.json"), "{}", error),
        }
    }

    #[test]
    fn wishes(wanted in damage().prop_map(|it| it.of_text(WANTED)), states in damage().prop_map(|it| it.of_text(STATES))) {
        let (cluster, current) = cluster_from_json("current.json", CURRENT).unwrap();
        match configuration_from_json("wanted.json", &wanted, &cluster, &current) {
            Ok(wanted) => drop(plan(&cluster, &current, &wanted)),
            Err(error) => prop_assert!(error.to_string().starts_with("wanted.json"), "{}", error),
        }
        if let Err(error) = states_from_json("states.json", &states, &cluster) {
            prop_assert!(error.to_string().starts_with("states.json"), "{}", error);
        }
    }

    #[test]
    fn plans(text in damage().prop_map(|it| it.of_text(PLAN))) {
        if let Err(faults) = check_plan(&text) {
            prop_assert!(!faults.to_string().is_empty());
        }
    }
}

/// Reads the undamaged files from which the strategies above start.
#[test]
fn undamaged_files_are_read() {
    let (cluster, current) = cluster_from_json("current.json", CURRENT).unwrap();
    assert!(configuration_from_json("wanted.json", WANTED, &cluster, &current).is_ok());
    assert!(states_from_json("states.json", STATES, &cluster).is_ok());
    assert!(check_plan(PLAN).is_ok());
}
