//! Samples over the seeds.

use super::experiment::Row;
use super::scenario::{Variant, WorkloadGroup};
use dfrsim_discovery::Approach;

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
