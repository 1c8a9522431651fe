//! Heuristics that choose anew among all remaining jobs each time.

use super::candidates::{Candidate, Candidates, Offer, QueueState};
use super::{QueuedJobs, cancel_all, move_job, resubmit_job};
use crate::engine::Heuristic;
use crate::engine::cluster::Cluster;
use crate::engine::demand::Demand;
use crate::engine::grid::Grid;
use dfrsim_model::{SimSpan, SimTime};
use dfrsim_policies::batch::{Prediction, SubmissionEffect};

/// Applies algorithm 1: examines jobs in the order of the heuristic, which is recomputed after each
/// move, and moves those that would complete more than the threshold earlier on another cluster.
///
/// A job that is examined and stays has no effect on the others. So the next one to move is the
/// first of those that gain enough, and all jobs before it count as examined.
pub(super) fn move_gainers(
    grid: &mut Grid<'_>,
    places: &mut QueuedJobs,
    waiting: &[usize],
    heuristic: Heuristic,
    threshold: SimSpan,
) {
    let mut candidates = Candidates::new(heuristic, QueueState::Queued);
    query_all(grid, places, waiting, &mut candidates);
    while let Some(mover) = candidates.take_first_gainer(threshold) {
        let Some((to, new)) = mover.target else { unreachable!("a gainer has somewhere to go") };
        let from = mover.current;
        move_job(grid, mover.job, (from, mover.current_end), (to, new.end()));
        places.read_plan(grid, from).for_each(drop);
        places.read_plan(grid, to).for_each(drop);
        // The move may have let other jobs start.
        candidates.retain(|candidate| grid.is_waiting(candidate.job));
        let now = grid.now();
        let effect = grid.clusters[to].effect_of_submission();
        for (at, effect) in [(from, SubmissionEffect::Any), (to, effect)] {
            let cluster = &mut grid.clusters[at];
            candidates.update_offers(at, |candidate, offer| {
                if candidate.current == at {
                    places.predictions[candidate.job].1
                } else {
                    query_after_submission(cluster, effect, now, new, candidate, offer)
                }
            });
        }
    }
}

/// Applies algorithm 2: cancels all jobs, then repeatedly chooses one and submits it where it
/// completes first.
pub(super) fn resubmit(grid: &mut Grid<'_>, places: &QueuedJobs, waiting: &[usize], heuristic: Heuristic) {
    cancel_all(grid, places, waiting);
    let mut candidates = Candidates::new(heuristic, QueueState::Cancelled);
    query_all(grid, places, waiting, &mut candidates);
    while let Some(chosen) = candidates.take_first() {
        let Some((to, new)) = chosen.target else { unreachable!("it was on a cluster before") };
        resubmit_job(grid, chosen.job, chosen.current, to, new.end());
        let now = grid.now();
        let cluster = &mut grid.clusters[to];
        let effect = cluster.effect_of_submission();
        candidates.update_offers(to, |candidate, offer| {
            query_after_submission(cluster, effect, now, new, candidate, offer)
        });
    }
}

/// Queries every cluster about every job.
fn query_all(grid: &mut Grid<'_>, places: &QueuedJobs, waiting: &[usize], candidates: &mut Candidates) {
    let (now, queue_state) = (grid.now(), candidates.queue_state);
    for &number in waiting {
        let job = grid.job(number);
        let (current, place) = places.predictions[number];
        let current_end = places.end(number);
        let offers = (0..grid.clusters.len()).map(|at| {
            if !grid.accepts(at, number) {
                return Offer { expected: Prediction::UNKNOWN, walltime: SimSpan::ZERO };
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

/// Returns the present offer of a cluster to a job, whose start is not before `from`.
fn query(
    cluster: &mut Cluster<'_>,
    now: SimTime,
    from: SimTime,
    candidate: &Candidate,
    offer: Offer,
) -> Prediction {
    let Candidate { job, width, .. } = *candidate;
    cluster.expect(now, from, Demand { job, width, walltime: offer.walltime })
}

/// Returns the offer of a cluster after one more submission, `new`, with this effect on other
/// offers.
fn query_after_submission(
    cluster: &mut Cluster<'_>,
    effect: SubmissionEffect,
    now: SimTime,
    new: Offer,
    candidate: &Candidate,
    offer: Offer,
) -> Prediction {
    match effect {
        SubmissionEffect::DelaysOverlapping
            if offer.end() <= new.expected.start || new.end() <= offer.expected.start =>
        {
            offer.expected
        }
        SubmissionEffect::DelaysOverlapping | SubmissionEffect::Delays => {
            query(cluster, now, offer.expected.start, candidate, offer)
        }
        SubmissionEffect::Any => query(cluster, now, now, candidate, offer),
    }
}
