//! Quantiles, weighted stretch and fairness, recomputed.

use crate::job::Job;
use dfrsim_model::event::Objectives;
use dfrsim_model::{SortedMap, WeightRule};

/// Statistics of completed jobs: the bounded stretch of each job, and sums for each user.
#[derive(Debug, Default)]
pub(crate) struct ObjectiveTally {
    stretches: Vec<f64>,
    users: SortedMap<Option<u32>, UserTotal>,
}

#[derive(Clone, Copy, Debug, Default)]
struct UserTotal {
    jobs: f64,
    stretch: f64,
    node_seconds: f64,
    /// Sum of stretch * node-seconds.
    product: f64,
}

impl ObjectiveTally {
    pub(crate) fn complete(&mut self, job: &Job, bounded: f64) {
        self.stretches.push(bounded);
        let node_seconds = f64::from(job.tasks) * job.run as f64 / 1e6;
        let total = self.users.or_default(job.user);
        total.jobs += 1.0;
        total.stretch += bounded;
        total.node_seconds += node_seconds;
        total.product += node_seconds * bounded;
    }

    /// Computes the figures of the jobs with the weights of the claimed figures.
    pub(crate) fn with_weights_of(&mut self, claimed: &Objectives) -> Objectives {
        self.stretches.sort_unstable_by(f64::total_cmp);
        let (fairness, max_user_bounded_stretch) = self.fairness().unzip();
        Objectives {
            median_bounded_stretch: self.quantile(50),
            p95_bounded_stretch: self.quantile(95),
            p99_bounded_stretch: self.quantile(99),
            weighted_bounded_stretch: self.weighted(claimed),
            fairness,
            max_user_bounded_stretch,
            ..claimed.clone()
        }
    }

    /// Computes a quantile by the nearest rank; 0 without jobs.
    fn quantile(&self, percent: usize) -> f64 {
        let rank = (self.stretches.len() * percent).div_ceil(100);
        self.stretches.get(rank.max(1) - 1).copied().unwrap_or(0.0)
    }

    fn weighted(&self, claimed: &Objectives) -> f64 {
        let (mut sum, mut weights) = (0.0, 0.0);
        let of_users: SortedMap<u32, f64> = claimed.user_weights.iter().copied().collect();
        for (user, total) in &self.users {
            let of_user = user.and_then(|user| of_users.get(&user)).copied().unwrap_or(1.0);
            let (product, weight) = match claimed.weights {
                WeightRule::NodeSeconds => (total.product, total.node_seconds),
                WeightRule::Equal => (total.stretch, total.jobs),
            };
            sum += of_user * product;
            weights += of_user * weight;
        }
        sum / weights
    }

    /// Computes Jain's fairness index and the largest mean of a user; `None` if no user is known.
    fn fairness(&self) -> Option<(f64, f64)> {
        let known = self.users.iter().filter(|(user, _)| user.is_some());
        let means: Vec<f64> = known.map(|(_, total)| total.stretch / total.jobs).collect();
        let largest = means.iter().copied().reduce(f64::max)?;
        let sum: f64 = means.iter().sum();
        let squares: f64 = means.iter().map(|mean| mean.powi(2)).sum();
        Some((sum.powi(2) / (means.len() as f64 * squares), largest))
    }
}
