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
//! assert_eq!(error.to_string(), "wanted.json:1: vms[0].node: unknown node `N3`; expected N1 or N2\n\
//!     wanted.json:1: vms[1].name: unknown VM `VM3`; did you mean `VM2`?");
//! # Ok::<(), dfrsim_input::Faults>(())
//! ```
//!
//! **A cluster with its current configuration** is a [state](dfrsim_state) whose CPU has at most
//! three decimals and whose other amounts are integers. Each of its `constraints` has a `kind` and
//! the fields of a [`Constraint`](crate::Constraint) of that kind.
//!
//! **A configuration** is a state of which only the names, states and nodes of VMs are read.
//!
//! **States** are a list `vjobs` of objects with `name` and `state`; vjobs that are not in the list
//! keep their states.
//!
//! **A plan** is self-contained: nodes, VMs with their places before and after, constraints, the
//! pools with costs and times, and the nodes that are switched on and off.
//!
//! **Durations** have the fields of [`Durations`](crate::Durations) that differ from the defaults.

mod cluster;
mod durations;
mod plan;
mod wanted;

pub use cluster::{cluster_from_json, cluster_of, cluster_to_json};
pub use durations::durations_from_json;
pub use plan::{PlanFigures, plan_to_json};
pub use wanted::{configuration_from_json, configuration_of, states_from_json, states_of};
