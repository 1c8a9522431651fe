//! The rules of batch policies: which job starts when, and where.
//!
//! A slow, plain reference takes every decision again, from the schedule so far: after all completions and submissions of a moment, it goes
//! through the queue job by job and says whether the job starts, on which nodes, and which others make room for it. What the record says
//! otherwise is a fault. It goes on from what happened, so that one wrong start is one fault and not a thousand. Decisions that are due
//! without any record, at reservations and at the moments of a site, are taken as well.
//!
//! All policies are judged on all clusters: nodes that differ, go down, have windows or several tasks; with priorities, limits and jobs
//! that make room for others. There is one way to look at them: *pools* of alike nodes with what is free of each resource over time. Where a
//! task has a node of its own, the nodes of a class with the same windows are a pool, of which nodes are counted; where tasks share nodes,
//! each node is one.
//!
//! What a policy knows of run times is in the events: `estimate_us`, or the run time itself where that is absent.

mod check;
mod decide;
mod nodes;
mod plan;
mod queue;
mod slurm;
mod state;
mod timers;

pub(crate) use state::BatchCheck;
