//! Batch policies on clusters whose nodes go down.
//!
//! Nodes that have the same windows before them are a [`Group`], and like each other: a job takes any of them. It starts where no announced
//! window begins before its estimate is over. Of a group, free nodes over time are a number; over several, a job can start at a
//! moment if the numbers of nodes that each has free until its end add up to its width. Without a window there is one group, and the
//! policies decide as they do on a cluster that never fails; a window on all nodes is a hole in the plan.
//!
//! * A node that is down and in no window is not planned with: when it is back is unknown.
//! * A running job that a window will interrupt is expected to leave its nodes then.
//! * A job takes nodes whose next window comes first, then the lowest ones, so that long jobs find those without.
//! * An interrupted job has its place in the queue by its submission.
//! * Backfilling counts for the head of the queue what can be its own at its reservation; while it cannot have a reservation, since
//!   too many nodes are down, all others go before it.
//! * CONS makes all reservations again, in the order of the queue, when nodes go down or come up or a window is announced.

mod conservative;
mod easy;
mod profile;
mod scheduler;
mod spare;

pub(crate) use scheduler::{Discipline, WithOutages};

use super::BatchJob;
use dfrsim_model::SimTime;

/// Nodes that have the same windows before them.
#[derive(Debug)]
struct Group {
    /// Rising.
    nodes: Vec<u32>,
    /// When they are in a window, by begin: announced and not over.
    holes: Vec<(SimTime, SimTime)>,
}

/// What each group gives to a job.
type Split = Vec<u32>;

/// A job that starts now, with the nodes that each group gives it.
type Start = (BatchJob, Split);
