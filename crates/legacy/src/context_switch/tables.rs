//! The tables of the study, each beside what is published.

use super::findings;
use super::row::Row;
use crate::Table;
use crate::experiment::NamedTable;
use crate::table_file;
use crate::tables::Cell;
use dfrsim_context_switch::{Action, Amount, Cluster, Node, Place, Vjob, VjobId, Vm, VmId};
use dfrsim_model::{NodeId, SimSpan};

/// Between the lines of figure 13.
const STEP: SimSpan = SimSpan::from_secs(600);

pub(super) fn all(rows: &[Row]) -> Vec<NamedTable> {
    let (short, long) = (NamedTable::short, NamedTable::long);
    vec![
        short("table_1", "RR-6929, table 1: the cost of an action on a VM of 1,024 MB", table_1()),
        short(
            "figure_10",
            "RR-6929, figure 10: first-fit decreasing beside the cheapest plan found",
            figure_10(rows),
        ),
        short(
            "figure_11",
            "RR-6929, figure 11: the context switches of the first repetition",
            figure_11(rows),
        ),
        short("switches", "Context switches by policy, means over the repetitions", switches(rows)),
        short(
            "figure_12",
            "RR-6929, figure 12: when vjobs run with booked units, first repetition",
            figure_12(rows),
        ),
        long("stays", "The states of vjobs over time, first repetition", stays(rows)),
        short("figure_13", "RR-6929, figure 13: what VMs use, first repetition", figure_13(rows)),
        short("findings", "What RR-6929 states", findings::table(rows)),
    ]
}

pub(super) fn of<'a>(rows: &'a [Row], part: &'a str) -> impl Iterator<Item = &'a Row> + Clone {
    rows.iter().filter(move |row| row.part == part)
}

/// The policies of the simulations, in their order.
pub(super) fn policies(rows: &[Row]) -> Vec<&str> {
    let mut policies: Vec<&str> = Vec::new();
    for row in of(rows, "run") {
        if !policies.contains(&row.policy.as_str()) {
            policies.push(&row.policy);
        }
    }
    policies
}

pub(super) fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}

fn count(value: Option<u64>) -> Cell {
    value.map_or(Cell::Nothing, |value| Cell::Count(value as usize))
}

fn span(value: Option<SimSpan>) -> Cell {
    value.map_or(Cell::Nothing, Cell::Span)
}

/// The cost model, on a VM that has each action in turn.
fn table_1() -> Table {
    const MEMORY: i64 = 1_024;
    let node = |name: &str| Node { name: name.to_owned(), capacity: Amount::new(1, MEMORY) };
    let vm = Vm { name: "VM".to_owned(), vjob: VjobId(0), demand: Amount::new(1, MEMORY) };
    let vjob = Vjob { name: "vjob".to_owned(), priority: 0 };
    let cluster = Cluster::new(vec![node("N1"), node("N2")], vec![vjob], vec![vm]);
    let cluster = cluster.expect("two nodes and a VM are a cluster");
    let (here, there) = (NodeId(0), NodeId(1));
    let ends = |action: &str| match action {
        "migrate" => Some((Place::Running(here), Place::Running(there))),
        "run" => Some((Place::Waiting, Place::Running(here))),
        "stop" => Some((Place::Running(here), Place::Terminated)),
        "suspend" => Some((Place::Running(here), Place::Sleeping(here))),
        "resume local" => Some((Place::Sleeping(here), Place::Running(here))),
        "resume remote" => Some((Place::Sleeping(here), Place::Running(there))),
        _ => None,
    };
    let published = table_file::records(include_str!("../../reference/context_switch/table_1.csv")).skip(1);
    let lines = published.filter_map(|record| {
        let (action, factor) = (record.get(0)?, record.get(1)?.parse::<f64>().ok()?);
        let (from, to) = ends(action)?;
        let cost = Action::between(&cluster, VmId(0), from, to).ok().flatten()?.cost(&cluster);
        Some(vec![
            Cell::Text(action.to_owned()),
            Cell::Count((factor * MEMORY as f64) as usize),
            Cell::Count(cost as usize),
        ])
    });
    Table::new(vec!["action", "published_mb", "cost_mb"], lines.collect())
}

/// What a size's samples came to.
fn figure_10(rows: &[Row]) -> Table {
    let mut sizes: Vec<u32> = of(rows, "sample").map(|row| row.vms).collect();
    sizes.dedup();
    let line = |vms: u32| {
        let samples = || of(rows, "sample").filter(move |row| row.vms == vms);
        let over = |figure: fn(&Row) -> Option<f64>| samples().filter_map(figure);
        let largest = |values: &mut dyn Iterator<Item = f64>| values.reduce(f64::max);
        vec![
            Cell::Count(vms as usize),
            Cell::Count(samples().count()),
            Cell::maybe(mean(over(|row| row.first_fit_cost.map(|cost| cost as f64)))),
            Cell::maybe(mean(over(|row| row.cost.map(|cost| cost as f64)))),
            Cell::maybe(mean(over(reduction_percent))),
            Cell::maybe(mean(over(|row| cheaper_percent(row.bound, row)))),
            Cell::maybe(mean(over(above_bound_percent))),
            Cell::maybe(largest(&mut over(above_bound_percent))),
            Cell::Count(over(|row| row.proven.filter(|proven| *proven == 1).map(f64::from)).count()),
            Cell::maybe(mean(over(|row| row.search_s))),
            Cell::maybe(largest(&mut over(|row| row.search_s))),
        ]
    };
    let header = vec![
        "vms",
        "samples",
        "first_fit_mb",
        "cost_mb",
        "reduced_percent",
        "reducible_percent",
        "above_bound_percent",
        "most_above_bound_percent",
        "proven",
        "mean_search_s",
        "max_search_s",
    ];
    let notes = "published: 95 percent on average, at 40 s; `reducible` is how much cheaper the bound is";
    Table::new(header, sizes.into_iter().map(line).collect()).with_notes(vec![notes.to_owned()])
}

/// How much cheaper the plan is than that of first-fit decreasing; nothing if that is free.
pub(super) fn reduction_percent(row: &Row) -> Option<f64> {
    cheaper_percent(row.cost, row)
}

fn cheaper_percent(cost: Option<u64>, row: &Row) -> Option<f64> {
    let first_fit = row.first_fit_cost.filter(|cost| *cost > 0)?;
    Some(100.0 - 100.0 * cost? as f64 / first_fit as f64)
}

/// How far the cost is above the bound.
pub(super) fn above_bound_percent(row: &Row) -> Option<f64> {
    let (cost, bound) = (row.cost?, row.bound?);
    Some(if cost == bound { 0.0 } else { 100.0 * cost as f64 / bound as f64 - 100.0 })
}

/// The first repetition of the optimised policy.
fn figure_11(rows: &[Row]) -> Table {
    let optimised = |row: &&Row| row.policy == "optimised" && row.number == 0;
    let lines = of(rows, "switch").filter(optimised).map(|row| {
        vec![
            span(row.at_s),
            span(row.duration_s),
            count(row.cost),
            count(row.pools),
            count(row.runs),
            count(row.stops),
            count(row.migrations),
            count(row.suspends),
            count(row.local_resumes),
            count(row.remote_resumes),
        ]
    });
    let header = vec![
        "at_s",
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
    Table::new(header, lines.collect())
}

fn switches(rows: &[Row]) -> Table {
    let line = |policy: &str| {
        let runs = || of(rows, "run").filter(|row| row.policy == policy);
        let switches = || of(rows, "switch").filter(|row| row.policy == policy);
        let repetitions = runs().count() as f64;
        let a_run = |figure: fn(&Row) -> Option<u64>| {
            Cell::Number(switches().filter_map(figure).sum::<u64>() as f64 / repetitions)
        };
        vec![
            Cell::Text(policy.to_owned()),
            Cell::Count(runs().count()),
            Cell::maybe(mean(runs().filter_map(|row| Some(row.duration_s?.as_secs_f64() / 60.0)))),
            Cell::Number(switches().count() as f64 / repetitions),
            Cell::maybe(mean(switches().filter_map(|row| Some(row.duration_s?.as_secs_f64())))),
            a_run(|row| row.cost),
            a_run(|row| row.migrations),
            a_run(|row| row.suspends),
            a_run(|row| row.local_resumes),
            a_run(|row| row.remote_resumes),
            a_run(|row| row.failed),
        ]
    };
    let header = vec![
        "policy",
        "repetitions",
        "total_min",
        "switches",
        "mean_switch_s",
        "cost_mb",
        "migrations",
        "suspends",
        "local_resumes",
        "remote_resumes",
        "failed",
    ];
    Table::new(header, policies(rows).into_iter().map(line).collect())
}

fn stay(row: &Row) -> Vec<Cell> {
    vec![
        Cell::Text(row.policy.clone()),
        Cell::Text(row.vjob.clone().unwrap_or_default()),
        Cell::Text(row.state.clone().unwrap_or_else(|| "changing".to_owned())),
        span(row.at_s),
        span(row.at_s.zip(row.duration_s).map(|(at, duration)| at + duration)),
    ]
}

const STAY: [&str; 5] = ["policy", "vjob", "state", "from_s", "to_s"];

fn figure_12(rows: &[Row]) -> Table {
    let running =
        |row: &&Row| row.policy == "booking" && row.number == 0 && row.state.as_deref() == Some("running");
    Table::new(STAY.to_vec(), of(rows, "stay").filter(running).map(stay).collect())
}

fn stays(rows: &[Row]) -> Table {
    Table::new(STAY.to_vec(), of(rows, "stay").filter(|row| row.number == 0).map(stay).collect())
}

/// Means over spans of time.
fn figure_13(rows: &[Row]) -> Table {
    let mut lines = Vec::new();
    for policy in policies(rows) {
        let first = |row: &&Row| row.policy == policy && row.number == 0;
        let Some(end) = of(rows, "run").find(first).and_then(|row| row.duration_s) else { continue };
        let loads: Vec<&Row> = of(rows, "load").filter(first).collect();
        let mut from = SimSpan::ZERO;
        while from < end {
            let to = end.min(from + STEP);
            let over =
                |figure: fn(&Row) -> Option<f64>| Cell::maybe(mean_between(&loads, from, to, end, figure));
            lines.push(vec![
                Cell::Text(policy.to_owned()),
                Cell::Number(from.as_secs_f64() / 60.0),
                over(|row| row.memory_mb.map(|memory| memory as f64)),
                over(|row| row.demanded.map(|units| units as f64)),
                over(|row| row.used),
            ]);
            from = to;
        }
    }
    Table::new(vec!["policy", "from_min", "memory_mb", "units_demanded", "units_used"], lines)
}

/// The mean over a span of time of what holds from each load to the next.
fn mean_between(
    loads: &[&Row],
    from: SimSpan,
    to: SimSpan,
    end: SimSpan,
    figure: fn(&Row) -> Option<f64>,
) -> Option<f64> {
    let begins = loads.iter().map(|row| row.at_s.unwrap_or_default());
    let ends = begins.clone().skip(1).chain([end]);
    let parts = loads.iter().zip(begins.zip(ends)).filter_map(|(row, (begin, end))| {
        let (begin, end) = (begin.max(from), end.min(to));
        (begin < end).then(|| Some(figure(row)? * (end - begin).as_secs_f64())).flatten()
    });
    Some(parts.sum::<f64>() / (to - from).as_secs_f64())
}
