//! The figures that are watched.

use crate::UnknownFigure;
use crate::row::Figures;
use crate::tables::groups::Group;
use crate::tables::statistics::Statistics;
use std::fmt;
use std::str::FromStr;

/// A figure of a group. Counts are sums over its instances; the others are means and maxima over those that did not
/// fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Figure {
    /// Simulations, failed ones too.
    Instances,
    /// Simulations that failed.
    Failed,
    /// Jobs that ended, killed ones too.
    Completed,
    /// Jobs killed at their estimate.
    Killed,
    /// Jobs turned away.
    Rejected,
    /// Mean degradation from the bound.
    MeanDegradation,
    /// Largest degradation from the bound.
    MaxDegradation,
    /// Mean over the instances of their mean bounded stretch.
    MeanBoundedStretch,
    /// Mean over the instances of the bounded stretch that 95 % of the jobs do not exceed.
    P95BoundedStretch,
    /// Mean over the instances of their largest bounded stretch.
    MaxBoundedStretch,
    /// Mean over the instances of what pauses and resumes write and read, in GB/s.
    PreemptionBandwidth,
    /// Mean over the instances of what migrations write and read, in GB/s.
    MigrationBandwidth,
    /// How often jobs were paused.
    Pauses,
    /// How often jobs were migrated.
    Migrations,
}

impl Figure {
    /// All of them, in the order of baselines and reports.
    pub const ALL: [Figure; 14] = [
        Figure::Instances,
        Figure::Failed,
        Figure::Completed,
        Figure::Killed,
        Figure::Rejected,
        Figure::MeanDegradation,
        Figure::MaxDegradation,
        Figure::MeanBoundedStretch,
        Figure::P95BoundedStretch,
        Figure::MaxBoundedStretch,
        Figure::PreemptionBandwidth,
        Figure::MigrationBandwidth,
        Figure::Pauses,
        Figure::Migrations,
    ];

    /// Their names, in the same order; those of the tables where they stand in one.
    pub(super) const NAMES: [&'static str; 14] = [
        "instances",
        "failed",
        "completed",
        "killed",
        "rejected",
        "mean_degradation",
        "max_degradation",
        "mean_bounded_stretch",
        "p95_bounded_stretch",
        "max_bounded_stretch",
        "mean_preemption_gb_per_s",
        "mean_migration_gb_per_s",
        "pauses",
        "migrations",
    ];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        Figure::NAMES[self as usize]
    }

    /// Whether more of it is better; of most figures less is.
    #[must_use]
    pub fn more_is_better(self) -> bool {
        matches!(self, Figure::Instances | Figure::Completed)
    }

    /// Its value for a group; nothing if it is about simulations that did not fail and there is none.
    pub(super) fn of(self, group: &Group<'_>, node_memory_gb: f64) -> Option<f64> {
        let count = |count: fn(&Figures) -> u64| Some(group.figures().map(count).sum::<u64>() as f64);
        let statistics = |figure: &dyn Fn(&Figures) -> f64| Statistics::of(&group.values(figure));
        let mean = |figure: &dyn Fn(&Figures) -> f64| Some(statistics(figure)?.mean);
        match self {
            Figure::Instances => Some(group.rows.len() as f64),
            Figure::Failed => Some(group.failed() as f64),
            Figure::Completed => count(|figures| (figures.counted + figures.trimmed) as u64),
            Figure::Killed => count(|figures| figures.killed),
            Figure::Rejected => count(|figures| figures.rejected),
            Figure::MeanDegradation => mean(&|figures| figures.degradation),
            Figure::MaxDegradation => Some(statistics(&|figures| figures.degradation)?.max),
            Figure::MeanBoundedStretch => mean(&|figures| figures.mean_bounded_stretch),
            Figure::P95BoundedStretch => mean(&|figures| figures.p95_bounded_stretch),
            Figure::MaxBoundedStretch => mean(&|figures| figures.max_bounded_stretch),
            Figure::PreemptionBandwidth => mean(&|figures| figures.preemption_gb_per_s(node_memory_gb)),
            Figure::MigrationBandwidth => mean(&|figures| figures.migration_gb_per_s(node_memory_gb)),
            Figure::Pauses => count(|figures| figures.pauses),
            Figure::Migrations => count(|figures| figures.migrations),
        }
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Figure {
    type Err = UnknownFigure;
    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let known = Figure::ALL.into_iter().find(|figure| figure.name() == name);
        known.ok_or_else(|| UnknownFigure::new(name, &Figure::NAMES))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_in_the_order_of_the_figures() {
        for (place, figure) in Figure::ALL.into_iter().enumerate() {
            assert_eq!(figure as usize, place);
            assert_eq!(figure.name().parse(), Ok(figure));
        }
        assert_eq!(Figure::MigrationBandwidth.name(), "mean_migration_gb_per_s");
        let wrong = "mean_degredation".parse::<Figure>().unwrap_err();
        assert!(wrong.to_string().ends_with("did you mean `mean_degradation`?"), "{wrong}");
    }
}
