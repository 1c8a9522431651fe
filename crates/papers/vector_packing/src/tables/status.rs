//! Outcomes of the instances.

use crate::algorithms::Algorithm;
use crate::results::{Results, Tally};
use dfrsim_lab::{Table, TableLine};

/// Builds the table of outcomes: for each group and algorithm, the number of runs and of each
/// status.
pub(super) fn table(results: &Results<'_>) -> Option<Table> {
    outcomes(results, |_| true)
}

/// Builds the table of outcomes of OPT.
pub(super) fn of_optimum(results: &Results<'_>) -> Option<Table> {
    outcomes(results, |algorithm| algorithm == Algorithm::OPTIMUM)
}

/// Returns the number of instances and of each status, with their column names.
pub(super) fn counts(tally: Tally) -> [(&'static str, usize); 6] {
    let Tally { instances, solved, unsolved, infeasible, timed_out, invalid } = tally;
    [
        ("replications", instances),
        ("solved", solved),
        ("unsolved", unsolved),
        ("infeasible", infeasible),
        ("timed_out", timed_out),
        ("invalid", invalid),
    ]
}

fn outcomes(results: &Results<'_>, wanted: impl Fn(Algorithm) -> bool) -> Option<Table> {
    let mut lines = Vec::new();
    for (name, part) in results.groups() {
        for &(algorithm, column) in results.algorithms.iter().filter(|(each, _)| wanted(*each)) {
            let tally = part.tally(column);
            if tally.instances > 0 {
                let line = TableLine::new().with("instances", name).with("algorithm", algorithm.to_string());
                let line = line.with("runs", tally.instances);
                lines.push(line.with_all(counts(tally).into_iter().skip(1)));
            }
        }
    }
    Some(lines.into_iter().collect())
}
