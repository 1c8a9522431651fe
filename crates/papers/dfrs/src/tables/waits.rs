//! Waits of groups of jobs in hours, and the effect of other settings on them.

use super::ensemble::{Ensemble, InstanceKind, hours};
use crate::groups::{Group, Matrix};
use crate::rows::SimulationRow;
use crate::waits::PartWait;
use dfrsim_lab::{Cell, Table, TableLine, by_key};
use std::cmp::Reverse;

/// Fraction of the jobs above which those that are missing from a mean are told.
const MOST_MISSING: f64 = 0.01;

/// Builds the table of waits, with a line for each group of jobs and each variant: the numbers of
/// jobs, the mean wait of those that ran, the mean wait that the log records for them, the
/// difference from the first variant over the jobs that ran in both, and the verdict on it. Values
/// have their standard errors over the copies of the log, and the ends of nine tenths of the
/// resampled workloads. The second table is shorter, for readers.
pub(super) fn tables(matrix: &Matrix<'_>, groups: &[Group<'_>]) -> (Table, Table) {
    if matrix.scenario.waits_by.is_empty() {
        return <(Table, Table)>::default();
    }
    let (mut lines, mut warnings) = ((Vec::new(), Vec::new()), Vec::new());
    for scope in matrix.scopes().into_iter().filter(|scope| scope.has_all) {
        let is_own =
            |group: &&Group<'_>| group.scope.cells() == scope.cells() && matrix.has_first_conditions(group);
        let own: Vec<Vec<InstanceWaits>> = groups.iter().filter(is_own).map(instances).collect();
        let labels = groups.iter().filter(is_own).map(|group| group.setting.label().policy);
        let labels: Vec<String> = labels.collect();
        let resolution = scope.workload.jitter.map_or(0.0, |jitter| jitter.up_to.as_secs_f64());
        for (by, name) in job_groups(&own) {
            for (label, group) in labels.iter().zip(&own) {
                let part = PartOfInstances { instances: group, by: &by, name: &name, resolution };
                if by == "all" {
                    warnings.extend(part.warnings(&scope.workload.name, label));
                }
                let line = TableLine::new()
                    .with("workload", scope.workload.name.as_str())
                    .with("jobs_of", by.as_str())
                    .with("name", name.as_str())
                    .with("policy", label.as_str());
                lines.0.push(line.clone().with_all(part.cells()));
                lines.1.push(line.with_all(part.cells_for_readers()));
            }
        }
    }
    let full = lines.0.into_iter().collect::<Table>();
    let shorter = lines.1.into_iter().collect::<Table>();
    (full, shorter.with_notes(vec![EXPLANATION.to_owned()]).with_notes(warnings))
}

/// Explanation of the columns, below the table.
const EXPLANATION: &str = "\
wait_h: of the jobs that ran; recorded_h: of the same jobs in the log; change_h: from the first variant, over the jobs that ran in both; \
after ±: the standard error over copies of the log whose submissions and run times are moved (field jitter), ? without copies; users: \
nine tenths of the workloads drawn from the users have a change between these. A change within two standard errors, or within the \
resolution of submissions, is noise; if nine tenths of the drawn workloads do not have its sign, it is one `for these users`";

/// A group of jobs in all instances of a variant.
struct PartOfInstances<'a> {
    instances: &'a [InstanceWaits],
    by: &'a str,
    name: &'a str,
    /// Resolution of submissions in seconds.
    resolution: f64,
}

impl PartOfInstances<'_> {
    /// Estimates a value of the group of jobs.
    fn estimate(&self, value: impl Fn(&PartWait) -> Option<f64>) -> Ensemble {
        let of = |own: &InstanceWaits| Some((own.kind, own.part(self.by, self.name).and_then(&value)?));
        Ensemble::of(&self.instances.iter().filter_map(of).collect::<Vec<_>>())
    }

    /// Returns a number of jobs, as the mean of the copies of the log, of the log, or as the mean of
    /// the resampled logs.
    fn count(&self, value: impl Fn(&PartWait) -> usize) -> Option<usize> {
        self.estimate(|part| Some(value(part) as f64)).value.map(|jobs| jobs.round() as usize)
    }

    /// Returns the number of jobs that ran here and with the first variant, if there are any.
    fn compared(&self) -> Option<usize> {
        self.count(|part| part.first.map_or(0, |pair| pair.jobs)).filter(|jobs| *jobs > 0)
    }

    fn waits(&self) -> Ensemble {
        self.estimate(|part| (part.jobs > 0).then_some(part.mean_s))
    }

    /// Returns the mean wait that the log records.
    fn recorded(&self) -> Option<f64> {
        self.estimate(|part| part.recorded.map(|pair| pair.other_s)).value
    }

    fn changes(&self) -> Ensemble {
        self.estimate(|part| part.first.map(|pair| pair.mean_s - pair.other_s))
    }

    fn verdict(&self, changes: Ensemble) -> Cell {
        changes.verdict(self.resolution).map_or(Cell::Missing, |verdict| verdict.to_string().into())
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
        let in_hours = |value: Option<f64>| Cell::optional(value.map(hours));
        let mut cells: Vec<(&'static str, Cell)> =
            counts.into_iter().map(|(name, count)| (name, in_jobs(count))).collect();
        cells.push(("recorded_h", in_hours(self.recorded())));
        let waits = self.waits().columns().map(in_hours);
        cells.extend(["wait_h", "wait_se_h", "wait_low_h", "wait_high_h"].into_iter().zip(waits));
        cells.push(("compared", in_jobs(self.compared())));
        let changes = self.changes();
        let names = ["change_h", "change_se_h", "change_low_h", "change_high_h"];
        cells.extend(names.into_iter().zip(changes.columns().map(in_hours)));
        cells.push(("verdict", self.verdict(changes)));
        cells
    }

    /// Returns the cells of the shorter table.
    fn cells_for_readers(&self) -> Vec<(&'static str, Cell)> {
        let changes = self.changes();
        let text = |text: Option<String>| text.map_or(Cell::Missing, Cell::Formatted);
        vec![
            ("ran", in_jobs(self.count(|part| part.jobs))),
            ("recorded_h", Cell::optional(self.recorded().map(hours))),
            ("wait_h", text(self.waits().with_error())),
            ("change_h", text(changes.with_error())),
            ("users", text(changes.range())),
            ("verdict", self.verdict(changes)),
        ]
    }

    /// Warns of jobs that are missing from the means of a variant.
    fn warnings(&self, workload: &str, label: &str) -> Vec<String> {
        let Some(came) = self.count(|part| part.came).filter(|came| *came > 0) else { return Vec::new() };
        let ran = self.count(|part| part.jobs).unwrap_or(0);
        let compared = self.compared();
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
    kind: InstanceKind,
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
        Ok(row) => InstanceWaits { kind: InstanceKind::of(&row.instance), parts: parts(row) },
        Err(()) => InstanceWaits { kind: InstanceKind::Drawn, parts: Vec::new() },
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

fn in_jobs(count: Option<usize>) -> Cell {
    count.map_or(Cell::Missing, Cell::Count)
}
