//! Tables 7.1 and 7.2, and tables of all and of further workloads.

use crate::published::Published;
use crate::rows::{self, METRICS, Row};
use crate::scenario::Discovery;
use dfrsim_lab::fields::Scenario;
use dfrsim_lab::{Bootstrap, Long, NamedTable, Table, TableLine, average};

pub(crate) fn all(scenario: &Scenario<Discovery>, rows: &Long<Row>) -> Vec<NamedTable> {
    let table = |published, has_all| means(scenario, rows, published, has_all);
    let (first, second) = (Some(Published::Balanced), Some(Published::Unbalanced));
    vec![
        NamedTable::printed("table_7_1", "Dissertation, table 7.1: balanced workloads", table(first, false)),
        NamedTable::printed(
            "table_7_2",
            "Dissertation, table 7.2: unbalanced workloads",
            table(second, false),
        ),
        NamedTable::new("yields", "All workloads and settings", table(None, true)),
        NamedTable::printed("others", "Workloads without published values", table(None, false)),
    ]
}

/// Metrics that are not published.
const OTHERS: [&str; 4] = ["mean_yield", "utilisation", "migrations", "remappings"];

/// Builds a table of the means of both metrics with 95 % intervals, for all workloads, or for those
/// of a published table, or for those in none. It also has the published runs, or else the means of
/// the other metrics.
fn means(
    scenario: &Scenario<Discovery>,
    rows: &Long<Row>,
    published: Option<Published>,
    has_all: bool,
) -> Table {
    let mut lines = Vec::new();
    for workload in scenario.workloads.iter().filter(|it| has_all || it.published == published) {
        for setting in &scenario.settings {
            for &approach in &scenario.approaches {
                let values = |metric| rows::values(rows, &workload.name, &setting.name, approach, metric);
                let mut line = TableLine::new()
                    .with("workload", workload.name.as_str())
                    .with("setting", setting.name.as_str())
                    .with("approach", approach.name())
                    .with("replications", values(METRICS[0]).len());
                for metric in METRICS {
                    let estimate = Bootstrap::for_tables(scenario.seed).mean(&values(metric));
                    line = line.with_estimate(metric, estimate);
                    if let Some(table) = published {
                        let runs = table.runs(approach, metric);
                        let names = [1, 2].map(|run| format!("{metric}_published_{run}"));
                        line = line
                            .with_all(names.into_iter().zip([0, 1].map(|run| runs.map(|runs| runs[run]))));
                    }
                }
                if published.is_none() {
                    line = line.with_all(OTHERS.map(|metric| (metric, average(values(metric)))));
                }
                lines.push(line);
            }
        }
    }
    lines.into_iter().collect()
}
