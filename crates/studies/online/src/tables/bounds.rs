//! The lower bounds of the instances.

use crate::groups::Matrix;
use dfrsim_lab::{Cell, Statistics, Table};

/// A line for each instance and tau.
pub(super) fn table(matrix: &Matrix<'_>) -> Table {
    let line = |row: &crate::SimulationRow| {
        vec![
            Cell::Text(row.workload.clone()),
            Cell::Text(row.instance.clone()),
            Cell::optional(row.load),
            Cell::Count(row.jobs),
            Cell::Span(row.tau_s),
            Cell::Number(row.bound),
        ]
    };
    let header = ["workload", "instance", "load", "jobs", "tau_s", "bound"];
    Table::new(header, matrix.one_each().into_iter().map(line).collect())
}

/// A line for each workload (and load) and tau.
pub(super) fn summary(matrix: &Matrix<'_>) -> Table {
    let rows = matrix.one_each();
    let mut lines = Vec::new();
    for scope in matrix.scopes() {
        for &tau in &matrix.scenario.simulation.taus {
            let own: Vec<_> = rows.iter().filter(|row| row.tau_s == tau && scope.has_row(row)).collect();
            let bounds: Vec<f64> = own.iter().map(|row| row.bound).collect();
            let statistics = Statistics::from_values(&bounds);
            let mut cells: Vec<Cell> = scope.cells().into();
            cells.extend([
                Cell::Span(tau),
                Cell::Count(own.len()),
                Cell::Count(own.iter().map(|row| row.jobs).sum()),
                Cell::optional(statistics.map(|bound| bound.mean)),
                Cell::optional(statistics.and_then(|bound| bound.deviation)),
                Cell::optional(statistics.map(|bound| bound.max)),
            ]);
            lines.push(cells);
        }
    }
    let header = ["workload", "load", "tau_s", "instances", "jobs", "mean_bound", "sd_bound", "max_bound"];
    Table::new(header, lines)
}
