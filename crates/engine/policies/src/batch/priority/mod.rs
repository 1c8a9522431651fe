//! Batch policies that order waiting jobs by priority, with the limits of partitions, qualities of service and users.
//!
//! The priority is the multifactor priority of Slurm (`priority/multifactor`, <https://slurm.schedmd.com/priority_multifactor.html>) with
//! the classic fair share (<https://slurm.schedmd.com/classic_fair_share.html>): a weighted sum of factors between 0 and 1. All of it is
//! integers; a factor is in units of 2^-32, and every division rounds down:
//!
//! * *Usage* of an account: node-microseconds of its jobs. At each multiple of the period, what was used before is multiplied by
//!   2^(-period / half life), and the use since the last multiple is added.
//! * *Normalised usage* u = usage of the account and those below it / usage of all. *Share* s = s of the account above * shares / shares of all
//!   accounts below that. *Effective usage* e = u of accounts below the root; otherwise e = u + (e of the account above - u) * shares /
//!   shares of all accounts below that.
//! * *Fair share*: 2^(-e / s). *Age*: wait / largest age, at most 1. *Size*: nodes / nodes of the cluster, or 1 less that. *QOS* and
//!   *partition*: priority / the largest one.
//! * *Priority*: the sum of weight * factor, in whole units. Ties by submission.
//!
//! A job has its priority when it arrives, from the usage of the last multiple; all waiting jobs get theirs again at each multiple of
//! the period.
//!
//! At each decision the jobs are taken by decreasing priority. One that a limit holds back for now is passed over, and delays no other. FCFS
//! starts jobs until one does not fit. EASY reserves the earliest moment for that one, and starts those of the others that do not
//! delay it. CONS plans all jobs again, each at the earliest moment that the jobs before it leave, as Slurm's `sched/backfill` does.
//! Where backfilling has an interval, both are FCFS between its multiples.
//!
//! Where a class preempts others, a job that could not start makes running ones leave if it can start then: see `preemption`. Jobs that
//! were preempted are in the queue from the next decision on.

mod accounts;
mod exponential;
mod factors;
mod grouped;
mod limits;
mod plan;
mod preemption;
mod scheduler;

pub(crate) use scheduler::{PriorityScheduler, Rule};

/// A factor of 1.
const ONE: u64 = 1 << 32;

/// `part / whole` as a factor; 0 if both are 0.
fn ratio(part: u128, whole: u128) -> u64 {
    match whole {
        0 => 0,
        _ => (part * u128::from(ONE) / whole) as u64,
    }
}
