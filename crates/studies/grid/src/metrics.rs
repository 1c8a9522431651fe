//! The metrics of the published tables, over all replications.

use crate::published;
use crate::rows::Simulation;
use dfrsim_lab::{Statistics, average};
use statrs::distribution::{ContinuousCDF as _, StudentsT};
use std::collections::BTreeMap;

/// What the published tables say of simulations with reallocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Metric {
    /// Jobs whose completion changed, in percent of all.
    Changed,
    /// Reallocations.
    Moves,
    /// Jobs that completed earlier, in percent of the changed ones.
    Earlier,
    /// The mean turnaround of the changed jobs / the one without reallocation.
    Turnaround,
}

impl Metric {
    /// All of them, in the order of the published tables.
    pub const ALL: [Metric; 4] = [Metric::Changed, Metric::Moves, Metric::Earlier, Metric::Turnaround];

    /// Its name in tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Metric::Changed => "changed_percent",
            Metric::Moves => "reallocations",
            Metric::Earlier => "earlier_percent",
            Metric::Turnaround => "relative_turnaround",
        }
    }
    /// Its name in titles.
    pub(crate) const fn title(self) -> &'static str {
        match self {
            Metric::Changed => "changed jobs (%)",
            Metric::Moves => "reallocations",
            Metric::Earlier => "earlier jobs (% of the changed ones)",
            Metric::Turnaround => "relative turnaround",
        }
    }
    fn value(self, row: &Simulation) -> Option<f64> {
        match self {
            Metric::Changed => (row.jobs > 0).then(|| 100.0 * row.changed as f64 / row.jobs as f64),
            Metric::Moves => Some(row.moves as f64),
            Metric::Earlier => (row.changed > 0).then(|| 100.0 * row.earlier as f64 / row.changed as f64),
            Metric::Turnaround => row.relative_turnaround,
        }
    }
}

/// What a line of the published tables is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Group {
    pub(crate) algorithm: String,
    pub(crate) platform: String,
    pub(crate) local: String,
    pub(crate) heuristic: String,
}

/// The mean over the replications, and half the width of its 95 % confidence interval (Student's t; `None` for a single
/// replication).
pub(crate) type MeanWithHalfWidth = (f64, Option<f64>);

/// All values, ours or the published ones.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    /// In the order of the rows.
    pub(crate) groups: Vec<Group>,
    /// In the order of the rows.
    pub(crate) workloads: Vec<String>,
    values: BTreeMap<(Metric, Group, String), Vec<f64>>,
    /// Reallocations for each job of a simulation, in percent.
    pub(crate) moves_percent: Vec<(Group, f64)>,
}

impl Metrics {
    pub(crate) fn from_rows<'a>(rows: impl Iterator<Item = &'a Simulation>) -> Metrics {
        let mut metrics = Metrics::default();
        for row in rows {
            let Some(heuristic) = row.heuristic.clone() else { continue };
            let (algorithm, platform) = (row.algorithm.clone(), row.platform.clone());
            let group = Group { algorithm, platform, local: row.local.clone(), heuristic };
            for metric in Metric::ALL {
                metrics.add(metric, &group, &row.workload, metric.value(row));
            }
            if row.jobs > 0 {
                metrics.moves_percent.push((group, 100.0 * (row.moves as f64 / row.jobs as f64)));
            }
        }
        metrics
    }

    pub(crate) fn add(&mut self, metric: Metric, group: &Group, workload: &str, value: Option<f64>) {
        if !self.groups.contains(group) {
            self.groups.push(group.clone());
        }
        if !self.workloads.iter().any(|known| known == workload) {
            self.workloads.push(workload.to_owned());
        }
        self.values.entry((metric, group.clone(), workload.to_owned())).or_default().extend(value);
    }

    /// The mean of a workload with its confidence interval.
    pub(crate) fn estimate(
        &self,
        metric: Metric,
        group: &Group,
        workload: &str,
    ) -> Option<MeanWithHalfWidth> {
        let values = self.values.get(&(metric, group.clone(), workload.to_owned()))?;
        let Statistics { mean, deviation, .. } = Statistics::from_values(values)?;
        let count = values.len() as f64;
        let half_width = deviation.and_then(|deviation| {
            let t = StudentsT::new(0.0, 1.0, count - 1.0).ok()?.inverse_cdf(0.975);
            Some(t * deviation / count.sqrt())
        });
        Some((mean, half_width))
    }
    /// The mean of a workload.
    pub(crate) fn value(&self, metric: Metric, group: &Group, workload: &str) -> Option<f64> {
        let values = self.values.get(&(metric, group.clone(), workload.to_owned()))?;
        average(values.iter().copied())
    }
    /// The mean over the workloads, as the published column AVG.
    pub(crate) fn average(&self, metric: Metric, group: &Group) -> Option<f64> {
        average(self.workloads.iter().filter_map(|workload| self.value(metric, group, workload)))
    }
    /// The published mean over these workloads, if all of them have a published value.
    pub(crate) fn published_average(&self, metric: Metric, group: &Group) -> Option<f64> {
        let values = self.workloads.iter().map(|workload| published::value(metric, group, workload));
        average(values.collect::<Option<Vec<f64>>>()?)
    }
}
