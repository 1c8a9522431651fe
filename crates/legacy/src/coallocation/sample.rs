//! Figures of each grid, and their means with confidence intervals.

use super::row::Row;
use super::scenario::Scenario;
use crate::comparison::{Bootstrap, Estimate};

/// Both searches of a test case.
#[derive(Clone, Copy)]
pub(super) struct Pair<'a> {
    pub(super) simple: &'a Row,
    pub(super) collective: &'a Row,
}

/// How utilisation factors are told apart: two searches that end with the same resources differ by rounding at most.
const SAME: f64 = 1e-9;

impl Pair<'_> {
    pub(super) fn both_solved(&self) -> bool {
        self.simple.is_solved() && self.collective.is_solved()
    }
    /// By how many hours the collective request starts earlier, if both are solved.
    pub(super) fn hours_earlier(&self) -> Option<f64> {
        self.both_solved()
            .then(|| (self.simple.start.unwrap_or(0.0) - self.collective.start.unwrap_or(0.0)) / 3_600.0)
    }
    pub(super) fn starts_earlier(&self) -> bool {
        self.hours_earlier().is_some_and(|hours| hours > 0.0)
    }
    pub(super) fn starts_equally(&self) -> bool {
        self.hours_earlier() == Some(0.0)
    }
    /// The factor of the collective request relative to that of the simple one, less 1, at equal starts.
    pub(super) fn gain(&self) -> Option<f64> {
        let (simple, collective) = (self.simple.factor?, self.collective.factor?);
        self.starts_equally().then(|| collective / simple - 1.0)
    }
    /// What table 2 counts.
    pub(super) fn counts(&self) -> [bool; 6] {
        [
            self.simple.is_solved(),
            self.collective.is_solved(),
            self.starts_earlier(),
            self.starts_equally(),
            self.gain().is_some_and(|gain| gain < -SAME),
            self.gain().is_some_and(|gain| gain > SAME),
        ]
    }
}

/// The test cases of a level of use and, if given, a size, by grid.
pub(super) fn pairs<'a>(
    scenario: &Scenario,
    rows: &'a [Row],
    usage: f64,
    size: Option<usize>,
) -> Vec<Vec<Pair<'a>>> {
    let mut by_grid = vec![Vec::new(); scenario.grids as usize];
    let is_one =
        |row: &&Row| row.part == "case" && row.usage == usage && (size.is_none() || row.size == size);
    let rows: Vec<&Row> = rows.iter().filter(is_one).collect();
    // Both kinds of a case follow each other.
    for pair in rows.chunks_exact(2) {
        by_grid[pair[0].grid as usize].push(Pair { simple: pair[0], collective: pair[1] });
    }
    by_grid
}

/// A figure of each grid that has one, as its mean with a 95 % interval over the grids; nothing if no grid has one.
pub(super) fn mean(scenario: &Scenario, of_grids: impl IntoIterator<Item = Option<f64>>) -> Option<Estimate> {
    let figures: Vec<f64> = of_grids.into_iter().flatten().collect();
    Bootstrap::of_study(scenario.seed).mean(&figures)
}

/// The mean of what there is; nothing of nothing.
pub(super) fn average(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let values: Vec<f64> = values.into_iter().collect();
    (!values.is_empty()).then(|| crate::tables::statistics::mean(&values))
}
