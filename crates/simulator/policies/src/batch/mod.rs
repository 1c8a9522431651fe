//! Batch policies: a job is on its nodes at full speed from its start to its end.
//!
//! A batch policy is a point in a product, not a type ([`BatchPolicy`]): which waiting jobs have a reservation ([`Discipline`]), the order of
//! the queue ([`QueueOrder`]), what of its nodes a job has to itself ([`NodeUse`]), and which of the free nodes it gets ([`Place`]). A site adds
//! priorities, limits, preemption and the moments of backfilling (`site`). One scheduler serves all of it:
//!
//! ```text
//! what happened -> queue -> pass: FCFS, EASY  backfilling.rs       -> Pools     what is free now: groups of alike nodes, or nodes
//!                   |             EASY/SPARE  spare.rs             -> Timeline  what is free when, kept from pass to pass
//!                  site           CONS        conservative.rs      -> nodes by the rule for places
//! ```
//!
//! * Nodes are *alike* if they are of the same class and the same windows are before them. Where a task has a node of its own, what is free of
//!   alike nodes is a number, a reservation binds numbers, and nodes are picked when the job starts. Where tasks share nodes, what is free
//!   is a vector for each node, and a reservation binds nodes when it is made, as Slurm's does.
//! * A job takes only nodes that have what each of its tasks asks for. It starts at the first moment at which it can, and then on the
//!   fastest nodes: slower ones are taken only where those that are faster do not suffice. Its estimate is as much longer as its nodes
//!   are slower. A running job past its estimate is expected to end one second from now.
//! * Where tasks share nodes, a task holds whole cores (its CPU need, rounded up; at least one), its memory, and all that it asks for of other
//!   resources, whether these are shared elsewhere or not. Without a platform cores are unknown: it holds its CPU need.
//! * A job starts where no announced window begins before its estimate is over. A node that is down outside of windows is not planned
//!   with: when it is back is unknown. A running job that a window will interrupt is expected to leave its nodes then. Of alike nodes
//!   those are taken first whose next window comes first, so that long jobs find those without.
//! * An interrupted job has its place in the queue by its submission.
//! * The order of the queue is that of priority, if a site has them, then that of the policy, then that of submission. A job that a limit holds
//!   back for now is passed over, and delays no other. Where backfilling has an interval, all policies are FCFS between its multiples.
//! * A job that could not start makes running ones of other classes leave, where the site lets it preempt them, if it can start then without
//!   delaying what is reserved. Jobs that were preempted are in the queue from the next decision on.
//! * A job that the empty cluster has no room for, or that its classes never admit, is rejected.

mod backfilling;
mod changes;
mod conservative;
mod forecast;
mod free_nodes;
mod groups;
mod head;
mod job;
mod needs;
mod opening;
mod opening_search;
mod openings;
mod passes;
mod pick;
mod place;
mod plan;
mod pools;
mod profile;
mod published;
mod queue;
mod queue_order;
mod reserved;
mod rooms;
mod running;
mod scheduler;
mod site_order;
mod slurm;
mod spare;
mod split;
mod timeline;

pub use dfrsim_model::batch::{BatchPolicy, Compression, Discipline, NodeUse, Place, QueueOrder};
pub use forecast::{Asked, Expected, LocalScheduler, PlannedJob, SubmissionEffect, keeps_promises};
pub use profile::Profile;
pub use published::PublishedPlan;
pub(crate) use scheduler::BatchScheduler;
