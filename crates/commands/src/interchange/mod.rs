//! Schedules in the formats of other tools.
//!
//! Each writer is an [`Observer`](dfrsim_cluster::Observer) of a simulation. It writes while the
//! simulation runs, so its memory use is bounded by the jobs in the system (and, for the machine
//! states, by the nodes).
//!
//! * [`BatsimJobs`] writes the `_jobs.csv` of Batsim, which evalys reads: one line per job, with its
//!   nodes.
//! * [`BatsimMachines`] writes Batsim's `_machine_states.csv`: the number of computing nodes over
//!   time.
//! * [`ScheduleLog`] writes the Standard Workload Format, including the wait times.
//! * [`InSubmissionOrder`] writes the lines of jobs that complete in any order.
//!
//! These formats are for jobs that start once, on exclusive nodes, and keep them. The documentation
//! of each writer describes the treatment of schedules with pauses, migrations and shared nodes.
//!
//! ```
//! use dfrsim_cluster::{Options, simulate};
//! use dfrsim_commands::interchange::{BatsimJobs, InSubmissionOrder};
//! use dfrsim_model::{Job, JobId, Share, SimSpan, SimTime};
//! use dfrsim_policies::PolicyOptions;
//!
//! let job = |id, tasks, seconds| Job {
//!     id: JobId(id),
//!     submit: SimTime::ZERO,
//!     tasks,
//!     cpu_need: Share::ONE,
//!     memory: Share::ZERO,
//!     run_time: SimSpan::from_secs(seconds),
//!     requested_time: Some(SimSpan::from_secs(100)),
//!     user: None,
//!     origin: dfrsim_model::Origin::UNKNOWN,
//! };
//! let policy: dfrsim_policies::Policy = "FCFS".parse()?;
//! let mut scheduler = policy.scheduler(4, &PolicyOptions::default());
//! let mut file = InSubmissionOrder::new(Vec::new(), Box::new(BatsimJobs::new("example", None)));
//! simulate(4, &Options::default(), [job(1, 3, 60), job(2, 2, 30)], &mut *scheduler, &mut file)?;
//! let text = String::from_utf8(file.finish()?)?;
//! let lines: Vec<&str> = text.lines().skip(1).collect();
//! assert_eq!(lines, [
//!     "1,example,60,0,3,100,1,COMPLETED_SUCCESSFULLY,0,60,60,0,60,1,0-2,-1,\"\"",
//!     "2,example,30,0,2,100,1,COMPLETED_SUCCESSFULLY,60,30,90,60,90,3,0-1,-1,\"\"",
//! ]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Sources: the documentation of Batsim, pages "Jobs", "Agregated machine state trace" and "Interval
//! set"; the reader `JobSet` of evalys 4.0; the definition of SWF 2.2 at the Parallel Workloads
//! Archive.

mod batsim_jobs;
mod batsim_machines;
mod in_submission_order;
pub(crate) mod in_system;
mod schedule_log;

pub use batsim_jobs::BatsimJobs;
pub use batsim_machines::BatsimMachines;
pub use in_submission_order::{InSubmissionOrder, JobLines};
pub use schedule_log::{Records, ScheduleLog, schedule_header};
