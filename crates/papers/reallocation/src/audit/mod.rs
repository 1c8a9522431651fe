//! Checks the record of a grid of several clusters from scratch ([`dfrsim_model::grid_event`]).
//!
//! Each cluster is followed on its own, each job through all of them:
//!
//! * no job is lost, none runs twice, none waits on more clusters than it may, or on one that is too narrow;
//! * what happens on a cluster is judged as on a cluster alone ([`dfrsim_audit::Auditor`]): its nodes and what they have, their outages, the very
//!   microsecond in which a job ends, and which job starts when, and where, by the policy of the cluster, with any priorities and limits;
//! * where that is promised, which the policy says, a job that was not cancelled ends no later than was expected when it joined
//!   the queue;
//! * when a job joins a queue, it is expected to end when the policy's plan says, which follows from widths, walltimes and speed: made
//!   again for queues of at most [`LONGEST_QUEUE`] jobs on equal nodes in the order of arrival; with CONS, whose plan depends on its past,
//!   for jobs with one copy;
//! * a job that is only moved to gain time gains more than the threshold, and moves at once;
//! * a job takes longer by the transfer of its data where it was not submitted first;
//! * all jobs leave a cluster that fails, none is lost elsewhere; a lost job begins again, and no job is in no queue while a cluster
//!   works on which it fits;
//! * where clusters publish their states they do so in every period, and what the meta-scheduler expects of a job that it submits or
//!   cancels follows from what was published last and from what it did since;
//! * the figures of the summary are those of the records.
//!
//! ```
//! let events = r#"{"event":"run","format":3,"local":"FCFS","promises":true,"copies":1,"clusters":[{"cores":4,"speed":2000}]}
//! {"event":"arrive","at_us":5,"job":0,"id":7,"width":3,"run_us":100,"walltime_us":60}
//! {"event":"submit","at_us":5,"job":0,"cluster":0,"expected_us":35}
//! {"event":"start","at_us":5,"job":0,"cluster":0,"on":[[0,1],[1,1],[2,1]]}
//! {"event":"complete","at_us":35,"job":0,"cluster":0}
//! {"event":"summary","completed":1,"skipped":0,"moves":0,"cancellations":0,"turnaround_us":30}
//! "#;
//! assert_eq!(dfrsim_paper_reallocation::audit::audit(events.as_bytes()).unwrap().completed, 1);
//! let longer = events.replace(r#""at_us":35"#, r#""at_us":50"#).replace("30}", "45}");
//! let error = dfrsim_paper_reallocation::audit::audit(longer.as_bytes()).unwrap_err();
//! assert!(error.to_string().contains("job 0: on cluster 0, where jobs count from 0"), "{error}");
//! ```

mod auditor;
mod book;
mod cluster;
mod failures;
mod file;
mod happening;
mod job;
mod local;
mod reservations;
mod rule;
mod running;
mod steps;

pub use auditor::Auditor;
pub use dfrsim_audit::GridReport;
pub use file::audit;
pub use local::LONGEST_QUEUE;
