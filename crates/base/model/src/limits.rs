//! Limits of cluster and workload sizes and of tick periods, shared by the command line, scenarios
//! and libraries.

use crate::SimSpan;

/// Maximum number of nodes of a cluster.
pub const MAX_NODES: u32 = 10_000_000;
/// Maximum number of jobs of a generated workload.
pub const MAX_JOBS: usize = 100_000_000;
/// Minimum time between two ticks of a policy.
pub const LEAST_PERIOD: SimSpan = SimSpan::from_secs(1);

/// Error: a size or a period is outside the limits.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BeyondLimits(String);

/// Checks a number of nodes and returns it.
///
/// # Errors
///
/// Returns an error if it is 0 or more than [`MAX_NODES`].
pub fn nodes(nodes: u32) -> Result<u32, BeyondLimits> {
    let is_right = (1..=MAX_NODES).contains(&nodes);
    let found = || BeyondLimits(format!("expected 1 to {MAX_NODES} nodes, found {nodes}"));
    if is_right { Ok(nodes) } else { Err(found()) }
}

/// Checks the number of jobs of a generated workload and returns it.
///
/// # Errors
///
/// Returns an error if it is more than [`MAX_JOBS`].
pub fn jobs(jobs: usize) -> Result<usize, BeyondLimits> {
    let found = || BeyondLimits(format!("expected at most {MAX_JOBS} jobs, found {jobs}"));
    if jobs > MAX_JOBS { Err(found()) } else { Ok(jobs) }
}

/// Checks the time between two ticks and returns it.
///
/// # Errors
///
/// Returns an error if it is shorter than [`LEAST_PERIOD`].
pub fn period(period: SimSpan) -> Result<SimSpan, BeyondLimits> {
    let found = || BeyondLimits(format!("expected a period of at least {LEAST_PERIOD} s, found `{period}`"));
    if period < LEAST_PERIOD { Err(found()) } else { Ok(period) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_beyond_is_refused() {
        assert!(nodes(0).is_err() && nodes(1).is_ok() && nodes(MAX_NODES + 1).is_err());
        assert!(jobs(0).is_ok() && jobs(MAX_JOBS + 1).is_err());
        assert!(period(SimSpan::ZERO).is_err() && period(LEAST_PERIOD).is_ok());
    }
}
