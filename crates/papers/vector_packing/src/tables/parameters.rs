//! Results by the parameters of instances: every scenario, and table 4.6 of the dissertation.

use super::gaps::{MARGINS, STATISTICS, statistics};
use super::status::counts;
use crate::published::TABLE_4_6;
use crate::results::Results;
use dfrsim_lab::{Cell, Table, TableLine, line_of};
use dfrsim_vector_packing::instances::InstanceSet;

/// Builds the table with a line for each scenario of each group and each algorithm.
pub(super) fn table(results: &Results<'_>) -> Option<Table> {
    let raised = ["average_yield", "utilisation", "raised_utilisation"];
    let algorithms: Vec<(String, usize)> =
        results.algorithms.iter().map(|(algorithm, column)| (algorithm.to_string(), *column)).collect();
    let mut lines = Vec::new();
    for part in results.scenarios() {
        let row = &part.records[0].row;
        let start =
            line_of!(row: instances, scenario, nodes, tasks, dimensions, sigma, rho, memory_variation);
        let start = line_of!(start, row: cpu_variation)
            .with("parallel", row.parallel.map(|parallel| parallel.to_string()))
            .with("slack", row.slack);
        let bound = part.bounds().mean();
        for (algorithm, column) in &algorithms {
            let tally = part.tally(*column);
            if tally.instances == 0 {
                continue;
            }
            let line = start.clone().with("algorithm", algorithm.as_str()).with_all(counts(tally));
            let line = line.with("mean_bound", bound).with("mean_minimum_yield", part.yields(*column).mean());
            let names = MEAN_STATISTICS.into_iter();
            let line = line.with_all(names.zip(statistics(&part.gaps(*column))));
            let mean = |metric: &str| part.values(results.metric(algorithm, metric)?).mean();
            lines.push(line.with_all(raised.map(|metric| (format!("mean_{metric}"), mean(metric)))));
        }
    }
    Some(lines.into_iter().collect())
}

/// Names of the columns of [`statistics`] in this table.
const MEAN_STATISTICS: [&str; 4] =
    ["mean_gap_to_bound", "p90_gap_to_bound", "mean_relative_gap_to_bound", "p90_relative_gap_to_bound"];

/// Builds the summary of [`table`], with a line for each group.
pub(super) fn summary(results: &Results<'_>) -> Table {
    let line = |(place, group): (usize, &crate::InstanceGroup)| {
        let scenarios = results.scenarios().filter(|part| part.records[0].group == place).count();
        TableLine::new()
            .with("instances", group.name.as_str())
            .with("scenarios", scenarios)
            .with("replications", group.replications())
            .with("algorithms", results.algorithms.len())
    };
    results.groups.iter().enumerate().map(line).collect()
}

/// Builds table 4.6: VP_CPSUM with one parameter fixed, at two slacks.
pub(super) fn table_4_6(results: &Results<'_>) -> Option<Table> {
    let (part, column) = (results.of_set(InstanceSet::Dissertation)?, results.column("VP_CPSUM")?);
    let line = |([parameter, value], [slack, gap, relative, p90, p90_relative]): ([&str; 2], [f64; 5])| {
        let of_slack = part.filter(|record| record.row.slack == slack);
        let gaps =
            of_slack.with_label(parameter_name(parameter), |label| label == plain_number(value)).gaps(column);
        let own = statistics(&gaps);
        let line = TableLine::new()
            .with("parameter", parameter)
            .with("value", Cell::Formatted(value.to_owned()))
            .with("slack", slack)
            .with("instances", gaps.absolute.len());
        let values = STATISTICS.into_iter().zip(own).zip([gap, p90, relative, p90_relative]);
        let line =
            values.fold(line, |line, ((name, own), theirs)| line.with_published(name, own, Some(theirs)));
        line.with("relative_gap_to_bound_difference", own[2].map(|own| own - relative))
            .with("relative_gap_to_bound_margin", gaps.relative.margin())
    };
    let impossible: Vec<String> = TABLE_4_6.lines().filter_map(describe_impossible_means).collect();
    let note = format!(
        "published cells that cannot be right, as gaps are at least 0 and a mean therefore at least a tenth of the 90th percentile: {}",
        impossible.join("; ")
    );
    Some(TABLE_4_6.lines().map(line).collect::<Table>().with_notes(vec![note, MARGINS.to_owned()]))
}

/// Describes a line of the published table whose means are too small for its percentiles, however
/// they were rounded.
fn describe_impossible_means(
    ([parameter, value], [slack, gap, relative, p90, p90_relative]): ([&str; 2], [f64; 5]),
) -> Option<String> {
    let pairs = [("", gap, p90), (" %", relative, p90_relative)];
    let wrong: Vec<String> = (pairs.into_iter())
        .filter(|(_, mean, p90)| 10.0 * (mean + 0.005) < p90 - 0.005)
        .map(|(unit, mean, p90)| format!("{mean}{unit} with {p90}{unit}"))
        .collect();
    (!wrong.is_empty()).then(|| format!("{parameter} {value} at slack {slack} ({})", wrong.join(", ")))
}

/// Returns the name of a parameter that table 4.6 abbreviates.
pub(crate) fn parameter_name(parameter: &str) -> &str {
    match parameter {
        "D" => "dimensions",
        "J" => "jobs",
        other => other,
    }
}

/// Formats a number of table 4.6 like a label.
pub(crate) fn plain_number(number: &str) -> String {
    number.parse().unwrap_or(f64::NAN).to_string()
}
