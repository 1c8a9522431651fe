//! Degradation from the bound, compared with published means, standard deviations and maxima.

use super::{NEAR, is_near};
use crate::easy_spare;
use crate::groups::{Group, Matrix, block};
use crate::rows::SimulationRow;
use dfrsim_lab::{
    Bootstrap, Statistics, Table, average, by_block, comparison_cells, comparison_header, rank_correlation,
};

/// Published statistics of degradations, in the order of
/// [`Published::degradation`](crate::published::Published::degradation).
pub(super) const MEASURES: [&str; 3] = ["mean_degradation", "sd_degradation", "max_degradation"];

/// Names of the values that [`spread`] returns.
const SPREAD: [&str; 4] =
    ["median_degradation", "low_mean_degradation", "high_mean_degradation", "part_of_largest"];

/// Number of bootstrap resamples: enough for two digits of an interval's ends, and fast for the
/// thousands of groups of a large scenario.
const RESAMPLES: usize = 1000;

/// Builds the table of degradations. For each group it has mean, sample standard deviation and
/// maximum of the degradation, and the mean of the bound. If the scenario requests it, there are the
/// means of the lower bound with penalties and of a clairvoyant schedule. If a table was published,
/// there are its values and the ratios of ours to them. Finally, there are the median, the 95 %
/// interval of the mean, and the share of the largest instance in it, since one instance can
/// dominate a mean. Failed simulations are counted and left out.
pub(super) fn table(matrix: &Matrix<'_>, groups: &[Group<'_>]) -> Table {
    let is_compared = matrix.scenario.workloads.iter().any(|workload| workload.degradations().is_some());
    let is_reached = matrix.scenario.clairvoyant;
    let line = |group: &Group<'_>| {
        let own = measures(group);
        let bound = Statistics::from_values(&group.values(|row| row.bound));
        let mut line =
            group.line().with_all(MEASURES.into_iter().zip(own)).with("mean_bound", bound.map(|it| it.mean));
        if is_compared {
            let published = published(group);
            for (at, (name, own)) in MEASURES.into_iter().zip(own).enumerate() {
                let published = published.map(|values| values[at]);
                let beside = comparison_header(name).into_iter().zip(comparison_cells(own, published));
                line = line.with_all(beside.skip(1));
            }
        }
        if is_reached {
            let mean_of = |value: fn(&SimulationRow) -> Option<f64>| {
                average(group.rows().filter_map(|row| Some(value(row)? / row.bound)))
            };
            line = line
                .with("mean_least_degradation", mean_of(|row| row.penalty_bound))
                .with("mean_reached_degradation", mean_of(|row| row.reached));
        }
        line.with_all(SPREAD.into_iter().zip(spread(matrix, group)))
    };
    groups.iter().map(line).collect::<Table>().with_notes(agreement(matrix, groups))
}

/// Computes the mean, sample standard deviation and maximum of the degradation.
pub(super) fn measures(group: &Group<'_>) -> [Option<f64>; 3] {
    let own = Statistics::from_values(&group.values(|row| row.degradation));
    [own.map(|own| own.mean), own.and_then(|own| own.deviation), own.map(|own| own.max)]
}

/// Computes the median, the ends of the 95 % interval of the mean, and the share of the largest
/// value in the sum. The bootstrap resamples a trace with all its loads as one block.
fn spread(matrix: &Matrix<'_>, group: &Group<'_>) -> [Option<f64>; 4] {
    let blocks = by_block(group.rows().map(|row| (block(row), row.degradation)).collect());
    let bootstrap = Bootstrap { resamples: RESAMPLES, ..Bootstrap::for_tables(matrix.scenario.seed) };
    let Some(estimates) = bootstrap.estimates(&blocks) else { return [None; 4] };
    let values = blocks.concat();
    let largest = values.iter().copied().fold(0.0, f64::max);
    let interval = estimates.mean.interval;
    [
        Some(estimates.median.value),
        interval.map(|(low, _)| low),
        interval.map(|(_, high)| high),
        Some(largest / values.iter().sum::<f64>()),
    ]
}

/// Returns the published degradations of the group's policy on its whole workload, if there are any.
pub(super) fn published(group: &Group<'_>) -> Option<[f64; 3]> {
    let is_comparable = group.scope.is_whole() && group.is_simulated_as_published();
    let policy = match group.setting.policy {
        // The published EASY is that of the author's program.
        policy if policy.to_string() == easy_spare::NAME => "EASY".to_owned(),
        policy => policy.to_string(),
    };
    let tables = group.scope.workload.published.iter().filter(|_| is_comparable);
    tables.filter_map(|table| table.degradation(&policy)).next()
}

/// Describes the agreement with published degradations for each workload that has them, and each
/// packing and drop rule: the rank correlation over the fractional policies, and the number of them
/// that are near, by mean, standard deviation and maximum.
fn agreement(matrix: &Matrix<'_>, groups: &[Group<'_>]) -> Vec<String> {
    let scenario = matrix.scenario;
    let mut notes = Vec::new();
    for (workload, table) in scenario.workloads.iter().filter_map(|it| Some((it, it.degradations()?))) {
        for &packing in &scenario.simulation.packings {
            for &drop in &scenario.simulation.drops {
                let has_rules = |group: &&Group<'_>| {
                    group.setting.alternative.is_none() && group.has_rules(packing, drop)
                };
                let fractional = groups.iter().filter(|group| {
                    group.scope.workload.name == workload.name && group.setting.policy.fractional().is_some()
                });
                let compared =
                    fractional.filter(has_rules).filter_map(|it| Some((measures(it), published(it)?)));
                let compared: Vec<_> = compared.collect();
                for (at, name) in ["means", "standard deviations", "maxima"].into_iter().enumerate() {
                    let pair =
                        |(own, published): &([Option<f64>; 3], [f64; 3])| Some((own[at]?, published[at]));
                    let pairs: Vec<(f64, f64)> = compared.iter().filter_map(pair).collect();
                    let Some(correlation) = rank_correlation(&pairs) else { continue };
                    let near = pairs.iter().filter(|(ours, theirs)| is_near(*ours, *theirs)).count();
                    notes.push(format!(
                        "{}, {packing}, {drop}, {name}: rank correlation with {table} {correlation:.3} over {} fractional policies, {near} of them within a factor of {NEAR}",
                        workload.name,
                        pairs.len(),
                    ));
                }
            }
        }
    }
    notes
}
