//! Independent audit of a plan of context switches, from its file alone.
//!
//! [`check_plan`] reads the output of `dfrsim solve plan`, without code of the planner. It follows
//! each VM through the pools.
//!
//! * Each action begins in the state and on the node that it needs, and at the end every VM is where
//!   it should be.
//! * All actions of a pool are assumed to be in progress at the same time, each with all resources
//!   that it needs at both of its ends: no VM enters a node without enough free capacity. A node
//!   that was overloaded at the beginning may stay so until VMs have left, but no VM may arrive on
//!   it in the meantime.
//! * Constraints on places hold for each VM that arrives, at any time; at the end all of them hold.
//! * Actions respect precedence and serialisation, and take place on nodes that are on.
//! * The suspends and the resumes of a vjob are each in one pool, one after the other by name.
//! * Soft constraints need not hold, but the sum of the weights of their violations is right.
//! * The costs of the actions (table 1) and of the plan (section 4.2) agree with the file.
//!
//! ```
//! use dfrsim_context_switch::check::check_plan;
//!
//! let text = r#"{"cost": 512, "bound": null, "proven": false,
//!     "nodes": [{"name": "N1", "cpu": 2, "memory": 1024}, {"name": "N2", "cpu": 2, "memory": 1024}],
//!     "vms": [{"name": "VM1", "vjob": "job", "cpu": 1, "memory": 512,
//!         "before": {"state": "running", "node": "N1"}, "after": {"state": "running", "node": "N2"}}],
//!     "constraints": [],
//!     "pools": [[{"vm": "VM1", "action": "migrate", "from": "N1", "to": "N2",
//!         "cost": 512, "begin_s": 0, "end_s": 15.5}]]}"#;
//! let report = check_plan(text).unwrap();
//! assert_eq!((report.pools, report.actions), (1, 1));
//!
//! let small = text.replace(r#""name": "N2", "cpu": 2, "memory": 1024"#, r#""name": "N2", "cpu": 2, "memory": 511"#);
//! let error = check_plan(&small).unwrap_err().to_string();
//! assert!(error.starts_with("pool 0: node `N2` has 511 MB, but VMs take 512"));
//! ```
//!
//! Source: RR-6929 (Hermenier, Lebre and Menaud, 2009), sections 2.2 and 4.

mod arrival;
mod capacity;
mod document;
mod fault;
mod moves;
mod order;
mod plan;
mod soft;
mod switches;

pub use fault::{PlanViolation, PlanViolations};
pub use plan::{PlanReport, check_plan};
