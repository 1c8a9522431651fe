//! Quartiles, whiskers and empirical distribution functions of samples.

/// Statistics shown in a box plot.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BoxPlot {
    pub(crate) count: usize,
    /// Quartiles by nearest rank; each is a value of the sample.
    pub(crate) quartiles: [f64; 3],
    /// Smallest and largest value within 1.5 interquartile ranges of the box (Tukey).
    pub(crate) whiskers: [f64; 2],
    /// Values beyond the whiskers, ascending.
    pub(crate) outliers: Vec<f64>,
}

impl BoxPlot {
    /// Computes the statistics of ascending values; `None` if there are no values.
    pub(crate) fn of(rising: &[f64]) -> Option<BoxPlot> {
        let rank = |quarters: usize| (rising.len() * quarters).div_ceil(4).checked_sub(1);
        let quartiles = [rising[rank(1)?], rising[rank(2)?], rising[rank(3)?]];
        let reach = 1.5 * (quartiles[2] - quartiles[0]);
        let (low, high) = (quartiles[0] - reach, quartiles[2] + reach);
        let begin = rising.partition_point(|&value| value < low);
        let end = rising.partition_point(|&value| value <= high);
        Some(BoxPlot {
            count: rising.len(),
            quartiles,
            whiskers: [rising[begin], rising[end - 1]],
            outliers: [&rising[..begin], &rising[end..]].concat(),
        })
    }
}

/// Computes the empirical distribution function of ascending values: each distinct value with the
/// fraction of values that are at most as large.
pub(crate) fn distribution(rising: &[f64]) -> Vec<(f64, f64)> {
    let count = rising.len() as f64;
    let mut steps: Vec<(f64, f64)> = Vec::new();
    for (index, &value) in rising.iter().enumerate() {
        let part = (index + 1) as f64 / count;
        match steps.last_mut() {
            Some(last) if last.0 == value => last.1 = part,
            _ => steps.push((value, part)),
        }
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use dfrsim_lab::range;
    use proptest::prelude::*;

    /// Checks the quartiles of 1 to 8, the 2nd, 4th and 6th value: 2 - 6 to 6 + 6 is within the
    /// whiskers, 20 is not.
    #[test]
    fn whiskers_end_at_values() {
        let plot = BoxPlot::of(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 20.0]).unwrap();
        let expected =
            BoxPlot { count: 8, quartiles: [2.0, 4.0, 6.0], whiskers: [1.0, 7.0], outliers: vec![20.0] };
        assert_eq!(plot, expected);
        assert_eq!(BoxPlot::of(&[3.0]).unwrap().quartiles, [3.0; 3]);
        assert_eq!(BoxPlot::of(&[]), None);
    }

    proptest! {
        /// Computes the statistics from their definitions, value by value, as a reference.
        #[test]
        fn figures_are_those_of_their_definitions(values in prop::collection::vec(0..50_u32, 1..80)) {
            let mut rising: Vec<f64> = values.iter().map(|&value| f64::from(value)).collect();
            rising.sort_by(f64::total_cmp);
            let plot = BoxPlot::of(&rising).unwrap();
            let no_larger = |limit: f64| rising.iter().filter(|&&value| value <= limit).count();
            for (quarters, quartile) in (1..).zip(plot.quartiles) {
                let smallest = rising.iter().find(|&&value| 4 * no_larger(value) >= quarters * rising.len());
                prop_assert_eq!(smallest, Some(&quartile));
            }
            let reach = 1.5 * (plot.quartiles[2] - plot.quartiles[0]);
            let is_outlier = |value: &&f64| {
                **value < plot.quartiles[0] - reach || **value > plot.quartiles[2] + reach
            };
            let outliers: Vec<f64> = rising.iter().filter(is_outlier).copied().collect();
            let others = rising.iter().filter(|value| !is_outlier(value)).copied();
            let (low, high) = range(others).unwrap();
            prop_assert_eq!(&plot.outliers, &outliers);
            prop_assert_eq!(plot.whiskers, [low, high]);

            let steps = distribution(&rising);
            prop_assert!(steps.windows(2).all(|pair| pair[0].0 < pair[1].0));
            for limit in 0..50 {
                let limit = f64::from(limit);
                let part = steps.iter().rev().find(|step| step.0 <= limit).map_or(0.0, |step| step.1);
                prop_assert_eq!(part, no_larger(limit) as f64 / rising.len() as f64);
            }
        }
    }
}
