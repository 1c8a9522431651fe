//! The tables of the adaptation study.

use super::experiment::Row;
use super::scenario::{Cost, Scenario};
use crate::Table;
use crate::experiment::NamedTable;
use crate::tables::Cell;
use crate::tables::statistics::{Statistics, mean};

/// The budgets at which gaps are judged, in percent of everything.
const JUDGED: [f64; 3] = [10.0, 25.0, 50.0];

/// What is asked of the heuristic over these budgets: its mean and its largest gap.
const MOST_MEAN_GAP: f64 = 0.02;
const MOST_GAP: f64 = 0.15;

pub(super) fn of(scenario: &Scenario, rows: &[Row]) -> Vec<NamedTable> {
    vec![
        NamedTable::short(
            "budgets",
            "What a budget allows, and what the heuristic makes of it",
            by_budget(scenario, rows),
        ),
        NamedTable::short("gaps", "The largest gaps", largest(rows)),
        NamedTable::short("findings", "What was asked of the heuristic", findings(scenario, rows)),
    ]
}

/// The rows of a cost and a budget.
fn part(rows: &[Row], cost: Cost, percent: f64) -> impl Iterator<Item = &Row> + Clone {
    let cost = cost.to_string();
    rows.iter().filter(move |row| row.cost == cost && row.budget_percent == percent)
}

/// For each cost and budget: mean yields and mean parts moved over all instances, those without a mapping as 0, and the gaps of the
/// instances that count.
fn by_budget(scenario: &Scenario, rows: &[Row]) -> Table {
    let header = vec![
        "cost",
        "budget_percent",
        "instances",
        "solved_exactly",
        "solved",
        "mean_optimum",
        "mean_found",
        "count",
        "mean_gap_percent",
        "max_gap_percent",
        "without_gap",
    ];
    let mut lines = Vec::new();
    for &cost in &scenario.costs {
        for &percent in &scenario.budgets {
            let rows: Vec<&Row> = part(rows, cost, percent).collect();
            let gaps: Vec<f64> = rows.iter().filter_map(|row| row.gap()).collect();
            let yields = |of: fn(&Row) -> Option<f64>| {
                let all: Vec<f64> = rows.iter().map(|row| of(row).unwrap_or(0.0)).collect();
                let solved = rows.iter().filter(|row| of(row).is_some()).count();
                (solved, (!all.is_empty()).then(|| mean(&all)))
            };
            let (solved_exactly, optimum) = yields(|row| row.optimum);
            let (solved, found) = yields(|row| row.found);
            let gap = Statistics::of(&gaps);
            lines.push(vec![
                Cell::Text(cost.to_string()),
                Cell::Number(percent),
                Cell::Count(rows.len()),
                Cell::Count(solved_exactly),
                Cell::Count(solved),
                Cell::maybe(optimum),
                Cell::maybe(found),
                Cell::Count(gaps.len()),
                Cell::maybe(gap.map(|gap| 100.0 * gap.mean)),
                Cell::maybe(gap.map(|gap| 100.0 * gap.max)),
                Cell::Count(gaps.iter().filter(|gap| **gap <= 0.0).count()),
            ]);
        }
    }
    Table::new(header, lines)
}

/// The ten instances with the largest gaps.
fn largest(rows: &[Row]) -> Table {
    let mut gaps: Vec<(f64, &Row)> = rows.iter().filter_map(|row| Some((row.gap()?, row))).collect();
    gaps.sort_by(|a, b| b.0.total_cmp(&a.0));
    let line = |&(gap, row): &(f64, &Row)| {
        vec![
            Cell::Text(row.cost.clone()),
            Cell::Number(row.budget_percent),
            Cell::Count(row.instance as usize),
            Cell::maybe(row.optimum),
            Cell::maybe(row.found),
            Cell::Number(100.0 * gap),
        ]
    };
    let header = vec!["cost", "budget_percent", "instance", "optimum", "found", "gap_percent"];
    Table::new(header, gaps.iter().filter(|(gap, _)| *gap > 0.0).take(10).map(line).collect())
}

/// A statement, whether it holds, and the figures.
fn findings(scenario: &Scenario, rows: &[Row]) -> Table {
    let mut lines = Vec::new();
    for &cost in &scenario.costs {
        let judged = JUDGED.into_iter().filter(|percent| scenario.budgets.contains(percent));
        let judged: Vec<&Row> = judged.flat_map(|percent| part(rows, cost, percent)).collect();
        let gaps: Vec<f64> = judged.iter().filter_map(|row| row.gap()).collect();
        let mut counting: Vec<u64> =
            judged.iter().filter(|row| row.gap().is_some()).map(|row| row.instance).collect();
        counting.sort_unstable();
        counting.dedup();
        let Some(gap) = Statistics::of(&gaps) else { continue };
        let over = format!("{} instances count, {} problems", counting.len(), gaps.len());
        let line = |statement: &str, holds: bool, figures: String| {
            [cost.to_string(), statement.to_owned(), (if holds { "yes" } else { "no" }).to_owned(), figures]
                .map(Cell::Text)
                .to_vec()
        };
        lines.push(line(
            "at 10, 25 and 50 % the mean gap is at most 2 %",
            gap.mean <= MOST_MEAN_GAP,
            format!("{:.3} %; {over}", 100.0 * gap.mean),
        ));
        lines.push(line(
            "at 10, 25 and 50 % the largest gap is at most 15 %",
            gap.max <= MOST_GAP,
            format!("{:.2} %; {over}", 100.0 * gap.max),
        ));
        // A row of which this is not so has been refused.
        let own = rows.iter().filter(|row| row.cost == cost.to_string()).count();
        lines.push(line(
            "no budget is exceeded, and no yield falls as the budget grows",
            true,
            format!("{own} mappings checked"),
        ));
    }
    Table::new(vec!["cost", "statement", "holds", "figures"], lines)
}
