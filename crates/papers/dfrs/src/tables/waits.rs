//! Waits of groups of jobs in hours, and the effect of other settings on them.

use crate::groups::{Group, Matrix};
use crate::rows::SimulationRow;
use crate::waits::PartWait;
use dfrsim_lab::{Table, TableLine, by_key, mean};
use std::cmp::Reverse;

/// Quantiles that enclose nine tenths of the resampled workloads.
const RANGE_QUANTILES: [f64; 2] = [0.05, 0.95];

/// Builds the table of waits, with a line for each group of jobs and each variant: the mean wait,
/// its difference from that of the first variant, and the values that enclose nine tenths of the
/// resampled workloads for both. If the log itself is an instance, the means are its own.
pub(super) fn table(matrix: &Matrix<'_>, groups: &[Group<'_>]) -> Table {
    if matrix.scenario.waits_by.is_empty() {
        return Table::default();
    }
    let mut lines = Vec::new();
    for scope in matrix.scopes().into_iter().filter(|scope| scope.has_all) {
        let is_own =
            |group: &&Group<'_>| group.scope.cells() == scope.cells() && matrix.has_first_conditions(group);
        let own: Vec<Vec<InstanceWaits>> = groups.iter().filter(is_own).map(instances).collect();
        let labels = groups.iter().filter(is_own).map(|group| group.setting.label().policy);
        let labels: Vec<String> = labels.collect();
        let Some(first) = own.first() else { continue };
        for (by, name) in job_groups(&own) {
            for (place, (label, group)) in labels.iter().zip(&own).enumerate() {
                // Returns a value of the group of jobs in each instance, given the group in the same
                // instance of the first variant.
                let values = |value: fn(&PartWait, Option<&PartWait>) -> Option<f64>| {
                    let of = |(own, first): (&InstanceWaits, &InstanceWaits)| {
                        let part = own.part(&by, &name);
                        (own.is_log, part.and_then(|part| value(part, first.part(&by, &name))))
                    };
                    estimate(&group.iter().zip(first).map(of).collect::<Vec<_>>())
                };
                let jobs = values(|own, _| Some(own.jobs as f64))[0];
                let waits = values(|own, _| Some(own.mean_s));
                let changes = match place {
                    0 => [None; 3],
                    _ => values(|own, first| Some(own.mean_s - first?.mean_s)),
                };
                let in_hours = |values: [Option<f64>; 3]| values.map(|it| it.map(hours));
                let waits = ["wait_h", "wait_low_h", "wait_high_h"].into_iter().zip(in_hours(waits));
                let changes =
                    ["change_h", "change_low_h", "change_high_h"].into_iter().zip(in_hours(changes));
                lines.push(
                    TableLine::new()
                        .with("workload", scope.workload.name.as_str())
                        .with("jobs_of", by.as_str())
                        .with("name", name.as_str())
                        .with("policy", label.as_str())
                        .with("jobs", jobs.map(|jobs| jobs.round() as usize))
                        .with_all(waits)
                        .with_all(changes),
                );
            }
        }
    }
    let notes = vec![
        "changes are those from the first variant on the same jobs; low and high: nine tenths of the drawn workloads are between them"
            .to_owned(),
    ];
    lines.into_iter().collect::<Table>().with_notes(notes)
}

/// Waits in one instance.
struct InstanceWaits {
    /// True if the instance is the log itself, not a log that is resampled from it.
    is_log: bool,
    parts: Vec<PartWait>,
}

impl InstanceWaits {
    fn part(&self, by: &str, name: &str) -> Option<&PartWait> {
        self.parts.iter().find(|part| part.by == by && part.name == name)
    }
}

fn instances(group: &Group<'_>) -> Vec<InstanceWaits> {
    let parts = |row: &SimulationRow| {
        let text = row.waits.as_deref().unwrap_or("[]");
        serde_json::from_str::<Vec<PartWait>>(text).unwrap_or_default()
    };
    let of = |outcome: Result<&SimulationRow, ()>| match outcome {
        Ok(row) => InstanceWaits { is_log: row.instance == "whole", parts: parts(row) },
        Err(()) => InstanceWaits { is_log: false, parts: Vec::new() },
    };
    group.records.iter().map(|record| of(record.outcome.as_ref().map_err(|_| ()))).collect()
}

/// Returns the groups of jobs in the order of their kinds; within each kind, those with the most
/// jobs come first.
fn job_groups(groups: &[Vec<InstanceWaits>]) -> Vec<(String, String)> {
    let all = groups.iter().flatten().flat_map(|instance| &instance.parts);
    let parts = by_key(all, |part| (part.by.clone(), part.name.clone()));
    let mut kinds = by_key(parts, |part| part[0].by.clone());
    // Size classes keep their order.
    for kind in kinds.iter_mut().filter(|kind| kind[0][0].by != "size") {
        kind.sort_by_key(|part| Reverse(part.iter().map(|each| each.jobs).sum::<usize>()));
    }
    kinds.concat().iter().map(|part| (part[0].by.clone(), part[0].name.clone())).collect()
}

/// Returns the value of the log itself, or else the mean of the resampled logs, and the range of the
/// resampled logs.
fn estimate(values: &[(bool, Option<f64>)]) -> [Option<f64>; 3] {
    let of_log = values.iter().find(|(is_log, _)| *is_log).and_then(|(_, value)| *value);
    let mut drawn: Vec<f64> =
        values.iter().filter(|(is_log, _)| !is_log).filter_map(|(_, value)| *value).collect();
    drawn.sort_by(f64::total_cmp);
    let value = of_log.or_else(|| (!drawn.is_empty()).then(|| mean(&drawn)));
    let range = RANGE_QUANTILES.map(|part| (drawn.len() > 1).then(|| quantile(&drawn, part)));
    [value, range[0], range[1]]
}

/// Converts seconds to hours, rounded to a ten-thousandth of an hour.
fn hours(seconds: f64) -> f64 {
    // Adding 0 removes the sign of a negative zero.
    (seconds / 3600.0 * 1e4).round() / 1e4 + 0.0
}

/// Computes a quantile of sorted values, interpolating linearly between neighbours.
fn quantile(sorted: &[f64], part: f64) -> f64 {
    let at = part * (sorted.len() - 1) as f64;
    let (below, above) = (sorted[at.floor() as usize], sorted[at.ceil() as usize]);
    below + (above - below) * at.fract()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_are_of_the_log_and_ranges_of_drawn_ones() {
        let drawn: Vec<(bool, Option<f64>)> = (0..=20).map(|value| (false, Some(f64::from(value)))).collect();
        assert_eq!(estimate(&drawn), [Some(10.0), Some(1.0), Some(19.0)]);
        let with_log = [&[(true, Some(7.5)), (false, None)], &drawn[..]].concat();
        assert_eq!(estimate(&with_log), [Some(7.5), Some(1.0), Some(19.0)]);
        assert_eq!(estimate(&[(true, Some(3.0))]), [Some(3.0), None, None]);
        assert_eq!(estimate(&[]), [None; 3]);
    }
}
