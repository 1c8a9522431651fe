//! Tests that the checker of plans rejects each wrong plan for its specific reason.

use dfrsim_context_switch::check::{PlanReport, check_plan};

/// Valid plan: B1 is suspended on N2, so that A1 can migrate from N1; then A2 and A3 are resumed, a
/// second apart, and C1 is run. It costs 300, then 300 after a pool of 300, then 100, 200 and 0
/// after pools of 600 in total: 300 + 600 + 700 + 800 + 600.
const PLAN: &str = include_str!("plan.json");

#[test]
fn a_plan_is_accepted() {
    let report = check_plan(PLAN).unwrap_or_else(|faults| panic!("{faults}"));
    assert_eq!(report, PlanReport { pools: 3, actions: 5, detours_by_disk: 0, detours_by_pivot: 0 });
}

/// Each pair of lines has a replacement in the plan, and below it the expected violation.
#[test]
fn faults_are_reported() {
    let lines: Vec<&str> = include_str!("plan_faults.txt").lines().collect();
    for pair in lines.chunks(2) {
        let ((before, after), fault) = (pair[0].split_once(" => ").unwrap(), pair[1].trim_start());
        let text = PLAN.replacen(before, after, 1);
        assert_ne!(text, PLAN, "{before}");
        let faults = check_plan(&text).expect_err(fault).to_string();
        assert!(faults.contains(fault), "{fault}: {faults}");
    }
    assert!(check_plan("{}").unwrap_err().to_string().starts_with("not a plan: missing field"));
}

/// While A1 and B1 are both in progress, both use memory of N2, and the spread is violated too.
#[test]
fn all_of_a_pool_is_under_way_at_once() {
    let text = PLAN.replace("\"end_s\": 13}],\n[{\"vm\": \"A1\"", "\"end_s\": 13},\n{\"vm\": \"A1\"");
    let faults = check_plan(&text).unwrap_err().to_string();
    for fault in [
        "pool 0: node `N2` has 500 MB, but VMs take 600",
        "pool 0: node `N2` has 1 units of CPU, but VMs take 2",
        "pool 0: `A1` on `N2` violates a spread",
    ] {
        assert!(faults.contains(fault), "{fault}: {faults}");
    }
}

/// Rejects resumes of a vjob in two pools.
#[test]
fn a_vjob_comes_back_together() {
    let text = PLAN.replace("\"end_s\": 35},\n{\"vm\": \"A3\"", "\"end_s\": 35}],\n[{\"vm\": \"A3\"");
    let faults = check_plan(&text).unwrap_err().to_string();
    assert!(faults.contains("`A` is resumed in the pools 2 and 3"), "{faults}");
}

/// A1 is suspended to disk while A2 continues to run; in the valid plan both are suspended together.
#[test]
fn a_vjob_leaves_together() {
    let plan = |actions: &str, cost: u64| {
        format!(
            r#"{{"cost": {cost}, "nodes": [{{"name": "N1", "cpu": 2, "memory": 4}}], "constraints": [], "vms": [
            {{"name": "A1", "vjob": "A", "cpu": 1, "memory": 1, "before": {{"state": "running", "node": "N1"}}, "after": {{"state": "running", "node": "N1"}}}},
            {{"name": "A2", "vjob": "A", "cpu": 1, "memory": 1, "before": {{"state": "running", "node": "N1"}}, "after": {{"state": "running", "node": "N1"}}}}],
            "pools": [{actions}]}}"#
        )
    };
    let action = |vm: &str, verb: &str, begin: u32| {
        let end = begin + 1;
        format!(
            r#"{{"vm": "{vm}", "action": "{verb}", "from": "N1", "to": "N1", "cost": 1, "begin_s": {begin}, "end_s": {end}}}"#
        )
    };
    let alone = plan(&format!("[{}], [{}]", action("A1", "suspend", 0), action("A1", "resume", 1)), 3);
    let faults = check_plan(&alone).unwrap_err().to_string();
    assert_eq!(faults, "pool 0: `A1` is suspended during the switch, but `A2` of the same vjob is not");
    let [suspends, resumes] = [("suspend", 0), ("resume", 2)]
        .map(|(verb, at)| [action("A1", verb, at), action("A2", verb, at + 1)].join(", "));
    assert!(check_plan(&plan(&format!("[{suspends}], [{resumes}]"), 6)).is_ok());
    let split = [("A1", 0), ("A2", 1)].map(|(vm, at)| format!("[{}]", action(vm, "suspend", at))).join(", ");
    let faults = check_plan(&plan(&format!("{split}, [{resumes}]"), 9)).unwrap_err().to_string();
    assert!(faults.contains("`A` is suspended in the pools 0 and 1"), "{faults}");
}

#[test]
fn no_plan_costs_less_than_its_bound() {
    for (bound, proven, is_right) in [
        ("2999", false, true),
        ("3000", true, true),
        ("3001", false, false),
        ("2999", true, false),
        ("0", true, false),
        ("null", true, false),
    ] {
        let text = PLAN.replace(
            r#""bound": null, "proven": false"#,
            &format!(r#""bound": {bound}, "proven": {proven}"#),
        );
        let checked = check_plan(&text).map_err(|faults| faults.to_string());
        assert_eq!(checked.is_ok(), is_right, "{checked:?}");
    }
}
