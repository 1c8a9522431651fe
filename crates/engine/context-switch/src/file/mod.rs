//! Clusters, configurations, states and plans as JSON files.
//!
//! ```
//! use dfrsim_context_switch::file::{cluster_from_json, configuration_from_json};
//!
//! let text = r#"{
//!     "nodes": [{"name": "N1", "cpu": 2, "memory": 4096}, {"name": "N2", "cpu": 2, "memory": 4096}],
//!     "vjobs": [{"name": "job", "vms": [
//!         {"name": "VM1", "cpu": 1, "memory": 512, "state": "running", "node": "N1"},
//!         {"name": "VM2", "cpu": 1, "memory": 512, "state": "waiting"}
//!     ]}],
//!     "constraints": [{"kind": "spread", "vms": ["VM1", "VM2"]}]
//! }"#;
//! let (cluster, current) = cluster_from_json("current.json", text)?;
//! assert!(current.check(&cluster).is_ok());
//!
//! let wrong = r#"{"vms": [{"name": "VM2", "state": "running", "node": "N3"}, {"name": "VM3", "state": "waiting"}]}"#;
//! let error = configuration_from_json("wanted.json", wrong, &cluster, &current).unwrap_err();
//! assert_eq!(error.to_string(), "wanted.json: vms[0].node: there is no node `N3`\n\
//!     wanted.json: vms[1].name: there is no VM `VM3`");
//! # Ok::<(), dfrsim_context_switch::file::FileError>(())
//! ```
//!
//! **A cluster with its current configuration** has `nodes` (name, `cpu` in any unit, with up to three decimals, `memory` in
//! MB, any other `resources` by name, and a `state`, `online` unless it is `offline`), `vjobs` in the order of their submission
//! (name, `priority`, 0 unless said, and `vms` with name, `cpu`, `memory`, `resources`, `state` and, where the state has one,
//! `node`), and `constraints`, each with its `kind` and what a [`Constraint`](crate::Constraint) of that kind has.
//!
//! **A configuration** has a list `vms` of names with `state` and `node`, and **states** a list `vjobs` of names with
//! `state`; those not in the list stay as they are.
//!
//! **A plan** has all that is needed to follow it without any other file: nodes, VMs with their places before and after,
//! constraints, the pools with costs and times, and the nodes that are switched on and off.
//!
//! **Durations** have the fields of [`Durations`](crate::Durations) that differ from the defaults.

mod cluster;
mod durations;
mod error;
mod plan;
mod wanted;

pub use cluster::{cluster_from_json, cluster_to_json};
pub use durations::durations_from_json;
pub use error::{FileError, read};
pub use plan::{PlanFigures, plan_to_json};
pub use wanted::{configuration_from_json, states_from_json};

use crate::configuration::State;
use serde::{Deserialize, Serialize};

/// A state by its name.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum StateName {
    Waiting,
    Running,
    Sleeping,
    Dozing,
    Terminated,
}

impl From<StateName> for State {
    fn from(name: StateName) -> State {
        match name {
            StateName::Waiting => State::Waiting,
            StateName::Running => State::Running,
            StateName::Sleeping => State::Sleeping,
            StateName::Dozing => State::Dozing,
            StateName::Terminated => State::Terminated,
        }
    }
}

impl From<State> for StateName {
    fn from(state: State) -> StateName {
        match state {
            State::Waiting => StateName::Waiting,
            State::Running => StateName::Running,
            State::Sleeping => StateName::Sleeping,
            State::Dozing => StateName::Dozing,
            State::Terminated => StateName::Terminated,
        }
    }
}

/// A JSON list with a line for each item.
fn lines_of<T: Serialize>(items: impl Iterator<Item = T>) -> String {
    let line = |item: T| serde_json::to_string(&item).expect("names and numbers are JSON");
    let items: Vec<String> = items.map(line).collect();
    if items.is_empty() { "[]".to_owned() } else { format!("[\n{}\n]", items.join(",\n")) }
}
