//! Statistics of samples.

/// Mean, standard deviation and maximum of a sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Statistics {
    /// Arithmetic mean.
    pub mean: f64,
    /// Sample standard deviation (divisor n - 1); `None` for a single value.
    pub deviation: Option<f64>,
    /// Largest value.
    pub max: f64,
}

impl Statistics {
    /// Computes the statistics of these values; `None` if there are none.
    pub fn from_values(values: &[f64]) -> Option<Statistics> {
        let max = values.iter().copied().max_by(f64::total_cmp)?;
        let mean = mean(values);
        // Two passes are needed: subtracting the squares of large values would cancel their
        // differences.
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let deviation = (values.len() > 1).then(|| (squares / (values.len() - 1) as f64).sqrt());
        Some(Statistics { mean, deviation, max })
    }
}

/// Computes the arithmetic mean; NaN if there are no values.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Computes the arithmetic mean; `None` if there are no values.
pub fn average(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let values: Vec<f64> = values.into_iter().collect();
    (!values.is_empty()).then(|| mean(&values))
}

/// Finds the smallest and the largest value; `None` if there are none.
pub fn range(values: impl IntoIterator<Item = f64>) -> Option<(f64, f64)> {
    values.into_iter().fold(None, |range, value| {
        let (low, high) = range.unwrap_or((value, value));
        Some((value.min(low), value.max(high)))
    })
}

/// Computes Spearman's rank correlation of pairs of values, with mean ranks for ties; `None` for
/// fewer than two pairs or if one side is constant.
pub fn rank_correlation(pairs: &[(f64, f64)]) -> Option<f64> {
    let first = ranks(&pairs.iter().map(|pair| pair.0).collect::<Vec<_>>());
    let second = ranks(&pairs.iter().map(|pair| pair.1).collect::<Vec<_>>());
    let (mean_first, mean_second) = (mean(&first), mean(&second));
    let sum = |product: &dyn Fn(f64, f64) -> f64| -> f64 {
        let deviations = first.iter().zip(&second).map(|(a, b)| (a - mean_first, b - mean_second));
        deviations.map(|(a, b)| product(a, b)).sum()
    };
    let scale = (sum(&|a, _| a * a) * sum(&|_, b| b * b)).sqrt();
    (scale > 0.0).then(|| sum(&|a, b| a * b) / scale)
}

/// Computes the rank of each value, from 1; ties have the mean of their ranks.
fn ranks(values: &[f64]) -> Vec<f64> {
    let rank = |value: &f64| {
        let below = values.iter().filter(|other| *other < value).count();
        let equal = values.iter().filter(|other| *other == value).count();
        below as f64 + (equal as f64 + 1.0) / 2.0
    };
    values.iter().map(rank).collect()
}

#[cfg(test)]
mod tests {
    use super::{Statistics, rank_correlation};

    /// Checks ranks 1, 2.5, 2.5, 4 and 1, 2, 3, 4: deviations from 2.5 give 4.5 / sqrt(4.5 * 5).
    #[test]
    fn equal_values_share_their_rank() {
        let pairs = [(1.0, 10.0), (5.0, 20.0), (5.0, 30.0), (9.0, 99.0)];
        let expected = 4.5 / (4.5_f64 * 5.0).sqrt();
        assert!((rank_correlation(&pairs).unwrap() - expected).abs() < 1e-12);
        assert_eq!(rank_correlation(&[(1.0, 3.0), (2.0, 2.0), (3.0, 1.0)]), Some(-1.0));
        assert_eq!(rank_correlation(&[(1.0, 2.0)]), None);
    }

    /// Checks 2, 4, 9: mean 5, squares 9 + 1 + 16 = 26, 26 / 2 = 13.
    #[test]
    fn deviation_is_of_a_sample() {
        let expected = Statistics { mean: 5.0, deviation: Some(13_f64.sqrt()), max: 9.0 };
        assert_eq!(Statistics::from_values(&[2.0, 9.0, 4.0]), Some(expected));
        assert_eq!(
            Statistics::from_values(&[3.0]),
            Some(Statistics { mean: 3.0, deviation: None, max: 3.0 })
        );
        assert_eq!(Statistics::from_values(&[]), None);
    }
}
