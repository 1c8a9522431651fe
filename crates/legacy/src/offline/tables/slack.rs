//! Figures 4.2 and 4.3 of the dissertation: how far VP_CPSUM and OPT are from what is above them, by slack.

use crate::Table;
use crate::offline::published::FIGURES;
use crate::offline::study::{Part, Sample, Study};
use crate::tables::Cell;
use dfrsim_offline::instances::InstanceSet;

pub(super) const CPSUM_BELOW_BOUND: &str = "VP_CPSUM below LPBOUND";
pub(super) const OPT_BELOW_BOUND: &str = "OPT below LPBOUND";
pub(super) const CPSUM_BELOW_OPT: &str = "VP_CPSUM below OPT";

/// The slacks of both studies.
pub(super) fn slacks() -> impl Iterator<Item = f64> {
    (1..10).map(|tenths| f64::from(tenths) / 10.0)
}

/// Figure 4.2: relative dfb of VP_CPSUM.
pub(super) fn figure_4_2(study: &Study<'_>) -> Table {
    let header = vec!["slack", "instances", "mean", "p75", "p90", "p99", "max", "paper_mean", "difference"];
    let (Some(part), Some(at)) = (study.of_set(InstanceSet::Dissertation), study.place("VP_CPSUM")) else {
        return Table::new(header, Vec::new());
    };
    let line = |slack: f64| {
        let sample = study.with(&part, |of| of.slack == slack).distances(at).relative;
        let published = published("4.2", CPSUM_BELOW_BOUND, "mean", slack);
        let difference = sample.mean().zip(published).map(|(own, theirs)| own - theirs);
        let figures = [
            sample.mean(),
            sample.percentile(75),
            sample.percentile(90),
            sample.percentile(99),
            sample.max(),
            published,
            difference,
        ];
        [Cell::Number(slack), Cell::Count(sample.len())].into_iter().chain(figures.map(Cell::maybe)).collect()
    };
    Table::new(header, slacks().map(line).collect())
}

/// Figure 4.3: on small instances, OPT below LPBOUND and VP_CPSUM below OPT, in percent.
pub(super) fn figure_4_3(study: &Study<'_>) -> Table {
    let header = vec!["line", "slack", "instances", "mean", "paper_mean", "p90", "paper_p90"];
    let Some(part) = study.of_set(InstanceSet::DissertationSmall) else {
        return Table::new(header, Vec::new());
    };
    let mut lines = Vec::new();
    for name in [OPT_BELOW_BOUND, CPSUM_BELOW_OPT] {
        for slack in slacks() {
            let of_slack = study.with(&part, |of| of.slack == slack);
            let Some(sample) = sample(study, &of_slack, name) else { continue };
            lines.push(vec![
                Cell::Text(name.to_owned()),
                Cell::Number(slack),
                Cell::Count(sample.len()),
                Cell::maybe(sample.mean()),
                Cell::maybe(published("4.3", name, "mean", slack)),
                Cell::maybe(sample.percentile(90)),
                Cell::maybe(published("4.3", name, "p90", slack)),
            ]);
        }
    }
    Table::new(header, lines)
}

/// The distances of one of the lines; nothing if the scenario does not have its algorithms.
pub(super) fn sample(study: &Study<'_>, part: &Part<'_>, line: &str) -> Option<Sample> {
    let (optimum, heuristic) = (study.place("OPT"), study.place("VP_CPSUM"));
    match line {
        OPT_BELOW_BOUND => Some(part.distances(optimum?).relative),
        CPSUM_BELOW_OPT => Some(part.distances_between(heuristic?, optimum?)),
        _ => Some(part.distances(heuristic?).relative),
    }
}

/// What the text says of a point.
pub(super) fn published(figure: &str, line: &str, statistic: &str, slack: f64) -> Option<f64> {
    let [at, value] = FIGURES.find([figure, line, statistic])?;
    (at == slack).then_some(value)
}
