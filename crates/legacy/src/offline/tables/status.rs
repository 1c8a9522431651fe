//! What became of the instances.

use crate::Table;
use crate::offline::study::{Study, Tally};
use crate::tables::Cell;
use dfrsim_offline::Algorithm;

/// For each group and algorithm: on how many instances it ran, and how that ended.
pub(super) fn table(study: &Study<'_>) -> Table {
    of(study, |_| true)
}

/// The same of OPT alone.
pub(super) fn of_optimum(study: &Study<'_>) -> Table {
    of(study, |algorithm| algorithm == Algorithm::Optimum)
}

fn of(study: &Study<'_>, wanted: impl Fn(Algorithm) -> bool) -> Table {
    let header =
        vec!["instances", "algorithm", "runs", "solved", "failed", "infeasible", "timed_out", "invalid"];
    let mut lines = Vec::new();
    for (place, group) in study.scenario.instances.iter().enumerate() {
        let part = study.part(|record| record.group as usize == place);
        for (at, algorithm) in study.scenario.algorithms.iter().enumerate().filter(|(_, each)| wanted(**each))
        {
            let Tally { instances, solved, failed, infeasible, timed_out, invalid } = part.tally(at);
            if instances > 0 {
                let start = [Cell::Text(group.name.clone()), Cell::Text(algorithm.to_string())];
                let counts = [instances, solved, failed, infeasible, timed_out, invalid].map(Cell::Count);
                lines.push(start.into_iter().chain(counts).collect());
            }
        }
    }
    Table::new(header, lines)
}
