//! Distributions of times.

use crate::{Rng, SimSpan};
use rand::RngExt as _;
use rand_distr::StandardNormal;
use statrs::function::gamma::gamma;
use std::fmt;

/// Distribution of durations. The mean is in seconds and above 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TimeDistribution {
    /// Constant.
    Fixed(f64),
    /// Exponential distribution with this mean.
    Exponential(f64),
    /// Weibull distribution with this mean and shape. With a shape below 1 the failure rate falls
    /// with time (Schroeder and Gibson 2010 fit 0.7 to 0.8 to the times between failures of the
    /// systems at Los Alamos).
    Weibull(f64, f64),
    /// Log-normal distribution with this mean, and this standard deviation of the logarithm (the
    /// best fit of Schroeder and Gibson to repair times).
    LogNormal(f64, f64),
}

impl TimeDistribution {
    /// Draws a time of at least one microsecond.
    pub fn draw(self, rng: &mut Rng) -> SimSpan {
        // Uniform in (0, 1], since the logarithm of 0 is not finite.
        let uniform = |rng: &mut Rng| 1.0 - rng.random::<f64>();
        let seconds = match self {
            TimeDistribution::Fixed(mean) => mean,
            TimeDistribution::Exponential(mean) => -mean * uniform(rng).ln(),
            TimeDistribution::Weibull(mean, shape) => {
                mean / gamma(1.0 + 1.0 / shape) * (-uniform(rng).ln()).powf(1.0 / shape)
            }
            TimeDistribution::LogNormal(mean, deviation) => {
                let normal: f64 = rng.sample(StandardNormal);
                mean * (deviation * normal - deviation * deviation / 2.0).exp()
            }
        };
        SimSpan::from_micros(1).max(SimSpan::from_micros((seconds * 1e6) as u64))
    }
}

crate::parses!(
    TimeDistribution,
    "unknown distribution of times `{text}`; expected fixed:MEAN, exponential:MEAN, weibull:MEAN:SHAPE or lognormal:MEAN:DEVIATION \
     with a mean in seconds, from 0.001 to 10000000000, and a shape or deviation of the logarithm from 0.1 to 10",
    |text| {
        let mut words = text.split(':');
        let name = words.next().unwrap_or_default();
        let numbers: Vec<f64> = words.map(str::parse).collect::<Result<_, _>>().ok()?;
        let is_mean = |mean: f64| (0.001..=1e10).contains(&mean);
        let is_shape = |shape: f64| (0.1..=10.0).contains(&shape);
        match (name, &numbers[..]) {
            ("fixed", &[mean]) if is_mean(mean) => Some(TimeDistribution::Fixed(mean)),
            ("exponential", &[mean]) if is_mean(mean) => Some(TimeDistribution::Exponential(mean)),
            ("weibull", &[mean, shape]) if is_mean(mean) && is_shape(shape) => {
                Some(TimeDistribution::Weibull(mean, shape))
            }
            ("lognormal", &[mean, deviation]) if is_mean(mean) && is_shape(deviation) => {
                Some(TimeDistribution::LogNormal(mean, deviation))
            }
            _ => None,
        }
    }
);

impl fmt::Display for TimeDistribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TimeDistribution::Fixed(mean) => write!(f, "fixed:{mean}"),
            TimeDistribution::Exponential(mean) => write!(f, "exponential:{mean}"),
            TimeDistribution::Weibull(mean, shape) => write!(f, "weibull:{mean}:{shape}"),
            TimeDistribution::LogNormal(mean, deviation) => write!(f, "lognormal:{mean}:{deviation}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::TimeDistribution;
    use crate::Seed;

    #[test]
    fn distributions_print_as_they_parse_and_have_their_means() {
        for (text, error) in [
            ("fixed:5", 0.0001),
            ("exponential:100", 0.02),
            ("weibull:100:0.7", 0.03),
            ("lognormal:100:0.8", 0.02),
        ] {
            let times: TimeDistribution = text.parse().unwrap();
            assert_eq!(times.to_string(), text);
            let mean: f64 = text.split(':').nth(1).unwrap().parse().unwrap();
            let mut rng = Seed::new(1).fork("times").rng();
            let sum: f64 = (0..40_000).map(|_| times.draw(&mut rng).as_secs_f64()).sum();
            assert!((sum / 40_000.0 / mean - 1.0).abs() < error, "{text}: {}", sum / 40_000.0);
        }
        for text in
            ["", "fixed", "fixed:0", "weibull:1", "weibull:1:0", "exponential:nan", "normal:1:1", "fixed:1:1"]
        {
            assert!(text.parse::<TimeDistribution>().is_err(), "{text}");
        }
    }

    /// The median of a Weibull of shape k is the k-th root of ln 2 times its scale; that of a log-normal is its mean less half of the
    /// variance of the logarithm.
    #[test]
    fn medians_are_those_of_the_distributions() {
        for (text, median) in
            [("exponential:100", 69.3), ("weibull:100:0.5", 24.02), ("lognormal:100:1", 60.65)]
        {
            let times: TimeDistribution = text.parse().unwrap();
            let mut rng = Seed::new(2).fork("times").rng();
            let mut drawn: Vec<f64> = (0..40_001).map(|_| times.draw(&mut rng).as_secs_f64()).collect();
            drawn.sort_by(f64::total_cmp);
            assert!((drawn[20_000] / median - 1.0).abs() < 0.04, "{text}: {}", drawn[20_000]);
        }
    }
}
