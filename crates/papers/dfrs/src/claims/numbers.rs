//! Metrics that claims are about.

use dfrsim_lab::{Statistics, average};

/// Metrics of a policy: mean, sample standard deviation and minimum of the degradation; GB/s of
/// preemptions and migrations together, mean and maximum.
pub(super) const METRICS: [&str; 5] = ["degradation", "deviation", "least", "gb_per_s", "max_gb_per_s"];

/// Numbers of a policy, in the order of [`METRICS`].
pub(super) type Numbers = [Option<f64>; METRICS.len()];

/// Values of a row that claims are about.
#[derive(Clone, Copy)]
pub(super) struct SampledRow {
    pub(super) degradation: f64,
    /// GB/s of preemptions and migrations together.
    pub(super) gb_per_s: f64,
}

/// Computes the metrics of rows.
pub(super) fn numbers(rows: &[SampledRow]) -> Numbers {
    let degradations: Vec<f64> = rows.iter().map(|row| row.degradation).collect();
    let statistics = Statistics::from_values(&degradations);
    let gb_per_s = || rows.iter().map(|row| row.gb_per_s);
    [
        statistics.map(|it| it.mean),
        statistics.and_then(|it| it.deviation),
        degradations.into_iter().reduce(f64::min),
        average(gb_per_s()),
        gb_per_s().reduce(f64::max),
    ]
}
