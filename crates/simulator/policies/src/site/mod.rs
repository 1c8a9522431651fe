//! What a site adds to policies: priorities of jobs, limits, and which classes preempt others.
//!
//! The priority is the multifactor priority of Slurm (`priority/multifactor`, <https://slurm.schedmd.com/priority_multifactor.html>) with
//! the classic fair share (<https://slurm.schedmd.com/classic_fair_share.html>): a weighted sum of factors between 0 and 1. All of it is
//! integers; a factor is in units of 2^-32, and every division rounds down:
//!
//! * *Usage* of an account: tasks of its jobs, or what they are billed for (`billing`), times microseconds. At each multiple of the period,
//!   what was used before is multiplied by 2^(-period / half life), and the use since the last multiple is added; with
//!   `decay_within_period` that of each job times 2^(-its time in the period / half life).
//! * *Normalised usage* u = usage of the account and those below it / usage of all. *Share* s = s of the account above * shares / shares of all
//!   accounts below that. *Effective usage* e = u of accounts below the root; otherwise e = u + (e of the account above - u) * shares /
//!   shares of all accounts below that.
//! * *Fair share*: 2^(-e / s), or the rank of the user in the [Fair Tree](fair_tree). *Age*: wait / largest age, at most 1. *Size*: tasks / nodes of the cluster, or the mean of that and of
//!   the part of all cores, or 1 less that. *QOS* and
//!   *partition*: priority / the largest one.
//! * *Priority*: the sum of weight * factor, in whole units. The tier of the partition comes before it.
//!
//! A job has its priority when it arrives (or waits again), from the usage of the last multiple; all waiting jobs get theirs again at each
//! multiple of the period. An account that comes into being, with the first of its jobs, counts at once for all. A limit counts the tasks and the jobs that run; a job that a limit holds back is passed over, and delays no other.

mod accounts;
mod factor;
mod fair_tree;
mod held;
mod limits;
mod multiples;
mod preemption;
mod rank;
mod state;

pub(crate) use multiples::{last_multiple, next_multiple};
pub(crate) use preemption::needed;
pub(crate) use state::Site;
