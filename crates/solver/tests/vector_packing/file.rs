//! Tests that files are read back as they were written, and that all their errors are reported.

use crate::strategy::instance;
use dfrsim_input::{Faults, read_text};
use dfrsim_model::offline::Instance;
use dfrsim_model::{NodeId, NodeTasks, Seed, Yield};
use dfrsim_vector_packing::check::{check_minimum_yield, check_yields};
use dfrsim_vector_packing::file::{
    Solution, instance_from_json, instance_to_json, solution_from_json, solution_to_json,
};
use dfrsim_vector_packing::instances::InstanceSet;
use dfrsim_vector_packing::{Algorithm, Settings};
use proptest::prelude::*;
use std::path::Path;

proptest! {
    #[test]
    fn instances_read_back_exactly(instance in instance(40)) {
        let text = instance_to_json(&instance);
        prop_assert_eq!(instance_from_json("file", &text).unwrap(), instance);
    }

    #[test]
    fn solutions_read_back_exactly(
        instance in instance(1),
        jobs in prop::collection::vec((prop::collection::vec((0..8_u32, 1..9_u32), 0..3), 0..=1_u32 << 20), 14),
        minimum in 0..=1_u32 << 20,
    ) {
        let nodes = instance.nodes.len() as u32;
        let units = |units| Yield::try_from_units(units).unwrap();
        let at = |&(node, tasks): &(u32, u32)| NodeTasks { node: NodeId(node % nodes), tasks };
        let jobs = &jobs[..instance.jobs.len()];
        let solution = Solution {
            minimum_yield: units(minimum),
            mapping: jobs.iter().map(|(on, _)| on.iter().map(at).collect()).collect(),
            yields: jobs.iter().map(|&(_, each)| units(each)).collect(),
        };
        let text = solution_to_json(&solution);
        prop_assert_eq!(solution_from_json("file", &text, &instance).unwrap(), solution);
    }

    /// Reads a damaged file, or rejects it with an error.
    #[test]
    fn no_text_makes_the_reader_fail(
        instance in instance(2),
        from: prop::sample::Index,
        to: prop::sample::Index,
        patch in "[0-9.,:{}\\[\\]a-z\"-]{0,6}",
    ) {
        let mut text = instance_to_json(&instance);
        let (from, to) = (from.index(text.len()), to.index(text.len()));
        text.replace_range(from.min(to)..from.max(to), &patch);
        let _ = instance_from_json("file", &text);
        let _ = solution_from_json("file", &text, &instance);
    }

    #[test]
    fn no_text_at_all_makes_the_reader_fail(instance in instance(1), text in "[-0-9.,:{}\\[\\]a-z\" \\PC]{0,200}") {
        let _ = instance_from_json("file", &text);
        let _ = solution_from_json("file", &text, &instance);
    }
}

#[test]
fn a_generated_instance_and_its_solution_go_through_files() {
    let instance = InstanceSet::Rr6692Parallel.instance(Seed::new(1), 4, 0).unwrap();
    let instance = instance_from_json("instance", &instance_to_json(&instance)).unwrap();
    let outcome = "SG".parse::<Algorithm>().unwrap().solve(&instance, &Settings::new(Seed::new(1)));
    let solved = outcome.solved().unwrap();
    let yields = instance.jobs.iter().map(|job| job.unscaled(solved.minimum_yield)).collect();
    let text = solution_to_json(&Solution {
        minimum_yield: solved.minimum_yield,
        mapping: solved.mapping.clone(),
        yields,
    });
    let solution = solution_from_json("solution", &text, &instance).unwrap();
    assert_eq!(check_minimum_yield(&instance, &solution.mapping, solution.minimum_yield), []);
    assert_eq!(check_yields(&instance, &solution.mapping, &solution.yields), []);
}

fn faults(error: &Faults) -> Vec<String> {
    let line = error.to_string();
    line.lines().map(|fault| fault.splitn(3, [':']).nth(2).unwrap().trim().to_owned()).collect()
}

#[test]
fn every_fault_of_an_instance_is_reported_with_its_place() {
    let text = include_str!("faults.json");
    let found = faults(&instance_from_json("file", text).unwrap_err());
    assert_eq!(
        found,
        [
            "unknown field `node`; did you mean `nodes`?",
            "nodes[1]: expected 2 items, found 1",
            "nodes[2][1]: \"much\" is not an amount from 0 to 4.55 nodes",
            "jobs[1].tasks: 0 is not an integer from 1 to 10000000",
            "jobs[1].requirements[0]: 5 is not an amount from 0 to 4.55 nodes",
            "jobs[1].needs: expected a list",
            "jobs[1].qos: 1.5 is not a least yield from 0 to 1",
            "jobs[2].tasks: 1.5 is not an integer from 1 to 10000000",
            "jobs[2]: missing field `requirements`",
            "jobs[2].needs: expected 1 items, found 2",
            "jobs[3]: expected an object",
        ]
    );
    let none = r#"{"fixed": -1, "fluid": 0}"#;
    assert_eq!(
        faults(&instance_from_json("file", none).unwrap_err()),
        [
            "fixed: -1 is not an integer from 0 to 64",
            "fluid: 0 is not an integer from 1 to 64",
            "missing field `nodes`",
            "missing field `jobs`",
        ]
    );
    let many = r#"{"fixed": 0, "fluid": 1, "nodes": 1, "jobs": [
        {"tasks": 9000000, "requirements": [], "needs": [0]}, {"tasks": 9000000, "requirements": [], "needs": [0]}
    ]}"#;
    let found = faults(&instance_from_json("file", many).unwrap_err());
    assert_eq!(found, ["jobs: expected at most 10000000 tasks, found 18000000"]);
}

#[test]
fn a_file_that_is_not_json_is_reported_with_its_line() {
    let error = instance_from_json("some.json", "{\n  \"fixed\": 1,\n  fluid\n}").unwrap_err();
    assert_eq!(error.to_string(), "some.json:3:3: invalid JSON: key must be a string");
    let twice = "{\n  \"nodes\": 1,\n  \"jobs\": [{\"tasks\": 1, \"tasks\": 2}]\n}";
    let error = instance_from_json("some.json", twice).unwrap_err();
    assert_eq!(error.to_string(), "some.json:3:25: duplicate field `tasks`");
    let error = read_text(Path::new("no/such/file.json")).unwrap_err();
    assert_eq!(error.to_string(), "no/such/file.json: cannot be read: no such file");
}

#[test]
fn a_solution_is_of_its_instance() {
    let instance: Instance = instance_from_json(
        "file",
        r#"{"fixed": 0, "fluid": 1, "nodes": 2, "jobs": [{"requirements": [], "needs": [1]}]}"#,
    )
    .unwrap();
    let faults_of = |text: &str| faults(&solution_from_json("file", text, &instance).unwrap_err());
    assert_eq!(
        faults_of(r#"{"minimum_yield": 2, "jobs": [{"on": [[2, 1], [0, 0], [1]], "yield": 1}]}"#),
        [
            "minimum_yield: 2 is not a yield from 0 to 1",
            "jobs[0].on[0][0]: 2 is not an integer from 0 to 1",
            "jobs[0].on[1][1]: 0 is not an integer from 1 to 4294967295",
            "jobs[0].on[2]: expected 2 items, found 1",
        ]
    );
    assert_eq!(faults_of(r#"{"minimum_yield": 1, "jobs": []}"#), ["jobs: expected 1 items, found 0"]);
}
