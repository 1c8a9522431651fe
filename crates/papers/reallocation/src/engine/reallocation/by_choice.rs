//! The heuristics that choose among all jobs that are left, each time.

use super::candidates::{Candidate, Candidates, Offer, QueueState};
use super::{Places, cancel_all, move_job, submit_again};
use crate::engine::Heuristic;
use crate::engine::cluster::Cluster;
use crate::engine::demand::Demand;
use crate::engine::grid::Grid;
use dfrsim_model::{SimSpan, SimTime};
use dfrsim_policies::batch::{Expected, SubmissionEffect};

/// Algorithm 1: takes jobs in the order of the heuristic, which is a new one after each move, and moves those that would
/// complete more than the threshold earlier on another cluster.
///
/// A job that is examined and stays has no effect on the others. So the next one to move is the first of those that
/// gain enough, and all before it have had their turn.
pub(super) fn move_gainers(
    grid: &mut Grid<'_>,
    places: &mut Places,
    waiting: &[usize],
    heuristic: Heuristic,
    threshold: SimSpan,
) {
    let mut candidates = Candidates::new(heuristic, QueueState::Queued);
    ask_all(grid, places, waiting, &mut candidates);
    while let Some(mover) = candidates.take_first_gainer(threshold) {
        let Some((to, new)) = mover.target else { unreachable!("a gainer has somewhere to go") };
        let from = mover.current;
        move_job(grid, mover.job, (from, mover.current_end), (to, new.end()));
        places.ask(grid, from).for_each(drop);
        places.ask(grid, to).for_each(drop);
        // The move may have made room for others to start.
        candidates.retain(|candidate| grid.is_waiting(candidate.job));
        let now = grid.now();
        let effect = grid.clusters[to].effect_of_submission();
        for (at, effect) in [(from, SubmissionEffect::Any), (to, effect)] {
            let cluster = &mut grid.clusters[at];
            candidates.renew(at, |candidate, offer| {
                if candidate.current == at {
                    places.of[candidate.job].1
                } else {
                    ask_behind(cluster, effect, now, new, candidate, offer)
                }
            });
        }
    }
}

/// Algorithm 2: cancels all jobs, then chooses one after the other and submits it where it completes first.
pub(super) fn resubmit(grid: &mut Grid<'_>, places: &Places, waiting: &[usize], heuristic: Heuristic) {
    cancel_all(grid, places, waiting);
    let mut candidates = Candidates::new(heuristic, QueueState::Cancelled);
    ask_all(grid, places, waiting, &mut candidates);
    while let Some(chosen) = candidates.take_first() {
        let Some((to, new)) = chosen.target else { unreachable!("it was on a cluster before") };
        submit_again(grid, chosen.job, chosen.current, to, new.end());
        let now = grid.now();
        let cluster = &mut grid.clusters[to];
        let effect = cluster.effect_of_submission();
        candidates.renew(to, |candidate, offer| ask_behind(cluster, effect, now, new, candidate, offer));
    }
}

/// Asks every cluster about every job.
fn ask_all(grid: &mut Grid<'_>, places: &Places, waiting: &[usize], candidates: &mut Candidates) {
    let (now, queue_state) = (grid.now(), candidates.queue_state);
    for &number in waiting {
        let job = grid.job(number);
        let (current, place) = places.of[number];
        let current_end = places.end(number);
        let offers = (0..grid.clusters.len()).map(|at| {
            if !grid.accepts(at, number) {
                return Offer { expected: Expected::UNKNOWN, walltime: SimSpan::ZERO };
            }
            let demand = grid.demand(number, at);
            let expected = if queue_state == QueueState::Queued && at == current {
                place
            } else {
                grid.clusters[at].expect(now, now, demand)
            };
            Offer { expected, walltime: demand.walltime }
        });
        candidates.push((number, job), (current, current_end), offers);
    }
}

/// What a cluster offers now, looked for from `from` on.
fn ask(
    cluster: &mut Cluster<'_>,
    now: SimTime,
    from: SimTime,
    candidate: &Candidate,
    offer: Offer,
) -> Expected {
    let Candidate { job, width, .. } = *candidate;
    cluster.expect(now, from, Demand { job, width, walltime: offer.walltime })
}

/// What a cluster offers after one more submission, `new`, which has this effect.
fn ask_behind(
    cluster: &mut Cluster<'_>,
    effect: SubmissionEffect,
    now: SimTime,
    new: Offer,
    candidate: &Candidate,
    offer: Offer,
) -> Expected {
    match effect {
        SubmissionEffect::DelaysOverlapping
            if offer.end() <= new.expected.start || new.end() <= offer.expected.start =>
        {
            offer.expected
        }
        SubmissionEffect::DelaysOverlapping | SubmissionEffect::Delays => {
            ask(cluster, now, offer.expected.start, candidate, offer)
        }
        SubmissionEffect::Any => ask(cluster, now, now, candidate, offer),
    }
}
