//! The frame of studies whose cells do not depend on each other: cells -> rows -> tables.
//!
//! A study describes itself by the trait `Experiment`: which cells a scenario has, what a cell is computed to, and the
//! tables of all rows. The frame does what is the same for all of them: parallel sweeps, the longest cells first; a
//! journal, so that a run that was interrupted goes on where it stopped; result files that appear whole or not at all.
//!
//! To add a study: write its crate, implement `Experiment` for its scenario in a folder of its own here, and give it a
//! name in `study.rs`.

mod manifest;
mod record;
mod report;
mod run;

pub use report::{Counts, NamedTable, News, Progress, RunReport};
pub use run::AnyExperiment;

pub(crate) use run::Experiment;
