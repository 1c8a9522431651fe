//! Summary statistics of a distribution.

use schemars::JsonSchema;
use serde::Serialize;

/// Mean, quantiles and maximum of a set of values. Quantiles are values of the set (nearest rank);
/// beyond a million jobs they are approximated (see [`Metrics`](crate::Metrics)).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Distribution {
    /// Arithmetic mean.
    pub mean: f64,
    /// Median: half of the values are at most this large.
    pub median: f64,
    /// 95th percentile.
    pub p95: f64,
    /// 99th percentile.
    pub p99: f64,
    /// Largest value.
    pub max: f64,
}

impl Distribution {
    /// Computes the statistics of the values, which are reordered; `None` if there are none. Values
    /// must not be NaN.
    pub fn of(values: &mut [f64]) -> Option<Distribution> {
        let count = values.len();
        let mean = values.iter().sum::<f64>() / count as f64;
        let max = values.iter().copied().max_by(f64::total_cmp)?;
        let mut quantile =
            |percent: usize| *values.select_nth_unstable_by(Self::rank(count, percent) - 1, f64::total_cmp).1;
        Some(Distribution { mean, median: quantile(50), p95: quantile(95), p99: quantile(99), max })
    }

    /// Computes the statistics of a histogram: values in ascending order, each with its number of
    /// occurrences.
    pub(crate) fn of_counts(
        values: &(impl Iterator<Item = (f64, usize)> + Clone),
        count: usize,
        sum: f64,
        max: f64,
    ) -> Distribution {
        let quantile = |percent: usize| {
            let (rank, mut passed) = (Self::rank(count, percent), 0);
            let found = values.clone().find(|(_, count)| {
                passed += count;
                passed >= rank
            });
            found.map_or(max, |(value, _)| value)
        };
        let (median, p95, p99) = (quantile(50), quantile(95), quantile(99));
        Distribution { mean: sum / count as f64, median, p95, p99, max }
    }

    /// Returns the nearest rank of the quantile among `count` sorted values, counted from 1.
    fn rank(count: usize, percent: usize) -> usize {
        (count * percent).div_ceil(100).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::Distribution;

    #[test]
    fn quantiles_are_of_the_nearest_rank() {
        let mut values: Vec<f64> = (1..=200).rev().map(f64::from).collect();
        let expected = Distribution { mean: 100.5, median: 100.0, p95: 190.0, p99: 198.0, max: 200.0 };
        assert_eq!(Distribution::of(&mut values), Some(expected));
        assert_eq!(Distribution::of(&mut []), None);
        let single = Distribution { mean: 3.0, median: 3.0, p95: 3.0, p99: 3.0, max: 3.0 };
        assert_eq!(Distribution::of(&mut [3.0]), Some(single));
    }
}
