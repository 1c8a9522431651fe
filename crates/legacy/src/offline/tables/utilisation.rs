//! What the second phase gives: table 4.7 of the dissertation, and average yields.

use crate::Table;
use crate::offline::published::TABLE_4_7;
use crate::offline::study::Study;
use crate::tables::Cell;
use dfrsim_offline::instances::InstanceSet;

/// Table 4.7: the used part of the fluid resources with VP_CPSUM, before and after the second phase by the
/// dissertation's rule.
pub(super) fn table(study: &Study<'_>) -> Table {
    let header = vec![
        "dimensions",
        "jobs",
        "instances",
        "utilisation",
        "paper",
        "difference",
        "raised",
        "paper_raised",
        "raised_difference",
    ];
    let second = "VP_CPSUM".parse().ok().and_then(|algorithm| study.scenario.second.place(algorithm));
    let (Some(part), Some(second)) = (study.of_set(InstanceSet::Dissertation), second) else {
        return Table::new(header, Vec::new());
    };
    let mut lines = Vec::new();
    for ([dimensions, jobs], [published, published_raised]) in TABLE_4_7.lines() {
        let of_size =
            study.with(&part, |of| of.dimensions.to_string() == dimensions && of.jobs.to_string() == jobs);
        let before = of_size.raised(second, |raised| Some(raised.utilisation));
        let after = of_size.raised(second, |raised| raised.raised_utilisation);
        let percent = |mean: Option<f64>| mean.map(|mean| 100.0 * mean);
        let (own, own_raised) = (percent(before.mean()), percent(after.mean()));
        lines.push(vec![
            Cell::Formatted(dimensions),
            Cell::Formatted(jobs),
            Cell::Count(before.len()),
            Cell::maybe(own),
            Cell::Number(published),
            Cell::maybe(own.map(|own| own - published)),
            Cell::maybe(own_raised),
            Cell::Number(published_raised),
            Cell::maybe(own_raised.map(|own| own - published_raised)),
        ]);
    }
    Table::new(header, lines)
}

/// The average yields of every algorithm that goes through the second phase: the greatest, and by the dissertation's
/// rule on the same instances, with how often and by how much the rule falls short.
pub(super) fn second_phase(study: &Study<'_>) -> Table {
    let header = vec![
        "instances",
        "algorithm",
        "solved",
        "minimum",
        "compared",
        "average",
        "by_rule",
        "short",
        "largest_gap",
    ];
    let mut lines = Vec::new();
    for (place, group) in study.scenario.instances.iter().enumerate() {
        let part = study.part(|record| record.group as usize == place);
        for (second, algorithm) in study.scenario.second.algorithms.iter().enumerate() {
            let Some(at) = study.scenario.algorithms.iter().position(|each| each == algorithm) else {
                continue;
            };
            let averages = part.raised(second, |raised| raised.average);
            let gaps = part.raised(second, |raised| Some(raised.average? - raised.average_by_rule?));
            let by_rule = part.raised(second, |raised| raised.average.and(raised.average_by_rule));
            // Less than what rounding to units of yield may cost.
            let short = part.raised(second, |raised| {
                Some(raised.average? - raised.average_by_rule?).filter(|gap| *gap > 1e-5)
            });
            lines.push(vec![
                Cell::Text(group.name.clone()),
                Cell::Text(algorithm.to_string()),
                Cell::Count(part.tally(at).solved),
                Cell::maybe(part.yields(at).mean()),
                Cell::Count(averages.len()),
                Cell::maybe(averages.mean()),
                Cell::maybe(by_rule.mean()),
                Cell::Count(short.len()),
                Cell::maybe(gaps.max()),
            ]);
        }
    }
    Table::new(header, lines)
}
