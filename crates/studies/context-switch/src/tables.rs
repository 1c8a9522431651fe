//! The tables of the study.

use crate::model;
use crate::rows::{LoadRow, Pair, Row, SimulationRow, StayRow, SwitchRow};
use crate::rows::{above_bound_percent, loads, pairs, reduction_percent, simulations, stays, switches};
use crate::scenario::ContextSwitches;
use dfrsim_lab::fields::Scenario;
use dfrsim_lab::{Bootstrap, Cell, Long, NamedTable, Table, mean};
use dfrsim_model::SimSpan;

/// Between the lines of figure 13.
const STEP: SimSpan = SimSpan::from_secs(600);

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
            figure_13(rows, &policies),
        ),
    ]
}

/// The cost model.
fn table_1() -> Table {
    let line = |cost: &model::Cost| {
        vec![
            Cell::Text(cost.action.to_owned()),
            Cell::Count(cost.cost_mb as usize),
            Cell::Count(cost.published_mb as usize),
        ]
    };
    Table::new(["action", "cost_mb", "cost_mb_published"], model::costs().iter().map(line).collect())
}

/// The mean; `None` if there are no values.
fn some_mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| mean(values))
}

fn max(values: Vec<f64>) -> Option<f64> {
    values.into_iter().reduce(f64::max)
}

/// What the configurations of each size came to.
fn figure_10(bootstrap: &Bootstrap, rows: &Long<Row>) -> Table {
    let pairs = pairs(rows);
    let mut sizes: Vec<u32> = pairs.iter().map(|pair| pair.optimised.vms).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let line = |vms: u32| {
        let own = || pairs.iter().filter(move |pair| pair.optimised.vms == vms);
        let over = |of: fn(&Pair<'_>) -> Option<f64>| own().filter_map(of).collect::<Vec<f64>>();
        let reduced = bootstrap.mean(&over(reduction_percent));
        let interval = reduced.and_then(|reduced| reduced.interval);
        let above = || over(above_bound_percent);
        let search = || over(|pair| pair.optimised.search_s);
        vec![
            Cell::Count(vms as usize),
            Cell::Count(own().count()),
            Cell::optional(some_mean(&over(|pair| Some(pair.first_fit.cost_mb as f64)))),
            Cell::optional(some_mean(&over(|pair| Some(pair.optimised.cost_mb as f64)))),
            Cell::optional(reduced.map(|reduced| reduced.value)),
            Cell::optional(interval.map(|(low, _)| low)),
            Cell::optional(interval.map(|(_, high)| high)),
            Cell::optional(some_mean(&over(|pair| pair.cheaper_percent(pair.optimised.bound_mb?)))),
            Cell::optional(some_mean(&above())),
            Cell::optional(max(above())),
            Cell::Count(own().filter(|pair| pair.optimised.proven == Some(true)).count()),
            Cell::optional(some_mean(&search())),
            Cell::optional(max(search())),
        ]
    };
    let header = [
        "vms",
        "replications",
        "first_fit_mb",
        "cost_mb",
        "reduced_percent",
        "reduced_percent_low",
        "reduced_percent_high",
        "reducible_percent",
        "above_bound_percent",
        "max_above_bound_percent",
        "proven",
        "mean_search_s",
        "max_search_s",
    ];
    let notes = "published: 95 percent on average, at 40 s; `reducible` is how much cheaper the bound is";
    Table::new(header, sizes.into_iter().map(line).collect()).with_notes(vec![notes.to_owned()])
}

/// The switches of the optimised policy.
fn figure_11(rows: &Long<Row>) -> Table {
    let line = |row: &SwitchRow| {
        let mut line = vec![Cell::Span(row.start_s), Cell::Span(row.duration_s)];
        let counts = [
            row.cost_mb,
            row.pools,
            row.runs,
            row.stops,
            row.migrations,
            row.suspends,
            row.local_resumes,
            row.remote_resumes,
        ];
        line.extend(counts.map(|count| Cell::Count(count as usize)));
        line
    };
    let header = [
        "start_s",
        "duration_s",
        "cost_mb",
        "pools",
        "runs",
        "stops",
        "migrations",
        "suspends",
        "local_resumes",
        "remote_resumes",
    ];
    let first = |row: &&SwitchRow| row.policy == "optimised" && row.replication == 0;
    Table::new(header, switches(rows).filter(first).map(line).collect())
}

/// What is added up over the switches of a simulation: a column, and its value in a row.
type Sum = (&'static str, fn(&SwitchRow) -> u64);

fn by_policy(bootstrap: &Bootstrap, rows: &Long<Row>, policies: &[&str]) -> Table {
    let sums: [Sum; 6] = [
        ("cost_mb", |row| row.cost_mb),
        ("migrations", |row| row.migrations),
        ("suspends", |row| row.suspends),
        ("local_resumes", |row| row.local_resumes),
        ("remote_resumes", |row| row.remote_resumes),
        ("failed", |row| row.failed),
    ];
    let mut header = vec![
        "policy",
        "replications",
        "total_min",
        "total_min_low",
        "total_min_high",
        "switches",
        "mean_switch_s",
    ];
    header.extend(sums.map(|(name, _)| name));
    let line = |policy: &&str| {
        let runs: Vec<f64> = minutes(rows, policy);
        let own: Vec<&SwitchRow> = switches(rows).filter(|row| row.policy == *policy).collect();
        let seconds: Vec<f64> = own.iter().map(|row| row.duration_s.as_secs_f64()).collect();
        let total = bootstrap.mean(&runs)?;
        let a_run = |sum: u64| Cell::Number(sum as f64 / runs.len() as f64);
        let mut line = vec![
            Cell::Text((*policy).to_owned()),
            Cell::Count(runs.len()),
            Cell::Number(total.value),
            Cell::optional(total.interval.map(|(low, _)| low)),
            Cell::optional(total.interval.map(|(_, high)| high)),
            a_run(own.len() as u64),
            Cell::optional(some_mean(&seconds)),
        ];
        line.extend(sums.map(|(_, of)| a_run(own.iter().map(|row| of(row)).sum())));
        Some(line)
    };
    Table::new(header, policies.iter().filter_map(line).collect())
}

/// How long the simulations of a policy took, in minutes.
pub(crate) fn minutes(rows: &Long<Row>, policy: &str) -> Vec<f64> {
    let own = simulations(rows).filter(|row: &&SimulationRow| row.policy == policy);
    own.map(|row| row.duration_s.as_secs_f64() / 60.0).collect()
}

/// Stays of the first replication.
fn intervals(rows: &Long<Row>, policies: &[&str], is_one: fn(&StayRow) -> bool) -> Table {
    let line = |row: &StayRow| {
        vec![
            Cell::Text(row.policy.clone()),
            Cell::Text(row.vjob.clone()),
            Cell::Text(row.state.clone().unwrap_or_else(|| "changing".to_owned())),
            Cell::Span(row.start_s),
            Cell::Span(row.start_s + row.duration_s),
        ]
    };
    let of = |policy: &&str| {
        let policy = (*policy).to_owned();
        stays(rows).filter(move |row| row.policy == policy && row.replication == 0 && is_one(row)).map(line)
    };
    Table::new(["policy", "vjob", "state", "from_s", "to_s"], policies.iter().flat_map(of).collect())
}

/// Means over spans of time.
fn figure_13(rows: &Long<Row>, policies: &[&str]) -> Table {
    let mut lines = Vec::new();
    for &policy in policies {
        let mut own = simulations(rows).filter(|row| row.policy == policy && row.replication == 0);
        let Some(end) = own.next().map(|row| row.duration_s) else { continue };
        let loads: Vec<&LoadRow> =
            loads(rows).filter(|row| row.policy == policy && row.replication == 0).collect();
        let mut from = SimSpan::ZERO;
        while from < end {
            let to = end.min(from + STEP);
            let over = |of: fn(&LoadRow) -> f64| Cell::Number(mean_between(&loads, (from, to, end), of));
            lines.push(vec![
                Cell::Text(policy.to_owned()),
                Cell::Number(from.as_secs_f64() / 60.0),
                over(|row| row.memory_mb as f64),
                over(|row| row.demanded_cpu as f64),
                over(|row| row.used_cpu),
            ]);
            from = to;
        }
    }
    Table::new(["policy", "from_min", "memory_mb", "demanded_cpu", "used_cpu"], lines)
}

/// The mean over a span of time of what holds from each load to the next, the last one until the end.
fn mean_between(
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

    /// 2 from 0 to 10 s and 6 from 10 to 40 s: (5 * 2 + 15 * 6) / 20 = 5 between 5 and 25 s.
    #[test]
    fn means_are_over_time() {
        let load = |start, demanded_cpu| LoadRow {
            vms: 9,
            replication: 0,
            policy: String::new(),
            start_s: SimSpan::from_secs(start),
            memory_mb: 0,
            demanded_cpu,
            used_cpu: 0.0,
        };
        let loads = [load(0, 2), load(10, 6)];
        let [from, to, end] = [5, 25, 40].map(SimSpan::from_secs);
        let loads: Vec<&LoadRow> = loads.iter().collect();
        assert_eq!(mean_between(&loads, (from, to, end), |row| row.demanded_cpu as f64), 5.0);
    }
}
