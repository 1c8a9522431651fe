//! Tables 7.1 and 7.2 as figures: both metrics by setting and approach, compared with the means of
//! the published runs.

use crate::published::Published;
use crate::rows::{METRICS, Row, values};
use crate::scenario::Discovery;
use dfrsim_lab::fields::Scenario;
use dfrsim_lab::{Axis, Chart, Drawing, Long, mean};

pub(crate) fn all(scenario: &Scenario<Discovery>, rows: &Long<Row>) -> Vec<Drawing> {
    let pairs = Published::ALL.iter().flat_map(|&table| METRICS.map(|metric| (table, metric)));
    pairs.filter_map(|(table, metric)| draw_comparison(scenario, rows, table, metric)).collect()
}

fn draw_comparison(
    scenario: &Scenario<Discovery>,
    rows: &Long<Row>,
    table: Published,
    metric: &str,
) -> Option<Drawing> {
    let workload = scenario.workloads.iter().find(|workload| workload.published == Some(table))?;
    let mut lines = Vec::new();
    for setting in &scenario.settings {
        for &approach in &scenario.approaches {
            let own = values(rows, &workload.name, &setting.name, approach, metric);
            let name = if scenario.settings.len() == 1 {
                approach.to_string()
            } else {
                format!("{}: {approach}", setting.name)
            };
            if let Some(runs) = table.runs(approach, metric).filter(|_| !own.is_empty()) {
                lines.push((name, mean(&own), mean(&runs)));
            }
        }
    }
    let title = metric.replace('_', " ");
    (!lines.is_empty()).then(|| {
        let name = format!("{}-{}", metric.replace('_', "-"), table.workload_kind());
        let heading = format!("{} workloads: {title} by approach", table.workload_kind());
        Drawing::new(name, heading, Chart::published_comparison(Axis::linear(title), "approach", lines))
            .with_remark(format!("{}: means of the two published runs.", table.name()))
    })
}
