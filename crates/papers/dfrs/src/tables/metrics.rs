//! Means of each metric over the instances.

use crate::groups::Group;
use crate::rows::SimulationRow;
use dfrsim_lab::{AnyRow as _, Column, Row as _, Table, average};
use std::collections::{BTreeMap, BTreeSet};

/// Metrics in the summary that is written as Markdown.
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

/// Builds the table of the mean of each metric for each group. Failed simulations are counted and
/// left out.
pub(super) fn table(groups: &[Group<'_>]) -> Table {
    means(groups, Column::is_metric)
}

/// Builds the table of the means of the [`SUMMARY`] metrics for each group.
pub(super) fn summary(groups: &[Group<'_>]) -> Table {
    means(groups, |column| SUMMARY.contains(&column.name))
}

fn means(groups: &[Group<'_>], is_meant: impl Fn(&Column) -> bool) -> Table {
    let columns =
        || SimulationRow::TYPES[0].columns.iter().enumerate().filter(|(_, column)| is_meant(column));
    // Metrics registered by the program come last, by name.
    let own = |row: &SimulationRow| -> BTreeMap<String, f64> {
        row.own.as_deref().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
    };
    let names: BTreeSet<String> =
        groups.iter().flat_map(Group::rows).flat_map(|row| own(row).into_keys()).collect();
    let line = |group: &Group<'_>| {
        let usual = |(at, column): (usize, &Column)| {
            (column.name, average(group.rows().filter_map(|row| row.number(at))))
        };
        let others = |name: &String| {
            (name.clone(), average(group.rows().filter_map(|row| own(row).get(name).copied())))
        };
        group.line().with_all(columns().map(usual)).with_all(names.iter().map(others))
    };
    groups.iter().map(line).collect()
}
