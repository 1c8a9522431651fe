//! The off-line study: algorithms x instances, each packed once, to tables beside the published ones.
//!
//! * [`Scenario`]: which algorithms on which instances.
//! * [`run`]: solves every instance by every algorithm, lets the independent checker look at every packing, and
//!   writes `instances.csv` (a line an instance), `rows.csv` (a line for each scenario of a set and algorithm), tables,
//!   times and a manifest.
//!
//! What is kept of an algorithm on an instance is eight bytes, so the largest study, 72,900 instances and 65
//! algorithms, takes some 40 MB, and every figure is computed of all values: quantiles and pairwise measures too.
//!
//! Sources: the dissertation that introduced DFRS (Stillwell, 2010), chapter 4; RR-6692, sections 4 and 5.

mod file;
mod manifest;
mod published;
mod record;
mod resolve;
mod rows;
mod run;
mod scenario;
mod solve;
mod study;
mod tables;
mod times;

pub use run::{Counts, RunReport, run};
pub use scenario::{Grid, InstanceGroup, Packing, Scenario, Second, Slow, Source};
pub use tables::Tables;
