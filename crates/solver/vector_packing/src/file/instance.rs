//! Instances as JSON.

use super::decimal::{amount, of_amount, of_yield, yield_of};
use dfrsim_input::{Faults, Input, Located, Reader};
use dfrsim_model::offline::{Instance, OfflineJob};
use dfrsim_model::{Share, Yield};
use serde_json::{Value, json};

/// Size limits; larger numbers in a file are mistakes.
const MOST_RESOURCES: u32 = 64;
const MOST_NODES: u32 = 1_000_000;
pub(super) const MOST_TASKS: u32 = 10_000_000;

const EXPECTED_AMOUNT: &str = "an amount from 0 to 4.55 nodes";

/// Reads an instance from a JSON text; `file` names the text in messages.
///
/// # Errors
/// The text is not JSON or does not describe an instance. All errors are reported together.
pub fn instance_from_json(file: &str, text: &str) -> Result<Instance, Faults> {
    instance_of(&Input::json(file, text)?)
}

/// Reads an instance from a file.
///
/// # Errors
/// The file does not describe an instance. All errors are reported together.
pub fn instance_of(input: &Input) -> Result<Instance, Faults> {
    let mut reader = Reader::default();
    let instance = instance(&mut reader, &input.root());
    reader.finish(instance)
}

fn instance(reader: &mut Reader, root: &Located<'_>) -> Option<Instance> {
    let object = reader.object(root, &["fixed", "fluid", "nodes", "jobs"])?;
    let fixed = reader.field(&object, "fixed").and_then(|at| reader.integer(&at, 0..=MOST_RESOURCES));
    let fluid = reader.field(&object, "fluid").and_then(|at| reader.integer(&at, 1..=MOST_RESOURCES));
    let (nodes, jobs) = (reader.field(&object, "nodes"), reader.field(&object, "jobs"));
    // Vectors can be checked only if the numbers of resources are known.
    let (fixed, fluid) = (fixed? as usize, fluid? as usize);
    let nodes = nodes.and_then(|at| self::nodes(reader, &at, fixed + fluid));
    let jobs = jobs.and_then(|at| {
        let items = reader.list(&at)?;
        let jobs = reader.each(&items, |reader, at| job(reader, at, fixed, fluid))?;
        let tasks: u64 = jobs.iter().map(|job| u64::from(job.tasks)).sum();
        if tasks > u64::from(MOST_TASKS) {
            reader.fault(&at, format!("expected at most {MOST_TASKS} tasks, found {tasks}"));
        }
        Some(jobs)
    });
    Some(Instance { fixed, fluid, nodes: nodes?, jobs: jobs? })
}

/// Reads the nodes: a number of unit nodes, or a list with the capacities of each.
fn nodes(reader: &mut Reader, at: &Located<'_>, dimensions: usize) -> Option<Vec<Box<[u32]>>> {
    if at.is_list() {
        let items = reader.list(at)?;
        return reader.each(&items, |reader, at| amounts(reader, at, dimensions).map(Vec::into_boxed_slice));
    }
    let count = reader.integer(at, 0..=MOST_NODES)?;
    Some(vec![vec![Share::ONE.units(); dimensions].into(); count as usize])
}

fn job(reader: &mut Reader, at: &Located<'_>, fixed: usize, fluid: usize) -> Option<OfflineJob> {
    let object = reader.object(at, &["tasks", "requirements", "needs", "qos"])?;
    let tasks = object.get("tasks").map_or(Some(1), |at| reader.integer(&at, 1..=MOST_TASKS));
    let requirements = reader.field(&object, "requirements").and_then(|at| amounts(reader, &at, fixed));
    let needs = reader.field(&object, "needs").and_then(|at| amounts(reader, &at, fluid));
    let least_yield = object
        .get("qos")
        .map_or(Some(Yield::ZERO), |at| reader.number(&at, "a least yield from 0 to 1", yield_of));
    let demand = [requirements?, needs?].concat().into();
    Some(OfflineJob { tasks: tasks?, demand, least_yield: least_yield? })
}

fn amounts(reader: &mut Reader, at: &Located<'_>, length: usize) -> Option<Vec<u32>> {
    let items = reader.list_of(at, length)?;
    reader.each(&items, |reader, at| reader.number(at, EXPECTED_AMOUNT, amount))
}

/// Formats an instance as JSON that [`instance_from_json`] reads back, with a line for each job.
pub fn instance_to_json(instance: &Instance) -> String {
    let fractions = |amounts: &[u32]| -> Value { amounts.iter().map(|&amount| of_amount(amount)).collect() };
    let ordinary = instance.nodes.iter().flatten().all(|&capacity| capacity == Share::ONE.units());
    let nodes = if ordinary {
        instance.nodes.len().to_string()
    } else {
        super::lines_of(instance.nodes.iter().map(|node| fractions(node)))
    };
    let jobs = super::lines_of(instance.jobs.iter().map(|job| {
        let (requirements, needs) = job.demand.split_at(instance.fixed);
        json!({
            "tasks": job.tasks,
            "requirements": fractions(requirements),
            "needs": fractions(needs),
            "qos": of_yield(job.least_yield),
        })
    }));
    let Instance { fixed, fluid, .. } = instance;
    format!("{{\n\"fixed\": {fixed},\n\"fluid\": {fluid},\n\"nodes\": {nodes},\n\"jobs\": {jobs}\n}}\n")
}
