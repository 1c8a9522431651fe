//! Figures 10, 11 and 13.

use crate::rows::{LoadRow, Pair, Row, loads, pairs, switches};
use crate::scenario::ContextSwitches;
use dfrsim_lab::fields::Scenario;
use dfrsim_lab::{Axis, Chart, Drawing, Join, Long, Series, average};

pub(crate) fn all(scenario: &Scenario<ContextSwitches>, rows: &Long<Row>) -> Vec<Drawing> {
    let policies: Vec<&str> =
        scenario.cluster.iter().flat_map(|part| part.policies.iter().map(|policy| policy.name())).collect();
    let memory =
        over_time(rows, &policies, "memory", "memory of running VMs (MB)", |row| row.memory_mb as f64);
    let cpu = over_time(rows, &policies, "cpu", "processing units in use", |row| row.used_cpu);
    let drawings = [figure_10(rows), figure_11(rows, &policies), memory, cpu];
    let has_points = |drawing: &Drawing| match &drawing.chart {
        Chart::Lines { series, .. } => series.iter().any(|series| !series.points.is_empty()),
        _ => true,
    };
    drawings.into_iter().filter(has_points).collect()
}

/// The mean cost of plans by the number of VMs.
fn figure_10(rows: &Long<Row>) -> Drawing {
    let pairs = pairs(rows);
    let mut sizes: Vec<u32> = pairs.iter().map(|pair| pair.optimised.vms).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let series = |name: &str, of: fn(&Pair<'_>) -> Option<u64>| {
        let point = |&vms: &u32| {
            let own = pairs.iter().filter(|pair| pair.optimised.vms == vms);
            average(own.filter_map(of).map(|cost| cost as f64)).map(|cost| (f64::from(vms), cost))
        };
        let points = sizes.iter().filter_map(point).collect();
        Series { name: name.to_owned(), points, join: Join::Straight }
    };
    let series = vec![
        series("first-fit decreasing", |pair| Some(pair.first_fit.cost_mb)),
        series("cheapest found", |pair| Some(pair.optimised.cost_mb)),
        series("bound", |pair| pair.optimised.bound_mb),
    ];
    let chart = Chart::lines(Axis::linear("VMs"), Axis::linear("mean cost (MB)"), "plan", series);
    Drawing::new("figure-10", "RR-6929, figure 10: the cost of plans by the number of VMs", chart)
        .with_remark("Means over the replications.")
}

/// The durations of context switches by their cost.
fn figure_11(rows: &Long<Row>, policies: &[&str]) -> Drawing {
    let series = |policy: &&str| {
        let own = switches(rows).filter(|row| row.policy == *policy && row.replication == 0);
        let points = own.map(|row| (row.cost_mb as f64, row.duration_s.as_secs_f64())).collect();
        Series { name: (*policy).to_owned(), points, join: Join::None }
    };
    let series = policies.iter().map(series).collect();
    let chart = Chart::lines(Axis::linear("cost (MB)"), Axis::linear("duration (s)"), "policy", series);
    Drawing::new("figure-11", "RR-6929, figure 11: the duration of context switches by their cost", chart)
        .with_remark("The first replication.")
}

/// What VMs use over time.
fn over_time(
    rows: &Long<Row>,
    policies: &[&str],
    what: &str,
    label: &str,
    of: fn(&LoadRow) -> f64,
) -> Drawing {
    let series = |policy: &&str| {
        let own = loads(rows).filter(|row| row.policy == *policy && row.replication == 0);
        let points = own.map(|row| (row.start_s.as_secs_f64() / 60.0, of(row))).collect();
        Series { name: (*policy).to_owned(), points, join: Join::Steps }
    };
    let series = policies.iter().map(series).collect();
    let chart = Chart::lines(Axis::linear("time (min)"), Axis::linear(label), "policy", series);
    let title = format!("RR-6929, figure 13: {label} over time");
    Drawing::new(format!("figure-13-{what}"), title, chart).with_remark("The first replication.")
}
