//! The figures of the tables, over all seeds.

use super::published;
use super::row::Row;
use crate::tables::statistics::{Statistics, mean};
use statrs::distribution::{ContinuousCDF as _, StudentsT};
use std::collections::BTreeMap;

/// What the published tables tell of a simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Metric {
    /// Jobs whose completion changed, in percent.
    Changed,
    /// Reallocations.
    Moves,
    /// Jobs that completed earlier, in percent of the changed ones.
    Earlier,
    /// Response time of the changed jobs, relative to the one without reallocation.
    Response,
}

impl Metric {
    pub(super) const ALL: [Metric; 4] = [Metric::Changed, Metric::Moves, Metric::Earlier, Metric::Response];

    /// Its name in the published tables as data.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Metric::Changed => "changed_pct",
            Metric::Moves => "reallocations",
            Metric::Earlier => "earlier_pct",
            Metric::Response => "relative_response",
        }
    }
    pub(super) fn named(name: &str) -> Option<Metric> {
        Metric::ALL.into_iter().find(|metric| metric.name() == name)
    }
    fn of(self, row: &Row) -> Option<f64> {
        match self {
            Metric::Changed => (row.jobs > 0).then(|| 100.0 * row.changed as f64 / row.jobs as f64),
            Metric::Moves => Some(row.moves as f64),
            Metric::Earlier => (row.changed > 0).then(|| 100.0 * row.earlier as f64 / row.changed as f64),
            Metric::Response => Some(row.response_s? / row.reference_response_s?),
        }
    }
}

/// A line of the published tables, in each of which two of these are fixed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Group {
    pub(super) cancellation: String,
    pub(super) platform: String,
    pub(super) local: String,
    pub(super) heuristic: String,
}

/// A figure over the seeds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Figure {
    pub(super) mean: f64,
    /// Half the width of the 95 % confidence interval of the mean (Student's t); nothing for a single seed.
    pub(super) half_width: Option<f64>,
}

/// All figures.
pub(super) struct Figures {
    /// In the order of the rows.
    pub(super) groups: Vec<Group>,
    /// In the order of the rows.
    pub(super) workloads: Vec<String>,
    values: BTreeMap<(Metric, Group, String), Vec<f64>>,
    /// The most reallocations of a simulation for each of its jobs.
    pub(super) moves_per_job: Vec<(Group, f64)>,
}

impl Figures {
    pub(super) fn of(rows: &[Row]) -> Figures {
        let mut figures = Figures {
            groups: Vec::new(),
            workloads: Vec::new(),
            values: BTreeMap::new(),
            moves_per_job: Vec::new(),
        };
        for row in rows {
            let (Some(cancellation), Some(heuristic)) = (&row.cancellation, &row.heuristic) else { continue };
            let group = Group {
                cancellation: cancellation.clone(),
                platform: row.platform.clone(),
                local: row.local.clone(),
                heuristic: heuristic.clone(),
            };
            if !figures.groups.contains(&group) {
                figures.groups.push(group.clone());
            }
            if !figures.workloads.contains(&row.workload) {
                figures.workloads.push(row.workload.clone());
            }
            for metric in Metric::ALL {
                let key = (metric, group.clone(), row.workload.clone());
                figures.values.entry(key).or_default().extend(metric.of(row));
            }
            if row.jobs > 0 {
                figures.moves_per_job.push((group, row.moves as f64 / row.jobs as f64));
            }
        }
        figures
    }

    /// A figure of a workload.
    pub(super) fn figure(&self, metric: Metric, group: &Group, workload: &str) -> Option<Figure> {
        let values = self.values.get(&(metric, group.clone(), workload.to_owned()))?;
        let Statistics { mean, deviation, .. } = Statistics::of(values)?;
        let count = values.len() as f64;
        let half_width = deviation.and_then(|deviation| {
            let t = StudentsT::new(0.0, 1.0, count - 1.0).ok()?.inverse_cdf(0.975);
            Some(t * deviation / count.sqrt())
        });
        Some(Figure { mean, half_width })
    }
    /// The mean over the workloads of the study, as the published column AVG.
    pub(super) fn average(&self, metric: Metric, group: &Group) -> Option<f64> {
        let figures = self.workloads.iter().filter_map(|workload| self.figure(metric, group, workload));
        let means: Vec<f64> = figures.map(|figure| figure.mean).collect();
        (!means.is_empty()).then(|| mean(&means))
    }
    /// The same of the published values of these workloads.
    pub(super) fn published_average(&self, metric: Metric, group: &Group) -> Option<f64> {
        let values = self.workloads.iter().map(|workload| published::value(metric, group, workload));
        let values: Vec<f64> = values.collect::<Option<_>>()?;
        (!values.is_empty()).then(|| mean(&values))
    }
}
