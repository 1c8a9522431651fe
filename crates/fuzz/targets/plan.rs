//! Clusters of virtualised jobs, what is wanted of them, and plans: read by the planner, the checker and the picture.
#![no_main]

use dfrsim_context_switch::check::check_plan;
use dfrsim_context_switch::file::{
    PlanFigures, cluster_from_json, cluster_to_json, configuration_from_json, plan_to_json, states_from_json,
};
use dfrsim_context_switch::{Cluster, Configuration, Durations, plan, timetable};
use dfrsim_plots::draw_plan;
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static SMALL: LazyLock<(Cluster, Configuration)> = LazyLock::new(|| {
    cluster_from_json("current.json", include_str!("../seeds/plan/current.json")).expect("it is one")
});

fuzz_target!(|text: &str| {
    let (cluster, current) = &*SMALL;
    if let Ok((cluster, current)) = cluster_from_json("current.json", text) {
        let written = cluster_to_json(&cluster, &current);
        let again = cluster_from_json("again.json", &written).expect("what was written is one");
        assert_eq!(cluster_to_json(&again.0, &again.1), written);
    }
    if let Ok(wanted) = configuration_from_json("wanted.json", text, cluster, current)
        && let Ok(pools) = plan(cluster, current, &wanted)
    {
        let figures = PlanFigures { cost: pools.cost(cluster), bound: None, proven: false };
        let timed = timetable(cluster, &pools, &wanted, &Durations::default());
        let document = plan_to_json(cluster, current, &wanted, &timed, &figures);
        check_plan(&document).expect("the plan is one");
    }
    let _ = states_from_json("states.json", text, cluster);
    let _ = check_plan(text);
    let _ = draw_plan(text);
});
