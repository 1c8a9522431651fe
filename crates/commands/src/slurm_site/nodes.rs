//! Conversion of a site's nodes to the classes of a platform.

use dfrsim_model::platform::classes::{ClassFields, PlatformFields, ReferenceNode};
use dfrsim_workload::formats::slurm_conf::NodeKind;

/// Returns the reference node of jobs: it has the most cores and the most memory of any node, so
/// that no request of a job is cut.
pub(crate) fn largest_node(kinds: &[NodeKind]) -> ReferenceNode {
    let cores = kinds.iter().map(|kind| kind.cores).max().unwrap_or(1);
    let memory_mb = kinds.iter().map(|kind| kind.memory_mb).max().unwrap_or(1);
    ReferenceNode { cores, memory_gb: gigabytes(memory_mb) }
}

fn gigabytes(megabytes: u64) -> f64 {
    megabytes as f64 / 1024.0
}

/// Converts the node types to the classes of a platform; job requests are fractions of the reference
/// node.
pub(crate) fn platform(kinds: &[NodeKind], reference: ReferenceNode) -> PlatformFields {
    let class = |kind: &NodeKind| ClassFields {
        name: kind.name.clone(),
        nodes: kind.nodes,
        cores: kind.cores,
        memory_gb: gigabytes(kind.memory_mb),
        speed: 1.0,
        resources: kind.resources.clone(),
        features: kind.features.iter().cloned().collect(),
    };
    let classes = kinds.iter().map(class).collect();
    PlatformFields { reference: Some(reference), shared: Vec::new(), classes }
}
