//! Summary printed at the end of a run: a few lines for a run of any size.

use super::degradation::{MEASURES, measures};
use crate::groups::{Group, Matrix};
use dfrsim_lab::{Table, TableLine};
use dfrsim_policies::Policy;

/// Largest number of lines; with title, heading and notes they fill a terminal of 24 lines.
const MOST_LINES: usize = 12;
/// Smallest number of lines of a workload: the best policy and two baselines.
const LEAST_LINES: usize = 3;

/// Builds the summary of the degradation on each whole workload, with the first values of the
/// scenario. It has all policies in the order of the scenario. If these are too many, it has the
/// best policies in which jobs share nodes, from the best on, and batch policies as baselines: the
/// best ones, or with several workloads the first ones of the scenario, so that the baselines of
/// all workloads are the same.
pub(super) fn table(matrix: &Matrix<'_>, groups: &[Group<'_>]) -> Table {
    let whole: Vec<&Group<'_>> = groups.iter().filter(|group| group.scope.has_all).collect();
    let default: Vec<&Group<'_>> = whole.iter().copied().filter(|group| matrix.is_default(group)).collect();
    let simulation = &matrix.scenario.simulation;
    let is_first = |group: &Group<'_>| {
        let options = &group.setting.options;
        options.penalty == simulation.penalties[0]
            && options.needs == simulation.cpu_needs[0]
            && options.discovery.is_none()
            && matrix.has_first_rules(group)
    };
    let meant = if default.is_empty() {
        whole.into_iter().filter(|group| is_first(group)).collect()
    } else {
        default
    };
    let workloads = &matrix.scenario.workloads;
    let of_each = (MOST_LINES / workloads.len().max(1)).max(LEAST_LINES);
    let mut shown = Vec::new();
    for workload in workloads.iter().take(MOST_LINES) {
        let is_own = |group: &&&Group<'_>| group.scope.workload.name == workload.name;
        let mut own: Vec<&Group<'_>> = meant.iter().filter(is_own).copied().collect();
        if own.len() > of_each {
            let mean = |group: &Group<'_>| measures(group)[0].unwrap_or(f64::INFINITY);
            let is_batch = |group: &&Group<'_>| matches!(group.setting.policy, Policy::Batch(_));
            let (mut batch, mut others): (Vec<_>, Vec<_>) = own.into_iter().partition(is_batch);
            others.sort_by(|a, b| mean(a).total_cmp(&mean(b)));
            if workloads.len() == 1 {
                batch.sort_by(|a, b| mean(a).total_cmp(&mean(b)));
            }
            // Baselines take at most half of the lines, rounded up.
            let batch_lines = batch.len().min(of_each.div_ceil(2)).max(of_each.saturating_sub(others.len()));
            own = others
                .into_iter()
                .take(of_each - batch_lines)
                .chain(batch.into_iter().take(batch_lines))
                .collect();
        }
        shown.extend(own);
    }
    let line = |group: &&Group<'_>| {
        let label = group.setting.label();
        TableLine::new()
            .with("workload", group.scope.workload.name.as_str())
            .with("policy", label.policy)
            .with("penalty_s", label.penalty_s)
            .with_all(label.interruption.map(|rule| ("interruption", rule)))
            .with("tau_s", group.tau)
            .with("instances", group.records.len())
            .with("failed", group.failed())
            .with_all(MEASURES.into_iter().zip(measures(group)))
    };
    let note = format!("{} of {} lines; all of them: tables/degradation.csv", shown.len(), groups.len());
    let table: Table = shown.iter().map(line).collect();
    if shown.len() < groups.len() { table.with_notes(vec![note]) } else { table }
}
