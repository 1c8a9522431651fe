//! The parameter study of section 4.3, and streams of requests.

use super::{interval, text};
use crate::Table;
use crate::coallocation::case::KINDS;
use crate::coallocation::row::Row;
use crate::coallocation::sample::{average, mean};
use crate::coallocation::scenario::Scenario;
use crate::tables::Cell;

/// The rows of a setting of the parameter study.
pub(in crate::coallocation) fn of_setting<'a>(
    rows: &'a [Row],
    setting: &str,
) -> impl Iterator<Item = &'a Row> {
    rows.iter().filter(move |row| row.part == "variation" && row.setting == setting)
}

pub(super) fn variations(scenario: &Scenario, rows: &[Row]) -> Table {
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

pub(super) fn stream(scenario: &Scenario, rows: &[Row]) -> Table {
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
