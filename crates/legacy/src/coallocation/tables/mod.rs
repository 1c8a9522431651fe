//! Tables 1 to 4 and figure 2, and those of what the text says without tables.

mod optimum;
mod phases;
mod searches;
mod times;

pub(super) use optimum::{beside_optimum, optima};
pub(super) use phases::shares;
pub(super) use searches::of_setting;
pub(super) use times::milliseconds;

use super::published;
use super::row::Row;
use super::sample::{Pair, average, mean, pairs};
use super::scenario::Scenario;
use crate::Table;
use crate::comparison::Estimate;
use crate::experiment::NamedTable;
use crate::tables::Cell;
use crate::tables::statistics::Statistics;
use dfrsim_coallocation::planetlab::PROPERTIES;
use dfrsim_model::coallocation::UNITS_PER_ONE;

/// All tables; those for which the scenario has nothing are empty.
pub(super) fn tables(scenario: &Scenario, rows: &[Row]) -> Vec<NamedTable> {
    vec![
        NamedTable::short("table_1", "Table 1: the nodes", nodes(scenario)),
        NamedTable::short(
            "table_2",
            "Table 2: collective beside simple requests",
            comparison(scenario, rows),
        ),
        NamedTable::short("table_3", "Table 3: both beside the optimum", optimum::table(scenario, rows)),
        NamedTable::short(
            "table_4",
            "Table 4: search times of collective requests for 5 resources",
            times::statistics(scenario, rows),
        ),
        NamedTable::short("figure_2", "Figure 2: search times", times::figure_2(scenario, rows)),
        NamedTable::short("usage", "Solved by level of use, which is assumed", usage(scenario, rows)),
        NamedTable::long("phases", "Where searches without a solution ended", phases::ends(scenario, rows)),
        NamedTable::short(
            "phase_times",
            "Section 4.5: parts of the search time",
            phases::times(scenario, rows),
        ),
        NamedTable::short(
            "parameters",
            "Section 4.3: one parameter varied at a time",
            searches::variations(scenario, rows),
        ),
        NamedTable::short("stream", "A stream of requests", searches::stream(scenario, rows)),
    ]
}

/// A mean and both ends of its interval.
fn interval(estimate: Option<Estimate>) -> [Cell; 3] {
    let ends = estimate.and_then(|it| it.interval);
    [estimate.map(|it| it.value), ends.map(|it| it.0), ends.map(|it| it.1)].map(Cell::maybe)
}

fn text(text: &str) -> Cell {
    Cell::Text(text.to_owned())
}

/// Averages over the grids.
fn nodes(scenario: &Scenario) -> Table {
    let header = vec!["property", "mean", "paper", "deviation", "paper", "min", "paper", "max", "paper"];
    let grids: Vec<_> = (0..scenario.grids).map(|grid| scenario.grid_nodes(grid)).collect();
    let line = |(place, name): (usize, &str)| {
        let of_grid = |grid: &Vec<dfrsim_model::coallocation::Resource>| {
            let amounts: Vec<f64> =
                grid.iter().map(|it| it.capacity[place] as f64 / UNITS_PER_ONE as f64).collect();
            let least = amounts.iter().copied().fold(f64::INFINITY, f64::min);
            Statistics::of(&amounts).map(|it| [it.mean, it.deviation.unwrap_or(0.0), least, it.max])
        };
        let all: Vec<[f64; 4]> = grids.iter().filter_map(of_grid).collect();
        let published = published::node_statistics(name);
        let mut line = vec![text(name)];
        for figure in 0..4 {
            line.push(Cell::maybe(average(all.iter().map(|it| it[figure]))));
            line.push(Cell::maybe(published.map(|it| it[figure])));
        }
        line
    };
    let note = match &scenario.node_list {
        Some(list) => format!("The nodes are those of {}; their use is assumed.", list.file),
        None => "The data of the experiments are not public: nodes are drawn from the published figures (a normal \
                 distribution, of which the range is taken), and their use is assumed."
            .to_owned(),
    };
    Table::new(header, PROPERTIES.iter().map(|it| it.name).enumerate().map(line).collect())
        .with_notes(vec![note])
}

/// Means over the grids, and the interval for all sizes together.
fn comparison(scenario: &Scenario, rows: &[Row]) -> Table {
    let header = vec![
        "mean_use",
        "size",
        "simple",
        "paper",
        "collective",
        "paper",
        "earlier",
        "paper",
        "equal",
        "paper",
        "better_simple",
        "paper",
        "better_collective",
        "paper",
    ];
    let counts = |pairs: &[Vec<Pair<'_>>]| -> [Option<Estimate>; 6] {
        std::array::from_fn(|place| {
            let count =
                |pairs: &Vec<Pair<'_>>| pairs.iter().filter(|pair| pair.counts()[place]).count() as f64;
            mean(scenario, pairs.iter().map(|pairs| Some(count(pairs))))
        })
    };
    let line = |usage: f64, name: &str, ours: [Option<f64>; 6], published: Option<[f64; 6]>| {
        let mut line = vec![Cell::Number(usage), text(name)];
        for (place, ours) in ours.into_iter().enumerate() {
            line.extend([Cell::maybe(ours), Cell::maybe(published.map(|it| it[place]))]);
        }
        line
    };
    let value = |estimates: [Option<Estimate>; 6]| estimates.map(|it| it.map(|it| it.value));
    let mut lines = Vec::new();
    for &usage in &scenario.usage {
        for &size in &scenario.sizes {
            let ours = value(counts(&pairs(scenario, rows, usage, Some(size))));
            let name = size.to_string();
            lines.push(line(usage, &name, ours, published::comparison(&name)));
        }
        let all = counts(&pairs(scenario, rows, usage, None));
        lines.push(line(usage, "all", value(all), published::comparison("all")));
        let ends = all.map(|it| it.and_then(|it| it.interval));
        lines.push(line(usage, "all, low", ends.map(|it| it.map(|it| it.0)), None));
        lines.push(line(usage, "all, high", ends.map(|it| it.map(|it| it.1)), None));
    }
    Table::new(header, lines)
}

/// The part of all cases of a grid that a kind of request solves.
pub(super) fn solved(pairs: &[Pair<'_>], collective: bool) -> Option<f64> {
    let row =
        |pair: &Pair<'_>| if collective { pair.collective.is_solved() } else { pair.simple.is_solved() };
    average(pairs.iter().map(|pair| f64::from(u8::from(row(pair)))))
}

fn usage(scenario: &Scenario, rows: &[Row]) -> Table {
    let header = vec![
        "mean_use",
        "simple",
        "low",
        "high",
        "collective",
        "low",
        "high",
        "earlier",
        "hours_earlier",
        "gain_percent",
    ];
    let line = |&usage: &f64| {
        let grids = pairs(scenario, rows, usage, None);
        let all = grids.concat();
        let both = all.iter().filter(|pair| pair.both_solved());
        let earlier = average(both.map(|pair| f64::from(u8::from(pair.starts_earlier()))));
        let hours = average(all.iter().filter_map(Pair::hours_earlier).filter(|&hours| hours > 0.0));
        let gain = average(all.iter().filter_map(Pair::gain)).map(|gain| 100.0 * gain);
        let mut line = vec![Cell::Number(usage)];
        for collective in [false, true] {
            line.extend(interval(mean(scenario, grids.iter().map(|pairs| solved(pairs, collective)))));
        }
        line.extend([earlier, hours, gain].map(Cell::maybe));
        line
    };
    if scenario.sizes.is_empty() {
        return Table::new(header, Vec::new());
    }
    Table::new(header, scenario.usage.iter().map(line).collect()).with_notes(vec![
        "Parts of all cases; earlier starts are parts of the cases that both solve.".to_owned(),
    ])
}
