//! Bootstrap confidence intervals of mean and median.

use super::statistics::mean;
use crate::text::percent;
use dfrsim_model::Seed;
use rand::RngExt as _;
use statrs::distribution::{ContinuousCDF as _, Normal};
use std::fmt;

/// A statistic of a sample with its confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Statistic of the sample itself.
    pub value: f64,
    /// Confidence interval as (lower end, upper end); `None` for a single value.
    pub interval: Option<(f64, f64)>,
}

/// Mean and median of a sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimates {
    /// Mean, with the bias-corrected and accelerated (BCa) interval.
    pub mean: Estimate,
    /// Median, with the percentile interval: the jackknife from which BCa computes its acceleration
    /// fails for medians (Efron and Tibshirani, 11.6).
    pub median: Estimate,
}

/// Confidence level of intervals, above 0 and below 1. Parses from `95%` and from `0.95`.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Confidence(f64);

impl Confidence {
    /// Returns the confidence level as a probability.
    #[must_use]
    pub const fn probability(self) -> f64 {
        self.0
    }
}

impl Default for Confidence {
    fn default() -> Confidence {
        Confidence(0.95)
    }
}

dfrsim_model::parses!(
    Confidence,
    "expected a confidence level such as 95% or 0.95, found `{text}`",
    |text| { percent::parse_fraction(text).filter(|part| 0.0 < *part && *part < 1.0).map(Confidence) }
);

impl fmt::Display for Confidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&percent::percent(self.0))
    }
}

/// Settings of bootstrap intervals.
#[derive(Clone, Copy, Debug)]
pub struct Bootstrap {
    /// Seed of the resamples.
    pub seed: Seed,
    /// Number of resamples; at least one.
    pub resamples: usize,
    /// Confidence level of the intervals.
    pub confidence: Confidence,
}

impl Estimates {
    /// Maps values and intervals by an increasing function, which preserves the order of their ends.
    pub fn map(self, rising: impl Fn(f64) -> f64) -> Estimates {
        let map = |Estimate { value, interval }: Estimate| Estimate {
            value: rising(value),
            interval: interval.map(|(low, high)| (rising(low), rising(high))),
        };
        Estimates { mean: map(self.mean), median: map(self.median) }
    }
}

impl Bootstrap {
    /// Creates the settings for the tables of a study with this seed: 10,000 resamples, 95 %.
    pub fn for_tables(seed: u64) -> Bootstrap {
        let seed = Seed::new(seed).fork("bootstrap");
        Bootstrap { seed, resamples: 10_000, confidence: Confidence::default() }
    }
    /// Returns the fraction of replicates that is cut off at each end.
    pub(crate) fn tail(&self) -> f64 {
        (1.0 - self.confidence.0) / 2.0
    }
    /// Computes the percentile interval of replicates in any order; `None` if there are none.
    pub(crate) fn percentiles(&self, mut replicates: Vec<f64>) -> Option<(f64, f64)> {
        replicates.sort_unstable_by(f64::total_cmp);
        (!replicates.is_empty()).then(|| interval(&replicates, (self.tail(), 1.0 - self.tail())))
    }
    /// Computes the mean of independent values with its interval; `None` if there are none.
    pub fn mean(&self, values: &[f64]) -> Option<Estimate> {
        let blocks: Vec<Vec<f64>> = values.iter().map(|&value| vec![value]).collect();
        self.estimates(&blocks).map(|estimates| estimates.mean)
    }

    /// Computes the ratio of the means of both sides of pairs, the first divided by the second, with
    /// its BCa interval; whole blocks of pairs are resampled. `None` without pairs, or if the mean of
    /// the second side is zero in the sample or without one of the blocks.
    pub fn ratio_of_means(&self, blocks: &[Vec<(f64, f64)>]) -> Option<Estimate> {
        let value = ratio_of_sums(blocks.iter().flatten());
        if !value.is_finite() {
            return None;
        }
        if blocks.len() < 2 {
            return Some(Estimate { value, interval: None });
        }
        let without = |out: usize| {
            let others = blocks.iter().enumerate().filter(|(at, _)| *at != out);
            ratio_of_sums(others.flat_map(|(_, block)| block))
        };
        let without_each: Vec<f64> = (0..blocks.len()).map(without).collect();
        if !without_each.iter().all(|ratio| ratio.is_finite()) {
            return None;
        }
        let mut rng = self.seed.rng();
        let mut replicate = || {
            let drawn: Vec<usize> = blocks.iter().map(|_| rng.random_range(0..blocks.len())).collect();
            ratio_of_sums(drawn.into_iter().flat_map(|at| &blocks[at]))
        };
        // A resample may consist of blocks whose second side is zero; it has no ratio.
        let mut replicates: Vec<f64> = (0..self.resamples).map(|_| replicate()).collect();
        replicates.retain(|ratio| ratio.is_finite());
        replicates.sort_unstable_by(f64::total_cmp);
        let tails = bca_tails(self.tail(), bias(&replicates, value), acceleration(&without_each));
        Some(Estimate { value, interval: (!replicates.is_empty()).then(|| interval(&replicates, tails)) })
    }

    /// Computes mean and median of a sample that consists of blocks, with intervals from the same
    /// resamples; `None` if it is empty.
    ///
    /// Whole blocks are resampled, because the values of one block (a trace at several loads) are
    /// not independent.
    pub fn estimates(&self, blocks: &[Vec<f64>]) -> Option<Estimates> {
        let mut values = blocks.concat();
        if values.is_empty() {
            return None;
        }
        let (mean_value, median_value) = (mean(&values), median(&mut values));
        let without = |value| Estimate { value, interval: None };
        if blocks.len() == 1 {
            return Some(Estimates { mean: without(mean_value), median: without(median_value) });
        }
        // Results are often mostly equal, so that all differences are 0; all resamples would then be
        // 0 as well.
        if values.iter().all(|&value| value == 0.0) {
            let point = Estimate { value: 0.0, interval: Some((0.0, 0.0)) };
            return Some(Estimates { mean: point, median: point });
        }
        let mut rng = self.seed.rng();
        let (mut means, mut medians) = (Vec::new(), Vec::new());
        for _ in 0..self.resamples {
            values.clear();
            for _ in blocks {
                values.extend_from_slice(&blocks[rng.random_range(0..blocks.len())]);
            }
            means.push(mean(&values));
            medians.push(median(&mut values));
        }
        means.sort_unstable_by(f64::total_cmp);
        let tails =
            bca_tails(self.tail(), bias(&means, mean_value), acceleration(&means_without_each(blocks)));
        Some(Estimates {
            mean: Estimate { interval: Some(interval(&means, tails)), ..without(mean_value) },
            median: Estimate { interval: self.percentiles(medians), ..without(median_value) },
        })
    }
}

/// Computes the ratio of the sums of both sides of pairs, which is that of their means.
fn ratio_of_sums<'a>(pairs: impl IntoIterator<Item = &'a (f64, f64)>) -> f64 {
    let (one, other) = pairs.into_iter().fold((0.0, 0.0), |sums, pair| (sums.0 + pair.0, sums.1 + pair.1));
    one / other
}

/// Computes the median; for an even number of values, the mean of the two in the middle. Reorders
/// the values.
fn median(values: &mut [f64]) -> f64 {
    let middle = values.len() / 2;
    let is_even = values.len().is_multiple_of(2);
    let (below, &mut upper, _) = values.select_nth_unstable_by(middle, f64::total_cmp);
    match below.iter().copied().max_by(f64::total_cmp) {
        Some(lower) if is_even => lower.midpoint(upper),
        _ => upper,
    }
}

/// Returns the values of sorted replicates at two levels, rounded outwards: the k-th smallest of B
/// is at level k / (B + 1).
fn interval(replicates: &[f64], (low, high): (f64, f64)) -> (f64, f64) {
    let count = replicates.len() as f64;
    let at = |place: f64| replicates[place.clamp(1.0, count) as usize - 1];
    (at(((count + 1.0) * low).floor()), at(((count + 1.0) * high).ceil()))
}

/// Computes the bias correction: the fraction of replicates below the value, as a standard normal
/// quantile. Equal replicates count half.
fn bias(replicates: &[f64], value: f64) -> f64 {
    let below = replicates.partition_point(|replicate| *replicate < value);
    let equal = replicates.partition_point(|replicate| *replicate <= value) - below;
    let count = replicates.len() as f64;
    let part = (below as f64 + equal as f64 / 2.0) / count;
    // If all replicates are on one side, the fraction is bounded by what a sample of this size can
    // show.
    let least = 0.5 / count;
    Normal::standard().inverse_cdf(part.clamp(least, 1.0 - least))
}

/// Computes the mean without each of the blocks.
fn means_without_each(blocks: &[Vec<f64>]) -> Vec<f64> {
    let sums: Vec<f64> = blocks.iter().map(|block| block.iter().sum()).collect();
    let sum: f64 = sums.iter().sum();
    let count: usize = blocks.iter().map(Vec::len).sum();
    let without = |(block, own): (&Vec<f64>, &f64)| (sum - own) / (count - block.len()) as f64;
    blocks.iter().zip(&sums).map(without).collect()
}

/// Computes the acceleration by the jackknife: a sixth of the skewness of the statistics without one
/// block each.
fn acceleration(without_each: &[f64]) -> f64 {
    let center = mean(without_each);
    let power = |exponent| -> f64 { without_each.iter().map(|value| (center - value).powi(exponent)).sum() };
    let scale = 6.0 * power(2).powf(1.5);
    // Powers of very large numbers overflow.
    Some(power(3) / scale).filter(|skewness| scale > 0.0 && skewness.is_finite()).unwrap_or(0.0)
}

/// Computes the levels of the BCa interval that replace `tail` and `1 - tail`.
fn bca_tails(tail: f64, bias: f64, acceleration: f64) -> (f64, f64) {
    let normal = Normal::standard();
    let level = |tail: f64| {
        let shifted = bias + normal.inverse_cdf(tail);
        normal.cdf(bias + shifted / (1.0 - acceleration * shifted))
    };
    (level(tail), level(1.0 - tail))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rand_distr::{Distribution as _, Exp1, StandardNormal};
    use std::cmp::Ordering;

    fn bootstrap(seed: u64, resamples: usize, confidence: f64) -> Bootstrap {
        Bootstrap { seed: Seed::new(seed), resamples, confidence: Confidence(confidence) }
    }

    /// Wraps each value in a block of its own.
    fn single(values: &[f64]) -> Vec<Vec<f64>> {
        values.iter().map(|&value| vec![value]).collect()
    }

    #[test]
    fn the_largest_numbers_have_intervals() {
        let huge = [1.0, f64::MIN / 2.0, 0.5, f64::MAX / 4.0];
        let estimates = bootstrap(1, 100, 0.95).estimates(&single(&huge)).unwrap();
        assert!(estimates.mean.interval.is_some_and(|(low, high)| low < high));
    }

    /// Checks the sample 0, 0, 3 by hand: the mean is 1; resamples have the means 0, 1, 2, 3 in 8,
    /// 12, 6, 1 cases of 27, and the median 0 in 20, 3 in 7 cases.
    ///
    /// Bias: (8 + 12 / 2) / 27 = 0.5185, quantile 0.0464. Acceleration: deviations -1, -1, 2; cubes
    /// 6, squares 6; 6 / (6 * 6^1.5) = 0.0680. At 90 %, -1.6449 becomes 0.0464 - 1.5985 / 1.1088 =
    /// -1.3952, level 0.0815, and 1.6449 becomes 0.0464 + 1.6913 / 0.8849 = 1.9576, level 0.9749.
    /// Means are 0 up to level 0.2963 and 3 from 0.9630, so BCa gives 0 to 3, where the levels 0.05
    /// and 0.95 would give 0 to 2.
    #[test]
    fn a_case_by_hand() {
        assert!((acceleration(&means_without_each(&single(&[0.0, 0.0, 3.0]))) - 0.068_041_38).abs() < 1e-8);
        let (low, high) = bca_tails(0.05, 0.0464, 0.0680);
        assert!((low - 0.0815).abs() < 2e-4 && (high - 0.9749).abs() < 2e-4, "{low} {high}");

        let estimates = bootstrap(1, 20_000, 0.9).estimates(&single(&[0.0, 0.0, 3.0])).unwrap();
        assert_eq!(estimates.mean, Estimate { value: 1.0, interval: Some((0.0, 3.0)) });
        assert_eq!(estimates.median, Estimate { value: 0.0, interval: Some((0.0, 3.0)) });
        // The median is 0 with probability 0.74, so both ends of a 40 % interval are 0.
        let narrow = bootstrap(1, 20_000, 0.4).estimates(&single(&[0.0, 0.0, 3.0])).unwrap();
        assert_eq!(narrow.median.interval, Some((0.0, 0.0)));
    }

    /// If all values of the second side are 1, the ratio of means is the mean of the first side. Its
    /// interval is derived by hand above. (1 + 5) / (2 + 1) = 2; without the first pair 5 / 1, without the second 1 / 2.
    #[test]
    fn ratios_of_means_by_hand() {
        let blocks = |pairs: &[(f64, f64)]| pairs.iter().map(|&pair| vec![pair]).collect::<Vec<_>>();
        let bootstrap = bootstrap(1, 20_000, 0.9);
        let of_ones = bootstrap.ratio_of_means(&blocks(&[(0.0, 1.0), (0.0, 1.0), (3.0, 1.0)]));
        assert_eq!(of_ones, Some(Estimate { value: 1.0, interval: Some((0.0, 3.0)) }));
        let two = bootstrap.ratio_of_means(&blocks(&[(1.0, 2.0), (5.0, 1.0)]));
        assert_eq!(two, Some(Estimate { value: 2.0, interval: Some((0.5, 5.0)) }));
        assert_eq!(bootstrap.ratio_of_means(&[]), None);
        assert_eq!(bootstrap.ratio_of_means(&blocks(&[(1.0, 0.0), (2.0, 1.0)])), None);
        let one = bootstrap.ratio_of_means(&[vec![(1.0, 2.0), (5.0, 1.0)]]);
        assert_eq!(one, Some(Estimate { value: 2.0, interval: None }));
    }

    /// Checks the ends of an interval, the 5th and the 96th of 100 at 90 %: 101 * 0.05 = 5.05 and
    /// 101 * 0.95 = 95.95.
    #[test]
    fn ends_are_rounded_outwards() {
        let replicates: Vec<f64> = (1..=100).map(f64::from).collect();
        assert_eq!(interval(&replicates, (0.05, 0.95)), (5.0, 96.0));
        assert_eq!(interval(&replicates, (0.0, 1.0)), (1.0, 100.0));
    }

    #[test]
    fn equal_values_have_no_spread_and_one_value_no_interval() {
        let estimates = bootstrap(1, 200, 0.95).estimates(&single(&[2.5; 7])).unwrap();
        let point = Estimate { value: 2.5, interval: Some((2.5, 2.5)) };
        assert_eq!(estimates, Estimates { mean: point, median: point });
        let zero = Estimate { value: 0.0, interval: Some((0.0, 0.0)) };
        let estimates = bootstrap(1, usize::MAX, 0.95).estimates(&single(&[0.0; 7])).unwrap();
        assert_eq!(estimates, Estimates { mean: zero, median: zero });
        let one = Estimate { value: 4.0, interval: None };
        let estimates = bootstrap(1, 200, 0.95).estimates(&[vec![3.0, 5.0]]);
        assert_eq!(estimates, Some(Estimates { mean: one, median: one }));
        assert_eq!(bootstrap(1, 200, 0.95).estimates(&[]), None);
    }

    /// Counts in 600 samples of 40 how often the interval contains the true mean.
    fn coverage(draw: impl Fn(&mut dfrsim_model::Rng) -> f64, truth: f64) -> f64 {
        let samples = 600;
        let holds = |&number: &u64| {
            let mut rng = Seed::new(number).fork("sample").rng();
            let sample: Vec<Vec<f64>> = (0..40).map(|_| vec![draw(&mut rng)]).collect();
            let (low, high) = bootstrap(number, 500, 0.9).estimates(&sample).unwrap().mean.interval.unwrap();
            low <= truth && truth <= high
        };
        (0..samples).filter(holds).count() as f64 / samples as f64
    }

    /// Checks the coverage at a nominal 90 %. Bootstrap intervals are slightly too short for 40
    /// values, more so if the sample is skewed; the standard error of a coverage is 1.2 %.
    #[test]
    fn intervals_hold_the_truth_as_often_as_they_say() {
        let normal = coverage(|rng| StandardNormal.sample(rng), 0.0);
        assert!((0.86..0.93).contains(&normal), "{normal}");
        let skewed = coverage(|rng| Exp1.sample(rng), 1.0);
        assert!((0.84..0.93).contains(&skewed), "{skewed}");
    }

    /// Computes the interval independently, as a reference: whole resamples, sorted; levels found by
    /// counting.
    fn slow(bootstrap: &Bootstrap, blocks: &[Vec<f64>]) -> Estimates {
        let sorted = |values: &[f64]| {
            let mut values = values.to_vec();
            values.sort_by(f64::total_cmp);
            values
        };
        let median = |values: &[f64]| {
            let values = sorted(values);
            (values[(values.len() - 1) / 2] + values[values.len() / 2]) / 2.0
        };
        let average = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let n = blocks.len();
        let mut rng = bootstrap.seed.rng();
        let mut resample =
            || (0..n).flat_map(|_| blocks[rng.random_range(0..n)].clone()).collect::<Vec<f64>>();
        let resamples: Vec<Vec<f64>> = (0..bootstrap.resamples).map(|_| resample()).collect();
        let means = sorted(&resamples.iter().map(|values| average(values)).collect::<Vec<_>>());
        let medians = sorted(&resamples.iter().map(|values| median(values)).collect::<Vec<_>>());

        // Leave-one-out means as defined in the book.
        let left = |out: usize| [&blocks[..out], &blocks[out + 1..]].concat().concat();
        let left: Vec<f64> = (0..n).map(|out| average(&left(out))).collect();
        let center = average(&left);
        let sum = |exponent: i32| left.iter().map(|value| (center - value).powi(exponent)).sum::<f64>();
        let acceleration = if sum(2) > 0.0 { sum(3) / (6.0 * sum(2).powf(1.5)) } else { 0.0 };
        let sample = blocks.concat();
        let value = average(&sample);
        let place = |mean: &f64| match mean.total_cmp(&value) {
            Ordering::Less => 1.0,
            Ordering::Equal => 0.5,
            Ordering::Greater => 0.0,
        };
        let below: f64 = means.iter().map(place).sum();
        let count = means.len() as f64;
        let normal = Normal::standard();
        let bias = normal.inverse_cdf((below / count).clamp(0.5 / count, 1.0 - 0.5 / count));
        let level = |tail: f64| {
            let z = normal.inverse_cdf(tail);
            normal.cdf(bias + (bias + z) / (1.0 - acceleration * (bias + z)))
        };
        let tail = (1.0 - bootstrap.confidence.0) / 2.0;
        let low = |values: &[f64], level: f64| {
            values[(((count + 1.0) * level) as usize).clamp(1, values.len()) - 1]
        };
        let high = |values: &[f64], level: f64| {
            values[(((count + 1.0) * level).ceil() as usize).clamp(1, values.len()) - 1]
        };
        Estimates {
            mean: Estimate {
                value,
                interval: Some((low(&means, level(tail)), high(&means, level(1.0 - tail)))),
            },
            median: Estimate {
                value: median(&sample),
                interval: Some((low(&medians, tail), high(&medians, 1.0 - tail))),
            },
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(dfrsim_testing::cases(100)))]

        /// Compares with the reference on multiples of 1/4, whose sums are exact, so that ties are
        /// ties in both.
        #[test]
        fn agrees_with_the_slow_twin(
            quarters in prop::collection::vec(prop::collection::vec(-40_i32..400, 1..4), 2..12),
            seed: u64,
            confidence in 0.5_f64..0.99,
        ) {
            let values = |quarters: &Vec<i32>| quarters.iter().map(|&value| f64::from(value) / 4.0).collect();
            let blocks: Vec<Vec<f64>> = quarters.iter().map(values).collect();
            let bootstrap = bootstrap(seed, 300, confidence);
            let (fast, slow) = (bootstrap.estimates(&blocks).unwrap(), slow(&bootstrap, &blocks));
            prop_assert_eq!(fast, slow);
        }

        /// Repeating each value three times in its block adds no evidence.
        #[test]
        fn blocks_of_equal_values_are_as_one(
            quarters in prop::collection::vec(-40_i32..400, 2..12),
            seed: u64,
        ) {
            let blocks = |times| -> Vec<Vec<f64>> {
                quarters.iter().map(|&value| vec![f64::from(value) / 4.0; times]).collect()
            };
            let bootstrap = bootstrap(seed, 300, 0.9);
            let (once, thrice) = (bootstrap.estimates(&blocks(1)).unwrap(), bootstrap.estimates(&blocks(3)).unwrap());
            let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
            let ends = |estimate: Estimate| estimate.interval.unwrap();
            prop_assert!(near(once.mean.value, thrice.mean.value));
            prop_assert!(near(ends(once.mean).0, ends(thrice.mean).0));
            prop_assert!(near(ends(once.mean).1, ends(thrice.mean).1));
        }
    }
}
