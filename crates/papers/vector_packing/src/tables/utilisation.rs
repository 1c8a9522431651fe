//! Effects of the second phase: table 4.7 of the dissertation, and average yields.

use crate::published::TABLE_4_7;
use crate::results::Results;
use dfrsim_lab::{Cell, Table, TableLine};
use dfrsim_vector_packing::instances::InstanceSet;

/// Builds table 4.7: the used percentage of the fluid resources with VP_CPSUM, before and after the
/// second phase by the dissertation's rule.
pub(super) fn table_4_7(results: &Results<'_>) -> Option<Table> {
    let metric = |name| results.metric("VP_CPSUM", name);
    let part = results.of_set(InstanceSet::Dissertation)?;
    let (before, after) = (metric("utilisation")?, metric("raised_utilisation")?);
    let line = |([dimensions, jobs], published): ([&str; 2], [f64; 2])| {
        let of_size = part
            .with_label("dimensions", |label| label == dimensions)
            .with_label("jobs", |label| label == jobs);
        let [before, after] = [before, after].map(|column| of_size.values(column));
        let line = TableLine::new()
            .with("dimensions", Cell::Formatted(dimensions.to_owned()))
            .with("jobs", Cell::Formatted(jobs.to_owned()))
            .with("instances", before.len());
        let samples = [("utilisation", before), ("raised_utilisation", after)];
        samples.into_iter().zip(published).fold(line, |line, ((name, sample), published)| {
            let own = sample.mean().map(|mean| 100.0 * mean);
            line.with(name, own)
                .with(format!("{name}_published"), published)
                .with(format!("{name}_difference"), own.map(|own| own - published))
        })
    };
    Some(TABLE_4_7.lines().map(line).collect())
}

/// Builds the table of average yields of every algorithm that goes through the second phase: the
/// largest average, and that of the dissertation's rule on the same instances, with the number and
/// size of the cases in which the rule falls short.
pub(super) fn second_phase(results: &Results<'_>) -> Option<Table> {
    let mut lines = Vec::new();
    for (name, part) in results.groups() {
        for (algorithm, column) in results.second_phase() {
            let algorithm = algorithm.to_string();
            let metrics =
                ["average_yield", "average_yield_by_rule"].map(|name| results.metric(&algorithm, name));
            let [Some(average), Some(by_rule)] = metrics else { continue };
            let averages = part.values(average);
            let both = |of: fn(f64, f64) -> Option<f64>| part.values_of_both([average, by_rule], of);
            let gaps = both(|average, by_rule| Some(average - by_rule));
            // Smaller gaps may be due to rounding to units of yield.
            let short = both(|average, by_rule| Some(average - by_rule).filter(|gap| *gap > 1e-5));
            let line = TableLine::new()
                .with("instances", name)
                .with("algorithm", algorithm)
                .with("solved", part.tally(column).solved)
                .with("minimum_yield", part.yields(column).mean())
                .with("compared", averages.len())
                .with("average_yield", averages.mean())
                .with("average_yield_by_rule", both(|_, by_rule| Some(by_rule)).mean())
                .with("short", short.len())
                .with("max_gap", gaps.max());
            lines.push(line);
        }
    }
    Some(lines.into_iter().collect())
}
