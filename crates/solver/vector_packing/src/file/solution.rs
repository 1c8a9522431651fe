//! Solutions as JSON.

use super::decimal::{of_yield, yield_of};
use dfrsim_input::{Faults, Input, Located, Reader};
use dfrsim_model::offline::{Instance, Mapping};
use dfrsim_model::{NodeId, NodeTasks, Yield};
use serde_json::json;

/// A solution of an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// Minimum scaled yield.
    pub minimum_yield: Yield,
    /// Nodes of each job's tasks.
    pub mapping: Mapping,
    /// Unscaled yield of each job.
    pub yields: Vec<Yield>,
}

const EXPECTED_YIELD: &str = "a yield from 0 to 1";

/// Reads a solution of this instance from a JSON text; `file` names the text in messages. Capacities
/// and completeness are not checked here, but by an audit.
///
/// # Errors
/// The text is not JSON, or its numbers of jobs or nodes do not match the instance. All errors are
/// reported together.
pub fn solution_from_json(file: &str, text: &str, instance: &Instance) -> Result<Solution, Faults> {
    let input = Input::json(file, text)?;
    let mut reader = Reader::default();
    let solution = solution(&mut reader, &input.root(), instance);
    reader.finish(solution)
}

fn solution(reader: &mut Reader, root: &Located<'_>, instance: &Instance) -> Option<Solution> {
    let object = reader.object(root, &["minimum_yield", "jobs"])?;
    let minimum_yield =
        reader.field(&object, "minimum_yield").and_then(|at| reader.number(&at, EXPECTED_YIELD, yield_of));
    let nodes = instance.nodes.len();
    let jobs = reader.field(&object, "jobs").and_then(|at| {
        let items = reader.list_of(&at, instance.jobs.len())?;
        reader.each(&items, |reader, at| job(reader, at, nodes))
    });
    let (mapping, yields) = jobs?.into_iter().unzip();
    Some(Solution { minimum_yield: minimum_yield?, mapping, yields })
}

fn job(reader: &mut Reader, at: &Located<'_>, nodes: usize) -> Option<(Vec<NodeTasks>, Yield)> {
    let object = reader.object(at, &["on", "yield"])?;
    let each = reader.field(&object, "yield").and_then(|at| reader.number(&at, EXPECTED_YIELD, yield_of));
    let on = reader.field(&object, "on").and_then(|at| {
        let items = reader.list(&at)?;
        reader.each(&items, |reader, at| {
            let pair = reader.list_of(at, 2)?;
            if nodes == 0 {
                reader.fault(at, "the instance has no nodes");
                return None;
            }
            let node = reader.integer(&pair[0], 0..=(nodes - 1) as u32);
            let tasks = reader.integer(&pair[1], 1..=u32::MAX);
            Some(NodeTasks { node: NodeId(node?), tasks: tasks? })
        })
    });
    Some((on?, each?))
}

/// Formats a solution as JSON that [`solution_from_json`] reads back, with a line for each job.
pub fn solution_to_json(solution: &Solution) -> String {
    let jobs = solution.mapping.iter().zip(&solution.yields).map(|(placement, &each)| {
        let on: Vec<[u32; 2]> = placement.iter().map(|at| [at.node.0, at.tasks]).collect();
        json!({ "on": on, "yield": of_yield(each) })
    });
    let jobs = super::lines_of(jobs);
    format!("{{\n\"minimum_yield\": {},\n\"jobs\": {jobs}\n}}\n", json!(of_yield(solution.minimum_yield)))
}
