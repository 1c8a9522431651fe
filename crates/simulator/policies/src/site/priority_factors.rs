//! Multifactor priority of a job.

use super::factor::{ONE, ratio};
use super::limits::Membership;
use dfrsim_model::site::{JobClass, SiteSettings};
use dfrsim_model::{SimSpan, SimTime};

/// Inputs of the priority factors of a job, except its account.
#[derive(Clone, Copy, Debug)]
pub(super) struct PriorityFactors {
    /// Constant part of the weighted sum: size, QOS, partition and resources.
    constant: u128,
    /// Tier of the job's partition.
    tier: u32,
    submit: SimTime,
}

impl PriorityFactors {
    /// Computes the factors of a job. `large` is its size as a fraction of the cluster.
    pub(super) fn new(
        settings: &SiteSettings,
        large: u64,
        submit: SimTime,
        classes: &Membership,
    ) -> PriorityFactors {
        let weights = settings.weights;
        let size = if settings.favor_small { ONE - large } else { large };
        let fixed = [
            (weights.size, size),
            (weights.qos, of_class(&settings.qos, classes.qos)),
            (weights.partition, of_class(&settings.partitions, classes.partition)),
        ];
        let tier = classes.partition.map_or(1, |class| settings.partitions[class].tier());
        PriorityFactors {
            constant: fixed.into_iter().map(|(weight, factor)| product(weight, factor)).sum(),
            tier,
            submit,
        }
    }

    /// Adds the weighted sum of the fractions of resources.
    pub(super) fn with_tres(self, sum: u128) -> PriorityFactors {
        PriorityFactors { constant: self.constant + sum, ..self }
    }

    /// Computes the tier and the priority at a time, combined into one number.
    pub(super) fn priority_at(&self, moment: SimTime, fair_share: u64, settings: &SiteSettings) -> u64 {
        let max_age = SimSpan::from_secs(settings.max_age_s);
        let wait = moment.saturating_since(self.submit).min(max_age);
        let age = ratio(wait.micros().into(), max_age.micros().into());
        let weights = settings.weights;
        let sum = self.constant + product(weights.age, age) + product(weights.fair_share, fair_share);
        // Each of the products of weight and factor has at most 32 bits before the point, so the sum
        // of five, and of at most 64 for resources, fits into 39 bits.
        u64::from(self.tier) << 40 | (sum >> 32) as u64
    }
}

fn product(weight: u32, factor: u64) -> u128 {
    u128::from(weight) * u128::from(factor)
}

fn of_class(classes: &[JobClass], of: Option<usize>) -> u64 {
    let most = classes.iter().map(|class| class.priority).max().unwrap_or(0);
    of.map_or(0, |of| ratio(classes[of].priority.into(), most.into()))
}
