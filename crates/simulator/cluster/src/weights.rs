//! How much a job counts in weighted means.

use dfrsim_model::{SimSpan, UserId, WeightRule};
use std::collections::BTreeMap;

/// The weights of jobs: what the rule gives a job, times the weight of its user.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Weights {
    /// The rule for jobs.
    pub rule: WeightRule,
    /// The weights of users by their numbers, above zero; 1 of all others, and of jobs without a user.
    pub users: BTreeMap<u32, f64>,
}

impl Weights {
    /// The weight of a job.
    pub fn of(&self, tasks: u32, run_time: SimSpan, user: Option<UserId>) -> f64 {
        let own = match self.rule {
            WeightRule::NodeSeconds => f64::from(tasks) * run_time.as_secs_f64(),
            WeightRule::Equal => 1.0,
        };
        own * user.and_then(|user| self.users.get(&user.number())).copied().unwrap_or(1.0)
    }
}
