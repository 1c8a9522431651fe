//! Instances and solutions as JSON files.
//!
//! ```
//! use dfrsim_vector_packing::file::{instance_from_json, instance_to_json};
//!
//! let text = r#"{
//!     "fixed": 1, "fluid": 1,
//!     "nodes": [[1, 1], [0.5, 2]],
//!     "jobs": [
//!         {"requirements": [0.3], "needs": [0.6], "qos": 0.5},
//!         {"tasks": 3, "requirements": [0.1], "needs": [0.2]}
//!     ]
//! }"#;
//! let instance = instance_from_json("example.json", text)?;
//! assert_eq!(instance.jobs[1].tasks, 3);
//! assert_eq!(instance_from_json("again", &instance_to_json(&instance))?, instance);
//!
//! let wrong = text.replace("0.6", "-0.6").replace("\"qos\"", "\"gos\"");
//! let error = instance_from_json("example.json", &wrong).unwrap_err().to_string();
//! assert_eq!(error, "example.json:5: jobs[0]: unknown field `gos`; did you mean `qos`?\n\
//!     example.json:5: jobs[0].needs[0]: -0.6 is not an amount from 0 to 4.55 nodes");
//! # Ok::<(), dfrsim_input::Faults>(())
//! ```
//!
//! **An instance** has the numbers of resources `fixed` and `fluid`, the `nodes` (a number of unit
//! nodes, or a list with the capacities of each), and the `jobs`. Each job has the fixed
//! `requirements` and fluid `needs` of one task, the number of `tasks` (default 1), and a least
//! yield `qos` (default 0).
//!
//! **A solution** has the scaled `minimum_yield`, and for each of the `jobs` its placement `on`, a
//! list of pairs of a node (from 0) and the number of tasks there, and its unscaled `yield`.
//!
//! Vector bin packing instances have a format of their own, which is not JSON
//! ([`instance_from_vbp`]).
//!
//! Clusters with names are described by a state (`dfrsim-state`) instead.
//!
//! Amounts are in nodes, yields in [0, 1]. Both are rounded to nine decimals, and then down to the
//! fixed-point units of the model. A unit is more than a billionth, and written values are rounded
//! up, so that they read back as exactly the same units.

mod decimal;
mod instance;
mod solution;
mod vbp;

pub use instance::{instance_from_json, instance_of, instance_to_json};
pub use solution::{Solution, solution_from_json, solution_to_json};
pub use vbp::{instance_from_vbp, instance_to_vbp};

/// Formats a JSON list with a line for each item.
fn lines_of(items: impl Iterator<Item = serde_json::Value>) -> String {
    let items: Vec<String> = items.map(|item| item.to_string()).collect();
    format!("[\n{}\n]", items.join(",\n"))
}
