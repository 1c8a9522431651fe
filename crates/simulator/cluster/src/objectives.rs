//! Objectives beside means and maxima: weighted stretch, and fairness between users.

use crate::sample::Sample;
use crate::{Distribution, Weights};
use dfrsim_model::{SimSpan, UserId};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// The bounded stretch of the jobs that count, with one tau.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct BoundedStretch {
    /// The tau.
    #[serde(rename = "tau_s")]
    pub tau: SimSpan,
    /// Over the jobs.
    pub distribution: Distribution,
    /// The mean in which jobs count by their [weights](Weights).
    pub weighted_mean: f64,
    /// Between users; `None` if no user is known.
    #[serde(rename = "users")]
    pub fairness: Option<Fairness>,
}

/// How evenly the users of a cluster are served, by the mean bounded stretch of the jobs of each. Jobs without a user do not
/// count.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Fairness {
    /// How many users there are.
    #[serde(rename = "count")]
    pub users: usize,
    /// Jain's index of the users' means, (sum x)^2 / (n * sum x^2): 1 if all are equal, down to 1 / n (Jain, Chiu and
    /// Hawe, DEC-TR-301, 1984).
    #[serde(rename = "fairness")]
    pub jain: f64,
    /// The mean of the user who is served worst.
    pub max_mean: f64,
}

/// Adds up jobs by weight and by user.
#[derive(Clone, Debug)]
pub(crate) struct ObjectiveTotals {
    tau: SimSpan,
    weighted: f64,
    weights: f64,
    /// Of each user the number of jobs and the sum of their bounded stretches.
    users: BTreeMap<UserId, (usize, f64)>,
}

impl ObjectiveTotals {
    /// Of no jobs, with this tau.
    pub(crate) fn new(tau: SimSpan) -> ObjectiveTotals {
        ObjectiveTotals { tau, weighted: 0.0, weights: 0.0, users: BTreeMap::new() }
    }

    pub(crate) fn add(&mut self, sample: &Sample, weights: &Weights) {
        let bounded = sample.bounded_stretch(self.tau);
        let weight = weights.of(sample.tasks, sample.run_time, sample.user);
        self.weighted += weight * bounded;
        self.weights += weight;
        if let Some(user) = sample.user {
            let (jobs, sum) = self.users.entry(user).or_default();
            *jobs += 1;
            *sum += bounded;
        }
    }

    /// What they amount to, beside the distribution of their bounded stretches.
    pub(crate) fn beside(&self, distribution: Distribution) -> BoundedStretch {
        let (weighted_mean, fairness) = (self.weighted / self.weights, self.fairness());
        BoundedStretch { tau: self.tau, distribution, weighted_mean, fairness }
    }

    fn fairness(&self) -> Option<Fairness> {
        let means = || self.users.values().map(|&(jobs, sum)| sum / jobs as f64);
        let max_mean = means().max_by(f64::total_cmp)?;
        let (sum, squares) =
            means().fold((0.0, 0.0), |(sum, squares), mean| (sum + mean, squares + mean * mean));
        let users = self.users.len();
        Some(Fairness { users, jain: sum * sum / (users as f64 * squares), max_mean })
    }
}
