//! Mean, deviation and maximum of a sample.

/// Figures of a sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Statistics {
    /// The arithmetic mean.
    pub(super) mean: f64,
    /// The sample standard deviation (divisor n - 1); nothing for a single value.
    pub(super) deviation: Option<f64>,
    /// The largest value.
    pub(super) max: f64,
}

impl Statistics {
    /// The figures of these values, nothing of no values.
    pub(super) fn of(values: &[f64]) -> Option<Statistics> {
        let max = values.iter().copied().max_by(f64::total_cmp)?;
        let mean = mean(values);
        // In two passes: the squares of large values would eat up their differences.
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let deviation = (values.len() > 1).then(|| (squares / (values.len() - 1) as f64).sqrt());
        Some(Statistics { mean, deviation, max })
    }
}

/// The arithmetic mean; not a number for no values.
pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::Statistics;

    /// 2, 4, 9: mean 5, squares 9 + 1 + 16 = 26, 26 / 2 = 13.
    #[test]
    fn deviation_is_of_a_sample() {
        let expected = Statistics { mean: 5.0, deviation: Some(13_f64.sqrt()), max: 9.0 };
        assert_eq!(Statistics::of(&[2.0, 9.0, 4.0]), Some(expected));
        assert_eq!(Statistics::of(&[3.0]), Some(Statistics { mean: 3.0, deviation: None, max: 3.0 }));
        assert_eq!(Statistics::of(&[]), None);
    }
}
