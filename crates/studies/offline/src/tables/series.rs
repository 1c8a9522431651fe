//! The data of RR-6692's figures: yields and failures against slack and against the number of tasks. Times are in
//! `times.csv`.

use super::slack::slacks;
use crate::results::{Part, Results};
use crate::rows::Row;
use dfrsim_lab::{Cell, Table, TableLine};
use dfrsim_offline::instances::InstanceSet;

const SETS: [InstanceSet; 3] =
    [InstanceSet::Rr6692Small, InstanceSet::Rr6692Large, InstanceSet::Rr6692Parallel];

pub(crate) fn by_slack(results: &Results<'_>) -> Table {
    let slacks = |_| slacks().map(|slack| (Cell::Number(slack), slack)).collect();
    table(results, "slack", slacks, |row| row.slack)
}

/// The same of some algorithms on one set, over the instances on which all of them ran.
pub(crate) fn in_common(results: &Results<'_>, set: InstanceSet, is_meant: impl Fn(&str) -> bool) -> Table {
    let Some(part) = results.of_set(set).filter(|_| SETS.contains(&set)) else { return Table::default() };
    let is_meant = |algorithm: &str, column: usize| is_meant(algorithm) && !part.where_ran(column).is_empty();
    let meant: Vec<(String, usize)> = (results.algorithms.iter())
        .map(|(algorithm, column)| (algorithm.to_string(), *column))
        .filter(|(algorithm, column)| is_meant(algorithm, *column))
        .collect();
    if meant.is_empty() {
        return Table::default();
    }
    let common = meant.iter().fold(part.clone(), |common, (_, column)| common.where_ran(*column));
    let mut lines = Vec::new();
    for slack in slacks() {
        let of_slack = common.filter(|record| record.row.slack == slack);
        let start = TableLine::new().with("set", set.to_string()).with("slack", Cell::Number(slack));
        lines.push(bound(start.clone(), &of_slack));
        lines.extend(
            meant.iter().filter_map(|(name, column)| algorithm(&start, results, &of_slack, name, *column)),
        );
    }
    lines.into_iter().collect()
}

pub(super) fn by_tasks(results: &Results<'_>) -> Table {
    let sizes = |set: InstanceSet| {
        let sizes: &[u32] = if set == InstanceSet::Rr6692Small { &[6, 8, 10, 12] } else { &[100, 250, 500] };
        sizes.iter().map(|&tasks| (Cell::Count(tasks as usize), f64::from(tasks))).collect()
    };
    table(results, "tasks", sizes, |row| f64::from(row.tasks))
}

/// For each set and value: the mean of LPBOUND, and of each algorithm the minimum yield, the average yield and failures.
fn table(
    results: &Results<'_>,
    parameter: &'static str,
    values: impl Fn(InstanceSet) -> Vec<(Cell, f64)>,
    value_of: impl Fn(&Row) -> f64,
) -> Table {
    let mut lines = Vec::new();
    for set in SETS {
        let Some(part) = results.of_set(set) else { continue };
        for (cell, value) in values(set) {
            let of_value = part.filter(|record| value_of(&record.row) == value);
            let start = TableLine::new().with("set", set.to_string()).with(parameter, cell);
            lines.push(bound(start.clone(), &of_value));
            let each = |(name, column): &(dfrsim_offline::Algorithm, usize)| {
                algorithm(&start, results, &of_value, &name.to_string(), *column)
            };
            lines.extend(results.algorithms.iter().filter_map(each));
        }
    }
    lines.into_iter().collect()
}

fn bound(start: TableLine, part: &Part<'_>) -> TableLine {
    let bounds = part.bounds();
    let start = start.with("algorithm", "LPBOUND").with("instances", part.records.len());
    measured(start, bounds.len(), [bounds.mean(), None, None])
}

fn algorithm(
    start: &TableLine,
    results: &Results<'_>,
    part: &Part<'_>,
    name: &str,
    column: usize,
) -> Option<TableLine> {
    let tally = part.tally(column);
    let average = results.metric(name, "average_yield");
    let average = average.and_then(|average| part.values(average).mean());
    let start = start.clone().with("algorithm", name).with("instances", tally.instances);
    let values = [part.yields(column).mean(), average, tally.failure_rate()];
    (tally.instances > 0).then(|| measured(start, tally.solved, values))
}

fn measured(start: TableLine, solved: usize, values: [Option<f64>; 3]) -> TableLine {
    let names = ["minimum_yield", "average_yield", "failure_rate"];
    start.with("solved", solved).with_all(names.into_iter().zip(values))
}
