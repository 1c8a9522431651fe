//! Tables 7.1 and 7.2, and one of all workloads.

use crate::published::Published;
use crate::rows::{Metric, Row, rows_of};
use crate::scenario::{Discovery, Workload};
use dfrsim_lab::fields::Scenario;
use dfrsim_lab::{Bootstrap, Cell, Long, NamedTable, Table, mean};

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
    let mut header = ["workload", "setting", "approach", "replications"].map(str::to_owned).to_vec();
    for metric in Metric::ALL {
        let ends: &[&str] = match published {
            Some(_) => &["", "_low", "_high", "_published_1", "_published_2"],
            None => &["", "_low", "_high"],
        };
        header.extend(ends.iter().map(|end| format!("{}{end}", metric.name())));
    }
    if published.is_none() {
        header.extend(others.map(|(name, _)| name.to_owned()));
    }
    let mut lines = Vec::new();
    for workload in scenario.workloads.iter().filter(|workload| is_one(workload)) {
        for setting in &scenario.settings {
            for &approach in &scenario.approaches {
                let own = rows_of(rows, &workload.name, setting, approach);
                let values = |of: &dyn Fn(&Row) -> f64| own.iter().map(|row| of(row)).collect::<Vec<f64>>();
                let mut line: Vec<Cell> = [&workload.name, &setting.name, approach.name()]
                    .map(|text| Cell::Text(text.to_owned()))
                    .into();
                line.push(Cell::Count(own.len()));
                for metric in Metric::ALL {
                    let estimate = Bootstrap::for_tables(scenario.seed).mean(&values(&|row| metric.of(row)));
                    let interval = estimate.and_then(|estimate| estimate.interval);
                    line.push(Cell::optional(estimate.map(|estimate| estimate.value)));
                    line.extend([interval.map(|it| it.0), interval.map(|it| it.1)].map(Cell::optional));
                    if let Some(table) = published {
                        let runs = table.runs(approach, metric);
                        line.extend([0, 1].map(|run| Cell::optional(runs.map(|runs| runs[run]))));
                    }
                }
                if published.is_none() {
                    let mean = |values: Vec<f64>| (!values.is_empty()).then(|| mean(&values));
                    line.extend(others.map(|(_, of)| Cell::optional(mean(values(&of)))));
                }
                lines.push(line);
            }
        }
    }
    Table::new(header, lines)
}
