//! Sizes and run times of the jobs of one stream.

use super::gamma;
use super::parameters::ClassParameters;
use dfrsim_model::{Rng, SimSpan};
use rand::RngExt as _;
use rand_distr::{Distribution as _, Gamma};
use std::num::NonZeroU32;

/// Largest logarithm of a run time in seconds; it corresponds to about 45 hours.
const MAX_LOG: f64 = 12.0;

/// Generator of the job sizes of one stream.
pub(super) struct Sizes {
    rng: Rng,
    parameters: ClassParameters,
    nodes: u32,
}

impl Sizes {
    pub(super) fn new(parameters: &ClassParameters, nodes: NonZeroU32, rng: Rng) -> Sizes {
        Sizes { rng, parameters: *parameters, nodes: nodes.get() }
    }
    /// Draws the size of the next job, from 1 to the number of nodes.
    pub(super) fn draw(&mut self) -> u32 {
        let ClassParameters { serial_prob, pow2_prob, u_low, u_med, u_hi, u_prob, .. } = self.parameters;
        let kind: f64 = self.rng.random();
        if kind <= serial_prob {
            return 1;
        }
        let (from, to) = if self.rng.random::<f64>() <= u_prob { (u_low, u_med) } else { (u_med, u_hi) };
        let mut log = from + (to - from) * self.rng.random::<f64>();
        if kind <= serial_prob + pow2_prob {
            log = (log + 0.5).floor();
        }
        // If the number of nodes is not a power of two, the rounded logarithm may exceed it.
        ((log.exp2() + 0.5).floor() as u32).min(self.nodes)
    }
}

/// Generator of the run times of one stream.
pub(super) struct RunTimes {
    rng: Rng,
    short: Gamma<f64>,
    long: Gamma<f64>,
    pa: f64,
    pb: f64,
}

impl RunTimes {
    pub(super) fn new(parameters: &ClassParameters, rng: Rng) -> RunTimes {
        let &ClassParameters { short, long, pa, pb, .. } = parameters;
        RunTimes { rng, short: gamma(short), long: gamma(long), pa, pb }
    }
    /// Draws the run time of the next job, which has this size, in whole seconds; at least one
    /// second.
    pub(super) fn draw(&mut self, size: u32) -> SimSpan {
        let of_short = (self.pa * f64::from(size) + self.pb).clamp(0.0, 1.0);
        let log_run_time = if self.rng.random::<f64>() <= of_short { &self.short } else { &self.long };
        loop {
            let log = log_run_time.sample(&mut self.rng);
            if log <= MAX_LOG {
                return SimSpan::from_secs(log.exp().max(1.0) as u64);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lublin::parameters::Class;
    use dfrsim_model::Seed;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sizes_fit_the_machine_and_run_times_the_limit(
            seed: u64, nodes in prop_oneof![1_u32..300, Just(1 << 20), Just(u32::MAX)],
            class in prop::sample::select(Class::ALL),
        ) {
            let nodes = NonZeroU32::new(nodes).unwrap();
            let parameters = ClassParameters::of(class, nodes);
            let mut sizes = Sizes::new(&parameters, nodes, Seed::new(seed).fork("sizes").rng());
            let mut run_times = RunTimes::new(&parameters, Seed::new(seed).fork("run times").rng());
            for _ in 0..100 {
                let size = sizes.draw();
                prop_assert!((1..=nodes.get()).contains(&size));
                let run_time = run_times.draw(size);
                prop_assert!(run_time >= SimSpan::from_secs(1) && run_time <= SimSpan::from_secs(162_754));
            }
        }
    }
}
