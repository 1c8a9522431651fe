//! Intervals of means by the block bootstrap.

use dfrsim_model::Seed;
use rand::RngExt as _;

/// Mean with a 90 % interval.
#[derive(Clone, Copy, Debug)]
pub struct Interval {
    /// Mean.
    pub mean: f64,
    /// Lower bound.
    pub low: f64,
    /// Upper bound.
    pub high: f64,
}

const RESAMPLES: usize = 1_000;

/// Computes the mean of values in order of time, and its interval. Consecutive snapshots are
/// correlated, so blocks are drawn, of the square root of the number of values.
pub(super) fn interval(values: &[f64]) -> Interval {
    let mean = super::mean(values);
    if values.len() < 2 {
        return Interval { mean, low: mean, high: mean };
    }
    let block = (values.len() as f64).sqrt().round() as usize;
    let mut rng = Seed::default().fork("bootstrap").rng();
    let mut means: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            let (mut sum, mut left) = (0.0, values.len());
            while left > 0 {
                let begin = rng.random_range(0..values.len());
                for at in 0..block.min(left) {
                    sum += values[(begin + at) % values.len()];
                }
                left -= block.min(left);
            }
            sum / values.len() as f64
        })
        .collect();
    means.sort_by(f64::total_cmp);
    Interval { mean, low: means[RESAMPLES / 20], high: means[RESAMPLES - 1 - RESAMPLES / 20] }
}
