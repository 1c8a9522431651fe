//! Figures of tables 2 to 17: our means over the workloads and the published ones. Further figures
//! have changed jobs and relative turnaround by workload and heuristic.

use crate::metrics::{Group, Metric, Metrics};
use crate::tables::PublishedTable;
use dfrsim_lab::{Axis, Chart, Drawing, Series, mean, stem};
use std::collections::BTreeSet;

/// Builds a figure for each published table for which we have values, and those by workload.
pub(crate) fn drawings(metrics: &Metrics) -> Vec<Drawing> {
    let tables = PublishedTable::all().filter_map(|table| drawing(&table, metrics));
    tables.chain(PublishedTable::all().flat_map(|table| by_workload(&table, metrics))).collect()
}

/// Builds a figure for each local policy of a table of changed jobs or turnarounds with several
/// workloads, with a line for each heuristic. Workloads are numbered in the order of the scenario.
fn by_workload(table: &PublishedTable, metrics: &Metrics) -> Vec<Drawing> {
    let metric = table.metric;
    let locals: BTreeSet<&str> = table.groups(metrics).map(|group| group.local.as_str()).collect();
    let is_drawn = matches!(metric, Metric::Changed | Metric::Turnaround) && metrics.workloads.len() > 1;
    let series = |group: &Group| {
        let value = |(number, workload): (u32, &String)| {
            Some((f64::from(number), metrics.value(metric, group, workload)?))
        };
        let points: Vec<(f64, f64)> = (1_u32..).zip(&metrics.workloads).filter_map(value).collect();
        (!points.is_empty()).then(|| Series::new(group.heuristic.clone(), points))
    };
    let names = metrics.workloads.iter().zip(1..).map(|(name, number)| format!("{number} {name}"));
    let names = names.collect::<Vec<_>>().join(", ");
    let figure = |local: &str| {
        let series: Vec<Series> =
            table.groups(metrics).filter(|group| group.local == local).filter_map(series).collect();
        let chart = Chart::lines(Axis::linear("workload"), Axis::linear(metric.title()), "heuristic", series);
        let (title, stem) = (table.title(), stem(&format!("table-{:02}-workloads-{local}", table.number)));
        Drawing::new(stem, format!("{title}, {local}, by workload"), chart)
            .with_remark(format!("Workloads: {names}."))
    };
    locals.into_iter().filter(|_| is_drawn).map(figure).collect()
}

fn drawing(table: &PublishedTable, metrics: &Metrics) -> Option<Drawing> {
    let metric = table.metric;
    let mut lines = Vec::new();
    for group in table.groups(metrics) {
        // Both means cover only the workloads that have a published value.
        let (ours, published): (Vec<f64>, Vec<f64>) = metrics.pairs(metric, group).unzip();
        if !ours.is_empty() {
            lines.push((format!("{} {}", group.local, group.heuristic), mean(&ours), mean(&published)));
        }
    }
    let label = metric.title();
    let value = match metric {
        Metric::Moves | Metric::Turnaround => Axis::logarithmic(label),
        Metric::Changed | Metric::Earlier => Axis::linear(label),
    };
    let stem = format!("table-{:02}", table.number);
    let is_empty = lines.is_empty();
    let drawing =
        Drawing::new(stem, table.title(), Chart::published_comparison(value, "local_and_heuristic", lines));
    (!is_empty).then_some(drawing)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::published::Published;

    #[test]
    fn each_published_table_is_a_figure() {
        let drawings = drawings(&Published::Rr7226.tables().compared_with_themselves());
        // Eight tables of changed jobs and turnarounds, with two local policies.
        assert_eq!((drawings.len(), drawings[15].stem.as_str()), (16 + 8 * 2, "table-17"));
        let Chart::Lines { series, .. } = &drawings[16].chart else { panic!("{:?}", drawings[16]) };
        assert_eq!((drawings[16].stem.as_str(), series.len()), ("table-02-workloads-cons", 6));
        // MCT with CONS in January.
        assert_eq!((series[0].name.as_str(), series[0].points[0]), ("mct", (1.0, 3.55)));
        let Chart::PublishedComparison { lines, .. } = &drawings[0].chart else {
            panic!("{:?}", drawings[0])
        };
        // Two local policies with six heuristics.
        assert_eq!((lines.len(), lines[0].0.as_str()), (12, "FCFS mct"));
        assert!(lines.iter().all(|(_, ours, published)| ours == published));
        assert!(super::drawings(&Metrics::default()).is_empty());
    }
}
