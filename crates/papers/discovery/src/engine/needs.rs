//! CPU needs of virtual machines.

use dfrsim_model::{Seed, Share, SimSpan, SimTime};
use rand::RngExt as _;
use rand_distr::{Distribution as _, Exp};

/// CPU that a virtual machine could use, as a share of a node: a step function of time from time 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Needs {
    /// Start and value of each step. The first starts at time 0; times increase, and successive
    /// values differ.
    steps: Vec<(SimTime, Share)>,
}

impl Needs {
    /// Creates a need that is constant over time.
    pub fn constant(need: Share) -> Needs {
        Needs { steps: vec![(SimTime::ZERO, need)] }
    }

    /// Creates a need from values that last for `interval` each; the last one persists. Without
    /// values the need is zero.
    pub fn sampled(interval: SimSpan, values: impl IntoIterator<Item = Share>) -> Needs {
        let mut at = SimTime::ZERO;
        let mut needs = Needs { steps: Vec::new() };
        for value in values {
            needs.push(at, value);
            at = at.saturating_add(interval);
        }
        if needs.steps.is_empty() { Needs::constant(Share::ZERO) } else { needs }
    }

    /// Draws uniform values in [0, 1] that change after exponentially distributed times of mean
    /// `mean`, up to time `span` (dissertation, section 7.3). Times are rounded to microseconds.
    pub fn poisson(mean: SimSpan, span: SimSpan, seed: Seed) -> Needs {
        let mut rng = seed.rng();
        let standard = Exp::new(1.0).expect("one is a rate");
        let (mut at, end) = (SimTime::ZERO, SimTime::ZERO.saturating_add(span));
        let mut needs = Needs { steps: Vec::new() };
        while needs.steps.is_empty() || at < end {
            needs.push(at, Share::try_from_f64(rng.random()).expect("uniform between 0 and a node"));
            at = at.saturating_add(mean.scaled(standard.sample(&mut rng)));
        }
        needs
    }

    /// Appends a step at a time that is not before the last one.
    fn push(&mut self, at: SimTime, need: Share) {
        while self.steps.last().is_some_and(|last| last.0 == at) {
            self.steps.pop();
        }
        if self.steps.last().is_none_or(|last| last.1 != need) {
            self.steps.push((at, need));
        }
    }

    /// Returns the start and value of each step. The first starts at time 0, and times increase.
    pub fn steps(&self) -> &[(SimTime, Share)] {
        &self.steps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_samples_are_one_step() {
        let share = |tenths| Share::from_ratio(tenths, 10);
        let needs = Needs::sampled(SimSpan::from_secs(300), [3, 3, 5].map(share));
        assert_eq!(needs.steps(), [(SimTime::ZERO, share(3)), (SimTime::from_secs(600), share(5))]);
        assert_eq!(Needs::sampled(SimSpan::from_secs(300), []), Needs::constant(Share::ZERO));
        let rounded_away = Needs::sampled(SimSpan::ZERO, [3, 5].map(share));
        assert_eq!(rounded_away, Needs::constant(share(5)), "a value that lasts no time is none");
    }

    /// 100,000 steps: the mean time has a standard error of 1,200 / 316 = 3.8 s, the mean need one of 0.0009.
    #[test]
    fn random_needs_have_the_means_of_the_text() {
        let mean = SimSpan::from_secs(1200);
        let span = SimSpan::from_secs(1200 * 100_000);
        let needs = Needs::poisson(mean, span, Seed::new(3));
        let steps = needs.steps();
        let mean_time = steps.last().unwrap().0.as_secs_f64() / (steps.len() - 1) as f64;
        assert!((mean_time - 1200.0).abs() < 16.0, "{mean_time}");
        let mean_need = steps.iter().map(|step| step.1.as_f64()).sum::<f64>() / steps.len() as f64;
        assert!((mean_need - 0.5).abs() < 0.004, "{mean_need}");
        assert!(steps.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }
}
