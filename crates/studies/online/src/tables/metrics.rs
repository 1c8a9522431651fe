//! Each metric, averaged over the instances.

use crate::groups::Group;
use crate::rows::SimulationRow;
use dfrsim_lab::{Cell, Column, Columns as _, Table, mean};

/// Those that are written as Markdown.
const SUMMARY: [&str; 13] = [
    "utilisation",
    "mean_wait_s",
    "p95_wait_s",
    "mean_turnaround_s",
    "mean_bounded_stretch",
    "max_bounded_stretch",
    "mean_stretch",
    "max_stretch",
    "makespan_s",
    "killed",
    "rejected",
    "preemptions",
    "migrations",
];

/// For each group the mean of each metric. Failed simulations are counted and left out.
pub(super) fn table(groups: &[Group<'_>]) -> Table {
    means(groups, Column::is_metric)
}

/// The same of the usual metrics.
pub(super) fn summary(groups: &[Group<'_>]) -> Table {
    means(groups, |column| SUMMARY.contains(&column.name))
}

fn means(groups: &[Group<'_>], is_meant: impl Fn(&Column) -> bool) -> Table {
    let columns = || SimulationRow::COLUMNS.iter().enumerate().filter(|(_, column)| is_meant(column));
    let header = Group::header().into_iter().chain(columns().map(|(_, column)| column.name.to_owned()));
    let line = |group: &Group<'_>| {
        let mut cells = group.cells();
        cells.extend(columns().map(|(at, _)| {
            let values: Vec<f64> = group.rows().filter_map(|row| row.number(at)).collect();
            Cell::optional((!values.is_empty()).then(|| mean(&values)))
        }));
        cells
    };
    Table::new(header, groups.iter().map(line).collect())
}
