//! Tables of the results by budget, and of the largest gaps.

use crate::rows::Row;
use crate::scenario::{Changes, Cost};
use dfrsim_lab::fields::Scenario;
use dfrsim_lab::{Bootstrap, Estimate, Long, NamedTable, Statistics, Table, TableLine, average, line_of};

pub(crate) fn all(scenario: &Scenario<Changes>, rows: &Long<Row>) -> Vec<NamedTable> {
    vec![
        NamedTable::printed(
            "budgets",
            "What a budget allows, and what the heuristic makes of it",
            by_budget(scenario, rows),
        ),
        NamedTable::printed("gaps", "The largest gaps", largest(rows)),
    ]
}

/// Iterates over the rows of a cost and a budget.
pub(crate) fn rows_of_variant(rows: &Long<Row>, cost: Cost, percent: f64) -> impl Iterator<Item = &Row> {
    let cost = cost.to_string();
    rows.ok().filter(move |row| row.cost == cost && row.budget_percent == percent)
}

/// Returns the gaps of the changes that count.
pub(crate) fn gaps<'a>(rows: impl IntoIterator<Item = &'a Row>) -> Vec<f64> {
    rows.into_iter().filter_map(|row| row.gap_to_optimum).collect()
}

/// Builds the table by cost and budget: mean yields over all changes, with 0 for those without a
/// mapping, and the gaps of the changes that count.
fn by_budget(scenario: &Scenario<Changes>, rows: &Long<Row>) -> Table {
    let line = |(cost, percent): (Cost, f64)| {
        let rows: Vec<&Row> = rows_of_variant(rows, cost, percent).collect();
        let gaps = gaps(rows.iter().copied());
        let yields = |of: fn(&Row) -> Option<f64>| {
            let solved = rows.iter().filter(|row| of(row).is_some()).count();
            (solved, average(rows.iter().map(|row| of(row).unwrap_or(0.0))))
        };
        let (solved_exactly, optimum) = yields(|row| row.optimum);
        let (solved, found) = yields(|row| row.found);
        let interval =
            Bootstrap::for_tables(scenario.seed).mean(&gaps).and_then(|Estimate { interval, .. }| interval);
        let gap = Statistics::from_values(&gaps);
        let percents = |part: Option<f64>| part.map(|part| 100.0 * part);
        TableLine::new()
            .with("cost", cost.to_string())
            .with("budget_percent", percent)
            .with("replications", rows.len())
            .with("solved_exactly", solved_exactly)
            .with("solved", solved)
            .with("mean_optimum", optimum)
            .with("mean_found", found)
            .with("counted", gaps.len())
            .with("mean_gap_percent", percents(gap.map(|gap| gap.mean)))
            .with("mean_gap_percent_low", percents(interval.map(|(low, _)| low)))
            .with("mean_gap_percent_high", percents(interval.map(|(_, high)| high)))
            .with("max_gap_percent", percents(gap.map(|gap| gap.max)))
            .with("without_gap", gaps.iter().filter(|gap| **gap <= 0.0).count())
    };
    scenario.variants().into_iter().map(line).collect()
}

/// Builds the table of the ten problems with the largest gaps.
fn largest(rows: &Long<Row>) -> Table {
    let mut gaps: Vec<(f64, &Row)> =
        rows.ok().filter_map(|row| Some((row.gap_to_optimum?, row))).filter(|(gap, _)| *gap > 0.0).collect();
    gaps.sort_by(|a, b| b.0.total_cmp(&a.0));
    let line = |&(gap, row): &(f64, &Row)| {
        line_of!(row: cost, budget_percent, replication, optimum, found).with("gap_percent", 100.0 * gap)
    };
    gaps.iter().take(10).map(line).collect()
}
