//! Jobs among which a heuristic still has to choose, with the offers of the clusters.

use super::key::{Ends, Key, two_smallest};
use crate::engine::{GridJob, Heuristic};
use dfrsim_model::{SimSpan, SimTime};
use dfrsim_policies::batch::Prediction;
use std::cmp::Ordering;

/// Candidate jobs and the offers of each cluster to them. An offer is valid until its cluster
/// changes; only then it is requested again.
pub(super) struct Candidates {
    heuristic: Heuristic,
    pub(super) queue_state: QueueState,
    list: Vec<Candidate>,
    /// Offers by candidate and cluster, row by row.
    offers: Vec<Offer>,
    clusters: usize,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) job: usize,
    pub(super) width: u32,
    /// Cluster on which it waits, or waited before it was cancelled.
    pub(super) current: usize,
    /// Expected completion on that cluster.
    pub(super) current_end: SimTime,
    /// Cluster to which it would move, and that cluster's offer.
    pub(super) target: Option<(usize, Offer)>,
    key: Key,
}

/// Offer of a cluster to a job.
#[derive(Clone, Copy, Debug)]
pub(super) struct Offer {
    pub(super) expected: Prediction,
    /// Walltime on the cluster; zero if the job does not fit.
    pub(super) walltime: SimSpan,
}

impl Offer {
    pub(super) fn is_some(self) -> bool {
        !self.walltime.is_zero()
    }
    pub(super) fn end(self) -> SimTime {
        self.expected.end
    }
}

/// State of the candidates in their queues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum QueueState {
    /// Cancelled: the former cluster offers a new place, like any other.
    Cancelled,
    /// Still queued: the current cluster offers the place that they have.
    Queued,
}

impl Candidates {
    /// Creates an empty list of candidates that are compared by this heuristic.
    pub(super) fn new(heuristic: Heuristic, queue_state: QueueState) -> Candidates {
        Candidates { heuristic, queue_state, list: Vec::new(), offers: Vec::new(), clusters: 0 }
    }

    /// Adds a job with the offers of all clusters.
    pub(super) fn push(
        &mut self,
        (number, job): (usize, &GridJob),
        (current, current_end): (usize, SimTime),
        offers: impl Iterator<Item = Offer>,
    ) {
        let row = self.offers.len();
        self.offers.extend(offers);
        self.clusters = self.offers.len() - row;
        let mut candidate =
            Candidate { job: number, width: job.width, current, current_end, target: None, key: Key::NONE };
        candidate.evaluate(&self.offers[row..], self.heuristic, self.queue_state);
        self.list.push(candidate);
    }

    /// Updates every offer of a cluster.
    pub(super) fn update_offers(
        &mut self,
        at: usize,
        mut expect: impl FnMut(&Candidate, Offer) -> Prediction,
    ) {
        for (candidate, row) in self.list.iter_mut().zip(self.offers.chunks_exact_mut(self.clusters)) {
            let offer = &mut row[at];
            if offer.is_some() {
                let expected = expect(candidate, *offer);
                if expected != offer.expected {
                    offer.expected = expected;
                    candidate.evaluate(row, self.heuristic, self.queue_state);
                }
            }
        }
    }

    /// Removes and returns the job that comes first, if any is left.
    pub(super) fn take_first(&mut self) -> Option<Candidate> {
        let at = self.first(|_| true)?;
        let last = self.list.len() - 1;
        let row = last * self.clusters;
        self.offers.copy_within(row.., at * self.clusters);
        self.offers.truncate(row);
        Some(self.list.swap_remove(at))
    }

    /// Removes and returns the first job that would complete more than the threshold earlier
    /// elsewhere. All jobs before it are removed too: they count as examined.
    pub(super) fn take_first_gainer(&mut self, threshold: SimSpan) -> Option<Candidate> {
        let gains = |candidate: &Candidate| {
            candidate
                .target
                .is_some_and(|(_, new)| new.end().saturating_add(threshold) < candidate.current_end)
        };
        let gainer = self.list[self.first(gains)?];
        self.retain(|candidate| candidate.comes_before(&gainer) == Ordering::Greater);
        Some(gainer)
    }

    pub(super) fn retain(&mut self, keep: impl Fn(&Candidate) -> bool) {
        let mut kept = 0;
        for at in 0..self.list.len() {
            if keep(&self.list[at]) {
                self.list[kept] = self.list[at];
                let row = at * self.clusters;
                self.offers.copy_within(row..row + self.clusters, kept * self.clusters);
                kept += 1;
            }
        }
        self.list.truncate(kept);
        self.offers.truncate(kept * self.clusters);
    }

    /// Finds the index of the first of the selected jobs.
    fn first(&self, which: impl Fn(&Candidate) -> bool) -> Option<usize> {
        let some = self.list.iter().enumerate().filter(|(_, candidate)| which(candidate));
        some.min_by(|(_, a), (_, b)| a.comes_before(b)).map(|(at, _)| at)
    }
}

impl Candidate {
    /// Compares two jobs in the order in which the heuristic examines them.
    fn comes_before(&self, other: &Candidate) -> Ordering {
        other.key.cmp(&self.key).then(self.job.cmp(&other.job))
    }

    fn evaluate(&mut self, offers: &[Offer], heuristic: Heuristic, queue_state: QueueState) {
        let current = self.current;
        if queue_state == QueueState::Queued {
            self.current_end = offers[current].end();
        }
        let mut target: Option<(usize, Offer)> = None;
        let fitting = offers.iter().enumerate().filter(|(_, offer)| offer.is_some());
        for (at, offer) in fitting.clone() {
            let end = offer.end();
            let counts = queue_state == QueueState::Cancelled || at != current;
            // Ties go to the current cluster, then to the first.
            let better =
                |(_, other): (usize, Offer)| end < other.end() || end == other.end() && at == current;
            if counts && target.is_none_or(better) {
                target = Some((at, *offer));
            }
        }
        self.target = target;
        let (best, second) =
            two_smallest(fitting.map(|(_, offer)| offer.end())).unwrap_or((SimTime::MAX, None));
        let ends =
            Ends { current: self.current_end, new: target.map(|(_, offer)| offer.end()), best, second };
        self.key = Key::of(heuristic, &ends, self.width);
    }
}
