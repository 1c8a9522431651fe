//! Table 1 and the table of figure 7 of RR-6692: degradation from the best of MCB1 to MCB8.

use crate::Table;
use crate::offline::published::{Published, RR_FIGURE_7, RR_TABLE_1};
use crate::offline::study::Study;
use crate::tables::Cell;
use crate::tables::statistics::rank_correlation;
use dfrsim_offline::instances::InstanceSet;

pub(super) fn table_1(study: &Study<'_>) -> Table {
    table(study, InstanceSet::Rr6692Small, RR_TABLE_1)
}

pub(super) fn figure_7(study: &Study<'_>) -> Table {
    table(study, InstanceSet::Rr6692Large, RR_FIGURE_7)
}

/// The mean degradation of each MCB algorithm of the scenario from the best of them. It is "computed over all instances"
/// (section 4.2.1), and a failure is a yield of 0 (section 3.4); the published maxima can only be those over solved instances.
pub(super) fn degradations(study: &Study<'_>, set: InstanceSet) -> Vec<(String, f64)> {
    let Some(part) = study.of_set(set) else { return Vec::new() };
    let names = (1..=8).map(|number| format!("MCB{number}"));
    let all: Vec<(String, usize)> =
        names.filter_map(|name| study.place(&name).map(|at| (name, at))).collect();
    let places: Vec<usize> = all.iter().map(|(_, at)| *at).collect();
    all.into_iter()
        .filter_map(|(name, at)| Some((name, part.degradation_with_failures(at, &places).mean()?)))
        .collect()
}

fn table(study: &Study<'_>, set: InstanceSet, published: Published) -> Table {
    let header = vec![
        "algorithm",
        "solved",
        "mean",
        "paper_mean",
        "ratio",
        "mean_of_solved",
        "max",
        "paper_max",
        "failed",
    ];
    let Some(part) = study.of_set(set) else { return Table::new(header, Vec::new()) };
    let places: Vec<usize> = published.lines::<1, 2>().filter_map(|([name], _)| study.place(&name)).collect();
    let (mut lines, mut pairs) = (Vec::new(), Vec::new());
    for ([name], [mean, max]) in published.lines() {
        let Some(at) = study.place(&name) else { continue };
        let tally = part.tally(at);
        let own = part.degradation_with_failures(at, &places).mean();
        let solved = part.degradation(at, &places);
        pairs.extend(own.map(|own| (own, mean)));
        lines.push(vec![
            Cell::Text(name),
            Cell::Count(tally.solved),
            Cell::maybe(own),
            Cell::Number(mean),
            Cell::maybe(own.map(|own| own / mean)),
            Cell::maybe(solved.mean()),
            Cell::maybe(solved.max()),
            Cell::Number(max),
            Cell::Count(tally.instances - tally.solved),
        ]);
    }
    let note = rank_correlation(&pairs)
        .map(|correlation| format!("mean: rank correlation with the paper {correlation:.3}"));
    Table::new(header, lines).with_notes(note.into_iter().collect())
}
