//! Policies whose decisions can be checked.

use crate::batch::BatchCheck;
use crate::check::Check;
use crate::fractional::{FractionalCheck, FractionalPolicy};
use crate::full_speed::{FullSpeedCheck, FullSpeedPolicy};
use crate::nodes::Kind;
use dfrsim_model::SimSpan;
use dfrsim_model::batch::BatchPolicy;
use dfrsim_model::named::UnknownName;
use std::fmt;
use std::sync::Arc;

/// Policy whose decisions can be checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckedPolicy {
    /// [Batch policy](crate::batch).
    Batch(BatchPolicy),
    /// [Fractional policy](crate::fractional).
    Fractional(FractionalPolicy),
    /// Policy that runs jobs [at full speed](crate::full_speed) or not at all.
    FullSpeed(FullSpeedPolicy),
}

impl CheckedPolicy {
    /// Parses the name of a policy; `period`, which is above 0, is the period of its ticks, if it
    /// has any.
    ///
    /// # Errors
    ///
    /// Returns an error if no policy of this name can be checked.
    pub fn parse(name: &str, period: SimSpan) -> Result<CheckedPolicy, UnknownName> {
        let fractional = || FractionalPolicy::parse(name, period).map(CheckedPolicy::Fractional);
        let full_speed = || name.parse().ok().map(CheckedPolicy::FullSpeed);
        let batch = || BatchPolicy::parse(name).map(CheckedPolicy::Batch);
        fractional().or_else(full_speed).or_else(batch).ok_or_else(|| {
            let batch = BatchPolicy::all().map(|policy| policy.to_string());
            let full_speed = FullSpeedPolicy::ALL.iter().map(ToString::to_string);
            let names = batch.chain(["EQUIPARTITION".into()]).chain(full_speed);
            let unknown = UnknownName::new("policy to check", name, names);
            // With each placement and use of nodes there are too many to be read.
            let is_plain = |name: &String| !name.contains("/PLACE=") && !name.contains("/NODES=");
            UnknownName { choices: unknown.choices.into_iter().filter(is_plain).collect(), ..unknown }
        })
    }

    /// Creates the check of the policy; `penalty` is in microseconds.
    pub(crate) fn check(self, kinds: &Arc<Vec<Kind>>, penalty: u64) -> Box<dyn Check> {
        match self {
            CheckedPolicy::Batch(policy) => Box::new(BatchCheck::new(policy, kinds)),
            CheckedPolicy::Fractional(policy) => Box::new(FractionalCheck::new(policy, kinds, penalty)),
            CheckedPolicy::FullSpeed(policy) => Box::new(FullSpeedCheck::new(policy, kinds, penalty)),
        }
    }
}

impl fmt::Display for CheckedPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CheckedPolicy::Batch(policy) => policy.fmt(f),
            CheckedPolicy::Fractional(policy) => policy.fmt(f),
            CheckedPolicy::FullSpeed(policy) => policy.fmt(f),
        }
    }
}
