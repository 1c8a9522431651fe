//! Fractional policies: DFRS (dissertation, section 5.2).
//!
//! A policy is composed of orthogonal parts, as its name is ([`Fractional`]): the reactions to the
//! arrival of a job, to the completion of one and to a tick; the division of the CPU that a mapping
//! leaves; the jobs that may not be moved. [`FractionalScheduler`] runs the parts in the order
//! completion, submission, tick on a mapping of its own, and decides the net change.
//!
//! Where jobs have [weights](dfrsim_cluster::JobView::weight), the policies of the dissertation with
//! `OPT=MIN` share by them: yields increase in proportion to weights (the outlook, section 8.3,
//! mentions priorities of users and jobs). Greedy, MCB and [priorities](PriorityRule) use the
//! weights, too.
//!
//! Where nodes fail, all parts see only the nodes that jobs may use, renumbered. These are the nodes
//! that are up and, for a policy that [pauses](Fractional::pauses) jobs, not in a maintenance window
//! that begins within a microsecond: jobs then leave the nodes of the window, are moved or paused,
//! and keep their progress. Interrupted jobs arrive again.
//!
//! Where nodes have [devices](dfrsim_model::platform::devices), each of them is a capacity of its own. A
//! task holds its parts at any yield. A job keeps its devices while it stays on its nodes, unless MCB
//! gives a node jobs for which its devices would not suffice so: they are then assigned anew.
//!
//! Licences and other resources that the cluster has as a whole limit the mapping as the limits of a
//! site do. Under a power cap all yields shrink in the same proportion, until the cap is kept.
//!
//! A job that does not fit into the empty cluster, or that its classes never admit, is rejected.

mod admission;
mod available;
mod budget;
mod cap;
mod common;
mod devices;
pub mod equipartition;
mod idle;
mod mapper;
mod nodes;
mod options;
mod pay;
mod preemption;
mod priority;
mod ranking;
mod scheduler;
mod weights;

pub use dfrsim_model::fractional::{Extensions, Fractional, OnSubmission, Periodic, RemapLimit, SecondPhase};
pub use dfrsim_packing::mcb::{Balanced, DropRule, McbOptions, Packing, Probes, Ties};
pub use options::{
    ArrivalsAtTicks, FractionalOptions, Opportunism, PolicySetting, PriorityRule, Readings, StretchYields,
    TickOrigin, Unmarking,
};
pub use scheduler::{FractionalScheduler, McbProbe};
