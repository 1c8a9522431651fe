//! Batch policies on clusters whose nodes go down or differ.
//!
//! Nodes of the same class that have the same windows before them are a [`Group`], and like each other: a job takes any of them. It starts where no announced
//! window begins before its estimate is over. Of a group, free nodes over time are a number; over several, a job can start at a
//! moment if the numbers of nodes that each has free until its end add up to its width. Without a window there is one group, and the
//! policies decide as they do on a cluster that never fails; a window on all nodes is a hole in the plan.
//!
//! * A job takes only nodes that have what each of its tasks asks for. It is as fast as the slowest of them, and its estimate as much
//!   longer. It starts at the first moment at which it can, and then on the fastest nodes: slower ones are taken only where those that
//!   are faster do not suffice.
//! * A node that is down and in no window is not planned with: when it is back is unknown.
//! * A running job that a window will interrupt is expected to leave its nodes then.
//! * A job takes nodes whose next window comes first, then those of the class that the policy's [`Place`](super::Place) prefers, then
//!   the lowest ones, so that long jobs find those without.
//! * An interrupted job has its place in the queue by its submission.
//! * Backfilling counts for the head of the queue what can be its own at its reservation; while it cannot have a reservation, since
//!   too many nodes are down, all others go before it.
//! * CONS makes all reservations again, in the order of the queue, when nodes go down or come up or a window is announced.

mod conservative;
mod easy;
mod groups;
mod profile;
mod scheduler;
mod spare;

pub(super) use easy::{Reservation, beside};
pub(super) use groups::{Groups, NodeGroups};
pub(super) use profile::Profiles;
pub(crate) use scheduler::WithOutages;

use super::BatchJob;
use dfrsim_model::{SimTime, Yield};
use std::sync::Arc;

/// Nodes of a class that have the same windows before them.
#[derive(Debug)]
pub(super) struct Group {
    /// Rising.
    nodes: Vec<u32>,
    /// The place of their class; 0 if all nodes are equal.
    class: usize,
    speed: Yield,
    /// Jobs take nodes of groups with less of it first, where the policy places them so; otherwise 0.
    plenty: usize,
    /// When they are in a window, by begin: announced and not over.
    holes: Vec<(SimTime, SimTime)>,
}

/// What each group gives to a job.
pub(super) type Split = Vec<u32>;

/// A job that waits, or holds a reservation.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    job: BatchJob,
    /// Whether a task fits a node of each class; `None` if all nodes are equal.
    fits: Option<Arc<[bool]>>,
}

impl Wanted {
    fn fits(&self, group: &Group) -> bool {
        self.fits.as_ref().is_none_or(|fits| fits[group.class])
    }
}

/// Free nodes of each group that are enough for a job, and when it ends if it starts on some of them.
pub(super) type Room = (Split, SimTime);

/// A job that starts now, with the nodes that each group gives it, and its end by its estimate.
type Start = (Wanted, Split, SimTime);
