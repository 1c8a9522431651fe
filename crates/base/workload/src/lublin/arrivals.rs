//! Arrival times of one stream: gamma-distributed points that are consumed at the rate of the daily
//! cycle.

use super::gamma;
use super::parameters::{ClassParameters, GammaParameters};
use dfrsim_model::Rng;
use rand_distr::{Distribution as _, Gamma};
use statrs::function::gamma::gamma_lr;

/// Number of half hours per day.
const HALF_HOURS_PER_DAY: usize = 48;

/// Length of a half hour in seconds.
pub(super) const HALF_HOUR: f64 = 1_800.0;

/// Largest logarithm of an inter-arrival time in seconds; it corresponds to about five days.
const MAX_LOG: f64 = 13.0;

/// Computes the weights of the half hours of a day; their mean is 1. Bucket 0 starts at midnight;
/// the distribution covers the 48 half hours from 5 a.m.
fn daily_weights((shape, scale): GammaParameters) -> [f64; HALF_HOURS_PER_DAY] {
    let below = |half_hours: f64| gamma_lr(shape, half_hours / scale);
    let mut weights = [0.0; HALF_HOURS_PER_DAY];
    for place in 11..11 + HALF_HOURS_PER_DAY {
        let middle = place as f64;
        weights[(place - 1) % HALF_HOURS_PER_DAY] = below(middle + 0.5) - below(middle - 0.5);
    }
    let mean = weights.iter().sum::<f64>() / HALF_HOURS_PER_DAY as f64;
    weights.map(|weight| weight / mean)
}

/// Generator of the arrivals of one stream.
///
/// A job's points are its inter-arrival time in the rush hours, in half hours. Each half hour of the
/// day absorbs as many points as its weight, and the remainder carries over to the next one, so time
/// advances slowly where the weight is high. The reference program adds up a clock in whole seconds.
/// Here the time is the exact number of elapsed half hours plus the consumed fraction of the current
/// one, so that rounding errors do not accumulate.
pub(super) struct Arrivals {
    rng: Rng,
    log_gap: Gamma<f64>,
    weights: [f64; HALF_HOURS_PER_DAY],
    /// Elapsed half hours since the first midnight.
    half_hours: u64,
    /// Points of the current half hour that have been consumed.
    points: f64,
}

impl Arrivals {
    pub(super) fn new(parameters: &ClassParameters, rng: Rng) -> Arrivals {
        let (shape, scale) = parameters.arrival;
        Arrivals {
            rng,
            log_gap: gamma((shape * parameters.arar, scale)),
            weights: daily_weights(parameters.daily),
            half_hours: 0,
            points: 0.0,
        }
    }
    /// Draws the next arrival, in half hours since the first midnight. It is never earlier than the
    /// last one.
    pub(super) fn draw(&mut self) -> f64 {
        self.points += draw_gap(&self.log_gap, &mut self.rng) / HALF_HOUR;
        let mut weight = self.weight();
        while self.points > weight {
            self.points -= weight;
            self.half_hours += 1;
            weight = self.weight();
        }
        self.half_hours as f64 + self.points / weight
    }
    fn weight(&self) -> f64 {
        self.weights[(self.half_hours % HALF_HOURS_PER_DAY as u64) as usize]
    }
}

/// Draws an inter-arrival time of the rush hours, in seconds.
fn draw_gap(log_gap: &Gamma<f64>, rng: &mut Rng) -> f64 {
    loop {
        let log = log_gap.sample(rng);
        if log <= MAX_LOG {
            return log.exp();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lublin::parameters::Class;
    use dfrsim_model::Seed;
    use proptest::prelude::*;
    use std::num::NonZeroU32;

    fn parameters(class: Class) -> ClassParameters {
        ClassParameters::of(class, NonZeroU32::new(128).unwrap())
    }

    /// The mode of Gamma(8.1737, 3.9631) is 7.1737 * 3.9631 = 28.4 half hours, in place 28: bucket
    /// 27, from 13:30. The minimum is at one of the ends, places 11 and 58, where the ratio of the
    /// densities is (11/58)^7.1737 * e^(47/3.9631) = 0.92: place 11, bucket 10, from 5:00.
    #[test]
    fn the_day_is_busiest_after_noon_and_quietest_before_dawn() {
        let weights = daily_weights(parameters(Class::Typeless).daily);
        let mean = weights.iter().sum::<f64>() / 48.0;
        assert!((mean - 1.0).abs() < 1e-12);
        let busiest = (0..HALF_HOURS_PER_DAY).max_by(|&a, &b| weights[a].total_cmp(&weights[b]));
        let quietest = (0..HALF_HOURS_PER_DAY).min_by(|&a, &b| weights[a].total_cmp(&weights[b]));
        assert_eq!((busiest, quietest), (Some(27), Some(10)));
    }

    /// Reference implementation of the usual procedure: a clock that each job advances, and the
    /// quotient of the preceding job.
    struct Literal {
        bucket: usize,
        points: f64,
        remainder: f64,
        clock: f64,
    }
    impl Literal {
        fn next(&mut self, gap: f64, weights: &[f64; HALF_HOURS_PER_DAY]) -> f64 {
            self.points += gap / HALF_HOUR;
            while self.points > weights[self.bucket] {
                self.points -= weights[self.bucket];
                self.bucket = (self.bucket + 1) % HALF_HOURS_PER_DAY;
                self.clock += HALF_HOUR;
            }
            let quotient = self.points / weights[self.bucket];
            self.clock += HALF_HOUR * (quotient - self.remainder);
            self.remainder = quotient;
            self.clock
        }
    }

    proptest! {
        #[test]
        fn the_moment_is_that_of_the_added_up_clock(seed: u64, class in prop::sample::select(Class::ALL)) {
            let parameters = parameters(class);
            let rng = Seed::new(seed).rng();
            let mut arrivals = Arrivals::new(&parameters, rng.clone());
            let mut literal = Literal { bucket: 0, points: 0.0, remainder: 0.0, clock: 0.0 };
            let mut gaps = rng;
            let mut last = 0.0;
            for _ in 0..300 {
                let moment = arrivals.draw();
                let clock = literal.next(draw_gap(&arrivals.log_gap, &mut gaps), &arrivals.weights);
                prop_assert!((moment * HALF_HOUR - clock).abs() < 1e-3, "{} {}", moment * HALF_HOUR, clock);
                prop_assert!(moment >= last);
                last = moment;
            }
        }
    }
}
