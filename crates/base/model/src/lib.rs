//! Basic types of dfrsim, with exact arithmetic; all other crates use them.
//!
//! * [`SimTime`], [`SimSpan`]: integer microseconds.
//! * [`Share`]: a fixed-point part of one node's memory or CPU; [`Yield`]: the fraction of its CPU
//!   need that a job gets, in units of 2^-20; [`CpuUse`]: their exact product.
//! * [`VirtualTime`]: the work that a job has done, in units of 2^-20 microseconds, so that
//!   completion times are exact over any span.
//! * [`Clock`]: coarse time, for comparisons with simulators that have it.
//! * [`Job`], [`JobId`], [`NodeId`], [`NodeTasks`], [`UserId`], [`Origin`]: jobs and their
//!   allocations.
//! * [`site`]: settings of a site: priorities, limits, preemption and backfilling.
//! * [`Seed`]: named streams of random numbers, forked from one seed.
//! * [`stretch`]: the metrics of one job.
//! * [`offline`]: instances of the off-line problem and of the adaptation problem.
//! * [`vm`]: virtual machines that share nodes by weight.
//! * [`coallocation`]: requests for parts of several resources at the same time.
//! * [`event_queue`]: the scheduled events in their order.
//! * [`event`]: the records of an events file, which the simulator writes and the audit reads.
//! * [`grid_event`]: the records of an events file of a grid of several clusters.
//! * [`formula`]: user-defined orders of waiting jobs; [`batch`], [`fractional`]: policies as data,
//!   and their names.
//! * [`platform`]: classes of nodes, and when nodes are up.
//! * [`mod@named`]: choices that users write by name.
//! * [`account`]: what became of the lines of a file.
//! * [`limits`]: the largest sizes; [`read_text_file`]: small files, with a limit; [`SortedMap`]: small
//!   maps; [`Members`]: JSON objects in their written order.
//!
//! No comparison has a tolerance: capacity tests, completion times and audits are exact.
//!
//! ```
//! use dfrsim_model::{SimSpan, SimTime, VirtualTime, Yield};
//!
//! // A job of 10 s that runs at a third of its speed ends a little after 30 s, never before:
//! // a third of 2^20 is not an integer and is rounded down.
//! let third = Yield::from_ratio(1, 3);
//! let left = VirtualTime::of(SimSpan::from_secs(10)).time_at(third).unwrap();
//! let end = SimTime::ZERO + left;
//! assert!(end > SimTime::from_secs(30) && end < SimTime::from_secs(31));
//! ```
//!
//! Sources: the dissertation that introduced DFRS (Stillwell, 2010), sections 4.1 and 5.1, for
//! yield, virtual time and stretch. The fixed-point units are our own choice.

mod clock;
mod ids;
mod job;
mod seed;
mod share;
mod sorted_map;
mod texts;
mod time;
mod total;
mod virtual_time;
mod weight;
mod yields;

pub mod account;
pub mod batch;
pub mod coallocation;
pub mod event;
pub mod event_queue;
pub mod formula;
pub mod fractional;
pub mod grid_event;
pub mod limits;
mod numbers;
pub mod offline;
pub mod platform;
pub mod site;
pub mod stretch;
mod violation;
pub mod vm;

pub use clock::Clock;
pub use dfrsim_input::{LONGEST_TEXT, Members, ParseError, describe_io, named, parses, read_text_file};
pub use ids::{JobId, NodeId, NodeTasks, Origin, UserId, ranges};
pub use job::{Dependencies, Job};
pub use numbers::{counted, greatest_common_divisor};
pub use seed::{Rng, Seed};
pub use share::{CpuUse, Share};
pub use sorted_map::SortedMap;
pub use texts::{JobText, JobTexts};
pub use time::{SimSpan, SimTime};
pub use total::TotalF64;
pub use violation::Violation;
pub use virtual_time::VirtualTime;
pub use weight::WeightRule;
pub use yields::Yield;
