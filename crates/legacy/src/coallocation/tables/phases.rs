//! Where searches end, and what part of their time each phase takes.

use super::text;
use crate::Table;
use crate::coallocation::case::KINDS;
use crate::coallocation::published;
use crate::coallocation::row::Row;
use crate::coallocation::scenario::Scenario;
use crate::tables::Cell;

pub(super) fn ends(scenario: &Scenario, rows: &[Row]) -> Table {
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

/// The parts that phases II to V take of the time of all these searches of test cases together; nothing if none was timed.
pub(in crate::coallocation) fn shares(
    rows: &[Row],
    usage: f64,
    is_one: impl Fn(&Row) -> bool,
) -> Option<[f64; 4]> {
    let mut sums = [0.0; 4];
    for row in rows.iter().filter(|row| row.part == "case" && row.usage == usage && is_one(row)) {
        let times = [row.phase_2_ms, row.phase_3_ms, row.phase_4_ms, row.phase_5_ms];
        sums.iter_mut().zip(times).for_each(|(sum, time)| *sum += time.unwrap_or(0.0));
    }
    let all: f64 = sums.iter().sum();
    (all > 0.0).then(|| sums.map(|sum| sum / all))
}

/// Section 4.5.
pub(super) fn times(scenario: &Scenario, rows: &[Row]) -> Table {
    let header =
        vec!["mean_use", "kind", "cases", "II", "paper", "III", "paper", "IV and V", "paper", "IV", "V"];
    let mut lines = Vec::new();
    for &usage in &scenario.usage {
        for (_, kind) in KINDS {
            for (cases, solved) in [("all", None), ("solved", Some(true)), ("not solved", Some(false))] {
                let is_one =
                    |row: &Row| row.kind == kind && solved.is_none_or(|solved| row.is_solved() == solved);
                let Some([second, third, fourth, fifth]) = shares(rows, usage, is_one) else { continue };
                let mut line = vec![Cell::Number(usage), text(kind), text(cases)];
                for (phases, share) in [("II", second), ("III", third), ("IV and V", fourth + fifth)] {
                    // What is published is of all cases.
                    let published = published::phase_share(phases).filter(|_| solved.is_none());
                    line.extend([Cell::Number(share), Cell::maybe(published)]);
                }
                line.extend([fourth, fifth].map(Cell::Number));
                lines.push(line);
            }
        }
    }
    Table::new(header, lines).with_notes(vec![
        "Parts of the time of all searches together. The published text gives under 1 % for phase II, about 5 % for \
         phase III, and the rest. Here phase III holds the proofs that too little is free at a start, which spare \
         phase IV the start."
            .to_owned(),
    ])
}
