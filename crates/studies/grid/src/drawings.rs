//! Tables 2 to 17, each a figure: the means over the workloads beside the published ones.

use crate::metrics::{Metric, Metrics};
use crate::tables::Numbered;
use dfrsim_lab::{Axis, Chart, Drawing, mean};

/// A figure for each published table of which we have something.
pub(crate) fn drawings(metrics: &Metrics) -> Vec<Drawing> {
    Numbered::all().filter_map(|table| drawing(&table, metrics)).collect()
}

fn drawing(table: &Numbered, metrics: &Metrics) -> Option<Drawing> {
    let metric = table.metric;
    let mut lines = Vec::new();
    for group in table.groups(metrics) {
        // Both means are over the workloads that have a published value.
        let both = metrics.workloads.iter().filter_map(|workload| {
            metrics.value(metric, group, workload).zip(metrics.published(metric, group, workload))
        });
        let (ours, published): (Vec<f64>, Vec<f64>) = both.unzip();
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
    let drawing = Drawing::new(stem, table.title(), Chart::beside(value, "local_and_heuristic", lines));
    (!is_empty).then_some(drawing)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::published;

    #[test]
    fn each_published_table_is_a_figure() {
        let drawings = drawings(&published::tables().beside_themselves());
        assert_eq!((drawings.len(), drawings[15].stem.as_str()), (16, "table-17"));
        let Chart::Beside { lines, .. } = &drawings[0].chart else { panic!("{:?}", drawings[0]) };
        // Two local policies with six heuristics.
        assert_eq!((lines.len(), lines[0].0.as_str()), (12, "FCFS mct"));
        assert!(lines.iter().all(|(_, ours, published)| ours == published));
        assert!(super::drawings(&Metrics::default()).is_empty());
    }
}
