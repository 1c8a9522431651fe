//! Checks the record of a grid of several clusters from scratch ([`dfrsim_model::grid_event`]).
//!
//! Each cluster is followed on its own, each job through all of them:
//!
//! * no job is lost, none runs twice, none waits on more clusters than it may, or on one that is too narrow;
//! * at no moment are more cores in use than a cluster has;
//! * a job ends in the very microsecond that its run time, its walltime and the speed of its cluster say;
//! * FCFS clusters start jobs in the order in which they were submitted to them;
//! * where that is promised, which the policy says, a job that was not cancelled ends no later than was expected when it joined
//!   the queue, and starts so early that its walltime does;
//! * when a job joins a queue, it is expected to end when the policy's plan says, which follows from widths, walltimes and speed: made
//!   again for queues of at most [`LONGEST_QUEUE`] jobs; with CONS, whose plan depends on its past, for jobs with one copy;
//! * what can start does: the first in a queue of FCFS and EASY, what EASY can backfill, what the plan of CONS has start now; and
//!   EASY delays no first one;
//! * a job that is only moved to gain time gains more than the threshold, and moves at once;
//! * a job takes longer by the transfer of its data where it was not submitted first;
//! * all jobs leave a cluster that fails, none is lost elsewhere; a lost job begins again, and no job is in no queue while a cluster
//!   works on which it fits;
//! * where clusters publish their states they do so in every period, and what the meta-scheduler expects of a job that it submits or
//!   cancels follows from what was published last and from what it did since;
//! * the figures of the summary are those of the records.
//!
//! ```
//! let events = r#"{"event":"run","format":2,"local":"FCFS","promises":true,"copies":1,"clusters":[{"cores":4,"speed":2000}]}
//! {"event":"arrive","at_us":5,"job":0,"id":7,"width":3,"run_us":100,"walltime_us":60}
//! {"event":"submit","at_us":5,"job":0,"cluster":0,"expected_us":35}
//! {"event":"start","at_us":5,"job":0,"cluster":0}
//! {"event":"complete","at_us":35,"job":0,"cluster":0}
//! {"event":"summary","completed":1,"skipped":0,"moves":0,"cancellations":0,"turnaround_us":30}
//! "#;
//! assert_eq!(dfrsim_audit::grid::audit(events.as_bytes()).unwrap().completed, 1);
//! let longer = events.replace(r#""at_us":35"#, r#""at_us":50"#).replace("30}", "45}");
//! let error = dfrsim_audit::grid::audit(longer.as_bytes()).unwrap_err();
//! assert!(error.to_string().contains("line 5, 0.00005 s, job 0: its end is due at 0.000035 s"), "{error}");
//! ```

mod auditor;
mod book;
mod cluster;
mod failures;
mod file;
mod job;
mod jobs;
mod local;
mod report;
mod reservations;
mod rule;
mod running;
mod steps;

pub use auditor::Auditor;
pub use file::{audit, is_grid};
pub use local::LONGEST_QUEUE;
pub use report::Report;
pub use rule::GridRule;
