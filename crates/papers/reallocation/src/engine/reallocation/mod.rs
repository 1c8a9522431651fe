//! Moving waiting jobs (RR-7226, section 2.2).
//!
//! [`Reallocator`] finds out who waits where and when it would complete, and hands that to the one of two procedures that
//! the heuristic needs: [`in_turn`] asks about one job after the other, [`by_choice`] about all that are left before each
//! choice. Where queues are served in turn thousands may wait: [`by_width`] finds the few that can come first.

mod by_choice;
mod by_width;
mod candidates;
mod in_turn;
mod key;
mod walltimes;

use crate::engine::grid::Grid;
use crate::engine::{Heuristic, Reallocation};
use dfrsim_model::SimTime;
use dfrsim_policies::batch::Expected;

/// Does what [`Reallocation`] says.
pub(crate) struct Reallocator {
    pub(crate) options: Reallocation,
    places: Places,
    /// The waiting jobs in the order of submission; kept to reuse its memory.
    waiting: Vec<usize>,
}

/// Where the jobs that wait are.
#[derive(Default)]
struct Places {
    /// For each job: its cluster and what is expected of it there; of use for waiting jobs only.
    of: Vec<(usize, Expected)>,
    plan: Vec<(usize, Expected)>,
}

impl Places {
    /// Asks a cluster for its plan; gives its waiting jobs in the order of its queue.
    fn ask(&mut self, grid: &mut Grid<'_>, at: usize) -> impl Iterator<Item = usize> {
        let now = grid.now();
        self.plan.clear();
        grid.clusters[at].known_plan(now, &mut self.plan);
        for &(job, expected) in &self.plan {
            if self.of.len() <= job {
                self.of.resize(job + 1, (0, Expected::UNKNOWN));
            }
            self.of[job] = (at, expected);
        }
        self.plan.iter().map(|(job, _)| *job)
    }
    fn cluster(&self, job: usize) -> usize {
        self.of[job].0
    }
    /// When a job is expected to complete where it waits.
    fn end(&self, job: usize) -> SimTime {
        self.of[job].1.end
    }
}

impl Reallocator {
    pub(crate) fn new(options: Reallocation) -> Reallocator {
        Reallocator { options, places: Places::default(), waiting: Vec::new() }
    }

    pub(crate) fn reallocate(&mut self, grid: &mut Grid<'_>) {
        let Reallocator { options, places, waiting } = self;
        waiting.clear();
        for at in 0..grid.clusters.len() {
            waiting.extend(places.ask(grid, at));
        }
        grid.outcome.most_waiting = grid.outcome.most_waiting.max(waiting.len());
        waiting.retain(|&job| grid.job(job).home.is_none());
        waiting.sort_unstable();
        grid.outcome.questions += questions(grid, waiting, options.heuristic);
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

/// How many completion times the text's procedure asks for: of all jobs that are left, before each choice.
fn questions(grid: &Grid<'_>, waiting: &[usize], heuristic: Heuristic) -> u64 {
    let clusters = |&job: &usize| (0..grid.clusters.len()).filter(|&at| grid.accepts(at, job)).count();
    let once: u64 = waiting.iter().map(|job| clusters(job) as u64).sum();
    match heuristic {
        Heuristic::Mct => once,
        // The job that is chosen k-th is asked about k times; on average over all orders that is half of n + 1.
        _ => (once * (waiting.len() as u64 + 1)).div_ceil(2),
    }
}

/// Takes all of these jobs, which are all that wait but for local ones, out of their queues.
fn cancel_all(grid: &mut Grid<'_>, places: &Places, waiting: &[usize]) {
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
    grid.settle();
}

/// Moves a job that waits on one cluster to another, where it is expected to end then.
fn move_job(
    grid: &mut Grid<'_>,
    job: usize,
    (from, expected_there): (usize, SimTime),
    (to, expected): (usize, SimTime),
) {
    grid.cancel(job, from, Some(expected_there));
    grid.submit(job, to, expected);
    grid.count_move(job);
    grid.settle();
}

/// Submits a cancelled job that waited on `from`.
fn submit_again(grid: &mut Grid<'_>, job: usize, from: usize, to: usize, expected: SimTime) {
    grid.submit(job, to, expected);
    if to != from {
        grid.count_move(job);
    }
    grid.settle();
}
