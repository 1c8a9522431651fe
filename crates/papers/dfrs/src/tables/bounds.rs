//! Lower bounds of the instances.

use crate::groups::Matrix;
use crate::rows::SimulationRow;
use dfrsim_lab::{Statistics, Table, TableLine, line_of};

/// Builds the table of bounds, with a line for each instance and tau.
pub(super) fn table(matrix: &Matrix<'_>) -> Table {
    let line = |row: &SimulationRow| line_of!(row: workload, instance, load, jobs, tau_s, bound);
    matrix.one_row_per_instance().into_iter().map(line).collect()
}

/// Builds the summary of bounds, with a line for each workload (and load) and tau.
pub(super) fn summary(matrix: &Matrix<'_>) -> Table {
    let rows = matrix.one_row_per_instance();
    let mut lines = Vec::new();
    for scope in matrix.scopes() {
        for &tau in &matrix.scenario.simulation.taus {
            let own: Vec<_> = rows.iter().filter(|row| row.tau_s == tau && scope.contains_row(row)).collect();
            let bounds: Vec<f64> = own.iter().map(|row| row.bound).collect();
            let statistics = Statistics::from_values(&bounds);
            let [workload, load] = scope.cells();
            lines.push(
                TableLine::new()
                    .with("workload", workload)
                    .with("load", load)
                    .with("tau_s", tau)
                    .with("instances", own.len())
                    .with("jobs", own.iter().map(|row| row.jobs).sum::<usize>())
                    .with("mean_bound", statistics.map(|bound| bound.mean))
                    .with("sd_bound", statistics.and_then(|bound| bound.deviation))
                    .with("max_bound", statistics.map(|bound| bound.max)),
            );
        }
    }
    lines.into_iter().collect()
}
