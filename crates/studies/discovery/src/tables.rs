//! Tables 7.1 and 7.2, and one of all workloads.

use crate::published::Published;
use crate::rows::{Metric, Row, rows_of};
use crate::scenario::{Discovery, Workload};
use dfrsim_lab::fields::Scenario;
use dfrsim_lab::{Bootstrap, Long, NamedTable, Table, TableLine, average};

pub(crate) fn all(scenario: &Scenario<Discovery>, rows: &Long<Row>) -> Vec<NamedTable> {
    let table = |table, is_one: &dyn Fn(&Workload) -> bool| means(scenario, rows, table, is_one);
    vec![
        NamedTable::printed(
            "table_7_1",
            "Dissertation, table 7.1: balanced workloads",
            table(Some(Published::Balanced), &|it| it.published == Some(Published::Balanced)),
        ),
        NamedTable::printed(
            "table_7_2",
            "Dissertation, table 7.2: unbalanced workloads",
            table(Some(Published::Unbalanced), &|it| it.published == Some(Published::Unbalanced)),
        ),
        NamedTable::new("yields", "All workloads and settings", table(None, &|_| true)),
        NamedTable::printed(
            "others",
            "Workloads without published values",
            table(None, &|it| it.published.is_none()),
        ),
    ]
}

/// A metric that is not published: its column, and its value in a row.
type Other = (&'static str, fn(&Row) -> f64);

/// The means of both metrics with 95 % intervals: beside the published runs, or with the means of the other metrics.
fn means(
    scenario: &Scenario<Discovery>,
    rows: &Long<Row>,
    published: Option<Published>,
    is_one: &dyn Fn(&Workload) -> bool,
) -> Table {
    let others: [Other; 4] = [
        ("mean_yield", |row| row.mean_yield),
        ("utilisation", |row| row.utilisation),
        ("migrations", |row| row.migrations as f64),
        ("remappings", |row| row.remappings as f64),
    ];
    let mut lines = Vec::new();
    for workload in scenario.workloads.iter().filter(|workload| is_one(workload)) {
        for setting in &scenario.settings {
            for &approach in &scenario.approaches {
                let own = rows_of(rows, &workload.name, &setting.name, approach);
                let values = |of: &dyn Fn(&Row) -> f64| own.iter().map(|row| of(row)).collect::<Vec<f64>>();
                let mut line = TableLine::new()
                    .with("workload", workload.name.as_str())
                    .with("setting", setting.name.as_str())
                    .with("approach", approach.name())
                    .with("replications", own.len());
                for metric in Metric::ALL {
                    let estimate = Bootstrap::for_tables(scenario.seed).mean(&values(&|row| metric.of(row)));
                    line = line.with_estimate(metric.name(), estimate);
                    if let Some(table) = published {
                        let runs = table.runs(approach, metric);
                        let names = [1, 2].map(|run| format!("{}_published_{run}", metric.name()));
                        line = line
                            .with_all(names.into_iter().zip([0, 1].map(|run| runs.map(|runs| runs[run]))));
                    }
                }
                if published.is_none() {
                    line = line.with_all(others.map(|(name, of)| (name, average(values(&of)))));
                }
                lines.push(line);
            }
        }
    }
    lines.into_iter().collect()
}
