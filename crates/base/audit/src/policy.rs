//! Policies whose decisions can be checked.

use crate::batch::BatchCheck;
use crate::check::Check;
use crate::fractional::{FractionalCheck, FractionalPolicy};
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
}

impl CheckedPolicy {
    /// Parses the name of a policy; `period`, which is above 0, is the period of its ticks, if it
    /// has any.
    ///
    /// # Errors
    ///
    /// Returns an error if no policy of this name can be checked.
    pub fn parse(name: &str, period: SimSpan) -> Result<CheckedPolicy, UnknownName> {
        match FractionalPolicy::parse(name, period) {
            Some(policy) => Ok(CheckedPolicy::Fractional(policy)),
            None => BatchPolicy::parse(name).map(CheckedPolicy::Batch).ok_or_else(|| {
                let batch = BatchPolicy::all().map(|policy| policy.to_string());
                UnknownName::new("policy to check", name, batch.chain(["EQUIPARTITION".into()]))
            }),
        }
    }

    /// Creates the check of the policy; `penalty` is in microseconds.
    pub(crate) fn check(self, kinds: &Arc<Vec<Kind>>, penalty: u64) -> Box<dyn Check> {
        match self {
            CheckedPolicy::Batch(policy) => Box::new(BatchCheck::new(policy, kinds)),
            CheckedPolicy::Fractional(policy) => Box::new(FractionalCheck::new(policy, kinds, penalty)),
        }
    }
}

impl fmt::Display for CheckedPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CheckedPolicy::Batch(policy) => policy.fmt(f),
            CheckedPolicy::Fractional(policy) => policy.fmt(f),
        }
    }
}
