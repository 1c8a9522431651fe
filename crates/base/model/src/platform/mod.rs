//! Nodes of a cluster: classes of unequal nodes, their outages, and the effects of failures and
//! maintenance on jobs.
//!
//! [`Outages`] are all times at which nodes are down, known before a simulation begins, and the rule
//! by which jobs on these nodes are [interrupted](Interruption). Failures come without notice.
//! [`Window`]s (maintenance, or an advance reservation) are announced, so that policies can plan
//! around them. Both are read from files ([`mod@file`]), or generated up to an end: failures are
//! drawn ([`FailureModel`]) and windows are repeated ([`Maintenance`]).
//!
//! Nodes need not be equal: [`classes`] has their cores, speed, memory, GPUs and features, and the
//! requests of jobs for them. [`common`] has what the cluster has as a whole, and [`power`] the power
//! that nodes draw.
//!
//! ```
//! use dfrsim_model::{Seed, SimSpan, SimTime};
//! use dfrsim_model::platform::{FailureModel, Maintenance, NodeSet, Outages};
//!
//! let day = SimSpan::from_secs(86_400);
//! let failures = FailureModel { between: "weibull:2592000:0.7".parse()?, repair: "exponential:14400".parse()?, rack: None };
//! let maintenance = Maintenance { first: SimTime::ZERO + day, every: day, length: SimSpan::from_secs(60), notice: day };
//! let nodes: NodeSet = "0-31".parse()?;
//! let until = SimTime::from_secs(10 * 86_400);
//! let outages = Outages {
//!     failures: failures.draw(64, until, Seed::new(1)),
//!     windows: maintenance.windows(&nodes.spans(64), until),
//!     ..Outages::default()
//! };
//! assert_eq!(outages.windows.len(), 10);
//! outages.check(64)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod classes;
pub mod common;
pub mod defer;
pub mod device_use;
pub mod devices;
mod draw;
pub mod file;
pub mod hosts;
mod interruption;
pub mod levels;
pub mod machines;
mod maintenance;
mod nodes;
mod outages;
pub mod power;
pub mod series;
pub mod task_mix;
mod times;

pub use draw::{FailureModel, Rack, alternating_outages};
pub use interruption::{Checkpoints, Interruption};
pub use maintenance::Maintenance;
pub use nodes::{NodeSet, NodeSpan};
pub use outages::{MAX_WINDOWS, Outage, OutageError, Outages, Window};
pub use times::TimeDistribution;
