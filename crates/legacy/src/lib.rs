//! Scenarios: from a TOML file to a matrix of simulations, to rows and tables.
//!
//! * [`Scenario`]: what is simulated. [`Scenario::load`] checks a file and reports all that is wrong with it.
//! * [`run`]: runs every policy on every instance (the weeks of a log, the traces of a model), divides the largest
//!   stretch by its lower bound, and writes rows, tables and a manifest into a folder. A run that was
//!   interrupted goes on where it stopped. [`RunReport`] is what there is to print.
//! * [`offline`]: the same for the off-line study.
//! * [`context_switch`]: plans for virtualised jobs.
//! * [`experiment`]: the frame of the other studies. [`Study`] tells which one a file is about.
//! * [`results::Results`]: what a run left in a folder, read again.
//! * [`regression`]: whether results have become worse than a committed baseline.
//! * [`comparison`]: two results, or two policies, instance by instance.
//! * [`export`]: rows in formats that tell numbers from texts.
//! * [`Row`]: one line of `rows.csv`; [`Tables`]: means over the instances.
//!
//! The same scenario gives the same bytes in all files but the manifest, on any number of threads and after any
//! interruption.
//!
//! ```
//! use dfrsim_legacy::{RunOptions, Scenario, run};
//! use std::sync::atomic::AtomicBool;
//!
//! let scenario = r#"
//!     study = "online"
//!     policies = ["FCFS", "EASY"]
//!     [[workloads]]
//!     name = "model"
//!     nodes = 16
//!     lublin = { traces = 2, jobs = 50 }
//! "#;
//! let scenario = Scenario::parse(scenario, "example.toml", &["simulation.penalty=0".to_owned()])?;
//! let folder = tempfile::tempdir()?;
//! let options = RunOptions { threads: 1, ..RunOptions::new(folder.path()) };
//! let report = run(&scenario, &options, &AtomicBool::new(false), &())?;
//! assert_eq!(report.rows.total, 4);
//! assert!(folder.path().join("rows.csv").exists());
//! println!("{}", report.tables.degradation.markdown());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Sources: the dissertation that introduced DFRS (Stillwell, 2010), section 5.3, for the study; 5.1 for the
//! degradation from the bound.

pub mod adaptation;
mod audited;
mod coallocation;
mod column;
pub mod comparison;
pub mod context_switch;
mod digests;
mod discovery;
mod error;
pub mod experiment;
pub mod export;
mod folder;
mod grid;
mod header;
mod instance;
mod journal;
mod key;
mod manifest;
mod needs;
pub mod offline;
mod part;
mod progress;
mod published;
pub mod regression;
pub mod results;
mod row;
mod run;
mod run_options;
pub mod scenario;
mod setting;
mod shard;
mod study;
mod sweep;
mod table_file;
mod tabled;
mod tables;
mod unfinished;
mod unknown_figure;

pub use column::{BadField, Datum, Kind};
pub use error::RunError;
pub use instance::trace_seed;
pub use key::{Key, ParseKeyError, SEMANTICS_VERSION};
pub use progress::{News, Progress};
pub use published::{CostUnit, Costs, Published, UnknownTable};
pub use results::{Results, ResultsError};
pub use row::{Cell, Figures, Row};
pub use run::{RowCounts, RunReport, run};
pub use run_options::{Part, RunOptions};
pub use scenario::{Scenario, ScenarioErrors};
pub use shard::{ParseShardError, Shard};
pub use study::Study;
pub use tabled::{AnyResults, ResultTable, TableLine, TabledResults};
pub use tables::{GroupKey, Table, Tables};
pub use unfinished::{PartStatus, Status, unfinished_scenario};
pub use unknown_figure::UnknownFigure;
