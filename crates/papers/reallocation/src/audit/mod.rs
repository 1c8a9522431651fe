//! Independent audit of a grid of several clusters ([`dfrsim_model::grid_event`]).
//!
//! Each cluster is followed separately, each job across all clusters:
//!
//! * no job is lost or runs twice, and none waits on more clusters than allowed or on one with too
//!   few cores;
//! * events on a cluster are checked as on a single cluster ([`dfrsim_audit::Auditor`]): resources of
//!   nodes, outages, the very microsecond in which a job ends, and the decisions of the cluster's
//!   policy, with any priorities and limits;
//! * if the policy guarantees it, a job that was not cancelled ends no later than expected when it
//!   joined the queue;
//! * the expected completion time of a job that joins a queue agrees with the policy's plan, which
//!   follows from sizes, time limits and speed. The plan is recomputed for queues of at most
//!   [`LONGEST_QUEUE`] jobs on equal nodes in the order of arrival, and under policies without
//!   lasting reservations also by estimate (SJF, LJF) or area (SAF); under CONS, whose plan depends
//!   on the past, for jobs with one copy;
//! * if jobs only move to gain time, the gain exceeds the threshold, and the move is immediate;
//! * a job takes longer by the transfer of its data on clusters other than that of its first
//!   submission;
//! * all jobs leave a cluster that fails, and none is lost elsewhere. A lost job restarts, and no
//!   job is in no queue while a cluster works on which it fits;
//! * if clusters publish their states, they do so in every period, and the expectations of the
//!   meta-scheduler about a job that it submits or cancels follow from the last publication and its
//!   own actions since then;
//! * the figures of the summary agree with the records.
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
//! assert!(error.to_string().contains("job 0: on cluster 0, whose jobs are numbered from 0"), "{error}");
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
