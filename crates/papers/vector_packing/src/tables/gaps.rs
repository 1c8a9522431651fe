//! Gaps to LPBOUND and failure rates: tables 4.1, 4.3, 4.4 and figure 4.1 of the dissertation.

use crate::published::{TABLE_4_1, TABLE_4_3, TABLE_4_4};
use crate::results::{Gaps, Results, Subset};
use dfrsim_lab::{Reference, Table, TableLine, rank_correlation};
use dfrsim_vector_packing::instances::InstanceSet;

/// Builds table 4.1, over the instances on which the algorithms on linear programs ran.
pub(super) fn table_4_1(results: &Results<'_>) -> Option<Table> {
    compare_with_table(results, TABLE_4_1, &["RRND", "RRNDNZ", "FASTDIVING", "SLOWDIVING"])
}

/// Builds table 4.3, over the instances on which GA ran.
pub(super) fn table_4_3(results: &Results<'_>) -> Option<Table> {
    compare_with_table(results, TABLE_4_3, &["GA"])
}

/// Builds table 4.4, over all instances of the set.
pub(crate) fn table_4_4(results: &Results<'_>) -> Option<Table> {
    compare_with_table(results, TABLE_4_4, &[])
}

/// Note that explains margins to readers.
pub(super) const MARGINS: &str = "margin: half of the 95 % confidence interval of the mean or rate";

/// Columns of [`statistics`].
pub(super) const STATISTICS: [&str; 4] =
    ["gap_to_bound", "p90_gap_to_bound", "relative_gap_to_bound", "p90_relative_gap_to_bound"];

/// Returns means and 90th percentiles, absolute and in percent of LPBOUND.
pub(super) fn statistics(Gaps { absolute, relative }: &Gaps) -> [Option<f64>; 4] {
    [absolute.mean(), absolute.percentile(90), relative.mean(), relative.percentile(90)]
}

/// Builds the comparison with a published table. It covers the instances on which the first of the
/// `rare` algorithms ran that the scenario has, or all instances if `rare` is empty. `None` if the
/// scenario has none of them.
fn compare_with_table(results: &Results<'_>, published: Reference, rare: &[&str]) -> Option<Table> {
    let all = results.of_set(InstanceSet::Dissertation)?;
    let where_ran = || Some(all.where_ran(rare.iter().find_map(|name| results.column(name))?));
    let part = if rare.is_empty() { all } else { where_ran()? };
    let bounded = part.with_bound();
    let (mut lines, mut pairs) = (Vec::new(), Vec::new());
    for ([name], [gap, relative, p90, p90_relative, rate]) in published.lines() {
        let Some(column) = results.column(name) else { continue };
        let tally = part.tally(column);
        if tally.instances == 0 {
            continue;
        }
        let gaps = part.gaps(column);
        let own = statistics(&gaps);
        pairs.extend(own[2].map(|own| (own, relative)));
        let (all, of_bounded) = (tally.failure_rate(), bounded.tally(column).failure_rate());
        let difference = |own: Option<f64>| own.map(|own| own - rate);
        let line = TableLine::new().with("algorithm", name).with("instances", tally.instances);
        let published = [gap, p90, relative, p90_relative];
        let values = STATISTICS.into_iter().zip(own).zip(published);
        let line =
            values.fold(line, |line, ((name, own), theirs)| line.with_published(name, own, Some(theirs)));
        let line = line
            .with("relative_gap_to_bound_margin", gaps.relative.margin())
            .with_published("failure_rate", all, Some(rate))
            .with("failure_rate_margin", tally.failure_rate_margin())
            .with("failure_rate_difference", difference(all))
            .with("failure_rate_of_bounded", of_bounded)
            .with("failure_rate_of_bounded_difference", difference(of_bounded));
        lines.push(line);
    }
    let near = pairs.iter().filter(|(own, theirs)| (0.85..=1.15).contains(&(own / theirs))).count();
    let note = rank_correlation(&pairs).map(|correlation| {
        format!(
            "relative gap to the bound: rank correlation with the published ones {correlation:.3} over {} algorithms, {near} of them within 15 %",
            pairs.len()
        )
    });
    let notes = note.into_iter().chain([MARGINS.to_owned()]).collect();
    Some(lines.into_iter().collect::<Table>().with_notes(notes))
}

/// Builds the table of every algorithm on every group.
pub(super) fn all(results: &Results<'_>) -> Option<Table> {
    let mut lines = Vec::new();
    for (name, part) in results.groups() {
        for &(algorithm, column) in &results.algorithms {
            let start = TableLine::new().with("instances", name).with("algorithm", algorithm.to_string());
            lines.extend(line(start, "runs", &part, column));
        }
    }
    Some(lines.into_iter().collect())
}

/// Builds the table of figure 4.1, with a line for each of the 49 greedy algorithms.
pub(crate) fn figure_4_1(results: &Results<'_>) -> Option<Table> {
    let part = results.of_set(InstanceSet::Dissertation)?;
    let passes = results.algorithms.iter();
    let passes = passes.filter(|(each, _)| each.is_greedy_pass());
    let lines = passes.filter_map(|&(pass, column)| {
        line(TableLine::new().with("algorithm", pass.to_string()), "instances", &part, column)
    });
    Some(lines.collect())
}

/// Adds the number of instances, the gaps and the failure rate of an algorithm, if it ran.
fn line(start: TableLine, instances: &'static str, part: &Subset<'_>, column: usize) -> Option<TableLine> {
    let tally = part.tally(column);
    (tally.instances > 0).then(|| {
        let line = start.with(instances, tally.instances);
        let line = line.with_all(STATISTICS.into_iter().zip(statistics(&part.gaps(column))));
        line.with("failure_rate", tally.failure_rate())
    })
}
