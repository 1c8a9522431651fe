//! Metrics of the published tables, over all replications.

use crate::engine::{Backfilling, BatchPolicy};
use crate::rows::Simulation;
use dfrsim_lab::{Statistics, average};
use statrs::distribution::{ContinuousCDF as _, StudentsT};
use std::collections::BTreeMap;

/// A metric of the published tables of simulations with reallocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Metric {
    /// Jobs whose completion time changed, in percent of all jobs.
    Changed,
    /// Number of reallocations.
    Moves,
    /// Jobs that completed earlier, in percent of the changed ones.
    Earlier,
    /// Mean turnaround of the changed jobs / that without reallocation.
    Turnaround,
}

impl Metric {
    /// All metrics, in the order of the published tables.
    pub const ALL: [Metric; 4] = [Metric::Changed, Metric::Moves, Metric::Earlier, Metric::Turnaround];

    /// Returns the metric's name in tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Metric::Changed => "changed_percent",
            Metric::Moves => "reallocations",
            Metric::Earlier => "earlier_percent",
            Metric::Turnaround => "relative_turnaround",
        }
    }
    /// Returns the metric's name in titles.
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

/// Labels of a line of the published tables.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Group {
    pub(crate) algorithm: String,
    pub(crate) platform: String,
    pub(crate) local: String,
    pub(crate) heuristic: String,
}

/// Mean over the replications, and half the width of its 95 % confidence interval (Student's t;
/// `None` for a single replication).
pub(crate) type MeanWithHalfWidth = (f64, Option<f64>);

/// Computes the mean of the values of replications and half the width of its interval; `None` if
/// there are no values.
pub(crate) fn estimate(values: &[f64]) -> Option<MeanWithHalfWidth> {
    let Statistics { mean, deviation, .. } = Statistics::from_values(values)?;
    let count = values.len() as f64;
    let half_width = deviation.and_then(|deviation| {
        let t = StudentsT::new(0.0, 1.0, count - 1.0).ok()?.inverse_cdf(0.975);
        Some(t * deviation / count.sqrt())
    });
    Some((mean, half_width))
}

/// Effects of one simulation on its jobs, in addition to the published metrics.
#[derive(Clone, Debug)]
pub(crate) struct Effects {
    pub(crate) group: Group,
    pub(crate) workload: String,
    /// Reallocations per job, in percent.
    pub(crate) moves_percent: f64,
    /// Largest delay of a job's completion relative to the run without reallocation, in hours, and
    /// the largest number of cancellations of a job; not published.
    pub(crate) worst: Option<(f64, u32)>,
}

/// All values, ours or the published ones.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    /// Groups, in the order of the rows.
    pub(crate) groups: Vec<Group>,
    /// Workloads, in the order of the rows.
    pub(crate) workloads: Vec<String>,
    values: BTreeMap<(Metric, Group, String), Vec<f64>>,
    pub(crate) effects: Vec<Effects>,
    /// Published values to compare with.
    published: Option<&'static Metrics>,
}

impl Metrics {
    /// Returns the values of these workloads alone, by place; one may occur several times, and each
    /// occurrence counts as a workload of its own. Effects are left out.
    pub(crate) fn of_workloads(&self, places: &[usize]) -> Metrics {
        let mut metrics = Metrics::default();
        for group in &self.groups {
            for (place, &of) in places.iter().enumerate() {
                for metric in Metric::ALL {
                    let value = self.value(metric, group, &self.workloads[of]);
                    metrics.add(metric, group, &place.to_string(), value);
                }
            }
        }
        metrics
    }

    /// Computes the metrics of rows, to be compared with `published`.
    pub(crate) fn from_rows<'a>(
        rows: impl Iterator<Item = &'a Simulation>,
        published: Option<&'static Metrics>,
    ) -> Metrics {
        let mut metrics = Metrics { published, ..Metrics::default() };
        for row in rows {
            let Some(heuristic) = row.heuristic.clone() else { continue };
            let (algorithm, platform) = (row.algorithm.clone(), row.platform.clone());
            let group = Group { algorithm, platform, local: row.local.clone(), heuristic };
            for metric in Metric::ALL {
                metrics.add(metric, &group, &row.workload, metric.value(row));
            }
            if row.jobs > 0 {
                metrics.effects.push(Effects {
                    group,
                    workload: row.workload.clone(),
                    moves_percent: 100.0 * (row.moves as f64 / row.jobs as f64),
                    worst: Some((row.max_delay_s.as_secs_f64() / 3_600.0, row.max_cancellations)),
                });
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

    /// Returns the mean of a workload with its confidence interval.
    pub(crate) fn estimate(
        &self,
        metric: Metric,
        group: &Group,
        workload: &str,
    ) -> Option<MeanWithHalfWidth> {
        estimate(self.values.get(&(metric, group.clone(), workload.to_owned()))?)
    }
    /// Returns the mean of a workload.
    pub(crate) fn value(&self, metric: Metric, group: &Group, workload: &str) -> Option<f64> {
        let values = self.values.get(&(metric, group.clone(), workload.to_owned()))?;
        average(values.iter().copied())
    }
    /// Computes the mean over the workloads, like the published column AVG.
    pub(crate) fn average(&self, metric: Metric, group: &Group) -> Option<f64> {
        average(self.workloads.iter().filter_map(|workload| self.value(metric, group, workload)))
    }
    /// Returns the text's policy that corresponds to a local policy: FCFS, CONS for the first
    /// conservative one, or else the policy itself.
    pub(crate) fn policy_in_report<'a>(&self, local: &'a str) -> &'a str {
        let of = |local: &str| match local.parse::<BatchPolicy>().map(|policy| policy.backfilling) {
            Ok(Backfilling::Fcfs) => Some("FCFS"),
            Ok(Backfilling::Conservative(_)) => Some("CONS"),
            _ => None,
        };
        let Some(name) = of(local) else { return local };
        let alike =
            || self.groups.iter().map(|group| group.local.as_str()).filter(|other| of(other) == Some(name));
        let first = alike().find(|other| *other == name).or_else(|| alike().next());
        if first == Some(local) { name } else { local }
    }

    /// Returns the published value.
    pub(crate) fn published(&self, metric: Metric, group: &Group, workload: &str) -> Option<f64> {
        let local = self.policy_in_report(&group.local).to_owned();
        self.published?.value(metric, &Group { local, ..group.clone() }, workload)
    }
    /// Computes the published mean over these workloads, if all of them have a published value.
    pub(crate) fn published_average(&self, metric: Metric, group: &Group) -> Option<f64> {
        let values = self.workloads.iter().map(|workload| self.published(metric, group, workload));
        average(values.collect::<Option<Vec<f64>>>()?)
    }
    /// Iterates over pairs of our value and the published one, for the workloads that have both.
    pub(crate) fn pairs(&self, metric: Metric, group: &Group) -> impl Iterator<Item = (f64, f64)> {
        let pair = move |workload: &String| {
            Some((self.value(metric, group, workload)?, self.published(metric, group, workload)?))
        };
        self.workloads.iter().filter_map(pair)
    }
    /// Returns the published metrics as if they were ours.
    #[cfg(test)]
    pub(crate) fn compared_with_themselves(&'static self) -> Metrics {
        Metrics {
            groups: self.groups.clone(),
            workloads: self.workloads.clone(),
            values: self.values.clone(),
            effects: self.effects.clone(),
            published: Some(self),
        }
    }
}
