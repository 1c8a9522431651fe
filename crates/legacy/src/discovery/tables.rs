//! The tables of both metrics.

use super::experiment::Row;
use super::published::{Published, Runs};
use super::sample::{AVERAGE_MINIMUM, Figure, MINIMUM_AVERAGE, rows_of};
use super::scenario::{Scenario, WorkloadGroup};
use crate::Table;
use crate::comparison::Bootstrap;
use crate::experiment::NamedTable;
use crate::tables::Cell;
use crate::tables::statistics::mean;

/// Tables 7.1 and 7.2, and one of all workloads.
pub(super) fn tables(scenario: &Scenario, rows: &[Row]) -> Vec<NamedTable> {
    let of = |table| move |group: &WorkloadGroup| group.published == Some(table);
    vec![
        NamedTable::short(
            "table_7_1",
            "Dissertation, table 7.1: balanced workloads",
            beside_published(scenario, rows, of(Published::Balanced)),
        ),
        NamedTable::short(
            "table_7_2",
            "Dissertation, table 7.2: unbalanced workloads",
            beside_published(scenario, rows, of(Published::Unbalanced)),
        ),
        NamedTable::long("yields", "All workloads and variants", all_figures(scenario, rows)),
        NamedTable::short(
            "others",
            "Workloads without published figures",
            all_figures_of(scenario, rows, |group| group.published.is_none()),
        ),
    ]
}

/// Both metrics with 95 % intervals, each followed by the two published runs.
fn beside_published(scenario: &Scenario, rows: &[Row], of: impl Fn(&WorkloadGroup) -> bool) -> Table {
    let header = vec![
        "variant", "approach", "seeds", "avg_min", "low", "high", "run_1", "run_2", "min_avg", "low", "high",
        "run_1", "run_2",
    ];
    let mut lines = Vec::new();
    for group in scenario.workloads.iter().filter(|group| of(group)) {
        for variant in &scenario.variants {
            for &approach in &scenario.approaches {
                let own = rows_of(rows, group, variant, approach);
                let runs = group.published.and_then(|table| table.runs(approach));
                let mut line = vec![
                    Cell::Text(variant.name.clone()),
                    Cell::Text(approach.to_string()),
                    Cell::Count(own.len()),
                ];
                line.extend(with_interval(scenario, &own, AVERAGE_MINIMUM));
                line.extend(published(runs.map(|runs: Runs| runs.average_minimum)));
                line.extend(with_interval(scenario, &own, MINIMUM_AVERAGE));
                line.extend(published(runs.map(|runs| runs.minimum_average)));
                lines.push(line);
            }
        }
    }
    Table::new(header, lines)
}

fn all_figures(scenario: &Scenario, rows: &[Row]) -> Table {
    all_figures_of(scenario, rows, |_| true)
}

fn all_figures_of(scenario: &Scenario, rows: &[Row], of: impl Fn(&WorkloadGroup) -> bool) -> Table {
    let header = vec![
        "workload",
        "variant",
        "approach",
        "seeds",
        "avg_min",
        "low",
        "high",
        "min_avg",
        "low",
        "high",
        "mean_yield",
        "utilisation",
        "migrations",
        "remappings",
    ];
    let mut lines = Vec::new();
    for group in scenario.workloads.iter().filter(|group| of(group)) {
        for variant in &scenario.variants {
            for &approach in &scenario.approaches {
                let own = rows_of(rows, group, variant, approach);
                let average = |figure: Figure| {
                    let values: Vec<f64> = own.iter().map(|row| figure(row)).collect();
                    Cell::maybe((!values.is_empty()).then(|| mean(&values)))
                };
                let mut line = vec![
                    Cell::Text(group.name.clone()),
                    Cell::Text(variant.name.clone()),
                    Cell::Text(approach.to_string()),
                    Cell::Count(own.len()),
                ];
                line.extend(with_interval(scenario, &own, AVERAGE_MINIMUM));
                line.extend(with_interval(scenario, &own, MINIMUM_AVERAGE));
                line.extend([
                    average(|row| row.mean_yield),
                    average(|row| row.utilisation),
                    average(|row| row.migrations as f64),
                    average(|row| row.remappings as f64),
                ]);
                lines.push(line);
            }
        }
    }
    Table::new(header, lines)
}

fn with_interval(scenario: &Scenario, rows: &[&Row], figure: Figure) -> [Cell; 3] {
    let values: Vec<f64> = rows.iter().map(|row| figure(row)).collect();
    let estimate = Bootstrap::of_study(scenario.seed).mean(&values);
    let interval = estimate.and_then(|estimate| estimate.interval);
    [
        estimate.map(|estimate| estimate.value),
        interval.map(|interval| interval.0),
        interval.map(|interval| interval.1),
    ]
    .map(Cell::maybe)
}

fn published(runs: Option<[f64; 2]>) -> [Cell; 2] {
    runs.map_or([Cell::Nothing, Cell::Nothing], |runs| runs.map(Cell::Number))
}
