//! Several clusters with a batch scheduler each, and a meta-scheduler that maps arriving jobs and
//! moves waiting ones.
//!
//! * [`Platform`]: the clusters, their [`Speed`]s and their [`BatchPolicy`]. Each is a simulated
//!   cluster ([`dfrsim_cluster::Simulation`]) with a batch scheduler
//!   ([`dfrsim_policies::batch::LocalScheduler`]): its nodes may differ and go down, and its site
//!   may have priorities and limits ([`Conditions`]). A job is killed at its walltime. Whole
//!   clusters may fail for a time ([`Outage`]).
//! * [`Options`]: the [`Mapping`] of arriving jobs, and the [`Reallocation`] of waiting ones (two
//!   [`Algorithm`]s with six [`Heuristic`]s each); the time for moving the data of a job
//!   ([`Transfer`]), and the age of the state that the meta-scheduler knows of the clusters.
//! * [`simulate`] runs jobs through the grid on one event queue, reports all events to an
//!   [`Observer`], and returns an [`Outcome`]. [`Comparison`] compares it with the outcome without
//!   reallocation.
//!
//! The meta-scheduler only uses operations that a front end offers: submit, cancel, list the waiting
//! jobs, and predict the completion of a job, queued or not. The prediction is a search in the plan
//! that the local scheduler has anyway.
//!
//! ```
//! use dfrsim_paper_reallocation::engine::{
//!     Algorithm, ClusterSpec, Compression, Backfilling, GridJob, Heuristic, Options, Platform, Reallocation, Speed,
//!     simulate,
//! };
//! use dfrsim_model::{JobId, SimSpan, SimTime};
//!
//! let cluster = |name: &str| ClusterSpec { name: name.to_owned(), cores: 2, speed: Speed::ONE, local: None, conditions: Default::default() };
//! let platform = Platform::new(vec![cluster("a"), cluster("b")], Backfilling::Conservative(Compression::OneByOne))?;
//! // Jobs 1 and 2 fill the grid, and say that they take 5 and 6 hours. Job 3 queues behind the first; but job 2 ends
//! // after half an hour, and when reallocation comes, after an hour, job 3 moves to its cluster.
//! let hours = |hours: u64| SimSpan::from_secs(3_600 * hours);
//! let job = |id, run, walltime| {
//!     GridJob { id: JobId(id), submit: SimTime::ZERO, width: 2, run, walltime, home: None, site: None, traits: Default::default() }
//! };
//! let jobs = [job(1, hours(5), hours(5)), job(2, SimSpan::from_secs(1_800), hours(6)), job(3, hours(1), hours(1))];
//! let reallocation = Some(Reallocation::hourly(Algorithm::Without, Heuristic::MinMin));
//! let outcome = simulate(&platform, &jobs, &Options { reallocation, ..Options::default() }, ())?;
//! let last = outcome.jobs[2].unwrap();
//! assert_eq!((last.cluster, last.moves, last.end), (1, 1, SimTime::from_secs(2 * 3_600)));
//! # Ok::<(), dfrsim_paper_reallocation::engine::GridError>(())
//! ```
//!
//! Source: Y. Caniou, G. Charrier, F. Desprez, *Analysis of Tasks Reallocation in a Dedicated Grid
//! Environment*, INRIA research report RR-7226, 2010; for submission to several clusters O. Sonmez
//! et al., HPDC 2009. Decisions that the texts leave open are documented at the items that make
//! them.

mod cluster;
mod comparison;
mod demand;
mod error;
mod grid;
mod job;
mod mapping;
pub mod month;
mod news;
mod observer;
mod options;
mod outcome;
mod platform;
mod reallocation;
mod simulation;

pub use comparison::Comparison;
pub use dfrsim_cluster::Conditions;
pub use dfrsim_policies::batch::{Backfilling, BatchPolicy, Compression};
pub use error::GridError;
pub use job::{GridJob, JobTraits};
pub use observer::Observer;
pub use options::{Algorithm, Estimate, Heuristic, Mapped, Mapping, Options, Reallocation, Transfer};
pub use outcome::{JobOutcome, Outcome};
pub use platform::{ClusterSpec, Outage, Platform, Speed};
pub use simulation::simulate;
