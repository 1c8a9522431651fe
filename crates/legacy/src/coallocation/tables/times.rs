//! Table 4 and figure 2: how long searches take.

use super::text;
use crate::Table;
use crate::coallocation::published;
use crate::coallocation::row::Row;
use crate::coallocation::sample::average;
use crate::coallocation::scenario::Scenario;
use crate::tables::Cell;
use crate::tables::statistics::Statistics;

/// The mean search times of the test cases, in milliseconds.
pub(in crate::coallocation) fn milliseconds(
    rows: &[Row],
    usage: f64,
    is_one: impl Fn(&Row) -> bool,
) -> Vec<f64> {
    let timed = rows.iter().filter(|row| row.part == "case" && row.usage == usage && is_one(row));
    timed.filter_map(|row| row.milliseconds).collect()
}

pub(super) fn statistics(scenario: &Scenario, rows: &[Row]) -> Table {
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

pub(super) fn figure_2(scenario: &Scenario, rows: &[Row]) -> Table {
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
