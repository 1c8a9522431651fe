//! The largest clusters and workloads, and the shortest periods: the same on the command line, in scenarios and in libraries.

use crate::SimSpan;

/// The most nodes of a cluster.
pub const MOST_NODES: u32 = 10_000_000;
/// The most jobs of a generated workload.
pub const MOST_JOBS: usize = 100_000_000;
/// The shortest time between two ticks of a policy.
pub const LEAST_PERIOD: SimSpan = SimSpan::from_secs(1);

/// A size or a period that cannot be simulated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BeyondLimits(String);

/// A number of nodes.
///
/// # Errors
/// It is 0 or more than [`MOST_NODES`].
pub fn nodes(nodes: u32) -> Result<u32, BeyondLimits> {
    let is_right = (1..=MOST_NODES).contains(&nodes);
    let found = || BeyondLimits(format!("expected 1 to {MOST_NODES} nodes, found {nodes}"));
    if is_right { Ok(nodes) } else { Err(found()) }
}

/// A number of jobs of a generated workload.
///
/// # Errors
/// It is more than [`MOST_JOBS`].
pub fn jobs(jobs: usize) -> Result<usize, BeyondLimits> {
    let found = || BeyondLimits(format!("expected at most {MOST_JOBS} jobs, found {jobs}"));
    if jobs > MOST_JOBS { Err(found()) } else { Ok(jobs) }
}

/// A time between ticks.
///
/// # Errors
/// It is shorter than [`LEAST_PERIOD`].
pub fn period(period: SimSpan) -> Result<SimSpan, BeyondLimits> {
    let found = || BeyondLimits(format!("expected a period of at least {LEAST_PERIOD} s, found `{period}`"));
    if period < LEAST_PERIOD { Err(found()) } else { Ok(period) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_beyond_is_refused() {
        assert!(nodes(0).is_err() && nodes(1).is_ok() && nodes(MOST_NODES + 1).is_err());
        assert!(jobs(0).is_ok() && jobs(MOST_JOBS + 1).is_err());
        assert!(period(SimSpan::ZERO).is_err() && period(LEAST_PERIOD).is_ok());
    }
}
