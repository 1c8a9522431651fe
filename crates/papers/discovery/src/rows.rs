//! Columns of `rows.csv`, and samples of them.

use crate::engine::{Approach, Outcome};
use dfrsim_lab::{Long, Row as _, columns, mean};
use std::collections::BTreeMap;

columns! {
    /// A simulation.
    pub struct Row of |outcome: &Outcome| {
        /// Name of the workload.
        label pub workload: String,
        /// Number of the replication of this workload, from 0.
        instance pub replication: u32,
        /// Name of the policies' setting.
        variant pub setting: String,
        /// Approach that sets the weights.
        variant pub approach: String,
        /// Average over time of the minimum yield of all machines.
        primary(more) pub average_minimum_yield: f64 = outcome.average_minimum_yield,
        /// Minimum over the machines of their average yields.
        metric(more) pub minimum_average_yield: f64 = outcome.minimum_average_yield,
        /// Average yield over time and machines.
        metric(more) pub mean_yield: f64 = mean(&outcome.average_yields),
        /// Average fraction of a node's CPU that is in use.
        metric(more) pub utilisation: f64 = outcome.utilisation,
        /// Number of machines migrated.
        metric(less) pub migrations: u64 = outcome.migrations,
        /// Number of allocation phases that migrated machines.
        metric(less) pub remappings: u64 = outcome.remappings,
    }
}

/// Columns of the metrics of the published tables.
pub(crate) const METRICS: [&str; 2] = [AVERAGE_MINIMUM, MINIMUM_AVERAGE];
pub(crate) const AVERAGE_MINIMUM: &str = "average_minimum_yield";
pub(crate) const MINIMUM_AVERAGE: &str = "minimum_average_yield";

/// Returns the values of a metric with an approach, in the order of the replications.
pub(crate) fn values(
    rows: &Long<Row>,
    workload: &str,
    setting: &str,
    approach: Approach,
    metric: &str,
) -> Vec<f64> {
    by_replication(rows, workload, setting, approach, metric).into_values().collect()
}

/// Returns the values of a metric with an approach by replication, for those that have one.
pub(crate) fn by_replication(
    rows: &Long<Row>,
    workload: &str,
    setting: &str,
    approach: Approach,
    metric: &str,
) -> BTreeMap<u32, f64> {
    let is_one =
        |row: &&Row| row.workload == workload && row.setting == setting && row.approach == approach.name();
    rows.ok().filter(is_one).filter_map(|row| Some((row.replication, row.value(metric)?))).collect()
}
