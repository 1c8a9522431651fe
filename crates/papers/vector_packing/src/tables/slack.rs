//! Figures 4.2 and 4.3 of the dissertation: gaps between VP_CPSUM, OPT and LPBOUND, by slack.

use crate::published::FIGURES;
use crate::results::{Results, Sample, Subset};
use dfrsim_lab::{Table, TableLine};
use dfrsim_vector_packing::instances::InstanceSet;

pub(crate) const CPSUM_BELOW_BOUND: &str = "VP_CPSUM below LPBOUND";
pub(crate) const OPT_BELOW_BOUND: &str = "OPT below LPBOUND";
pub(crate) const CPSUM_BELOW_OPT: &str = "VP_CPSUM below OPT";

/// Iterates over the slacks of both studies: 0.1 to 0.9.
pub(crate) fn slacks() -> impl Iterator<Item = f64> {
    (1..10).map(|tenths| f64::from(tenths) / 10.0)
}

/// Builds figure 4.2: the relative gap of VP_CPSUM to LPBOUND.
pub(crate) fn figure_4_2(results: &Results<'_>) -> Option<Table> {
    let (part, column) = (results.of_set(InstanceSet::Dissertation)?, results.column("VP_CPSUM")?);
    let line = |slack: f64| {
        let sample = part.filter(|record| record.row.slack == slack).relative_gaps(column);
        let published = published("4.2", CPSUM_BELOW_BOUND, "mean", slack);
        let mean = sample.mean();
        TableLine::new()
            .with("slack", slack)
            .with("instances", sample.len())
            .with("mean", mean)
            .with("p75", sample.percentile(75))
            .with("p90", sample.percentile(90))
            .with("p99", sample.percentile(99))
            .with("max", sample.max())
            .with("mean_published", published)
            .with("mean_difference", mean.zip(published).map(|(own, theirs)| own - theirs))
    };
    Some(slacks().map(line).collect())
}

/// Builds figure 4.3: on small instances, the gaps of OPT to LPBOUND and of VP_CPSUM to OPT, in
/// percent.
pub(crate) fn figure_4_3(results: &Results<'_>) -> Option<Table> {
    let part = results.of_set(InstanceSet::DissertationSmall)?;
    let mut lines = Vec::new();
    for name in [OPT_BELOW_BOUND, CPSUM_BELOW_OPT] {
        for slack in slacks() {
            let of_slack = part.filter(|record| record.row.slack == slack);
            let Some(sample) = sample(results, &of_slack, name) else { continue };
            let line = TableLine::new()
                .with("line", name)
                .with("slack", slack)
                .with("instances", sample.len())
                .with("mean", sample.mean())
                .with("mean_published", published("4.3", name, "mean", slack))
                .with("p90", sample.percentile(90))
                .with("p90_published", published("4.3", name, "p90", slack));
            lines.push(line);
        }
    }
    Some(lines.into_iter().collect())
}

/// Computes the gaps of one of the lines; `None` if the scenario does not have its algorithms.
pub(crate) fn sample(results: &Results<'_>, part: &Subset<'_>, line: &str) -> Option<Sample> {
    let (optimum, heuristic) = (results.column("OPT"), results.column("VP_CPSUM"));
    match line {
        OPT_BELOW_BOUND => Some(part.relative_gaps(optimum?)),
        CPSUM_BELOW_OPT => Some(part.gaps_between(heuristic?, optimum?)),
        _ => Some(part.relative_gaps(heuristic?)),
    }
}

/// Returns the value that the text gives for a point.
pub(crate) fn published(figure: &str, line: &str, statistic: &str, slack: f64) -> Option<f64> {
    let [at, value] = FIGURES.find([figure, line, statistic])?;
    (at == slack).then_some(value)
}
