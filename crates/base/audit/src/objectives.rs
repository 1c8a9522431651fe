//! Quantiles, weighted stretch and fairness, recomputed.

use crate::Rule;
use crate::job::Job;
use crate::tally::{Exactness, difference};
use dfrsim_model::WeightRule;
use dfrsim_model::event::Objectives;
use std::collections::BTreeMap;

/// Quantiles of more jobs than this may be taken from a histogram.
const MOST_EXACT: usize = 1_000_000;

/// What is kept of the jobs that completed: a bounded stretch of each, and sums for each user.
#[derive(Debug, Default)]
pub(crate) struct ObjectiveTally {
    stretches: Vec<f64>,
    users: BTreeMap<Option<u32>, UserTotal>,
}

#[derive(Clone, Copy, Debug, Default)]
struct UserTotal {
    jobs: f64,
    stretch: f64,
    node_seconds: f64,
    /// Of the stretch times the node-seconds.
    product: f64,
}

impl ObjectiveTally {
    pub(crate) fn complete(&mut self, job: &Job, bounded: f64) {
        self.stretches.push(bounded);
        let node_seconds = f64::from(job.tasks) * job.run as f64 / 1e6;
        let total = self.users.entry(job.user).or_default();
        total.jobs += 1.0;
        total.stretch += bounded;
        total.node_seconds += node_seconds;
        total.product += node_seconds * bounded;
    }

    /// The figures that are not those of the jobs.
    pub(crate) fn differences(&mut self, claimed: &Objectives) -> Vec<Rule> {
        self.stretches.sort_unstable_by(f64::total_cmp);
        let exactness =
            if self.stretches.len() > MOST_EXACT { Exactness::Histogram } else { Exactness::Rounded };
        let quantiles = [
            ("median_bounded_stretch", claimed.median_bounded_stretch, 50),
            ("p95_bounded_stretch", claimed.p95_bounded_stretch, 95),
            ("p99_bounded_stretch", claimed.p99_bounded_stretch, 99),
        ];
        let mut rules: Vec<Rule> = quantiles
            .into_iter()
            .filter_map(|(figure, found, percent)| {
                difference(figure, found, self.quantile(percent), exactness)
            })
            .collect();
        let (fairness, largest) = self.fairness().unzip();
        let others = [
            (
                "weighted_bounded_stretch",
                Some(claimed.weighted_bounded_stretch),
                Some(self.weighted(claimed)),
            ),
            ("fairness", claimed.fairness, fairness),
            ("max_user_bounded_stretch", claimed.max_user_bounded_stretch, largest),
        ];
        for (figure, found, expected) in others {
            // A figure without which there is one, or the other way round, is a difference.
            let (found, expected) = match (found, expected) {
                (None, None) => continue,
                (found, expected) => (found.unwrap_or(f64::NAN), expected.unwrap_or(f64::NAN)),
            };
            rules.extend(difference(figure, found, expected, Exactness::Rounded));
        }
        rules
    }

    /// The value of the nearest rank; 0 of no jobs.
    fn quantile(&self, percent: usize) -> f64 {
        let rank = (self.stretches.len() * percent).div_ceil(100);
        self.stretches.get(rank.max(1) - 1).copied().unwrap_or(0.0)
    }

    fn weighted(&self, claimed: &Objectives) -> f64 {
        let (mut sum, mut weights) = (0.0, 0.0);
        let of_users: BTreeMap<u32, f64> = claimed.user_weights.iter().copied().collect();
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

    /// Jain's index and the largest mean; `None` if no user is known.
    fn fairness(&self) -> Option<(f64, f64)> {
        let known = self.users.iter().filter(|(user, _)| user.is_some());
        let means: Vec<f64> = known.map(|(_, total)| total.stretch / total.jobs).collect();
        let largest = means.iter().copied().reduce(f64::max)?;
        let sum: f64 = means.iter().sum();
        let squares: f64 = means.iter().map(|mean| mean.powi(2)).sum();
        Some((sum.powi(2) / (means.len() as f64 * squares), largest))
    }
}
