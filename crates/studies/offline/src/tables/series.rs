//! The data of RR-6692's figures: yields and failures against slack and against the number of tasks. Times are in
//! `times.csv`.

use super::slack::slacks;
use crate::results::{Part, Results};
use crate::study::tasks;
use dfrsim_lab::{Cell, Table};
use dfrsim_offline::instances::{InstanceSet, Scenario};

const SETS: [InstanceSet; 3] =
    [InstanceSet::Rr6692Small, InstanceSet::Rr6692Large, InstanceSet::Rr6692Parallel];

pub(crate) fn by_slack(results: &Results<'_>) -> Table {
    let slacks = |_| slacks().map(|slack| (Cell::Number(slack), slack)).collect();
    table(results, "slack", slacks, Scenario::slack)
}

pub(super) fn by_tasks(results: &Results<'_>) -> Table {
    let sizes = |set: InstanceSet| {
        let sizes: &[u32] = if set == InstanceSet::Rr6692Small { &[6, 8, 10, 12] } else { &[100, 250, 500] };
        sizes.iter().map(|&tasks| (Cell::Count(tasks as usize), f64::from(tasks))).collect()
    };
    table(results, "tasks", sizes, |parameters| f64::from(tasks(parameters)))
}

/// For each set and value: the mean of LPBOUND, and of each algorithm the minimum yield, the average yield and failures.
fn table(
    results: &Results<'_>,
    parameter: &'static str,
    values: impl Fn(InstanceSet) -> Vec<(Cell, f64)>,
    value_of: impl Fn(&Scenario) -> f64,
) -> Table {
    let header = [
        "set",
        parameter,
        "algorithm",
        "instances",
        "solved",
        "minimum_yield",
        "average_yield",
        "failure_rate",
    ];
    let mut lines = Vec::new();
    for set in SETS {
        let Some(part) = results.of_set(set) else { continue };
        for (cell, value) in values(set) {
            let of_value = part.filter(|record| value_of(results.parameters(record)) == value);
            let start = || [Cell::Text(set.to_string()), cell.clone()];
            lines.push(start().into_iter().chain(bound(&of_value)).collect());
            lines
                .extend(algorithms(results, &of_value).map(|rest| start().into_iter().chain(rest).collect()));
        }
    }
    Table::new(header, lines)
}

fn bound(part: &Part<'_>) -> [Cell; 6] {
    let bounds = part.bounds();
    [
        Cell::Text("LPBOUND".to_owned()),
        Cell::Count(part.records.len()),
        Cell::Count(bounds.len()),
        Cell::optional(bounds.mean()),
        Cell::Missing,
        Cell::Missing,
    ]
}

fn algorithms(results: &Results<'_>, part: &Part<'_>) -> impl Iterator<Item = [Cell; 6]> {
    results.algorithms.iter().filter_map(move |&(algorithm, column)| {
        let (name, tally) = (algorithm.to_string(), part.tally(column));
        let average = results.metric(&name, "average_yield");
        (tally.instances > 0).then(|| {
            [
                Cell::Text(name),
                Cell::Count(tally.instances),
                Cell::Count(tally.solved),
                Cell::optional(part.yields(column).mean()),
                Cell::optional(average.and_then(|average| part.values(average).mean())),
                Cell::optional(tally.failure_rate()),
            ]
        })
    })
}
