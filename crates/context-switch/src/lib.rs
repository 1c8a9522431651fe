//! tmp
mod action;
mod amount;
mod cluster;
mod configuration;
mod durations;
pub mod file;
mod plan;
mod planner;
mod relations;
mod timetable;

pub use action::{Action, IllegalTransition, Kind};
pub use amount::Amount;
pub use cluster::{Cluster, ClusterError, Node, Vjob, VjobId, Vm, VmId};
pub use configuration::{Configuration, NotViable, Place, State};
pub use durations::{ByMemory, Durations, NotByMemory};
pub use plan::Plan;
pub use planner::{PlanError, plan};
pub use relations::{Broken, Relation, Relations};
pub use timetable::{Timed, timetable};
