//! `rows.csv`: a line for each scenario of each group and each algorithm.

use super::study::{Study, Tally};
use crate::Table;
use crate::tables::Cell;
use dfrsim_offline::instances::Scenario as Parameters;

pub(super) fn table(study: &Study<'_>) -> Table {
    let header = vec![
        "instances",
        "scenario",
        "nodes",
        "tasks",
        "dimensions",
        "sigma",
        "rho",
        "memory_variation",
        "cpu_variation",
        "parallel",
        "slack",
        "algorithm",
        "samples",
        "solved",
        "failed",
        "infeasible",
        "timed_out",
        "invalid",
        "mean_bound",
        "mean_yield",
        "mean_dfb",
        "p90_dfb",
        "mean_relative_dfb",
        "p90_relative_dfb",
        "mean_average_yield",
        "mean_utilisation",
        "mean_raised_utilisation",
    ];
    let mut lines = Vec::new();
    // Records stand in the order of scenarios.
    let parts = study.records.chunk_by(|a, b| (a.group, a.scenario) == (b.group, b.scenario));
    for records in parts {
        let part = super::study::Part { records: records.iter().collect() };
        let first = &records[0];
        let start = {
            let mut start = vec![
                Cell::Text(study.scenario.instances[first.group as usize].name.clone()),
                Cell::Count(first.scenario as usize),
            ];
            start.extend(parameters(study.parameters(first)));
            start
        };
        let bounds: super::study::Sample =
            records.iter().filter_map(|record| record.bound).map(dfrsim_model::Yield::as_f64).collect();
        for (at, algorithm) in study.scenario.algorithms.iter().enumerate() {
            let Tally { instances, solved, failed, infeasible, timed_out, invalid } = part.tally(at);
            if instances == 0 {
                continue;
            }
            let distances = part.distances(at);
            let second = study.scenario.second.place(*algorithm);
            let raised = |figure: fn(&super::record::Raised) -> Option<f64>| {
                Cell::maybe(second.and_then(|second| part.raised(second, figure).mean()))
            };
            let mut line = start.clone();
            line.push(Cell::Text(algorithm.to_string()));
            line.extend([instances, solved, failed, infeasible, timed_out, invalid].map(Cell::Count));
            line.extend(
                [
                    bounds.mean(),
                    part.yields(at).mean(),
                    distances.absolute.mean(),
                    distances.absolute.percentile(90),
                    distances.relative.mean(),
                    distances.relative.percentile(90),
                ]
                .map(Cell::maybe),
            );
            line.extend([
                raised(|raised| raised.average),
                raised(|raised| Some(raised.utilisation)),
                raised(|raised| raised.raised_utilisation),
            ]);
            lines.push(line);
        }
    }
    Table::new(header, lines)
}

/// Nodes to slack.
fn parameters(parameters: &Parameters) -> [Cell; 9] {
    let count = |number: u32| Cell::Count(number as usize);
    match parameters {
        Parameters::Dissertation(of) => [
            count(of.nodes),
            count(of.jobs),
            count(of.dimensions),
            Cell::Number(of.sigma),
            Cell::Number(of.rho),
            Cell::Nothing,
            Cell::Nothing,
            Cell::Nothing,
            Cell::Number(of.slack),
        ],
        Parameters::Rr6692(of) => [
            count(of.nodes),
            count(of.tasks),
            Cell::Count(2),
            Cell::Nothing,
            Cell::Nothing,
            Cell::Number(of.memory_variation),
            Cell::Number(of.cpu_variation),
            Cell::Text(of.parallel.to_string()),
            Cell::Number(of.slack),
        ],
    }
}
