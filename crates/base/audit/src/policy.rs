//! The policies whose rules can be checked.

use crate::batch::BatchCheck;
use crate::check::Check;
use crate::fractional::{FractionalCheck, FractionalPolicy};
use crate::nodes::Kind;
use dfrsim_model::SimSpan;
use dfrsim_model::batch::BatchPolicy;
use dfrsim_model::named::UnknownName;
use std::fmt;
use std::sync::Arc;

/// A policy whose rules can be checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckedPolicy {
    /// A [batch policy](crate::batch).
    Batch(BatchPolicy),
    /// A [fractional policy](crate::fractional).
    Fractional(FractionalPolicy),
}

impl CheckedPolicy {
    /// The policy of this name; the period, which is above 0, is that of its ticks, if it has any.
    ///
    /// # Errors
    /// If no policy of this name can be checked.
    pub fn parse(name: &str, period: SimSpan) -> Result<CheckedPolicy, UnknownName> {
        match FractionalPolicy::parse(name, period) {
            Some(policy) => Ok(CheckedPolicy::Fractional(policy)),
            None => BatchPolicy::parse(name).map(CheckedPolicy::Batch).ok_or_else(|| {
                let batch = BatchPolicy::all().map(|policy| policy.to_string());
                UnknownName::new("policy to check", name, batch.chain(["EQUIPARTITION".into()]))
            }),
        }
    }

    /// The check under this penalty, in microseconds.
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
