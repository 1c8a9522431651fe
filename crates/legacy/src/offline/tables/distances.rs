//! Distances from LPBOUND and failure rates: tables 4.1, 4.3, 4.4 and figure 4.1 of the dissertation.

use crate::Table;
use crate::offline::published::{Published, TABLE_4_1, TABLE_4_3, TABLE_4_4};
use crate::offline::study::{Part, Study};
use crate::tables::Cell;
use crate::tables::statistics::rank_correlation;
use dfrsim_offline::Algorithm;
use dfrsim_offline::greedy::Greedy;
use dfrsim_offline::instances::InstanceSet;

/// Table 4.1, over the instances on which the algorithms on linear programs ran.
pub(super) fn table_4_1(study: &Study<'_>) -> Table {
    beside(study, TABLE_4_1, &["RRND", "RRNDNZ", "FASTDIVING", "SLOWDIVING"])
}

/// Table 4.3, over the instances on which GA ran.
pub(super) fn table_4_3(study: &Study<'_>) -> Table {
    beside(study, TABLE_4_3, &["GA"])
}

/// Table 4.4.
pub(super) fn table_4_4(study: &Study<'_>) -> Table {
    beside(study, TABLE_4_4, &[])
}

const HEADER: [&str; 16] = [
    "algorithm",
    "instances",
    "dfb",
    "paper_dfb",
    "p90_dfb",
    "paper_p90_dfb",
    "relative_dfb",
    "paper_relative_dfb",
    "ratio",
    "p90_relative_dfb",
    "paper_p90_relative_dfb",
    "fr",
    "paper_fr",
    "difference",
    "fr_of_bounded",
    "difference_of_bounded",
];

/// A published table beside ours, over the instances on which the first of these algorithms ran that the scenario
/// has; over all if none is named. Without lines if the scenario has none of them.
fn beside(study: &Study<'_>, published: Published, rare: &[&str]) -> Table {
    let ran = rare.iter().find_map(|name| study.place(name));
    let part = match (study.of_set(InstanceSet::Dissertation), ran) {
        (Some(part), Some(ran)) => part.where_ran(ran),
        (Some(part), None) if rare.is_empty() => part,
        _ => return Table::new(HEADER.to_vec(), Vec::new()),
    };
    let bounded = part.bounded();
    let (mut lines, mut pairs) = (Vec::new(), Vec::new());
    for ([name], [dfb, relative, p90, p90_relative, fr]) in published.lines() {
        let Some(at) = study.place(&name) else { continue };
        let tally = part.tally(at);
        if tally.instances == 0 {
            continue;
        }
        let distances = part.distances(at);
        let own = distances.relative.mean();
        pairs.extend(own.map(|own| (own, relative)));
        lines.push(vec![
            Cell::Text(name),
            Cell::Count(tally.instances),
            Cell::maybe(distances.absolute.mean()),
            Cell::Number(dfb),
            Cell::maybe(distances.absolute.percentile(90)),
            Cell::Number(p90),
            Cell::maybe(own),
            Cell::Number(relative),
            Cell::maybe(own.map(|own| own / relative)),
            Cell::maybe(distances.relative.percentile(90)),
            Cell::Number(p90_relative),
            Cell::maybe(tally.failure_rate()),
            Cell::Number(fr),
            Cell::maybe(tally.failure_rate().map(|own| own - fr)),
            Cell::maybe(bounded.tally(at).failure_rate()),
            Cell::maybe(bounded.tally(at).failure_rate().map(|own| own - fr)),
        ]);
    }
    let near = pairs.iter().filter(|(own, theirs)| (0.85..=1.15).contains(&(own / theirs))).count();
    let note = rank_correlation(&pairs).map(|correlation| {
        format!(
            "relative dfb: rank correlation with the paper {correlation:.3} over {} algorithms, {near} of them within 15 %",
            pairs.len()
        )
    });
    Table::new(HEADER.to_vec(), lines).with_notes(note.into_iter().collect())
}

/// Every algorithm on every group.
pub(super) fn all(study: &Study<'_>) -> Table {
    let header =
        vec!["instances", "algorithm", "runs", "dfb", "p90_dfb", "relative_dfb", "p90_relative_dfb", "fr"];
    let mut lines = Vec::new();
    for (place, group) in study.scenario.instances.iter().enumerate() {
        let part = study.part(|record| record.group as usize == place);
        for (at, algorithm) in study.scenario.algorithms.iter().enumerate() {
            let start = [Cell::Text(group.name.clone()), Cell::Text(algorithm.to_string())];
            lines.extend(line(&part, at).map(|rest| start.into_iter().chain(rest).collect()));
        }
    }
    Table::new(header, lines)
}

/// Figure 4.1: a point for each of the 49 greedy algorithms.
pub(super) fn figure_4_1(study: &Study<'_>) -> Table {
    let header = vec!["algorithm", "instances", "dfb", "p90_dfb", "relative_dfb", "p90_relative_dfb", "fr"];
    let Some(part) = study.of_set(InstanceSet::Dissertation) else { return Table::new(header, Vec::new()) };
    let passes = study.scenario.algorithms.iter().enumerate();
    let passes = passes.filter(|(_, each)| matches!(each, Algorithm::Greedy(Greedy::Pass(..))));
    let lines = passes.filter_map(|(at, pass)| {
        let start = [Cell::Text(pass.to_string())];
        Some(start.into_iter().chain(line(&part, at)?).collect())
    });
    Table::new(header, lines.collect())
}

/// Instances, distances and failure rate of an algorithm, if it ran.
fn line(part: &Part<'_>, algorithm: usize) -> Option<[Cell; 6]> {
    let tally = part.tally(algorithm);
    let distances = part.distances(algorithm);
    (tally.instances > 0).then(|| {
        [
            Cell::Count(tally.instances),
            Cell::maybe(distances.absolute.mean()),
            Cell::maybe(distances.absolute.percentile(90)),
            Cell::maybe(distances.relative.mean()),
            Cell::maybe(distances.relative.percentile(90)),
            Cell::maybe(tally.failure_rate()),
        ]
    })
}
