//! What was simulated, apart from the settings that tell the groups from each other.

use super::error::BaselineError;
use crate::key::Digest;
use crate::{Results, manifest};
use std::fmt::Write as _;
use toml::{Table, Value};

/// What a workload is known by.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkloadIdentity {
    /// Its name.
    pub name: String,
    /// The nodes of its cluster.
    pub nodes: i64,
    /// The memory of a node, in GB.
    pub node_memory_gb: f64,
    /// How many instances it has.
    pub instances: usize,
    /// SHA-256 of the names and the jobs of its instances.
    pub jobs: String,
}

/// What results are of.
pub(super) struct Identity {
    pub(super) semantics: u32,
    pub(super) title: String,
    pub(super) scenario: Table,
    pub(super) workloads: Vec<WorkloadIdentity>,
}

/// Fields of a simulation that say which groups there are.
const SETTINGS: [&str; 5] = ["penalty", "period", "packing", "drop", "tau"];

impl Identity {
    pub(super) fn of(results: &Results) -> Result<Identity, BaselineError> {
        let fault =
            |name: &str, message: String| BaselineError::Results { path: results.folder.join(name), message };
        let scenario: Table =
            toml::from_str(&results.scenario).map_err(|error| fault("scenario.toml", error.to_string()))?;
        let manifest =
            manifest::read(&results.manifest).map_err(|error| fault("manifest.toml", error.to_string()))?;
        let missing = |field: &str| fault("scenario.toml", format!("`{field}` is missing"));

        let workloads = scenario.get("workloads").and_then(Value::as_array);
        let workload = |workload: &Value| {
            let field = |name: &str| workload.get(name);
            let name = field("name").and_then(Value::as_str).ok_or_else(|| missing("name"))?;
            let (instances, jobs) = jobs(&manifest, name);
            let memory = field("node_memory_gb").and_then(Value::as_float);
            Ok(WorkloadIdentity {
                name: name.to_owned(),
                nodes: field("nodes").and_then(Value::as_integer).ok_or_else(|| missing("nodes"))?,
                node_memory_gb: memory.ok_or_else(|| missing("node_memory_gb"))?,
                instances,
                jobs: jobs.to_string(),
            })
        };
        let workloads = workloads.ok_or_else(|| missing("workloads"))?.iter().map(workload);
        Ok(Identity {
            semantics: manifest.semantics,
            title: scenario.get("title").and_then(Value::as_str).unwrap_or_default().to_owned(),
            workloads: workloads.collect::<Result<_, BaselineError>>()?,
            scenario: common_fields(&scenario),
        })
    }
}

/// The number of a workload's instances, and the digest of their names and jobs.
fn jobs(manifest: &manifest::Origin, workload: &str) -> (usize, Digest) {
    let mut instances: Vec<_> =
        manifest.instances.iter().filter(|instance| instance.workload == workload).collect();
    instances.sort_by(|a, b| a.name.cmp(&b.name));
    let mut text = String::new();
    for instance in &instances {
        writeln!(text, "{} {}", instance.name, instance.sha256).expect("a string takes any text");
    }
    (instances.len(), Digest::of_bytes(text.as_bytes()))
}

/// The seed and the fields of the simulation that all rows have in common.
fn common_fields(scenario: &Table) -> Table {
    let seed = scenario.get("seed").map(|seed| ("seed".to_owned(), seed.clone()));
    let simulation = scenario.get("simulation").and_then(Value::as_table);
    let fields = simulation.into_iter().flatten().filter(|(name, _)| !SETTINGS.contains(&name.as_str()));
    seed.into_iter().chain(fields.map(|(name, value)| (name.clone(), value.clone()))).collect()
}
