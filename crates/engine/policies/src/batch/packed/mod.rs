//! FCFS and EASY with several tasks on a node.
//!
//! A task holds whole cores (its CPU need, rounded up; at least one), its memory, and all that it asks for of other resources, whether
//! these are shared elsewhere or not. Jobs run at a yield of 1, as fast as the slowest of their nodes.
//!
//! * A job can start when its nodes have room for all of its tasks. As on clusters where each task has a node, it takes the fastest nodes
//!   with which it can start, and of these as many tasks on each as there is room for, the lowest first.
//! * The head of the queue has its reservation at the first moment, of those at which jobs are expected to end, at which there will be
//!   room for it, node by node.
//! * Another job starts if it ends by then, or if the head still has its room then beside it. In that case it puts on each node, the
//!   lowest first, as many tasks as cost the head no task there, and only then, the lowest first again, as many as there is room for.

mod room;
mod scheduler;

pub(crate) use scheduler::PackedScheduler;
