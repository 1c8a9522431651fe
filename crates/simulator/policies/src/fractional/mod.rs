//! Fractional policies: DFRS (dissertation, section 5.2).
//!
//! A policy is put together from orthogonal parts, as its name is ([`Fractional`]): what happens when a job arrives, when
//! one completes and at each tick; how the CPU that a mapping leaves is given out; which jobs may not be moved.
//! [`FractionalScheduler`] runs the parts in the order completion, submission, tick on a mapping of its own, and decides
//! the net change.
//!
//! Where jobs have [weights](dfrsim_cluster::JobView::weight), the policies of the dissertation with `OPT=MIN` share by them: yields rise in
//! proportion to weights (the outlook, section 8.3, names priorities of users and jobs); Greedy, MCB and [priorities](PriorityRule)
//! count with them too.
//!
//! Where nodes go down, all parts see only the nodes that jobs may be on, under numbers of their own. These are the nodes that are up and, for
//! a policy that [pauses](Fractional::pauses) jobs, not in a window that begins in a microsecond: jobs leave its nodes then, move or are
//! paused, and keep their progress. Interrupted jobs arrive again.
//!
//! A job that not even the empty cluster has room for, or that its classes never admit, is rejected.

mod admission;
mod available;
mod budget;
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

pub use dfrsim_model::fractional::{Extensions, Fractional, OnSubmission, Periodic, RemapLimit, SecondPhase};
pub use dfrsim_packing::mcb::{Balanced, DropRule, McbOptions, Packing, Probes, Ties};
pub use options::{
    ArrivalsAtTicks, FractionalOptions, Opportunism, PolicySetting, PriorityRule, Readings, StretchYields,
    TickOrigin, Unmarking,
};
pub use scheduler::{FractionalScheduler, McbProbe};
