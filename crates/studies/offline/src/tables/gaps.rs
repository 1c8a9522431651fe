//! Gaps to LPBOUND and failure rates: tables 4.1, 4.3, 4.4 and figure 4.1 of the dissertation.

use crate::published::{Published, TABLE_4_1, TABLE_4_3, TABLE_4_4};
use crate::results::{Gaps, Part, Results};
use dfrsim_lab::{Cell, Table, beside, beside_header, rank_correlation};
use dfrsim_offline::Algorithm;
use dfrsim_offline::greedy::Greedy;
use dfrsim_offline::instances::InstanceSet;

/// Table 4.1, over the instances on which the algorithms on linear programs ran.
pub(super) fn table_4_1(results: &Results<'_>) -> Table {
    table_beside(results, TABLE_4_1, &["RRND", "RRNDNZ", "FASTDIVING", "SLOWDIVING"])
}

/// Table 4.3, over the instances on which GA ran.
pub(super) fn table_4_3(results: &Results<'_>) -> Table {
    table_beside(results, TABLE_4_3, &["GA"])
}

/// Table 4.4.
pub(crate) fn table_4_4(results: &Results<'_>) -> Table {
    table_beside(results, TABLE_4_4, &[])
}

/// The columns of [`statistics`].
const STATISTICS: [&str; 4] =
    ["gap_to_bound", "p90_gap_to_bound", "relative_gap_to_bound", "p90_relative_gap_to_bound"];

/// Means and 90th percentiles, absolute and in percent of LPBOUND.
pub(super) fn statistics(Gaps { absolute, relative }: &Gaps) -> [Option<f64>; 4] {
    [absolute.mean(), absolute.percentile(90), relative.mean(), relative.percentile(90)]
}

/// A published table beside ours, over the instances on which the first of these algorithms ran that the scenario has; over
/// all if none is named. Without lines if the scenario has none of them.
fn table_beside(results: &Results<'_>, published: Published, rare: &[&str]) -> Table {
    let rates = ["failure_rate_difference", "failure_rate_of_bounded", "failure_rate_of_bounded_difference"];
    let header: Vec<String> = (["algorithm", "instances"].map(str::to_owned).into_iter())
        .chain(STATISTICS.into_iter().flat_map(beside_header))
        .chain(beside_header("failure_rate"))
        .chain(rates.map(str::to_owned))
        .collect();
    let ran = rare.iter().find_map(|name| results.column(name));
    let part = match (results.of_set(InstanceSet::Dissertation), ran) {
        (Some(part), Some(ran)) => part.where_ran(ran),
        (Some(part), None) if rare.is_empty() => part,
        _ => return Table::new(header, Vec::new()),
    };
    let bounded = part.bounded();
    let (mut lines, mut pairs) = (Vec::new(), Vec::new());
    for ([name], [gap, relative, p90, p90_relative, rate]) in published.lines() {
        let Some(column) = results.column(name) else { continue };
        let tally = part.tally(column);
        if tally.instances == 0 {
            continue;
        }
        let own = statistics(&part.gaps(column));
        pairs.extend(own[2].map(|own| (own, relative)));
        let (all, of_bounded) = (tally.failure_rate(), bounded.tally(column).failure_rate());
        let difference = |own: Option<f64>| Cell::optional(own.map(|own| own - rate));
        let mut line = vec![Cell::Text(name.to_owned()), Cell::Count(tally.instances)];
        let values = own.into_iter().chain([all]).zip([gap, p90, relative, p90_relative, rate]);
        line.extend(values.flat_map(|(own, theirs)| beside(own, Some(theirs))));
        line.extend([difference(all), Cell::optional(of_bounded), difference(of_bounded)]);
        lines.push(line);
    }
    let near = pairs.iter().filter(|(own, theirs)| (0.85..=1.15).contains(&(own / theirs))).count();
    let note = rank_correlation(&pairs).map(|correlation| {
        format!(
            "relative gap to the bound: rank correlation with the published ones {correlation:.3} over {} algorithms, {near} of them within 15 %",
            pairs.len()
        )
    });
    Table::new(header, lines).with_notes(note.into_iter().collect())
}

/// Every algorithm on every group.
pub(super) fn all(results: &Results<'_>) -> Table {
    let header = ["instances", "algorithm", "runs"].into_iter().chain(STATISTICS).chain(["failure_rate"]);
    let mut lines = Vec::new();
    for (name, part) in results.groups() {
        for &(algorithm, column) in &results.algorithms {
            let start = [Cell::Text(name.to_owned()), Cell::Text(algorithm.to_string())];
            lines.extend(line(&part, column).map(|rest| start.into_iter().chain(rest).collect()));
        }
    }
    Table::new(header, lines)
}

/// Figure 4.1: a point for each of the 49 greedy algorithms.
pub(crate) fn figure_4_1(results: &Results<'_>) -> Table {
    let header = ["algorithm", "instances"].into_iter().chain(STATISTICS).chain(["failure_rate"]);
    let Some(part) = results.of_set(InstanceSet::Dissertation) else { return Table::new(header, Vec::new()) };
    let passes = results.algorithms.iter();
    let passes = passes.filter(|(each, _)| matches!(each, Algorithm::Greedy(Greedy::Pass(..))));
    let lines = passes.filter_map(|&(pass, column)| {
        Some([Cell::Text(pass.to_string())].into_iter().chain(line(&part, column)?).collect())
    });
    Table::new(header, lines.collect())
}

/// Instances, gaps and failure rate of an algorithm, if it ran.
fn line(part: &Part<'_>, column: usize) -> Option<Vec<Cell>> {
    let tally = part.tally(column);
    (tally.instances > 0).then(|| {
        let mut line = vec![Cell::Count(tally.instances)];
        line.extend(statistics(&part.gaps(column)).map(Cell::optional));
        line.push(Cell::optional(tally.failure_rate()));
        line
    })
}
