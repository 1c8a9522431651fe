//! Degradation from the bound, beside published means.

use super::{NEAR, is_near};
use crate::groups::{Group, Matrix};
use crate::published::Published;
use crate::scenario::{Online, Workload};
use dfrsim_lab::fields::Scenario;
use dfrsim_lab::{Cell, Statistics, Table, beside, beside_header, rank_correlation};

const MEAN: &str = "mean_degradation";

/// For each group mean, sample standard deviation and maximum of the degradation, and the mean of the bound; where a table
/// was published, its mean and the ratio of ours to it. Failed simulations are counted and left out.
pub(super) fn table(scenario: &Scenario<Online>, groups: &[Group<'_>]) -> Table {
    let is_compared = scenario.workloads.iter().any(|workload| !workload.published.is_empty());
    let mut header = Group::header();
    header.extend([MEAN, "sd_degradation", "max_degradation", "mean_bound"].map(str::to_owned));
    if is_compared {
        header.extend(beside_header(MEAN).into_iter().skip(1));
    }
    let line = |group: &Group<'_>| {
        let own = Statistics::from_values(&group.values(|row| row.degradation));
        let bound = Statistics::from_values(&group.values(|row| row.bound));
        let mean = own.map(|own| own.mean);
        let mut cells = group.cells();
        let numbers =
            [mean, own.and_then(|own| own.deviation), own.map(|own| own.max), bound.map(|it| it.mean)];
        cells.extend(numbers.map(Cell::optional));
        if is_compared {
            cells.extend(beside(mean, published(group)).into_iter().skip(1));
        }
        cells
    };
    Table::new(header, groups.iter().map(line).collect())
}

/// The published mean degradation of the group's policy on its whole workload, if there is one.
fn published(group: &Group<'_>) -> Option<f64> {
    let is_comparable = group.scope.is_whole() && group.is_simulated_as_published();
    let policy = group.setting.policy.to_string();
    let tables = group.scope.workload.published.iter().filter(|_| is_comparable);
    tables.filter_map(|table| table.mean(&policy)).next()
}

/// For each workload with published means, and each packing and drop rule: the rank correlation over the fractional
/// policies, and how many of them are near.
pub(crate) fn agreement(matrix: &Matrix<'_>) -> Vec<String> {
    let (scenario, groups) = (matrix.scenario, matrix.groups());
    let compared = |workload: &Workload| {
        workload.published.iter().copied().find(|table: &Published| table.means().next().is_some())
    };
    let mut notes = Vec::new();
    for (workload, table) in scenario.workloads.iter().filter_map(|it| Some((it, compared(it)?))) {
        for &packing in &scenario.simulation.packings {
            for &drop in &scenario.simulation.drops {
                let has_rules = |group: &&Group<'_>| {
                    let mcb = group.setting.parameters.mcb;
                    group.setting.alternative.is_none()
                        && (!group.setting.policy.uses_mcb() || (mcb.packing, mcb.drop) == (packing, drop))
                };
                let fractional = groups.iter().filter(|group| {
                    group.scope.workload.name == workload.name && group.setting.policy.fractional().is_some()
                });
                let pair = |group: &Group<'_>| {
                    let ours = Statistics::from_values(&group.values(|row| row.degradation))?;
                    Some((ours.mean, published(group)?))
                };
                let pairs: Vec<(f64, f64)> = fractional.filter(has_rules).filter_map(pair).collect();
                if let Some(correlation) = rank_correlation(&pairs) {
                    let near = pairs.iter().filter(|(ours, theirs)| is_near(*ours, *theirs)).count();
                    notes.push(format!(
                        "{}, {packing}, {drop}: rank correlation with {table} {correlation:.3} over {} fractional policies, {near} of them within a factor of {NEAR}",
                        workload.name,
                        pairs.len(),
                    ));
                }
            }
        }
    }
    notes
}
