//! Regressions: whether results have become worse than a committed baseline.
//!
//! A [`Baseline`] is what results amount to: for each group of the tables (workload and load, policy, setting) the
//! figures that are watched, and digests of what was simulated. It is made from [`Results`](crate::Results), kept as
//! a small TOML file with a line for each figure, and [`check`] compares two of them.
//!
//! ```
//! use dfrsim_legacy::regression::{Baseline, CheckOptions, check};
//! use dfrsim_legacy::{Results, RunOptions, Scenario, run};
//! use std::sync::atomic::AtomicBool;
//!
//! let scenario = "study = 'online'\npolicies = ['EASY']\n\
//!     [[workloads]]\nname = 'model'\nnodes = 16\nlublin = { traces = 2, jobs = 50 }\n";
//! let scenario = Scenario::parse(scenario, "example.toml", &[])?;
//! let folder = tempfile::tempdir()?;
//! let options = RunOptions { threads: 1, ..RunOptions::new(folder.path()) };
//! run(&scenario, &options, &AtomicBool::new(false), &())?;
//!
//! let now = Baseline::of(&Results::read(folder.path())?)?;
//! let before = Baseline::parse(&now.to_toml(), "baseline.toml")?;
//! let report = check(&before, &now, &CheckOptions::default())?;
//! assert!(!report.fails());
//! assert_eq!(report.groups.len(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod baseline;
mod check;
mod error;
mod figure;
mod file;
mod identity;
mod junit;
mod report;
mod tolerance;

pub use baseline::{Baseline, GroupFigures};
pub use check::{Change, CheckOptions, CheckReport, Verdict, check};
pub use error::{BaselineError, Incomparable};
pub use figure::Figure;
pub use identity::WorkloadIdentity;
pub use tolerance::{ParseToleranceError, Tolerance, Tolerances};
