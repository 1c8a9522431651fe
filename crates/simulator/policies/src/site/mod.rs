//! Site policy: job priorities, limits, and preemption between classes.
//!
//! The priority is Slurm's multifactor priority (`priority/multifactor`,
//! <https://slurm.schedmd.com/priority_multifactor.html>) with the classic fair share
//! (<https://slurm.schedmd.com/classic_fair_share.html>): a weighted sum of factors between 0 and 1.
//! All values are integers; a factor is in units of 2^-32, and every division rounds down:
//!
//! * *Usage* of an account: the tasks of its jobs, or their billed amounts (`billing`), times
//!   microseconds. At each multiple of the calculation period, earlier usage is multiplied by
//!   2^(-period / half-life), and the usage since the last multiple is added; with
//!   `decay_within_period`, the usage of each job is first multiplied by 2^(-its time in the period
//!   / half-life).
//! * *Normalised usage* u = usage of the account and its descendants / usage of all accounts.
//!   *Share* s = s of the parent * shares / shares of all children of the parent. *Effective usage*
//!   e = u for children of the root; otherwise e = u + (e of the parent - u) * shares / shares of
//!   all children of the parent.
//! * *Fair share*: 2^(-e / s), or the rank of the user in the [Fair Tree](fair_tree). *Age*: wait /
//!   maximum age, at most 1. *Size*: tasks / nodes of the cluster, or the mean of this value and the
//!   fraction of all cores, or 1 minus that. *QOS* and *partition*: priority / the highest priority
//!   of its kind. *TRES*: requested amount of a resource / that of all nodes of the partition.
//! * *Priority*: the sum of weight * factor, in whole units. The tier of the partition takes
//!   precedence.
//!
//! A job gets its priority when it arrives or is requeued, from the usage at the last period
//! boundary. All waiting jobs get new priorities at each boundary. A new account, created by the
//! first of its jobs, affects all priorities at once. A limit counts the tasks and the number of
//! running jobs; a job that is blocked by a limit is skipped, and delays no other.

mod accounts;
mod allocated_tres;
mod factor;
mod fair_tree;
mod limits;
mod memory;
mod multiples;
mod partition_nodes;
mod preemption;
mod priority_factors;
mod recall;
mod state;

pub(crate) use memory::SiteMemory;
pub(crate) use multiples::{last_multiple, next_multiple};
pub(crate) use partition_nodes::classes_of_partition;
pub(crate) use preemption::{select_in_passes, select_victims};
pub(crate) use state::PrioritySystem;
