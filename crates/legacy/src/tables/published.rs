//! How near the published figures ours are.

use super::groups::Group;
use super::statistics::{Statistics, rank_correlation};
use crate::scenario::Scenario;

/// How far a mean may be from the published one, either way, to count as near.
const NEAR: f64 = 1.5;

/// The published mean degradation of the group's policy on its whole workload, if there is one.
pub(super) fn mean(scenario: &Scenario, group: &Group<'_>) -> Option<f64> {
    let workload = scenario.workloads.iter().find(|workload| workload.name == group.scope.workload)?;
    let comparable = group.scope.is_whole() && group.is_simulated_as_published();
    let tables = workload.published.iter().filter(|_| comparable);
    tables.filter_map(|table| table.mean(&group.label.policy)).next()
}

/// For each workload with published figures, and each packing and drop rule: the rank correlation over the fractional
/// policies, and how many of them are near.
pub(super) fn agreement(scenario: &Scenario, groups: &[Group<'_>]) -> Vec<String> {
    let mut notes = Vec::new();
    for workload in &scenario.workloads {
        let Some(published) = workload.published.iter().find(|table| table.means().next().is_some()) else {
            continue;
        };
        for packing in &scenario.simulation.packings {
            for drop in &scenario.simulation.drops {
                let of_rules = |group: &&Group<'_>| {
                    let is = |field: &Option<String>, rule: String| {
                        field.as_ref().is_none_or(|name| *name == rule)
                    };
                    is(&group.label.packing, packing.to_string()) && is(&group.label.drop, drop.to_string())
                };
                let fractional = groups.iter().filter(|group| {
                    group.scope.workload == workload.name && group.label.policy.contains("/OPT=")
                });
                let pairs: Vec<(f64, f64)> = fractional
                    .filter(of_rules)
                    .filter_map(|group| {
                        let ours = Statistics::of(&group.values(|figures| figures.degradation))?;
                        Some((ours.mean, mean(scenario, group)?))
                    })
                    .collect();
                if let Some(correlation) = rank_correlation(&pairs) {
                    let near =
                        pairs.iter().filter(|(ours, theirs)| (1.0 / NEAR..=NEAR).contains(&(ours / theirs)));
                    notes.push(format!(
                        "{}, {packing}, {drop}: rank correlation with {published} {correlation:.3} over {} fractional policies, {} of them within a factor of {NEAR}",
                        workload.name,
                        pairs.len(),
                        near.count(),
                    ));
                }
            }
        }
    }
    notes
}
