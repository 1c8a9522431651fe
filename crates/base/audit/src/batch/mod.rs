//! Rules of batch policies: when and where each job starts.
//!
//! A slow, plain reference implementation recomputes every decision from the schedule so far. After
//! all completions and submissions of a time it goes through the queue job by job, and determines
//! whether the job starts, on which nodes, and which jobs are preempted for it. Every deviation of
//! the record is a violation. The next decision is based on what happened, so that one wrong start
//! is one violation and not a thousand. Decisions without any record, which are due at reservations
//! and at events of the site's settings, are checked too: the first
//! [`MAX_UNRECORDED_DECISIONS`](crate::MAX_UNRECORDED_DECISIONS) between two records, fewer if many such
//! intervals are long.
//!
//! All policies are checked on all clusters: unequal nodes, failures, windows, shared nodes,
//! priorities, limits and preemption. The model is uniform: *pools* of identical nodes with the free
//! amount of each resource over time. If each task has a whole node, a pool consists of the nodes of
//! a class with identical windows, and nodes are counted. If tasks share nodes, each node is a pool.
//!
//! The run-time estimates of the policy are in the events: `estimate_us`, or the run time itself if
//! that is absent.

mod check;
mod decide;
mod devices;
mod keys;
mod nodes;
mod plan;
mod queue;
mod search;
mod slurm;
mod state;
mod timers;
mod will_run;

pub(crate) use state::BatchCheck;
