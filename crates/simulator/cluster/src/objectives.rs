//! Objectives other than means and maxima: weighted stretch, and fairness between users.

use crate::sample::Sample;
use crate::{Distribution, Weights};
use dfrsim_model::{SimSpan, UserId};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// Bounded stretch of the jobs that count, for one tau.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct BoundedStretch {
    /// Tau, the lower bound on run times in the bounded stretch; in seconds when serialized.
    #[serde(rename = "tau_s")]
    pub tau: SimSpan,
    /// Distribution over the jobs.
    pub distribution: Distribution,
    /// Mean with each job weighted by its [weight](Weights).
    pub weighted_mean: f64,
    /// Fairness between users; `None` if no job has a user.
    #[serde(rename = "users")]
    pub fairness: Option<Fairness>,
}

/// Fairness between the users of a cluster, by the mean bounded stretch of each user's jobs. Jobs
/// without a user are ignored.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Fairness {
    /// Number of users.
    #[serde(rename = "count")]
    pub users: usize,
    /// Jain's index of the users' means, (sum x)^2 / (n * sum x^2): 1 if all are equal, down to 1 / n (Jain, Chiu and
    /// Hawe, DEC-TR-301, 1984).
    #[serde(rename = "fairness")]
    pub jain: f64,
    /// Largest of the users' means.
    pub max_mean: f64,
}

/// Totals of jobs by weight and by user.
#[derive(Clone, Debug)]
pub(crate) struct ObjectiveTotals {
    tau: SimSpan,
    weighted: f64,
    weights: f64,
    /// Number of jobs and sum of bounded stretches of each user.
    users: BTreeMap<UserId, (usize, f64)>,
}

impl ObjectiveTotals {
    /// Creates totals without jobs; bounded stretches use this tau.
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

    /// Combines the totals with the distribution of the bounded stretches.
    pub(crate) fn with_distribution(&self, distribution: Distribution) -> BoundedStretch {
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
