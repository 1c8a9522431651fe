//! The heuristic that takes jobs in the order of submission.

use super::{Places, cancel_all, move_job, submit_again};
use crate::Observer;
use crate::grid::Grid;
use dfrsim_model::{SimSpan, SimTime};

/// Algorithm 1: moves each job that would complete more than the threshold earlier on another cluster.
pub(super) fn move_gainers<O: Observer>(
    grid: &mut Grid<'_, O>,
    places: &mut Places,
    waiting: &[usize],
    threshold: SimSpan,
) {
    for &job in waiting {
        // A move may have made room for others to start.
        if !grid.is_waiting(job) {
            continue;
        }
        let (from, there) = (places.cluster(job), places.end(grid, job));
        let elsewhere = best(grid, job, |at| (at != from).then_some(0));
        if let Some((to, expected)) = elsewhere.filter(|&(_, end)| end.saturating_add(threshold) < there) {
            move_job(grid, job, (from, there), (to, expected));
            places.ask(grid, from).for_each(drop);
            places.ask(grid, to).for_each(drop);
        }
    }
}

/// Algorithm 2: cancels all jobs, then submits each where it completes first.
pub(super) fn resubmit<O: Observer>(grid: &mut Grid<'_, O>, places: &Places, waiting: &[usize]) {
    cancel_all(grid, places, waiting);
    for &job in waiting {
        let from = places.cluster(job);
        let (to, expected) =
            best(grid, job, |at| Some(u8::from(at != from))).expect("it was on a cluster before");
        submit_again(grid, job, from, to, expected);
    }
}

/// The cluster on which a job would complete first, and when; of several the one of least preference, then the first.
/// Only clusters with a preference count.
fn best<O: Observer>(
    grid: &mut Grid<'_, O>,
    job: usize,
    preference: impl Fn(usize) -> Option<u8>,
) -> Option<(usize, SimTime)> {
    let (now, job) = (grid.now(), grid.job(job));
    let ends = grid.clusters.iter_mut().enumerate().filter(|(_, cluster)| cluster.fits(job));
    ends.filter_map(|(at, cluster)| Some((preference(at)?, at, cluster)))
        .map(|(preference, at, cluster)| (cluster.end_if_submitted(now, job), preference, at))
        .min()
        .map(|(end, _, at)| (at, end))
}
