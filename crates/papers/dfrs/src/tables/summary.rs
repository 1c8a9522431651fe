//! Summary printed at the end of a run: a few lines for a run of any size.

use super::degradation::{MEASURES, measures};
use crate::groups::{Group, Matrix};
use dfrsim_lab::{Table, TableLine};

/// Largest number of lines; with title, heading and notes they fill a terminal of 24 lines.
const MOST_LINES: usize = 12;

/// Builds the summary of the degradation on each whole workload, with the first values of the
/// scenario. It has all policies in the order of the scenario or, if these are too many, the best
/// fractional and the best other ones, from the best on.
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
    let of_each = (MOST_LINES / workloads.len().max(1)).max(1);
    let mut shown = Vec::new();
    for workload in workloads.iter().take(MOST_LINES) {
        let is_own = |group: &&&Group<'_>| group.scope.workload.name == workload.name;
        let mut own: Vec<&Group<'_>> = meant.iter().filter(is_own).copied().collect();
        if own.len() > of_each {
            let mean = |group: &Group<'_>| measures(group)[0].unwrap_or(f64::INFINITY);
            own.sort_by(|a, b| mean(a).total_cmp(&mean(b)));
            let (fractional, others): (Vec<_>, Vec<_>) =
                own.into_iter().partition(|group| group.setting.policy.fractional().is_some());
            // Other policies take at most half of the lines.
            let others = &others[..others.len().min(of_each / 2)];
            own = fractional.into_iter().take(of_each - others.len()).chain(others.iter().copied()).collect();
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
