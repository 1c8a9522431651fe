//! Data of RR-6692's figures: yields and failures against slack and against the number of tasks.
//! Times are in `times.csv`.

use super::slack::slacks;
use crate::algorithms::Algorithm;
use crate::results::{Results, Subset};
use crate::rows::Row;
use dfrsim_lab::{Cell, Table, TableLine};
use dfrsim_vector_packing::instances::InstanceSet;

pub(crate) const SETS: [InstanceSet; 3] =
    [InstanceSet::Rr6692Small, InstanceSet::Rr6692Large, InstanceSet::Rr6692Parallel];

/// Parameter of the horizontal axis: its column, its values on a set, and its value for an instance.
type Parameter = (&'static str, fn(InstanceSet) -> Vec<Cell>, fn(&Row) -> Cell);

const SLACK: Parameter = ("slack", |_| slacks().map(Cell::Number).collect(), |row| Cell::Number(row.slack));
const TASKS: Parameter = ("tasks", sizes, |row| row.tasks.into());

fn sizes(set: InstanceSet) -> Vec<Cell> {
    let sizes: &[usize] = if set == InstanceSet::Rr6692Small { &[6, 8, 10, 12] } else { &[100, 250, 500] };
    sizes.iter().copied().map(Cell::Count).collect()
}

pub(super) fn by_slack(results: &Results<'_>) -> Option<Table> {
    all(results, SLACK)
}

pub(super) fn by_tasks(results: &Results<'_>) -> Option<Table> {
    all(results, TASKS)
}

/// Builds the lines of all algorithms on all sets.
fn all(results: &Results<'_>, against: Parameter) -> Option<Table> {
    let of_set = |set| Some(lines(results, set, &results.of_set(set)?, &results.algorithms, against));
    Some(SETS.into_iter().filter_map(of_set).flatten().collect())
}

/// Builds the lines of the selected algorithms on one set, by slack, over the instances on which all
/// of them ran.
pub(crate) fn on_common_instances(
    results: &Results<'_>,
    set: InstanceSet,
    is_meant: impl Fn(&str) -> bool,
) -> Option<Table> {
    let part = results.of_set(set)?;
    let is_meant = |(algorithm, column): &(Algorithm, usize)| {
        is_meant(&algorithm.to_string()) && !part.where_ran(*column).is_empty()
    };
    let meant: Vec<(Algorithm, usize)> = results.algorithms.iter().copied().filter(is_meant).collect();
    let common = meant.iter().fold(part.clone(), |common, (_, column)| common.where_ran(*column));
    (!meant.is_empty()).then(|| lines(results, set, &common, &meant, SLACK).into_iter().collect())
}

/// Builds the lines for each value: the mean of LPBOUND, and of each algorithm that ran the minimum
/// yield, the average yield and the failure rate.
fn lines(
    results: &Results<'_>,
    set: InstanceSet,
    part: &Subset<'_>,
    algorithms: &[(Algorithm, usize)],
    (parameter, values, value_of): Parameter,
) -> Vec<TableLine> {
    let mut lines = Vec::new();
    for value in values(set) {
        let part = part.filter(|record| value_of(&record.row) == value);
        let start = TableLine::new().with("set", set.to_string()).with(parameter, value);
        let line = |name: &str, instances: usize, solved: usize, values: [Option<f64>; 3]| {
            let line = start.clone().with("algorithm", name).with("instances", instances);
            let names = ["minimum_yield", "average_yield", "failure_rate"];
            line.with("solved", solved).with_all(names.into_iter().zip(values))
        };
        let bounds = part.bounds();
        lines.push(line("LPBOUND", part.records.len(), bounds.len(), [bounds.mean(), None, None]));
        for &(algorithm, column) in algorithms {
            let (name, tally) = (algorithm.to_string(), part.tally(column));
            if tally.instances > 0 {
                let average = results.metric(&name, "average_yield");
                let average = average.and_then(|average| part.values(average).mean());
                let values = [part.yields(column).mean(), average, tally.failure_rate()];
                lines.push(line(&name, tally.instances, tally.solved, values));
            }
        }
    }
    lines
}
