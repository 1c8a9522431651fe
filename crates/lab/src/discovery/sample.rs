//! Samples over the seeds, and their means with confidence intervals.

use super::experiment::Row;
use super::scenario::{Scenario, Variant, WorkloadGroup};
use crate::comparison::{Bootstrap, Confidence, Estimate};
use dfrsim_discovery::Approach;
use dfrsim_model::Seed;

/// A figure of a row.
pub(super) type Figure = fn(&Row) -> f64;

pub(super) const AVERAGE_MINIMUM: Figure = |row| row.average_minimum_yield;
pub(super) const MINIMUM_AVERAGE: Figure = |row| row.minimum_average_yield;

/// The rows of an approach, in the order of the seeds.
pub(super) fn rows_of<'a>(
    rows: &'a [Row],
    group: &WorkloadGroup,
    variant: &Variant,
    approach: Approach,
) -> Vec<&'a Row> {
    let approach = approach.to_string();
    let is_one =
        |row: &&Row| row.workload == group.name && row.variant == variant.name && row.approach == approach;
    rows.iter().filter(is_one).collect()
}

/// The mean with its 95 % interval; nothing of no values.
pub(super) fn mean(scenario: &Scenario, values: &[f64]) -> Option<Estimate> {
    let seed = Seed::new(scenario.seed).fork("bootstrap");
    let bootstrap = Bootstrap { seed, resamples: 10_000, confidence: Confidence::default() };
    let single: Vec<Vec<f64>> = values.iter().map(|&value| vec![value]).collect();
    bootstrap.estimates(&single).map(|estimates| estimates.mean)
}
