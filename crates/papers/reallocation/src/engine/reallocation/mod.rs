//! Reallocation of waiting jobs (RR-7226, section 2.2).
//!
//! [`Reallocator`] collects the waiting jobs with their clusters and expected completions, and calls
//! one of two procedures, depending on the heuristic: [`in_turn`] examines one job after the other,
//! [`by_choice`] all jobs that are left before each choice. If queues are served in order, thousands
//! of jobs may wait: [`by_width`] finds the few that can come first.

mod by_choice;
mod by_width;
mod candidates;
mod in_turn;
mod key;
mod walltimes;

use crate::engine::grid::Grid;
use crate::engine::{Heuristic, Reallocation};
use dfrsim_model::SimTime;
use dfrsim_policies::batch::Prediction;

/// Reallocator that performs a [`Reallocation`].
pub(crate) struct Reallocator {
    pub(crate) options: Reallocation,
    places: QueuedJobs,
    /// Waiting jobs in the order of submission; kept to reuse its memory.
    waiting: Vec<usize>,
}

/// Clusters and predictions of the waiting jobs.
#[derive(Default)]
struct QueuedJobs {
    /// Cluster of each job and the prediction there; valid for waiting jobs only.
    predictions: Vec<(usize, Prediction)>,
    plan: Vec<(usize, Prediction)>,
}

impl QueuedJobs {
    /// Reads the plan of a cluster; returns its waiting jobs in the order of its queue.
    fn read_plan(&mut self, grid: &mut Grid<'_>, at: usize) -> impl Iterator<Item = usize> {
        let now = grid.now();
        self.plan.clear();
        grid.clusters[at].known_plan(now, &mut self.plan);
        for &(job, expected) in &self.plan {
            if self.predictions.len() <= job {
                self.predictions.resize(job + 1, (0, Prediction::UNKNOWN));
            }
            self.predictions[job] = (at, expected);
        }
        self.plan.iter().map(|(job, _)| *job)
    }
    fn cluster(&self, job: usize) -> usize {
        self.predictions[job].0
    }
    /// Returns the expected completion of a job where it waits.
    fn end(&self, job: usize) -> SimTime {
        self.predictions[job].1.end
    }
}

impl Reallocator {
    pub(crate) fn new(options: Reallocation) -> Reallocator {
        Reallocator { options, places: QueuedJobs::default(), waiting: Vec::new() }
    }

    pub(crate) fn reallocate(&mut self, grid: &mut Grid<'_>) {
        let Reallocator { options, places, waiting } = self;
        waiting.clear();
        for at in 0..grid.clusters.len() {
            waiting.extend(places.read_plan(grid, at));
        }
        grid.outcome.most_waiting = grid.outcome.most_waiting.max(waiting.len());
        waiting.retain(|&job| grid.job(job).home.is_none());
        waiting.sort_unstable();
        grid.outcome.questions += count_requests(grid, waiting, options.heuristic);
        match (options.moves_for_more_than(), options.heuristic) {
            (Some(threshold), Heuristic::Mct) => in_turn::move_gainers(grid, places, waiting, threshold),
            (None, Heuristic::Mct) => in_turn::resubmit(grid, places, waiting),
            (Some(threshold), heuristic) => {
                by_choice::move_gainers(grid, places, waiting, heuristic, threshold);
            }
            (None, heuristic) if grid.serves_in_turn() => {
                by_width::resubmit(grid, places, waiting, heuristic);
            }
            (None, heuristic) => by_choice::resubmit(grid, places, waiting, heuristic),
        }
    }
}

/// Counts the completion times that the text's procedure requests: those of all jobs that are left,
/// before each choice.
fn count_requests(grid: &Grid<'_>, waiting: &[usize], heuristic: Heuristic) -> u64 {
    let clusters = |&job: &usize| (0..grid.clusters.len()).filter(|&at| grid.accepts(at, job)).count();
    let once: u64 = waiting.iter().map(|job| clusters(job) as u64).sum();
    match heuristic {
        Heuristic::Mct => once,
        // The k-th job chosen is queried k times; the average over all orders is half of n + 1.
        _ => (once * (waiting.len() as u64 + 1)).div_ceil(2),
    }
}

/// Cancels these jobs, which must be all waiting jobs except local ones.
fn cancel_all(grid: &mut Grid<'_>, places: &QueuedJobs, waiting: &[usize]) {
    for at in 0..grid.clusters.len() {
        let here: Vec<(usize, SimTime)> = (waiting.iter().filter(|&&job| places.cluster(job) == at))
            .map(|&job| (job, places.end(job)))
            .collect();
        if here.is_empty() {
            continue;
        }
        if grid.clusters[at].waiting == here.len() {
            grid.cancel_all(at, &here);
        } else {
            here.into_iter().for_each(|(job, end)| grid.cancel(job, at, Some(end)));
        }
    }
    // Local jobs may start now.
    grid.run_pending_cycles();
}

/// Moves a waiting job to another cluster. `to` and `from` include the expected completions there.
fn move_job(
    grid: &mut Grid<'_>,
    job: usize,
    (from, expected_there): (usize, SimTime),
    (to, expected): (usize, SimTime),
) {
    grid.cancel(job, from, Some(expected_there));
    grid.submit(job, to, expected);
    grid.count_move(job);
    grid.run_pending_cycles();
}

/// Submits a cancelled job that waited on `from` to cluster `to`.
fn resubmit_job(grid: &mut Grid<'_>, job: usize, from: usize, to: usize, expected: SimTime) {
    grid.submit(job, to, expected);
    if to != from {
        grid.count_move(job);
    }
    grid.run_pending_cycles();
}
