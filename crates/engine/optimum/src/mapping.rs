//! Mappings from counts of tasks.

use dfrsim_model::offline::Mapping;
use dfrsim_model::{NodeId, NodeTasks};

/// The mapping in which `counts[job][node]` tasks of a job are on a node.
pub(crate) fn from_counts(counts: &[Vec<u32>]) -> Mapping {
    let places = |row: &Vec<u32>| {
        let nodes = (0..).map(NodeId).zip(row.iter().copied());
        nodes.filter(|&(_, tasks)| tasks > 0).map(|(node, tasks)| NodeTasks { node, tasks }).collect()
    };
    counts.iter().map(places).collect()
}
