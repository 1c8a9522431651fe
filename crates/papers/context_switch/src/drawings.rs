//! Figures 3 and 10 to 13.

use crate::model::{MEMORIES_MB, times};
use crate::rows::{LoadRow, Pair, Row, StayRow, SwitchRow, pairs};
use crate::scenario::{ContextSwitches, Policy};
use dfrsim_lab::fields::Scenario;
use dfrsim_lab::{Axis, Chart, Drawing, Join, Long, Series, average, by_sorted_key};
use dfrsim_model::SimSpan;

pub(crate) fn all(scenario: &Scenario<ContextSwitches>, rows: &Long<Row>) -> Vec<Drawing> {
    // The text compares FCFS and the decision module.
    let policies = [Policy::Booking, Policy::Optimised].map(Policy::name);
    let memory = over_time(rows, &policies, "memory", "memory of VMs that run or doze (MB)", |row| {
        row.memory_mb as f64
    });
    let cpu = over_time(rows, &policies, "cpu", "processing units in use", |row| row.used_cpu);
    let demand =
        over_time(rows, &policies, "demand", "processing units demanded", |row| row.demanded_cpu as f64);
    let drawings =
        [figure_3(scenario), figure_10(rows), figure_11(rows), figure_12(rows), memory, cpu, demand];
    let has_points = |drawing: &Drawing| match &drawing.chart {
        Chart::Lines { series, .. } => series.iter().any(|series| !series.points.is_empty()),
        _ => true,
    };
    drawings.into_iter().filter(has_points).collect()
}

/// Draws the duration of actions by the memory of the VM.
fn figure_3(scenario: &ContextSwitches) -> Drawing {
    let durations = scenario.durations.durations();
    let times = MEMORIES_MB.map(|memory| (f64::from(memory), times(&durations, memory)));
    let of = |action: usize| {
        let points = times.iter().map(|(memory, times)| (*memory, times[action].1)).collect();
        let name = times[0].1[action].0.trim_end_matches("_s").replace('_', " ");
        Series::new(name, points)
    };
    let series = (0..times[0].1.len()).map(of).collect();
    let chart =
        Chart::lines(Axis::linear("memory of the VM (MB)"), Axis::linear("duration (s)"), "action", series);
    Drawing::new("figure-3", "RR-6929, figure 3: how long an action takes by itself", chart)
}

/// Draws the running times of vjobs with booked units, with a line for each vjob from its first to
/// its last second.
fn figure_12(rows: &Long<Row>) -> Drawing {
    let first = |row: &&StayRow| {
        row.policy == "booking" && row.replication == 0 && row.state.as_deref() == Some("running")
    };
    let minutes = |span: SimSpan| span.as_secs_f64() / 60.0;
    let line = |(place, row): (usize, &StayRow)| {
        let ends = [row.start_s, row.start_s + row.duration_s].map(|at| (minutes(at), (place + 1) as f64));
        Series::new(row.vjob.clone(), ends.to_vec())
    };
    let series = rows.of::<StayRow>().filter(first).enumerate().map(line).collect();
    let chart = Chart::lines(
        Axis::linear("time (min)"),
        Axis::linear("place in the order of starts"),
        "vjob",
        series,
    );
    Drawing::new("figure-12", "RR-6929, figure 12: when vjobs run under FCFS with booked units", chart)
        .with_remark("The first replication.")
}

/// Draws the mean cost of plans by the number of VMs.
fn figure_10(rows: &Long<Row>) -> Drawing {
    let sizes = by_sorted_key(pairs(rows), |pair| pair.optimised.vms);
    let series = |name: &str, of: fn(&Pair<'_>) -> Option<u64>| {
        let point = |(&vms, own): (&u32, &Vec<Pair<'_>>)| {
            Some((f64::from(vms), average(own.iter().filter_map(of).map(|cost| cost as f64))?))
        };
        let points = sizes.iter().filter_map(point).collect();
        Series::new(name.to_owned(), points)
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

/// Draws the durations of context switches by their cost.
fn figure_11(rows: &Long<Row>) -> Drawing {
    let policy = Policy::Optimised.name();
    let own = rows.of::<SwitchRow>().filter(|row| row.policy == policy);
    let points = own.map(|row| (row.cost_mb as f64, row.duration_s.as_secs_f64())).collect();
    let series = vec![Series::new(policy.to_owned(), points).joined(Join::None)];
    let chart = Chart::lines(Axis::linear("cost (MB)"), Axis::linear("duration (s)"), "policy", series);
    Drawing::new("figure-11", "RR-6929, figure 11: the duration of context switches by their cost", chart)
        .with_remark("All replications.")
}

/// Draws the amount that VMs use over time, for the first replication.
fn over_time(
    rows: &Long<Row>,
    policies: &[&str],
    what: &str,
    label: &str,
    of: fn(&LoadRow) -> f64,
) -> Drawing {
    let series = |policy: &&str| {
        let own = rows.of::<LoadRow>().filter(|row| row.policy == *policy && row.replication == 0);
        let points = own.map(|row| (row.start_s.as_secs_f64() / 60.0, of(row))).collect();
        Series::new((*policy).to_owned(), points).joined(Join::Steps)
    };
    let series = policies.iter().map(series).collect();
    let chart = Chart::lines(Axis::linear("time (min)"), Axis::linear(label), "policy", series);
    let title = format!("RR-6929, figure 13: {label} over time");
    Drawing::new(format!("figure-13-{what}"), title, chart).with_remark("The first replication.")
}
