//! Tables 1 to 4 and figure 2, and those of what the text says without tables.

use super::case::KINDS;
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
        NamedTable::short("table_1", "Table 1: the nodes, which are drawn from its figures", nodes(scenario)),
        NamedTable::short(
            "table_2",
            "Table 2: collective beside simple requests",
            comparison(scenario, rows),
        ),
        NamedTable::short("table_3", "Table 3: both beside the optimum", optimum(scenario, rows)),
        NamedTable::short(
            "table_4",
            "Table 4: search times of collective requests for 5 resources",
            times(scenario, rows),
        ),
        NamedTable::short("figure_2", "Figure 2: search times", figure_2(scenario, rows)),
        NamedTable::short("usage", "Solved by level of use, which is assumed", usage(scenario, rows)),
        NamedTable::long("phases", "Where searches without a solution ended", phases(scenario, rows)),
        NamedTable::short(
            "parameters",
            "Section 4.3: one parameter varied at a time",
            variations(scenario, rows),
        ),
        NamedTable::short("stream", "A stream of requests", stream(scenario, rows)),
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
    Table::new(header, PROPERTIES.iter().map(|it| it.name).enumerate().map(line).collect()).with_notes(vec![
        "The data of the experiments are not public: nodes are drawn from the published figures (a normal \
         distribution, of which the range is taken), and their use is assumed."
            .to_owned(),
    ])
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

/// What a kind of request comes to beside the optimum on one grid: cases solved, later starts and their mean delay in
/// hours, the mean part of the optimal factor at its start, and cases with more than 99 % of it.
pub(super) fn beside_optimum(pairs: &[Pair<'_>], kind: &str) -> [Option<f64>; 5] {
    let rows: Vec<&Row> =
        pairs.iter().map(|it| if kind == "simple" { it.simple } else { it.collective }).collect();
    let delay = |row: &&&Row| Some((row.start? - row.optimum_start?) / 3_600.0);
    let solved: Vec<&&Row> =
        rows.iter().filter(|row| row.is_solved() && row.optimum_start.is_some()).collect();
    let delays: Vec<f64> = solved.iter().filter_map(|row| delay(&row)).filter(|&hours| hours > 0.0).collect();
    let at_optimum = solved.iter().filter(|row| row.start == row.optimum_start);
    let parts: Vec<f64> = at_optimum.filter_map(|row| Some(row.factor? / row.optimum_factor?)).collect();
    [
        Some(solved.len() as f64),
        Some(delays.len() as f64),
        average(delays),
        average(parts.iter().copied()),
        Some(parts.iter().filter(|&&part| part > 0.99).count() as f64),
    ]
}

/// How many cases of a grid have a solution at all.
pub(super) fn optima(pairs: &[Pair<'_>]) -> f64 {
    pairs.iter().filter(|pair| pair.collective.optimum_start.is_some()).count() as f64
}

fn optimum(scenario: &Scenario, rows: &[Row]) -> Table {
    let header = vec!["mean_use", "size", "kind", "figure", "mean", "low", "high", "paper"];
    let figures = [
        "solved",
        "start later than the optimum's",
        "mean delay of these (h)",
        "part of the optimal factor at its start",
        "above 99 % of it",
    ];
    let sizes = || scenario.sizes.iter().filter(|size| scenario.optimum.contains(size));
    let mut lines = Vec::new();
    for (&usage, &size) in scenario.usage.iter().flat_map(|usage| sizes().map(move |size| (usage, size))) {
        let pairs = pairs(scenario, rows, usage, Some(size));
        let mut push = |kind: &str, figure: &str, estimate: Option<Estimate>, paper: Option<f64>| {
            let mut line = vec![Cell::Number(usage), Cell::Count(size), text(kind), text(figure)];
            line.extend(interval(estimate));
            line.push(Cell::maybe(paper.filter(|_| size == 5)));
            lines.push(line);
        };
        let all = mean(scenario, pairs.iter().map(|pairs| Some(optima(pairs))));
        push("optimum", figures[0], all, published::beside_optimum("collective").map(|it| it[0]));
        for (_, kind) in KINDS.iter().rev() {
            for (place, figure) in figures.iter().enumerate() {
                let estimate = mean(scenario, pairs.iter().map(|pairs| beside_optimum(pairs, kind)[place]));
                push(kind, figure, estimate, published::beside_optimum(kind).map(|it| it[place]));
            }
        }
    }
    Table::new(header, lines)
}

/// The mean search times of the test cases, in milliseconds.
pub(super) fn milliseconds(rows: &[Row], usage: f64, is_one: impl Fn(&Row) -> bool) -> Vec<f64> {
    let timed = rows.iter().filter(|row| row.part == "case" && row.usage == usage && is_one(row));
    timed.filter_map(|row| row.milliseconds).collect()
}

fn times(scenario: &Scenario, rows: &[Row]) -> Table {
    let mut lines = Vec::new();
    for &usage in &scenario.usage {
        let times = milliseconds(rows, usage, |row| row.size == Some(5) && row.kind == "collective");
        let statistics = Statistics::of(&times);
        let figures = [
            ("min", times.iter().copied().reduce(f64::min)),
            ("max", statistics.map(|it| it.max)),
            ("mean", statistics.map(|it| it.mean)),
            ("deviation", statistics.and_then(|it| it.deviation)),
        ];
        for (name, ours) in figures {
            let published = Cell::maybe(published::search_time(name));
            lines.extend(
                ours.map(|ours| vec![Cell::Number(usage), text(name), Cell::Number(ours), published]),
            );
        }
    }
    let notes = vec![
        "Phases II to V. The published column of phases I to VI (126 to 325 ms) contains what another system takes \
         and cannot be reproduced."
            .to_owned(),
    ];
    Table::new(vec!["mean_use", "statistic", "ms", "paper_ms"], lines).with_notes(notes)
}

fn figure_2(scenario: &Scenario, rows: &[Row]) -> Table {
    let header = vec![
        "mean_use",
        "size",
        "simple_ms",
        "simple_solved_ms",
        "collective_ms",
        "collective_solved_ms",
        "collective_unsolved_ms",
    ];
    let mut lines = Vec::new();
    for (&usage, &size) in
        scenario.usage.iter().flat_map(|usage| scenario.sizes.iter().map(move |size| (usage, size)))
    {
        let ms = |is_one: &dyn Fn(&Row) -> bool| {
            average(milliseconds(rows, usage, |row| row.size == Some(size) && is_one(row)))
        };
        let of = |kind: &'static str| move |row: &Row| row.kind == kind;
        let all = [
            ms(&of("simple")),
            ms(&|row| of("simple")(row) && row.is_solved()),
            ms(&of("collective")),
            ms(&|row| of("collective")(row) && row.is_solved()),
            ms(&|row| of("collective")(row) && !row.is_solved()),
        ];
        if all[0].is_some() {
            let place = [Cell::Number(usage), Cell::Count(size)];
            lines.push(place.into_iter().chain(all.map(Cell::maybe)).collect());
        }
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

fn phases(scenario: &Scenario, rows: &[Row]) -> Table {
    let header = vec!["mean_use", "kind", "size", "searches", "solved", "phase_1", "phase_2", "phase_4"];
    let mut lines = Vec::new();
    for &usage in &scenario.usage {
        for (_, kind) in KINDS {
            for &size in &scenario.sizes {
                let is_one = |row: &&Row| {
                    row.part == "case" && row.usage == usage && row.kind == kind && row.size == Some(size)
                };
                let sum =
                    |figure: &dyn Fn(&Row) -> usize| rows.iter().filter(is_one).map(figure).sum::<usize>();
                let searches = sum(&|row| row.searches);
                let solved = sum(&|row| row.solved);
                let first = sum(&|row| row.without_resources.unwrap_or(0));
                let second = sum(&|row| row.without_totals.unwrap_or(0));
                let counts = [size, searches, solved, first, second, searches - solved - first - second];
                let mut line = vec![Cell::Number(usage), text(kind)];
                line.extend(counts.map(Cell::Count));
                lines.push(line);
            }
        }
    }
    Table::new(header, lines)
}

/// The rows of a setting of the parameter study.
pub(super) fn of_setting<'a>(rows: &'a [Row], setting: &str) -> impl Iterator<Item = &'a Row> {
    rows.iter().filter(move |row| row.part == "variation" && row.setting == setting)
}

fn variations(scenario: &Scenario, rows: &[Row]) -> Table {
    let header = vec!["setting", "cases", "solved", "low", "high", "factor", "ms", "unsolved_ms"];
    let settings = scenario.variations.iter().flat_map(|it| it.settings(scenario.parameters));
    let line = |(setting, _): (String, _)| {
        let all: Vec<&Row> = of_setting(rows, &setting).collect();
        let of_grid = |grid: u32| {
            let rows = all.iter().filter(|row| row.grid == grid);
            average(rows.map(|row| row.solved as f64 / row.searches as f64))
        };
        let mut line = vec![text(&setting), Cell::Count(all.len())];
        line.extend(interval(mean(scenario, (0..scenario.grids).map(of_grid))));
        line.push(Cell::maybe(average(
            all.iter().filter(|row| row.is_solved()).filter_map(|row| row.factor),
        )));
        line.push(Cell::maybe(average(all.iter().filter_map(|row| row.milliseconds))));
        let unsolved = all.iter().filter(|row| row.solved == 0).filter_map(|row| row.milliseconds);
        line.push(Cell::maybe(average(unsolved)));
        line
    };
    Table::new(header, settings.map(line).collect())
}

fn stream(scenario: &Scenario, rows: &[Row]) -> Table {
    let header = vec![
        "mean_use",
        "kind",
        "requests",
        "accepted",
        "low",
        "high",
        "wait_h",
        "low",
        "high",
        "utilisation",
        "low",
        "high",
    ];
    let mut lines = Vec::new();
    for &usage in scenario.stream.iter().flat_map(|_| &scenario.usage) {
        for (_, kind) in KINDS {
            let is_one = |row: &&Row| row.part == "stream" && row.usage == usage && row.kind == kind;
            let of = |figure: fn(&Row) -> Option<f64>| {
                interval(mean(scenario, rows.iter().filter(is_one).map(figure)))
            };
            let mut line = vec![Cell::Number(usage), text(kind)];
            line.push(Cell::Count(rows.iter().filter(is_one).map(|row| row.searches).sum()));
            line.extend(of(|row| Some(row.solved as f64 / row.searches.max(1) as f64)));
            line.extend(of(|row| row.start.map(|seconds| seconds / 3_600.0)));
            line.extend(of(|row| row.factor));
            lines.push(line);
        }
    }
    Table::new(header, lines)
        .with_notes(vec!["Utilisation is that by the jobs, beside the use that is there.".to_owned()])
}
