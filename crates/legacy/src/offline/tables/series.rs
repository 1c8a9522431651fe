//! The data of RR-6692's figures: yields and failures against slack and against the number of tasks. Times stand in
//! `times.csv`.

use super::slack::slacks;
use crate::Table;
use crate::offline::study::{Part, Study};
use crate::tables::Cell;
use dfrsim_model::Yield;
use dfrsim_offline::instances::{InstanceSet, Rr6692Scenario, Scenario};

const SETS: [InstanceSet; 3] =
    [InstanceSet::Rr6692Small, InstanceSet::Rr6692Large, InstanceSet::Rr6692Parallel];

pub(super) fn by_slack(study: &Study<'_>) -> Table {
    table(
        study,
        "slack",
        |_| slacks().map(Cell::Number).zip(slacks()).collect(),
        |of, slack| of.slack == slack,
    )
}

pub(super) fn by_tasks(study: &Study<'_>) -> Table {
    let sizes = |set: InstanceSet| {
        let sizes: &[u32] = if set == InstanceSet::Rr6692Small { &[6, 8, 10, 12] } else { &[100, 250, 500] };
        sizes.iter().map(|&tasks| (Cell::Count(tasks as usize), f64::from(tasks))).collect()
    };
    table(study, "tasks", sizes, |of, tasks| f64::from(of.tasks) == tasks)
}

/// For each set and value: the mean of LPBOUND, and of each algorithm the minimum yield, the average yield and
/// failures.
fn table(
    study: &Study<'_>,
    parameter: &'static str,
    values: impl Fn(InstanceSet) -> Vec<(Cell, f64)>,
    has: impl Fn(&Rr6692Scenario, f64) -> bool,
) -> Table {
    let header =
        vec!["set", parameter, "algorithm", "instances", "solved", "minimum_yield", "average_yield", "fr"];
    let mut lines = Vec::new();
    for set in SETS {
        let Some(part) = study.of_set(set) else { continue };
        for (cell, value) in values(set) {
            let of_value = part.filter(|record| match study.parameters(record) {
                Scenario::Rr6692(of) => has(of, value),
                Scenario::Dissertation(_) => false,
            });
            let start = || [Cell::Text(set.to_string()), cell.clone()];
            lines.push(start().into_iter().chain(bound(&of_value)).collect());
            lines.extend(algorithms(study, &of_value).map(|rest| start().into_iter().chain(rest).collect()));
        }
    }
    Table::new(header, lines)
}

fn bound(part: &Part<'_>) -> [Cell; 6] {
    let bounds: Vec<f64> = part.records.iter().filter_map(|record| record.bound).map(Yield::as_f64).collect();
    let mean = (!bounds.is_empty()).then(|| bounds.iter().sum::<f64>() / bounds.len() as f64);
    [
        Cell::Text("LPBOUND".to_owned()),
        Cell::Count(part.records.len()),
        Cell::Count(bounds.len()),
        Cell::maybe(mean),
        Cell::Nothing,
        Cell::Nothing,
    ]
}

fn algorithms(study: &Study<'_>, part: &Part<'_>) -> impl Iterator<Item = [Cell; 6]> {
    study.scenario.algorithms.iter().enumerate().filter_map(move |(at, &algorithm)| {
        let tally = part.tally(at);
        let second = study.scenario.second.place(algorithm);
        let average = second.and_then(|second| part.raised(second, |raised| raised.average).mean());
        (tally.instances > 0).then(|| {
            [
                Cell::Text(algorithm.to_string()),
                Cell::Count(tally.instances),
                Cell::Count(tally.solved),
                Cell::maybe(part.yields(at).mean()),
                Cell::maybe(average),
                Cell::maybe(tally.failure_rate()),
            ]
        })
    })
}
