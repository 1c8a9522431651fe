//! Comparisons: two results, or two policies of one, instance by instance.
//!
//! Two policies that ran on the same instances are compared by their differences on each of them: instances differ
//! more than policies do, and what an instance adds to both sides drops out. [`compare`] pairs rows, and gives for each
//! group of the tables and each figure mean and median of differences (B - A) and ratios (B / A) with bootstrap
//! confidence intervals, and how often B is better. [`compare_packings`] does the same for the minimum yields of off-line
//! results.
//!
//! ```
//! use dfrsim_legacy::comparison::{CompareOptions, compare};
//! use dfrsim_legacy::{Results, RunOptions, Scenario, run};
//! use std::sync::atomic::AtomicBool;
//!
//! let scenario = "study = 'online'\npolicies = ['FCFS', 'EASY']\n\
//!     [[workloads]]\nname = 'model'\nnodes = 16\nlublin = { traces = 8, jobs = 50 }\n";
//! let scenario = Scenario::parse(scenario, "example.toml", &[])?;
//! let folder = tempfile::tempdir()?;
//! let options = RunOptions { threads: 1, ..RunOptions::new(folder.path()) };
//! run(&scenario, &options, &AtomicBool::new(false), &())?;
//!
//! let results = Results::read(folder.path())?;
//! let options = CompareOptions {
//!     policy: Some("FCFS".to_owned()),
//!     with: Some("EASY".to_owned()),
//!     ..CompareOptions::default()
//! };
//! let comparison = compare(&results, &results, &options)?;
//! let group = &comparison.groups[0];
//! assert_eq!(group.pairs.len(), 8);
//! assert!(group.difference.mean.value <= 0.0, "EASY is no worse than FCFS");
//! println!("{}", comparison.table().markdown());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Sources: B. Efron and R. J. Tibshirani, *An Introduction to the Bootstrap*, 1993: chapter 13 for the percentile
//! interval, 14.3 for the bias-corrected and accelerated one (BCa).

mod bootstrap;
mod compare;
mod packings;
mod pairing;
mod report;

pub(crate) use bootstrap::Bootstrap;
pub use bootstrap::{Confidence, Estimate, Estimates, ParseConfidenceError};
pub use compare::{Column, CompareError, CompareOptions, Comparison, GroupComparison, Pair, compare};
pub use packings::{ComparePackingsError, compare_packings};
