//! Weights of jobs in weighted means.

use dfrsim_model::{SimSpan, UserId, WeightRule};
use std::collections::BTreeMap;

/// Weights of jobs: the weight by the rule times the weight of the user.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Weights {
    /// Rule for the weight of a job.
    pub rule: WeightRule,
    /// Weights of users by number, above zero; 1 for all others, and for jobs without a user.
    pub users: BTreeMap<u32, f64>,
}

impl Weights {
    /// Returns the weight of a job.
    pub fn of(&self, tasks: u32, run_time: SimSpan, user: Option<UserId>) -> f64 {
        let own = match self.rule {
            WeightRule::NodeSeconds => f64::from(tasks) * run_time.as_secs_f64(),
            WeightRule::Equal => 1.0,
        };
        own * user.and_then(|user| self.users.get(&user.number())).copied().unwrap_or(1.0)
    }
}
