//! Batch policies: a job runs on its nodes at one speed from its start to its end.
//!
//! A batch policy ([`BatchPolicy`]) is a combination of independent choices, not a type: which
//! waiting jobs have a reservation ([`Backfilling`]), the order of the queue ([`QueueOrder`]), which
//! of a node's resources a job has exclusively ([`NodeUse`]), and node selection among the free
//! nodes ([`Place`]). A site adds priorities, limits, preemption and backfill cycles (`site`). One
//! scheduler implements all combinations:
//!
//! ```text
//! events -> queue -> cycle: FCFS, EASY  backfilling.rs   -> Pools     free now: groups of identical nodes, or single nodes
//!             |             CONS        conservative.rs  -> Timeline  free over time, kept from cycle to cycle
//!            site           SLURM       slurm.rs         -> nodes by the placement rule
//! ```
//!
//! * Nodes are *identical* if they are of the same class and have the same announced maintenance
//!   windows. Where each task has a node of its own, the free nodes of a group are a number, a
//!   reservation is for a number of nodes, and nodes are selected when the job starts. Where tasks
//!   share nodes, the free resources are a vector per node, and a reservation binds specific nodes
//!   when it is made, as in Slurm.
//! * A job takes only nodes that have what each of its tasks requests. It starts at the earliest
//!   possible time, and then on the fastest nodes: slower ones are used only if the faster ones do
//!   not suffice. On slower nodes the estimate is proportionally longer. A running job that has
//!   exceeded its estimate is expected to end one second from now.
//! * Where tasks share nodes, a task holds whole cores (its CPU need, rounded up; at least one), its
//!   memory, and all other resources that it requests, including those that are shared elsewhere.
//!   Without a platform the number of cores is unknown, and it holds its CPU need.
//! * A job starts only where no announced maintenance window begins before its estimated end. A node
//!   that is down outside of windows is not used in plans, as the time of its repair is unknown. A
//!   running job that a window will interrupt is expected to release its nodes then. Among identical
//!   nodes, those with the earliest next window are taken first, so that long jobs find nodes
//!   without windows.
//! * A job that lacks only power under a cap is tried at the lower speed levels of the nodes, from fast to
//!   slow, each with its own power and estimate. The first level that fits now starts it. Reservations
//!   are for full speed.
//! * An interrupted job keeps its queue position by submission time.
//! * The queue is ordered by priority, if the site has priorities, then by the order of the policy,
//!   then by submission. A job that is blocked by a limit is skipped, and delays no other job. If
//!   backfilling has an interval, all policies are FCFS between its multiples.
//! * A job that could not start preempts running jobs of other classes if the site allows that and
//!   the job can then start without delaying a reservation. Preempted jobs are back in the queue
//!   from the next decision on.
//! * A job that does not fit into the empty cluster, or that its classes never admit, is rejected.

mod allocation;
mod backfill_cycle;
mod backfilling;
mod changes;
mod common;
mod conservative;
mod cycles;
mod fit_counts;
mod forecast;
mod free_nodes;
mod groups;
mod head;
mod job;
mod keys;
mod node_space;
mod pick;
mod place;
mod plan;
mod pools;
mod preemption;
mod profile;
mod published;
mod queue;
mod queue_order;
mod ready;
mod release;
mod requests;
mod running;
mod scheduler;
mod site_order;
mod slurm;
mod state;
mod timeline;
mod will_run;
mod windows;

pub use dfrsim_model::batch::{Backfilling, BatchPolicy, Compression, NodeUse, Place, QueueOrder};
pub use forecast::{LocalScheduler, PlannedJob, Prediction, Query, SubmissionEffect, guarantees_start_times};
pub use profile::Profile;
pub use published::PublishedPlan;
pub(crate) use scheduler::BatchScheduler;
