//! Table 3: both kinds of requests beside the optimum.

use super::{interval, text};
use crate::Table;
use crate::coallocation::case::KINDS;
use crate::coallocation::published;
use crate::coallocation::row::Row;
use crate::coallocation::sample::{Pair, average, mean, pairs};
use crate::coallocation::scenario::Scenario;
use crate::comparison::Estimate;
use crate::tables::Cell;

/// What a kind of request comes to beside the optimum on one grid: cases solved, later starts and their mean delay in
/// hours, the mean part of the optimal factor at its start, and cases with more than 99 % of it.
pub(in crate::coallocation) fn beside_optimum(pairs: &[Pair<'_>], kind: &str) -> [Option<f64>; 5] {
    let rows: Vec<&Row> =
        pairs.iter().map(|it| if kind == "simple" { it.simple } else { it.collective }).collect();
    let delay = |row: &&&Row| Some((row.start? - row.optimum_start?) / 3_600.0);
    let solved: Vec<&&Row> =
        rows.iter().filter(|row| row.is_solved() && row.optimum_start.is_some()).collect();
    let delays: Vec<f64> = solved.iter().filter_map(delay).filter(|&hours| hours > 0.0).collect();
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
pub(in crate::coallocation) fn optima(pairs: &[Pair<'_>]) -> f64 {
    pairs.iter().filter(|pair| pair.collective.optimum_start.is_some()).count() as f64
}

pub(super) fn table(scenario: &Scenario, rows: &[Row]) -> Table {
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
