//! Rules of the policies that run jobs at full speed or not at all: ranked preemption (`RANKED`,
//! `SRPT`, `LAS`), earliest deadlines (`EDF`) and gang scheduling (`GANG`).
//!
//! A slow, plain reference implementation recomputes every decision from the schedule so far: it knows
//! the phase, the nodes, the work and the penalties of each job, sorts the jobs, and fills plain lists
//! of free resources. The first job whose state differs in the record is a violation, and the next
//! decision is based on the record. Decisions without any record, at wake-ups, are checked too: the first
//! [`MAX_UNRECORDED_DECISIONS`](crate::MAX_UNRECORDED_DECISIONS) between two records, fewer if many such
//! intervals are long. After an interval with more of them, decisions are no longer checked.
//!
//! The rules are those on the pages of the policies:
//!
//! * a job that does not fit the empty cluster is rejected when it is submitted, and no other job is;
//! * tasks go to the nodes with the least memory and CPU left, as many to each as fit;
//! * *ranked preemption*: jobs without nodes are tried by rank, ties by submission. Running
//!   jobs of a later rank are paused for a job that does not fit, the last ones first, without those
//!   that turn out not to be needed. `RANKED` does not pause a job with less than 30 s of work, or one
//!   whose penalties would take more than 30 times its work, and decides again after 60 s while a job
//!   waits; `LAS` decides again when a job leaves its level;
//! * *gangs*: a job joins the first row of the matrix that has the CPU for it, if there is memory. Each
//!   row runs for 60 s in turn, together with jobs of the rows after it that also fit.
//!
//! * licences of the cluster count as the memory of nodes does, and the power under a cap as their CPU
//!   does: a job without nodes needs both, and a job on nodes that has no power stays at a yield of 0.
//!
//! * *earliest deadlines*: jobs are served by deadline, submission + target * estimate of at least 10 s,
//!   ties by submission. A job on nodes runs if jobs before it have left it the CPU, and otherwise stays
//!   at a yield of 0. A job without nodes takes nodes that have the CPU; if their memory is missing, jobs
//!   that are due later leave, the last ones first, until it fits.
//!
//! Sources: as on the pages of the policies: Schrage 1968, Nuyens and Wierman 2008, Jackson 1955,
//! Ousterhout 1982.

mod check;
mod due;
mod free_nodes;
mod gang;
mod policy;
mod ranked;
mod seen;

pub(crate) use check::FullSpeedCheck;
pub use policy::FullSpeedPolicy;
