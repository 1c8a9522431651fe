//! What the second phase gives: table 4.7 of the dissertation, and average yields.

use crate::published::TABLE_4_7;
use crate::results::Results;
use dfrsim_lab::{Cell, Table};
use dfrsim_offline::instances::InstanceSet;

/// Table 4.7: the used part of the fluid resources with VP_CPSUM, before and after the second phase by the dissertation's
/// rule; in percent.
pub(super) fn table_4_7(results: &Results<'_>) -> Table {
    let header = [
        "dimensions",
        "jobs",
        "instances",
        "utilisation",
        "utilisation_published",
        "utilisation_difference",
        "raised_utilisation",
        "raised_utilisation_published",
        "raised_utilisation_difference",
    ];
    let metric = |name| results.metric("VP_CPSUM", name);
    let (Some(part), Some(before), Some(after)) =
        (results.of_set(InstanceSet::Dissertation), metric("utilisation"), metric("raised_utilisation"))
    else {
        return Table::new(header, Vec::new());
    };
    let line = |([dimensions, jobs], published): ([&str; 2], [f64; 2])| {
        let of_size =
            results.with(&part, |of| of.dimensions.to_string() == dimensions && of.jobs.to_string() == jobs);
        let [before, after] = [before, after].map(|column| of_size.values(column));
        let mut line = [dimensions, jobs].map(|text| Cell::Formatted(text.to_owned())).to_vec();
        line.push(Cell::Count(before.len()));
        for (sample, published) in [before, after].into_iter().zip(published) {
            let own = sample.mean().map(|mean| 100.0 * mean);
            line.extend([own, Some(published), own.map(|own| own - published)].map(Cell::optional));
        }
        line
    };
    Table::new(header, TABLE_4_7.lines().map(line).collect())
}

/// The average yields of every algorithm that goes through the second phase: the greatest, and by the dissertation's rule on
/// the same instances, with how often and by how much the rule falls short.
pub(super) fn second_phase(results: &Results<'_>) -> Table {
    let header = [
        "instances",
        "algorithm",
        "solved",
        "minimum_yield",
        "compared",
        "average_yield",
        "average_yield_by_rule",
        "short",
        "max_gap",
    ];
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
            // Less than what rounding to units of yield may cost.
            let short = both(|average, by_rule| Some(average - by_rule).filter(|gap| *gap > 1e-5));
            lines.push(vec![
                Cell::Text(name.to_owned()),
                Cell::Text(algorithm),
                Cell::Count(part.tally(column).solved),
                Cell::optional(part.yields(column).mean()),
                Cell::Count(averages.len()),
                Cell::optional(averages.mean()),
                Cell::optional(both(|_, by_rule| Some(by_rule)).mean()),
                Cell::Count(short.len()),
                Cell::optional(gaps.max()),
            ]);
        }
    }
    Table::new(header, lines)
}
