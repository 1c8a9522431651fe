//! Results by the parameters of instances: every scenario, and table 4.6 of the dissertation.

use super::gaps::statistics;
use super::status::{COUNTS, counts};
use crate::published::TABLE_4_6;
use crate::results::Results;
use dfrsim_lab::{Cell, Table, beside, beside_header};
use dfrsim_offline::instances::{DissertationScenario, InstanceSet, Scenario};

/// A line for each scenario of each group and each algorithm.
pub(super) fn table(results: &Results<'_>) -> Table {
    let first = ["instances", "scenario"];
    let parameter_names = [
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
    ];
    let measured = [
        "mean_bound",
        "mean_minimum_yield",
        "mean_gap_to_bound",
        "p90_gap_to_bound",
        "mean_relative_gap_to_bound",
        "p90_relative_gap_to_bound",
    ];
    let raised = ["average_yield", "utilisation", "raised_utilisation"];
    let header = (first.into_iter().chain(parameter_names).chain(COUNTS).chain(measured))
        .map(str::to_owned)
        .chain(raised.iter().map(|metric| format!("mean_{metric}")));
    let algorithms: Vec<(String, usize)> =
        results.algorithms.iter().map(|(algorithm, column)| (algorithm.to_string(), *column)).collect();
    let mut lines = Vec::new();
    for part in results.scenarios() {
        let record = part.records[0];
        let mut start =
            vec![Cell::Text(results.groups[record.group].name.clone()), Cell::Count(record.scenario)];
        start.extend(parameters(results.parameters(record)));
        let bound = part.bounds().mean();
        for (algorithm, column) in &algorithms {
            let tally = part.tally(*column);
            if tally.instances == 0 {
                continue;
            }
            let mean = |metric: &&str| part.values(results.metric(algorithm, metric)?).mean();
            let values = [bound, part.yields(*column).mean()].into_iter();
            let values = values.chain(statistics(&part.gaps(*column))).chain(raised.iter().map(mean));
            let mut line = start.clone();
            line.push(Cell::Text(algorithm.clone()));
            line.extend(counts(tally).into_iter().chain(values.map(Cell::optional)));
            lines.push(line);
        }
    }
    Table::new(header, lines)
}

/// What there is of [`table`], group by group.
pub(super) fn summary(results: &Results<'_>) -> Table {
    let line = |(place, group): (usize, &crate::InstanceGroup)| {
        let scenarios = results.scenarios().filter(|part| part.records[0].group == place).count();
        vec![
            Cell::Text(group.name.clone()),
            Cell::Count(scenarios),
            Cell::Count(group.replications() as usize),
            Cell::Count(results.algorithms.len()),
        ]
    };
    let lines = results.groups.iter().enumerate().map(line).collect();
    Table::new(["instances", "scenarios", "replications", "algorithms"], lines)
}

/// Nodes to slack.
fn parameters(parameters: &Scenario) -> [Cell; 9] {
    let count = |number: u32| Cell::Count(number as usize);
    match parameters {
        Scenario::Dissertation(of) => [
            count(of.nodes),
            count(of.jobs),
            count(of.dimensions),
            Cell::Number(of.sigma),
            Cell::Number(of.rho),
            Cell::Missing,
            Cell::Missing,
            Cell::Missing,
            Cell::Number(of.slack),
        ],
        Scenario::Rr6692(of) => [
            count(of.nodes),
            count(of.tasks),
            Cell::Count(2),
            Cell::Missing,
            Cell::Missing,
            Cell::Number(of.memory_variation),
            Cell::Number(of.cpu_variation),
            Cell::Text(of.parallel.to_string()),
            Cell::Number(of.slack),
        ],
    }
}

/// Table 4.6: VP_CPSUM with one parameter fixed, at two slacks.
pub(super) fn table_4_6(results: &Results<'_>) -> Table {
    let columns = ["gap_to_bound", "p90_gap_to_bound", "relative_gap_to_bound", "p90_relative_gap_to_bound"];
    let header: Vec<String> = (["parameter", "value", "slack", "instances"].map(str::to_owned).into_iter())
        .chain(columns.into_iter().flat_map(beside_header))
        .chain(["relative_gap_to_bound_difference".to_owned()])
        .collect();
    let (Some(part), Some(column)) = (results.of_set(InstanceSet::Dissertation), results.column("VP_CPSUM"))
    else {
        return Table::new(header, Vec::new());
    };
    let line = |([parameter, value], [slack, gap, relative, p90, p90_relative]): ([&str; 2], [f64; 5])| {
        let wanted: f64 = value.parse().unwrap_or(f64::NAN);
        let is_wanted =
            |of: &DissertationScenario| of.slack == slack && parameter_of(of, parameter) == wanted;
        let gaps = results.with(&part, is_wanted).gaps(column);
        let own = statistics(&gaps);
        let mut line = vec![
            Cell::Text(parameter.to_owned()),
            Cell::Formatted(value.to_owned()),
            Cell::Number(slack),
            Cell::Count(gaps.absolute.len()),
        ];
        let published = [gap, p90, relative, p90_relative];
        line.extend(own.into_iter().zip(published).flat_map(|(own, theirs)| beside(own, Some(theirs))));
        line.push(Cell::optional(own[2].map(|own| own - relative)));
        line
    };
    Table::new(header, TABLE_4_6.lines().map(line).collect())
}

fn parameter_of(scenario: &DissertationScenario, name: &str) -> f64 {
    match name {
        "D" => scenario.dimensions.into(),
        "J" => scenario.jobs.into(),
        "rho" => scenario.rho,
        _ => scenario.sigma,
    }
}
