//! Waits of groups of jobs in hours, and the effect of other settings on them.

use crate::groups::{Group, Matrix};
use crate::rows::SimulationRow;
use crate::waits::PartWait;
use dfrsim_lab::{Cell, Table, TableLine, by_key, mean};
use std::cmp::Reverse;

/// Quantiles that enclose nine tenths of the resampled workloads.
const RANGE_QUANTILES: [f64; 2] = [0.05, 0.95];

/// Fraction of the jobs above which those that are missing from a mean are told.
const MOST_MISSING: f64 = 0.01;

/// Builds the table of waits, with a line for each group of jobs and each variant: the numbers of
/// jobs, the mean wait of those that ran, the mean wait that the log records for them, the
/// difference from the first variant over the jobs that ran in both, and the values that enclose
/// nine tenths of the resampled workloads. If the log itself is an instance, the counts and means
/// are its own.
pub(super) fn table(matrix: &Matrix<'_>, groups: &[Group<'_>]) -> Table {
    if matrix.scenario.waits_by.is_empty() {
        return Table::default();
    }
    let (mut lines, mut warnings) = (Vec::new(), Vec::new());
    for scope in matrix.scopes().into_iter().filter(|scope| scope.has_all) {
        let is_own =
            |group: &&Group<'_>| group.scope.cells() == scope.cells() && matrix.has_first_conditions(group);
        let own: Vec<Vec<InstanceWaits>> = groups.iter().filter(is_own).map(instances).collect();
        let labels = groups.iter().filter(is_own).map(|group| group.setting.label().policy);
        let labels: Vec<String> = labels.collect();
        for (by, name) in job_groups(&own) {
            for (label, group) in labels.iter().zip(&own) {
                let part = PartOfInstances { instances: group, by: &by, name: &name };
                if by == "all" {
                    warnings.extend(part.warnings(&scope.workload.name, label));
                }
                lines.push(
                    TableLine::new()
                        .with("workload", scope.workload.name.as_str())
                        .with("jobs_of", by.as_str())
                        .with("name", name.as_str())
                        .with("policy", label.as_str())
                        .with_all(part.cells()),
                );
            }
        }
    }
    let notes = vec![
        "wait_h: of the jobs that ran; recorded_h: of the same jobs in the log; change_h: from the first variant, over the compared \
         jobs, which ran in both; low and high: nine tenths of the drawn workloads are between them"
            .to_owned(),
    ];
    lines.into_iter().collect::<Table>().with_notes(notes).with_notes(warnings)
}

/// A group of jobs in all instances of a variant.
struct PartOfInstances<'a> {
    instances: &'a [InstanceWaits],
    by: &'a str,
    name: &'a str,
}

impl PartOfInstances<'_> {
    /// Estimates a value of the group of jobs.
    fn estimate(&self, value: impl Fn(&PartWait) -> Option<f64>) -> [Option<f64>; 3] {
        let of = |own: &InstanceWaits| (own.is_log, own.part(self.by, self.name).and_then(&value));
        estimate(&self.instances.iter().map(of).collect::<Vec<_>>())
    }

    /// Returns a number of jobs, of the log or as the mean of the resampled logs.
    fn count(&self, value: impl Fn(&PartWait) -> usize) -> Option<usize> {
        self.estimate(|part| Some(value(part) as f64))[0].map(|jobs| jobs.round() as usize)
    }

    /// Returns the cells of the numbers and the waits.
    fn cells(&self) -> Vec<(&'static str, Cell)> {
        let counts = [
            ("came", self.count(|part| part.came)),
            ("ran", self.count(|part| part.jobs)),
            ("rejected", self.count(|part| part.rejected)),
            ("killed", self.count(|part| part.killed)),
            ("lost", self.count(|part| part.lost)),
        ];
        let waits = self.estimate(|part| (part.jobs > 0).then_some(part.mean_s));
        let recorded = self.estimate(|part| part.recorded.map(|pair| pair.other_s))[0];
        let compared = self.count(|part| part.first.map_or(0, |pair| pair.jobs)).filter(|jobs| *jobs > 0);
        let changes = self.estimate(|part| part.first.map(|pair| pair.mean_s - pair.other_s));
        let in_hours = |value: Option<f64>| Cell::optional(value.map(hours));
        let in_jobs = |count: Option<usize>| count.map_or(Cell::Missing, Cell::Count);
        let mut cells: Vec<(&'static str, Cell)> =
            counts.into_iter().map(|(name, count)| (name, in_jobs(count))).collect();
        cells.push(("recorded_h", in_hours(recorded)));
        cells.extend(["wait_h", "wait_low_h", "wait_high_h"].into_iter().zip(waits.map(in_hours)));
        cells.push(("compared", in_jobs(compared)));
        cells.extend(["change_h", "change_low_h", "change_high_h"].into_iter().zip(changes.map(in_hours)));
        cells
    }

    /// Warns of jobs that are missing from the means of a variant.
    fn warnings(&self, workload: &str, label: &str) -> Vec<String> {
        let Some(came) = self.count(|part| part.came).filter(|came| *came > 0) else { return Vec::new() };
        let ran = self.count(|part| part.jobs).unwrap_or(0);
        let compared = self.count(|part| part.first.map_or(0, |pair| pair.jobs)).filter(|jobs| *jobs > 0);
        let is_much = |missing: usize| missing as f64 > MOST_MISSING * came as f64;
        let rejected = self.count(|part| part.rejected + part.lost).unwrap_or(0);
        let part = |jobs: usize| format!("{:.1} %", 100.0 * jobs as f64 / came as f64);
        let mut warnings = Vec::new();
        if is_much(rejected) {
            warnings.push(format!(
                "warning: {workload}, {label}: {rejected} of {came} jobs ({}) are rejected or lost; its waits are of the other {ran}",
                part(rejected)
            ));
        }
        if let Some(compared) = compared.filter(|compared| is_much(came.saturating_sub(*compared))) {
            warnings.push(format!(
                "warning: {workload}, {label}: the change is that of the {compared} of {came} jobs ({}) that ran here and with the first variant",
                part(compared)
            ));
        }
        warnings
    }
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
        kind.sort_by_key(|part| Reverse(part.iter().map(|each| each.came.max(each.jobs)).sum::<usize>()));
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
