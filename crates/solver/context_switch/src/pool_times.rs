//! Times of actions that run pool by pool.

use crate::action::Action;
use crate::cluster::Cluster;
use crate::contention::Progress;
use crate::durations::Durations;
use crate::timed_action::TimedAction;
use crate::waits::{delays, nodes_ready_at};
use dfrsim_model::SimTime;

/// Computes the times of a plan's actions, pool by pool.
pub(crate) fn times(
    cluster: &Cluster,
    pools: &[Vec<Action>],
    durations: &Durations,
) -> Vec<Vec<TimedAction>> {
    let mut start = SimTime::ZERO;
    let pools = pools.iter().map(|pool| {
        start = start.max(nodes_ready_at(cluster, pool, durations));
        let mut progress = Progress::new(cluster, durations);
        for (&action, delay) in pool.iter().zip(delays(cluster, pool)) {
            progress.add(action, start + delay);
        }
        let timed = pool.iter().zip(progress.times());
        let timed = timed.map(|(&action, (begin, end))| TimedAction { action, begin, end });
        let timed: Vec<TimedAction> = timed.collect();
        start = timed.iter().map(|timed| timed.end).max().unwrap_or(start);
        timed
    });
    pools.collect()
}
