//! Tables of the study.

use crate::model;
use crate::rows::{
    LoadRow, Pair, Row, SimulationRow, StayRow, SwitchRow, above_bound_percent, pairs, reduction_percent,
};
use crate::scenario::ContextSwitches;
use dfrsim_lab::fields::Scenario;
use dfrsim_lab::{Bootstrap, Long, NamedTable, Row as _, Table, TableLine, average, by_sorted_key, line_of};
use dfrsim_model::SimSpan;

/// Time between the lines of figure 13.
const STEP: SimSpan = SimSpan::from_secs(600);
/// Time between the lines if single times matter, such as 2 min 10 s.
const SMALL_STEP: SimSpan = SimSpan::from_secs(10);

pub(crate) fn all(scenario: &Scenario<ContextSwitches>, rows: &Long<Row>) -> Vec<NamedTable> {
    let bootstrap = Bootstrap::for_tables(scenario.seed);
    let policies: Vec<&str> =
        scenario.cluster.iter().flat_map(|part| part.policies.iter().map(|policy| policy.name())).collect();
    vec![
        NamedTable::printed(
            "table_1",
            "RR-6929, table 1: the cost of an action on a VM of 1,024 MB",
            table_1(),
        ),
        NamedTable::printed(
            "figure_3",
            "RR-6929, figure 3: how long an action takes by itself, in s, by the memory of its VM",
            figure_3(scenario),
        ),
        NamedTable::printed(
            "figure_10",
            "RR-6929, figure 10: first-fit decreasing beside the cheapest plan found",
            figure_10(&bootstrap, rows),
        ),
        NamedTable::printed(
            "figure_11",
            "RR-6929, figure 11: the context switches of the first replication",
            figure_11(rows),
        ),
        NamedTable::printed(
            "switches",
            "Context switches by policy, means over the replications",
            by_policy(&bootstrap, rows, &policies),
        ),
        NamedTable::printed(
            "figure_12",
            "RR-6929, figure 12: when vjobs run with booked units, first replication",
            intervals(rows, &policies, |row| {
                row.policy == "booking" && row.state.as_deref() == Some("running")
            }),
        ),
        NamedTable::new(
            "stays",
            "The states of vjobs over time, first replication",
            intervals(rows, &policies, |_| true),
        ),
        NamedTable::printed(
            "figure_13",
            "RR-6929, figure 13: what VMs use, first replication",
            figure_13(rows, &policies, STEP),
        ),
        NamedTable::new(
            "figure_13_steps",
            "RR-6929, figure 13: the same in steps of ten seconds",
            figure_13(rows, &policies, SMALL_STEP),
        ),
    ]
}

/// Builds the table of the cost model.
fn table_1() -> Table {
    let line =
        |cost: &model::Cost| line_of!(cost: action, cost_mb).with("cost_mb_published", cost.published_mb);
    model::costs().iter().map(line).collect()
}

/// Builds the table of the durations of actions.
fn figure_3(scenario: &Scenario<ContextSwitches>) -> Table {
    let line = |memory_mb: u32| {
        let times = model::times(&scenario.durations.durations(), memory_mb);
        TableLine::new().with("memory_mb", memory_mb).with_all(times)
    };
    model::MEMORIES_MB.into_iter().map(line).collect()
}

fn max(values: Vec<f64>) -> Option<f64> {
    values.into_iter().reduce(f64::max)
}

/// Builds the table of the results for the configurations of each size.
fn figure_10(bootstrap: &Bootstrap, rows: &Long<Row>) -> Table {
    let line = |(vms, own): (u32, Vec<Pair<'_>>)| {
        let over = |of: fn(&Pair<'_>) -> Option<f64>| own.iter().filter_map(of).collect::<Vec<f64>>();
        let reduced = bootstrap.mean(&over(reduction_percent));
        let above = over(above_bound_percent);
        let search = over(|pair| pair.optimised.search_s);
        TableLine::new()
            .with("vms", vms)
            .with("replications", own.len())
            .with("first_fit_mb", average(over(|pair| Some(pair.first_fit.cost_mb as f64))))
            .with("cost_mb", average(over(|pair| Some(pair.optimised.cost_mb as f64))))
            .with_estimate("reduced_percent", reduced)
            .with("reducible_percent", average(over(|pair| pair.cheaper_percent(pair.optimised.bound_mb?))))
            .with("above_bound_percent", average(above.iter().copied()))
            .with("max_above_bound_percent", max(above))
            .with("proven", own.iter().filter(|pair| pair.optimised.proven == Some(true)).count())
            .with("mean_search_s", average(search.iter().copied()))
            .with("max_search_s", max(search))
    };
    let notes = "published: 95 percent on average, at 40 s; `reducible` is how much cheaper the bound is";
    let sizes = by_sorted_key(pairs(rows), |pair| pair.optimised.vms);
    sizes.into_iter().map(line).collect::<Table>().with_notes(vec![notes.to_owned()])
}

/// Builds the table of the switches of the optimised policy.
fn figure_11(rows: &Long<Row>) -> Table {
    let line = |row: &SwitchRow| {
        line_of!(
            row: start_s, duration_s, cost_mb, pools, runs, stops, migrations, suspends, local_resumes,
            remote_resumes
        )
    };
    let first = |row: &&SwitchRow| row.policy == "optimised" && row.replication == 0;
    rows.of::<SwitchRow>().filter(first).map(line).collect()
}

/// Columns that are summed over the switches of a simulation.
const SUMS: [&str; 6] = ["cost_mb", "migrations", "suspends", "local_resumes", "remote_resumes", "failed"];

fn by_policy(bootstrap: &Bootstrap, rows: &Long<Row>, policies: &[&str]) -> Table {
    let line = |policy: &&str| {
        let runs: Vec<f64> = minutes(rows, policy);
        let own: Vec<&SwitchRow> = rows.of::<SwitchRow>().filter(|row| row.policy == *policy).collect();
        let seconds: Vec<f64> = own.iter().map(|row| row.duration_s.as_secs_f64()).collect();
        let total = bootstrap.mean(&runs)?;
        let a_run = |sum: f64| sum / runs.len() as f64;
        let sum = |column| own.iter().filter_map(|row| row.value(column)).fold(0.0, |sum, one| sum + one);
        let line = TableLine::new()
            .with("policy", *policy)
            .with("replications", runs.len())
            .with_estimate("total_min", Some(total))
            .with("switches", a_run(own.len() as f64))
            .with("mean_switch_s", average(seconds.iter().copied()));
        Some(line.with_all(SUMS.map(|column| (column, a_run(sum(column))))))
    };
    policies.iter().filter_map(line).collect()
}

/// Returns the durations of the simulations of a policy, in minutes.
pub(crate) fn minutes(rows: &Long<Row>, policy: &str) -> Vec<f64> {
    let own = rows.of::<SimulationRow>().filter(|row| row.policy == policy);
    own.map(|row| row.duration_s.as_secs_f64() / 60.0).collect()
}

/// Builds the table of the stays of the first replication.
fn intervals(rows: &Long<Row>, policies: &[&str], is_one: fn(&StayRow) -> bool) -> Table {
    let line = |row: &StayRow| {
        line_of!(row: policy, vjob)
            .with("state", row.state.as_deref().unwrap_or("changing"))
            .with("from_s", row.start_s)
            .with("to_s", row.start_s + row.duration_s)
    };
    let of = |policy: &&str| {
        let policy = (*policy).to_owned();
        rows.of::<StayRow>()
            .filter(move |row| row.policy == policy && row.replication == 0 && is_one(row))
            .map(line)
    };
    policies.iter().flat_map(of).collect()
}

/// Builds the table of means over steps of time.
fn figure_13(rows: &Long<Row>, policies: &[&str], step: SimSpan) -> Table {
    let mut lines = Vec::new();
    for &policy in policies {
        let mut own = rows.of::<SimulationRow>().filter(|row| row.policy == policy && row.replication == 0);
        let Some(end) = own.next().map(|row| row.duration_s) else { continue };
        let loads: Vec<&LoadRow> =
            rows.of::<LoadRow>().filter(|row| row.policy == policy && row.replication == 0).collect();
        let mut from = SimSpan::ZERO;
        while from < end {
            let to = end.min(from + step);
            let over = |of: fn(&LoadRow) -> f64| mean_between(&loads, (from, to, end), of);
            let line = TableLine::new()
                .with("policy", policy)
                .with("from_min", from.as_secs_f64() / 60.0)
                .with("memory_mb", over(|row| row.memory_mb as f64))
                .with("demanded_cpu", over(|row| row.demanded_cpu as f64))
                .with("used_cpu", over(|row| row.used_cpu));
            lines.push(line);
            from = to;
        }
    }
    lines.into_iter().collect()
}

/// Computes the mean of a quantity between two times. Each load holds until the next one, and the
/// last one until the end.
pub(crate) fn mean_between(
    loads: &[&LoadRow],
    (from, to, end): (SimSpan, SimSpan, SimSpan),
    of: fn(&LoadRow) -> f64,
) -> f64 {
    let ends = loads.iter().map(|row| row.start_s).skip(1).chain([end]);
    let parts = loads.iter().zip(ends).filter_map(|(row, end)| {
        let (begin, end) = (row.start_s.max(from), end.min(to));
        (begin < end).then(|| of(row) * (end - begin).as_secs_f64())
    });
    parts.sum::<f64>() / (to - from).as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that 2 from 0 to 10 s and 6 from 10 to 40 s have the mean (5 * 2 + 15 * 6) / 20 = 5
    /// between 5 and 25 s.
    #[test]
    fn means_are_over_time() {
        let load = |start, demanded_cpu| {
            let start_s = SimSpan::from_secs(start);
            LoadRow { start_s, demanded_cpu, ..LoadRow::default() }
        };
        let loads = [load(0, 2), load(10, 6)];
        let [from, to, end] = [5, 25, 40].map(SimSpan::from_secs);
        let loads: Vec<&LoadRow> = loads.iter().collect();
        assert_eq!(mean_between(&loads, (from, to, end), |row| row.demanded_cpu as f64), 5.0);
    }
}
