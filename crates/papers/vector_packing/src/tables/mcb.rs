//! Table 1 and the table of figure 7 of RR-6692: degradation from the best of MCB1 to MCB8.

use crate::published::{RR_FIGURE_7, RR_TABLE_1};
use crate::results::Results;
use dfrsim_lab::{Reference, Table, TableLine, rank_correlation};
use dfrsim_vector_packing::instances::InstanceSet;

pub(crate) fn table_1(results: &Results<'_>) -> Option<Table> {
    table(results, InstanceSet::Rr6692Small, RR_TABLE_1)
}

pub(crate) fn figure_7(results: &Results<'_>) -> Option<Table> {
    table(results, InstanceSet::Rr6692Large, RR_FIGURE_7)
}

/// Computes the mean degradation of each MCB algorithm of the scenario from the best of them. It is
/// "computed over all instances" (section 4.2.1), and a failure is a yield of 0 (section 3.4). The
/// published maxima can only be those over solved instances.
pub(crate) fn degradations(results: &Results<'_>, set: InstanceSet) -> Vec<(String, f64)> {
    let Some(part) = results.of_set(set) else { return Vec::new() };
    let names = (1..=8).map(|number| format!("MCB{number}"));
    let all: Vec<(String, usize)> =
        names.filter_map(|name| results.column(&name).map(|column| (name, column))).collect();
    let columns: Vec<usize> = all.iter().map(|(_, column)| *column).collect();
    all.into_iter()
        .filter_map(|(name, column)| Some((name, part.degradation_with_failures(column, &columns).mean()?)))
        .collect()
}

fn table(results: &Results<'_>, set: InstanceSet, published: Reference) -> Option<Table> {
    let part = results.of_set(set)?;
    let columns: Vec<usize> =
        published.lines::<1, 2>().filter_map(|([name], _)| results.column(name)).collect();
    let (mut lines, mut pairs) = (Vec::new(), Vec::new());
    for ([name], [mean, max]) in published.lines() {
        let Some(column) = results.column(name) else { continue };
        let tally = part.tally(column);
        let own = part.degradation_with_failures(column, &columns).mean();
        let solved = part.degradation(column, &columns);
        pairs.extend(own.map(|own| (own, mean)));
        let line = TableLine::new()
            .with("algorithm", name)
            .with("solved", tally.solved)
            .with_published("mean", own, Some(mean))
            .with("mean_of_solved", solved.mean())
            .with_published("max", solved.max(), Some(max))
            .with("unsolved", tally.instances - tally.solved);
        lines.push(line);
    }
    let note = rank_correlation(&pairs)
        .map(|correlation| format!("mean: rank correlation with the published ones {correlation:.3}"));
    Some(lines.into_iter().collect::<Table>().with_notes(note.into_iter().collect()))
}
