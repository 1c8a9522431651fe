//! tmp
mod action;
mod amount;
mod assignment;
mod cluster;
mod configuration;
mod decision;
mod durations;
pub mod file;
mod optimiser;
mod plan;
mod planner;
mod relations;
pub mod simulation;
mod timetable;
pub mod workload;

pub use action::{Action, IllegalTransition, Kind};
pub use amount::Amount;
pub use cluster::{Cluster, ClusterError, Node, Vjob, VjobId, Vm, VmId};
pub use configuration::{Configuration, NotViable, Place, State};
pub use decision::{SuspendTo, first_come_first_served, in_states, select_running};
pub use durations::{ByMemory, DurationOutOfRange, Durations, NotByMemory};
pub use optimiser::{Limits, Optimised, Unsolved, cheapest};
pub use plan::Plan;
pub use planner::{PlanError, plan};
pub use relations::{Broken, Relation, Relations};
pub use timetable::{Timed, timetable};
