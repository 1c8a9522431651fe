//! What became of the instances.

use crate::results::{Results, Tally};
use dfrsim_lab::{Cell, Table};
use dfrsim_offline::Algorithm;

/// For each group and algorithm: on how many instances it ran, and how that ended.
pub(super) fn table(results: &Results<'_>) -> Table {
    of(results, |_| true)
}

/// The same of OPT alone.
pub(super) fn of_optimum(results: &Results<'_>) -> Table {
    of(results, |algorithm| algorithm == Algorithm::Optimum)
}

/// The columns of [`counts`].
pub(super) const COUNTS: [&str; 6] =
    ["replications", "solved", "unsolved", "infeasible", "timed_out", "invalid"];

/// How many instances there are, and how many of each status.
pub(super) fn counts(tally: Tally) -> [Cell; 6] {
    let Tally { instances, solved, unsolved, infeasible, timed_out, invalid } = tally;
    [instances, solved, unsolved, infeasible, timed_out, invalid].map(Cell::Count)
}

fn of(results: &Results<'_>, wanted: impl Fn(Algorithm) -> bool) -> Table {
    let header = ["instances", "algorithm", "runs"].into_iter().chain(COUNTS.into_iter().skip(1));
    let mut lines = Vec::new();
    for (name, part) in results.groups() {
        for &(algorithm, column) in results.algorithms.iter().filter(|(each, _)| wanted(*each)) {
            let tally = part.tally(column);
            if tally.instances > 0 {
                let start = [Cell::Text(name.to_owned()), Cell::Text(algorithm.to_string())];
                lines.push(start.into_iter().chain(counts(tally)).collect());
            }
        }
    }
    Table::new(header, lines)
}
