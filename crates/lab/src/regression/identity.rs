//! What was simulated, apart from the settings that tell the groups from each other.

use super::error::BaselineError;
use crate::key::Digest;
use crate::{Results, manifest};
use std::fmt::Write as _;
use toml::{Table, Value};

/// What a workload is known by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkloadIdentity {
    /// Its name.
    pub name: String,
    /// SHA-256 of its description: nodes, memory, source, rules.
    pub setup: String,
    /// How many instances it has.
    pub instances: usize,
    /// SHA-256 of the names and the jobs of its instances.
    pub jobs: String,
}

/// What results are of.
pub(super) struct Identity {
    pub(super) semantics: u32,
    pub(super) title: String,
    pub(super) scenario: String,
    pub(super) workloads: Vec<WorkloadIdentity>,
    /// The memory of a node of each workload, in GB.
    pub(super) node_memory_gb: Vec<f64>,
}

/// Fields that say which groups there are, and fields that no row depends on. A log's name is among the latter: its
/// jobs are known by their digest.
const SETTINGS: [&str; 5] = ["penalty", "period", "packing", "drop", "tau"];
const NAMES: [&str; 3] = ["title", "policies", "workloads"];
const WORKLOAD_NAMES: [&str; 3] = ["name", "published", "swf.file"];

impl Identity {
    pub(super) fn of(results: &Results) -> Result<Identity, BaselineError> {
        let fault =
            |name: &str, message: String| BaselineError::Results { path: results.folder.join(name), message };
        let scenario: Table =
            toml::from_str(&results.scenario).map_err(|error| fault("scenario.toml", error.to_string()))?;
        let manifest =
            manifest::read(&results.manifest).map_err(|error| fault("manifest.toml", error.to_string()))?;
        let missing = |field: &str| fault("scenario.toml", format!("`{field}` is missing"));

        let workloads =
            scenario.get("workloads").and_then(Value::as_array).ok_or_else(|| missing("workloads"))?;
        let (mut identities, mut node_memory_gb) = (Vec::new(), Vec::new());
        for workload in workloads {
            let field = |name: &str| workload.get(name).ok_or_else(|| missing(name));
            let name = field("name")?.as_str().ok_or_else(|| missing("name"))?;
            let mut instances: Vec<_> =
                manifest.instances.iter().filter(|instance| instance.workload == name).collect();
            instances.sort_by(|a, b| a.name.cmp(&b.name));
            let mut text = String::new();
            for instance in &instances {
                writeln!(text, "{} {}", instance.name, instance.sha256).expect("a string takes any text");
            }
            identities.push(WorkloadIdentity {
                name: name.to_owned(),
                setup: digest_without(workload, &WORKLOAD_NAMES.map(str::to_owned)),
                instances: instances.len(),
                jobs: Digest::of_text(&text).to_string(),
            });
            node_memory_gb
                .push(field("node_memory_gb")?.as_float().ok_or_else(|| missing("node_memory_gb"))?);
        }
        let settings = SETTINGS.iter().map(|field| format!("simulation.{field}"));
        let left_out: Vec<String> = NAMES.iter().map(|&name| name.to_owned()).chain(settings).collect();
        Ok(Identity {
            semantics: manifest.semantics,
            title: scenario.get("title").and_then(Value::as_str).unwrap_or_default().to_owned(),
            scenario: digest_without(&Value::Table(scenario), &left_out),
            workloads: identities,
            node_memory_gb,
        })
    }
}

/// The digest of all fields but these, whatever their order.
fn digest_without(value: &Value, left_out: &[String]) -> String {
    let mut lines = Vec::new();
    flatten("", value, left_out, &mut lines);
    lines.sort_unstable();
    Digest::of_text(&lines.concat()).to_string()
}

fn flatten(path: &str, value: &Value, left_out: &[String], lines: &mut Vec<String>) {
    let Value::Table(table) = value else { return lines.push(format!("{path} = {value}\n")) };
    for (key, value) in table {
        let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        if !left_out.contains(&path) {
            flatten(&path, value, left_out, lines);
        }
    }
}
