//! Comparison of VP_EJECT with VP_CPSUM: gaps to the bound and to the optimum, and failure rates.

use crate::results::{Record, Results, Subset};
use dfrsim_lab::{Cell, Table, TableLine};
use dfrsim_model::Yield;
use dfrsim_vector_packing::instances::InstanceSet;
use std::collections::BTreeSet;

/// Builds the table with a line for each set of the dissertation, number of jobs and reference. Gaps
/// are over the instances that both solve; failures are over those that any algorithm of the
/// scenario solves.
pub(super) fn table(results: &Results<'_>) -> Option<Table> {
    let mut lines = Vec::new();
    let (cpsum, eject) = (results.column("VP_CPSUM")?, results.column("VP_EJECT")?);
    for set in [InstanceSet::DissertationSmall, InstanceSet::Dissertation] {
        let Some(part) = results.of_set(set) else { continue };
        let is_solved =
            |record: &Record<'_>| results.algorithms.iter().any(|(_, at)| record.solved(*at).is_some());
        let solvable = part.filter(is_solved);
        let sizes: BTreeSet<u32> = solvable.records.iter().map(|record| record.row.tasks).collect();
        for size in std::iter::once(None).chain(sizes.into_iter().map(Some)) {
            let of_size = solvable.filter(|record| size.is_none_or(|size| record.row.tasks == size));
            let optimum = results.column("OPT").filter(|optimum| !of_size.where_ran(*optimum).is_empty());
            let references = [Some(("LPBOUND", None)), optimum.map(|optimum| ("OPT", Some(optimum)))];
            for (name, reference) in references.into_iter().flatten() {
                let gaps = gaps(&of_size, reference, [cpsum, eject]);
                let mean = |of: fn(&[f64; 3]) -> f64| {
                    (!gaps.is_empty()).then(|| gaps.iter().map(of).sum::<f64>() / gaps.len() as f64)
                };
                let failure_rate = |column: usize| {
                    let failed =
                        of_size.records.iter().filter(|record| record.solved(column).is_none()).count();
                    100.0 * failed as f64 / of_size.records.len() as f64
                };
                let size = size.map_or(Cell::from("all"), |size: u32| Cell::Formatted(size.to_string()));
                let line = TableLine::new()
                    .with("set", set.to_string())
                    .with("jobs", size)
                    .with("below", name)
                    .with("instances", gaps.len())
                    .with("cpsum_gap", mean(|[best, cpsum, _]| best - cpsum))
                    .with("eject_gap", mean(|[best, _, eject]| best - eject))
                    .with("cpsum_relative_gap", mean(|[best, cpsum, _]| 100.0 * (1.0 - cpsum / best)))
                    .with("eject_relative_gap", mean(|[best, _, eject]| 100.0 * (1.0 - eject / best)))
                    .with("cpsum_failure_rate", failure_rate(cpsum))
                    .with("eject_failure_rate", failure_rate(eject));
                lines.push(line);
            }
        }
    }
    Some(lines.into_iter().collect())
}

/// Returns the yields of the reference and of both algorithms where all three exist and the
/// reference is not 0. Without a column the reference is LPBOUND.
fn gaps(part: &Subset<'_>, reference: Option<usize>, columns: [usize; 2]) -> Vec<[f64; 3]> {
    let of = |record: &&Record<'_>| -> Option<[Yield; 3]> {
        let best = reference.map_or(record.bound, |column| record.solved(column))?;
        Some([best, record.solved(columns[0])?, record.solved(columns[1])?])
    };
    let yields = part.records.iter().filter_map(of).filter(|yields| yields[0] > Yield::ZERO);
    yields.map(|yields| yields.map(Yield::as_f64)).collect()
}
