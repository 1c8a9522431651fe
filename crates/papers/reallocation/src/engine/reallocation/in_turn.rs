//! Heuristic that examines jobs in the order of submission.

use super::{QueuedJobs, cancel_all, move_job, resubmit_job};
use crate::engine::grid::Grid;
use dfrsim_model::{SimSpan, SimTime};

/// Applies algorithm 1: moves each job that would complete more than the threshold earlier on
/// another cluster.
pub(super) fn move_gainers(
    grid: &mut Grid<'_>,
    places: &mut QueuedJobs,
    waiting: &[usize],
    threshold: SimSpan,
) {
    for &job in waiting {
        // A move may have let other jobs start.
        if !grid.is_waiting(job) {
            continue;
        }
        let (from, there) = (places.cluster(job), places.end(job));
        let elsewhere = best(grid, job, |at| (at != from).then_some(0));
        if let Some((to, expected)) = elsewhere.filter(|&(_, end)| end.saturating_add(threshold) < there) {
            move_job(grid, job, (from, there), (to, expected));
            places.read_plan(grid, from).for_each(drop);
            places.read_plan(grid, to).for_each(drop);
        }
    }
}

/// Applies algorithm 2: cancels all jobs, then submits each where it completes first.
pub(super) fn resubmit(grid: &mut Grid<'_>, places: &QueuedJobs, waiting: &[usize]) {
    cancel_all(grid, places, waiting);
    for &job in waiting {
        let from = places.cluster(job);
        let (to, expected) =
            best(grid, job, |at| Some(u8::from(at != from))).expect("it was on a cluster before");
        resubmit_job(grid, job, from, to, expected);
    }
}

/// Finds the cluster on which a job would complete first, and the completion time. Ties go to the
/// lowest preference, then to the first cluster. Clusters without a preference are ignored.
fn best(
    grid: &mut Grid<'_>,
    job: usize,
    preference: impl Fn(usize) -> Option<u8>,
) -> Option<(usize, SimTime)> {
    let now = grid.now();
    let mut best: Option<(SimTime, u8, usize)> = None;
    for at in 0..grid.clusters.len() {
        let preference = preference(at).filter(|_| grid.accepts(at, job));
        let Some(preference) = preference else { continue };
        let demand = grid.demand(job, at);
        let found = (grid.clusters[at].expect(now, now, demand).end, preference, at);
        best = Some(best.map_or(found, |best| best.min(found)));
    }
    best.map(|(end, _, at)| (at, end))
}
