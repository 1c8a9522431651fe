//! VP_EJECT beside VP_CPSUM: how far each is from the bound and from the optimum, and how often it fails.

use crate::Table;
use crate::offline::record::Record;
use crate::offline::study::{Part, Study};
use crate::tables::Cell;
use dfrsim_model::Yield;
use dfrsim_offline::instances::{self, InstanceSet};

/// A line for each set of the dissertation, number of jobs and reference. Gaps are over the instances that both solve;
/// failures over those that any algorithm of the scenario solves.
pub(super) fn table(study: &Study<'_>) -> Table {
    let header = vec![
        "set",
        "jobs",
        "below",
        "instances",
        "cpsum_gap",
        "eject_gap",
        "cpsum_relative_gap",
        "eject_relative_gap",
        "cpsum_failures",
        "eject_failures",
    ];
    let mut lines = Vec::new();
    let (Some(cpsum), Some(eject)) = (study.place("VP_CPSUM"), study.place("VP_EJECT")) else {
        return Table::new(header, lines);
    };
    let optimum = study.place("OPT");
    for set in [InstanceSet::DissertationSmall, InstanceSet::Dissertation] {
        let Some(part) = study.of_set(set) else { continue };
        let solvable = part.filter(|record| record.cells.iter().any(|cell| cell.solved().is_some()));
        let mut sizes: Vec<u32> = solvable.records.iter().map(|record| jobs(study, record)).collect();
        sizes.sort_unstable();
        sizes.dedup();
        for size in std::iter::once(None).chain(sizes.into_iter().map(Some)) {
            let of_size = solvable.filter(|record| size.is_none_or(|size| jobs(study, record) == size));
            let references = [("LPBOUND", None), ("OPT", optimum)];
            for (name, reference) in references {
                if name == "OPT" && reference.is_none_or(|place| of_size.where_ran(place).records.is_empty())
                {
                    continue;
                }
                let gaps = gaps(&of_size, reference, [cpsum, eject]);
                let mean = |of: fn(&[f64; 3]) -> f64| {
                    (!gaps.is_empty()).then(|| gaps.iter().map(of).sum::<f64>() / gaps.len() as f64)
                };
                let failures = |place: usize| {
                    let failed = of_size
                        .records
                        .iter()
                        .filter(|record| record.cells[place].solved().is_none())
                        .count();
                    Some(100.0 * failed as f64 / of_size.records.len() as f64)
                };
                let mut line = vec![
                    Cell::Text(set.to_string()),
                    size.map_or(Cell::Text("all".to_owned()), |size| Cell::Formatted(size.to_string())),
                    Cell::Text(name.to_owned()),
                    Cell::Count(gaps.len()),
                ];
                let figures = [
                    mean(|[best, cpsum, _]| best - cpsum),
                    mean(|[best, _, eject]| best - eject),
                    mean(|[best, cpsum, _]| 100.0 * (1.0 - cpsum / best)),
                    mean(|[best, _, eject]| 100.0 * (1.0 - eject / best)),
                    failures(cpsum),
                    failures(eject),
                ];
                line.extend(figures.map(Cell::maybe));
                lines.push(line);
            }
        }
    }
    Table::new(header, lines)
}

/// The yields of the reference and of both algorithms where all three are there and the reference is not 0; without a place
/// the reference is LPBOUND.
fn gaps(part: &Part<'_>, reference: Option<usize>, places: [usize; 2]) -> Vec<[f64; 3]> {
    let of = |record: &&Record| -> Option<[Yield; 3]> {
        let best = reference.map_or(record.bound, |place| record.cells[place].solved())?;
        Some([best, record.cells[places[0]].solved()?, record.cells[places[1]].solved()?])
    };
    part.records
        .iter()
        .filter_map(of)
        .filter(|yields| yields[0] > Yield::ZERO)
        .map(|yields| yields.map(Yield::as_f64))
        .collect()
}

fn jobs(study: &Study<'_>, record: &Record) -> u32 {
    match study.parameters(record) {
        instances::Scenario::Dissertation(scenario) => scenario.jobs,
        instances::Scenario::Rr6692(scenario) => scenario.tasks,
    }
}
