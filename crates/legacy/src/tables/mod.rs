//! Tables: figures of many rows, as CSV and as aligned Markdown.

mod bandwidth;
mod bounds;
mod degradation;
mod findings;
pub(crate) mod groups;
mod metrics;
mod published;
pub(crate) mod statistics;
mod table;

pub use groups::GroupKey;
use groups::LeastLoads;
pub use table::Table;
pub(crate) use table::{Cell, decimals};

use crate::RunError;
use crate::folder::Folder;
use crate::instance::Input;
use crate::row::Row;
use crate::scenario::Scenario;

/// The tables of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Tables {
    /// For each workload (and load), policy, penalty and tau: mean, sample standard deviation and maximum of the
    /// degradation from the bound.
    pub degradation: Table,
    /// What pauses and migrations cost: bandwidth, occurrences per hour and per job.
    pub bandwidth: Table,
    /// The same beside published figures; without lines if the scenario names no table of them.
    pub bandwidth_compared: Table,
    /// What was published about the results, checked on ours; without lines if the scenario names no published table.
    pub findings: Table,
    /// The lower bound of each instance.
    pub bounds: Table,
    /// Mean, sample standard deviation and maximum of the bounds of each workload (and load).
    pub bounds_summary: Table,
    /// Means over the instances of the usual figures.
    pub metrics: Table,
}

impl Tables {
    pub(crate) fn of(scenario: &Scenario, inputs: &[Input], rows: &[Row]) -> Tables {
        let groups = groups::groups(rows, LeastLoads::of(scenario));
        let mut notes = notes(scenario, inputs);
        notes.extend(published::agreement(scenario, &groups));
        Tables {
            degradation: degradation::table(scenario, &groups).with_notes(notes),
            bandwidth: bandwidth::table(scenario, &groups),
            bandwidth_compared: bandwidth::compared(scenario, &groups),
            findings: findings::table(scenario, &groups),
            bounds: bounds::table(scenario, rows),
            bounds_summary: bounds::summary(scenario, rows),
            metrics: metrics::table(&groups),
        }
    }
}

/// What became of the lines of those logs of which not every one became a job as it stands.
fn notes(scenario: &Scenario, inputs: &[Input]) -> Vec<String> {
    let note = |input: &Input| format!("{}: {}", scenario.workloads[input.workload].name, input.report);
    inputs.iter().filter(|input| input.is_altered()).map(note).collect()
}

/// Writes the tables into the folder.
pub(crate) fn write(tables: &Tables, folder: &mut Folder) -> Result<(), RunError> {
    let Tables { degradation, bandwidth, bandwidth_compared, findings, bounds, bounds_summary, metrics } =
        tables;
    folder.write("tables/degradation.csv", &degradation.csv())?;
    folder.write("tables/degradation.md", &degradation.markdown())?;
    folder.write("tables/bandwidth.csv", &bandwidth.csv())?;
    folder.write("tables/bandwidth.md", &bandwidth.markdown())?;
    for (name, table) in [("bandwidth_compared", bandwidth_compared), ("findings", findings)] {
        folder.write_table(name, table)?;
    }
    folder.write("tables/bounds.csv", &bounds.csv())?;
    folder.write("tables/bounds.md", &bounds_summary.markdown())?;
    folder.write("tables/metrics.csv", &metrics.csv())?;
    folder.write("tables/metrics.md", &metrics.markdown())
}
