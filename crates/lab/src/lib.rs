//! The experiment framework shared by all studies. It knows scenarios, instances, variants and rows,
//! but no particular study.
//!
//! * [`mod@fields`]: the fields of a scenario, each declared once with its TOML shape, default,
//!   range and documentation.
//! * [`Study`]: instances x variants -> rows. A study defines its fields, its instances, one
//!   function that runs a variant on an instance, its tables, [claims](Claim) and
//!   [drawings](Drawing).
//! * [`columns!`]: the columns of the rows with their [roles](Role), from which all commands work.
//! * [`schema`]: JSON schemas of rows and manifests, derived from these columns.
//! * [`Registry`]: the studies of a program; it reads scenarios and runs them.
//!
//! A scenario determines every byte of all result files except the manifest, on any number of
//! threads, shards and machines, and after any interruption.

pub mod check;
pub mod compare;
pub mod export;
pub mod fields;
pub mod query;
pub mod schema;

mod claims;
mod column;
mod copies;
mod data;
mod drawing;
mod error;
mod groups;
mod key;
mod nodes;
mod overview;
mod parallel;
mod population;
mod ranking;
mod record;
mod registry;
mod results;
mod rows;
mod study;
mod sweep;
mod table;
mod text;

pub use claims::{Claim, Verdict, table as claims_table};
pub use column::{AnyRow, Better, Column, Kind, Role, Row, RowType, Value};
pub use copies::{copy_name, split_copy};
pub use data::{DataFrame, Datum};
pub use drawing::{Axis, Chart, Drawing, IntervalLine, Join, Samples, Scale, Series, stem};
pub use error::RunError;
pub use groups::{GroupKey, by_block, by_key, by_sorted_key};
pub use key::{Digest, Digester, Key, KeyBuilder};
pub use nodes::{DownTimes, DrawnFailures, MaintenanceFields, NodeKinds, platform, platform_fields};
pub use overview::default_drawings;
pub use parallel::in_parallel;
pub use population::missing_jobs;
pub use ranking::{PairedComparison, Ranked, Ranking, Scope, rankings};
pub use record::{FRAME_COLUMNS, Failure, Record, Status, Unfinished};
pub use registry::Registry;
pub use results::{Results, ResultsError};
pub use rows::{Line, Long, Wide, WideCell, file_name};
pub use study::{
    AnyScenario, AnyStudy, Audit, Input, InstanceId, Labels, Prepared, ProblemId, RowSet, RowTexts,
    RunContext, ShardUnit, Study,
};
pub use sweep::{
    Counts, Host, InputSection, MANIFEST, Manifest, Outline, ParseShardError, Part, PartStatus, Progress,
    RunOptions, RunReport, RunStatus, SealError, Shard, Step, TIMES, unfinished_scenario,
};
pub use table::{
    Bootstrap, Cell, Confidence, Estimate, Estimates, NamedTable, Reference, Statistics, Table, TableLine,
    average, comparison_cells, comparison_header, mean, range, rank_correlation, rounded,
};
pub use text::csv::ReadFile;
