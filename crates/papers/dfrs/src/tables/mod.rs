//! Tables of the study.

mod bandwidth;
mod bounds;
mod cpu_needs;
mod degradation;
mod devices;
mod ensemble;
mod layouts;
mod metrics;
mod summary;
mod vcsim;
mod waits;

pub(crate) use bandwidth::{gb_per_s, migration_gb_per_s, preemption_gb_per_s};
pub(crate) use vcsim::compare_with_vcsim as vcsim_pairs;

use crate::groups::Matrix;
use dfrsim_lab::NamedTable;

pub(crate) fn all(matrix: &Matrix<'_>) -> Vec<NamedTable> {
    let groups = matrix.groups();
    let (waits, for_readers) = waits::tables(matrix, &groups);
    let waits = NamedTable::printed("waits", "Hours of waiting", waits).with_summary(for_readers);
    let title =
        if matrix.scenario.bounded { "Degradation from the bound" } else { "Largest bounded stretch" };
    let summary = summary::table(matrix, &groups);
    // Who requests waits of a site without a bound asks about waits; the largest stretch is for files.
    let summary = match matrix.scenario.bounded || waits.table.is_empty() {
        true => NamedTable::printed("summary", title, summary),
        false => NamedTable::new("summary", title, summary),
    };
    let [first, second] = if matrix.scenario.bounded { [summary, waits] } else { [waits, summary] };
    vec![
        first,
        second,
        NamedTable::printed("devices", "Devices: parts held and useless", devices::table(&groups)),
        NamedTable::new("degradation", title, degradation::table(matrix, &groups)),
        NamedTable::new(
            "cpu_needs",
            "Bounded stretch with wrong CPU needs: ratios to the same policy that knows them",
            cpu_needs::table(matrix.scenario, &groups),
        ),
        NamedTable::new(
            "degradation_by_policy",
            "Degradation in the layout of tables 5.2 and B.1 to B.3",
            layouts::degradation(matrix, &groups),
        ),
        NamedTable::new(
            "bandwidth_by_policy",
            "GB/s in the layout of table 6.1",
            layouts::bandwidth(matrix, &groups),
        ),
        NamedTable::new("bandwidth", "Costs of preemptions and migrations", bandwidth::table(&groups)),
        NamedTable::new(
            "bandwidth_compared",
            "Costs of preemptions and migrations beside published ones",
            bandwidth::compared(&groups),
        ),
        NamedTable::new("bounds", "Lower bounds on the maximum bounded stretch", bounds::table(matrix))
            .with_summary(bounds::summary(matrix)),
        NamedTable::new("vcsim", "Beside the author's own simulator", vcsim::table(matrix, &groups)),
        NamedTable::new("metrics", "Mean of each metric", metrics::table(&groups))
            .with_summary(metrics::summary(&groups)),
    ]
}

/// Largest factor between a mean and the published one, either way, at which they count as near.
const NEAR: f64 = 1.5;

/// Checks that our value is near a published one.
fn is_near(ours: f64, published: f64) -> bool {
    (1.0 / NEAR..=NEAR).contains(&(ours / published))
}
