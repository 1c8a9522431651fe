//! Independent audit of a simulation from its events file alone.
//!
//! The simulator writes what happened ([`dfrsim_model::event`]). This crate shares only the types of
//! the model with it, including the names of policies. It follows each job and each node through the
//! file and recomputes everything:
//!
//! * the records are in order, and each is legal in the state of its job;
//! * every placement is complete, and no node is ever given more memory or CPU than it has;
//! * a job progresses at its yield outside of rescheduling penalties, and completes in the very
//!   microsecond in which its work reaches its run time;
//! * a job that follows another one is submitted its think time after that one has left, and all
//!   announced jobs arrive;
//! * every job ends, and the figures of the summary are those of the schedule;
//! * no job runs on a node that is down, and an interrupted job restarts with the work that the rule
//!   keeps;
//! * if nodes differ, no node gives more of a resource than its class has, each has the requested
//!   features, and a job progresses at the speed of its slowest node.
//!
//! # What the world forces
//!
//! Some changes of a job are not decisions. The audit knows from the records before when each of
//! them is due, demands it at that time, and computes what the job keeps and loses. "Planted" names
//! the files of `crates/simulator/tests/audit/planted` in which the change is left out, made at
//! another time, or made with another result.
//!
//! | event | forced by | what is demanded | planted |
//! |---|---|---|---|
//! | end of the work | the job | `complete` in that microsecond, before all other records of the time; no `interrupt`, `lose` or `kill` | `by-hand`, `forced` |
//! | limit reached (`--overrun kill`) | the estimate | the run time is no longer than the estimate, so that the work ends at the limit | `forced` |
//! | node down | failure, or begin of a window | `interrupt` or `lose`, by the rule in line 2, of each job on the node, before any submission or decision; the work kept is that of whole checkpoints | `forced`, `failing`, `checkpoints`, `window` |
//! | node drained | the drain | no `interrupt` or `lose`; no job starts on the node before the end of the drain | `drained` |
//! | begin of a window | announcement | all of its nodes are down | `window` |
//! | end of a window | announcement | none of its nodes comes up before | `window` |
//! | job preempted | a job of a higher class that starts | `interrupt`, `lose` or `pause`, by the mode of its class, in the decision in which the other starts; none without such a start | `preemption` |
//! | end of a grace period | preemption under SLURM | the job leaves its nodes at that time | mutants of `policies/src/site` |
//! | begin and end of a reservation | settings of the site | a decision; no job starts whose estimate crosses the bound. A job that exceeds its estimate continues | `reserved` |
//! | end of a job that others follow | their links | each follower is submitted after its delay | `links` |
//!
//! A waiting job may be held: for a delay after it lost its nodes, until its preemptor has started,
//! by a limit, by a reservation. Its start is a violation then (`holds`, `reserved`, `held`), as is
//! the start of a job at a time at which the policy has no reason to decide (`holds`).
//!
//! When a failed node comes up again is input, unless a window contains it: no record can be wrong
//! about it.
//!
//! All of this uses exact integers; only the summary's floating-point figures are compared with a
//! tolerance. [`audit`] reads a stream and keeps in memory the jobs in the system, the nodes in use,
//! and the bounded stretch of each job for the quantiles. It returns a [`Report`], or an
//! [`AuditError`] with the first [`Fault`]s, each with line, time, job and violated [`Rule`]. A job
//! that violates a rule of one kind several times is told once, with the number of repetitions: the
//! audit goes on from the record, and takes a job that was late for where it is.
//! [`Auditor`] takes the records one by one, for a simulation that is checked while it runs.
//!
//! [`audit_policy`] also checks the decisions: that each job starts when a [batch policy](batch) has
//! it start, given the run-time estimates of the policy, that a [fractional policy](fractional)
//! respects the order of its priorities, or that a policy that runs jobs [at full
//! speed](full_speed) has each job where its rules have it.
//!
//! The audits of other results live beside what they check: packings, adaptations, plans of context
//! switches and co-allocations in the crates of the solvers, grids of clusters and discovered CPU
//! needs in the crates of the papers.
//!
//! ```
//! // A job of 10 s runs on all of node 0 at full speed.
//! let events = r#"{"event":"run","format":3,"policy":"FCFS","nodes":1,"penalty_us":0,"tau_us":10000000}
//! {"event":"submit","at_us":0,"job":0,"id":7,"tasks":1,"cpu_need":943718400,"memory":0,"run_us":10000000}
//! {"event":"start","at_us":0,"job":0,"on":[[0,1]],"yield":1048576}
//! {"event":"complete","at_us":10000000,"job":0}
//! {"event":"summary","completed":1,"rejected":0,"makespan_us":10000000,"max_stretch":1.0,"max_bounded_stretch":1.0,"mean_bounded_stretch":1.0,"mean_turnaround_s":10.0,"utilisation":1.0,"preemptions":0,"migrations":0,"migrated_tasks":0}
//! "#;
//! let report = dfrsim_audit::audit(events.as_bytes()).unwrap();
//! assert_eq!((report.completed, report.peak_cpu), (1, 1.0));
//!
//! // A microsecond earlier the job cannot be done.
//! let cheat = events.replace(r#""at_us":10000000"#, r#""at_us":9999999"#);
//! let error = dfrsim_audit::audit(cheat.as_bytes()).unwrap_err();
//! assert!(error.to_string().contains("line 4, 9.999999 s, job 0: it completes too early"));
//! ```
//!
//! Sources: the dissertation that introduced DFRS (Stillwell, 2010), sections 4.1 and 5.1 for yield,
//! virtual time and stretch, section 5.3.1 for the penalty. The format is defined by the model.

mod auditor;
pub mod batch;
mod check;
mod common;
mod devices;
mod energy;
pub mod explain;
mod fault;
mod figures;
mod forced;
pub mod fractional;
pub mod full_speed;
mod grid_report;
mod head;
mod job;
mod level_names;
mod levels;
mod lines;
mod links;
mod nodes;
mod objectives;
mod outside;
mod placement;
mod platform;
mod policy;
mod power;
mod power_span;
mod priority;
mod profile;
mod report;
mod rule;
mod series;
mod sleep;
mod summary;
mod tally;
mod unrecorded;

/// Building blocks for audits of other record files, such as that of a grid of clusters.
pub mod records {
    pub use crate::head::{Rank, RecordHead};
    pub use crate::lines::follow;
    pub use crate::profile::Profile;
    pub use crate::rule::{AFTER_SUMMARY, EMPTY, NO_SUMMARY, SECOND_RUN};
}

pub use auditor::{Auditor, MAX_NODES, audit, audit_policy};
pub use fault::{AuditError, Fault, Faults};
pub use grid_report::{GridAudit, GridReport};
pub use policy::CheckedPolicy;
pub use power::{PowerOverTime, power_over_time};
pub use power_span::PowerSpan;
pub use report::Report;
pub use rule::{Phase, Rule};
pub use unrecorded::MAX_UNRECORDED_DECISIONS;
