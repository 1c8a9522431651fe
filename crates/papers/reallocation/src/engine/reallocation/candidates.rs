//! The jobs among which a heuristic still has to choose, and what is known of them.

use super::key::{Ends, Key, two_least};
use crate::engine::{GridJob, Heuristic};
use dfrsim_model::{SimSpan, SimTime};
use dfrsim_policies::batch::Expected;
use std::cmp::Ordering;

/// Jobs and what each cluster offers them. An offer is valid until its cluster changes; only then it is requested
/// again.
pub(super) struct Candidates {
    heuristic: Heuristic,
    pub(super) queue_state: QueueState,
    list: Vec<Candidate>,
    /// One for each candidate and cluster, row by row.
    offers: Vec<Offer>,
    clusters: usize,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) job: usize,
    pub(super) width: u32,
    /// Where it waits, or did before it was cancelled.
    pub(super) current: usize,
    /// When it is, or was, expected to complete there.
    pub(super) current_end: SimTime,
    /// The cluster to which it would go, and its offer.
    pub(super) target: Option<(usize, Offer)>,
    key: Key,
}

/// What a cluster offers to a job.
#[derive(Clone, Copy, Debug)]
pub(super) struct Offer {
    pub(super) expected: Expected,
    /// Zero where the job does not fit.
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

/// Whether candidates are still queued where they were submitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum QueueState {
    /// No: that cluster offers them a new place, like any other.
    Cancelled,
    /// Yes: that cluster offers them the place that they have.
    Queued,
}

impl Candidates {
    /// No job; those that come will be compared by this heuristic.
    pub(super) fn new(heuristic: Heuristic, queue_state: QueueState) -> Candidates {
        Candidates { heuristic, queue_state, list: Vec::new(), offers: Vec::new(), clusters: 0 }
    }

    /// One more job, with an offer of each cluster.
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
    pub(super) fn renew(&mut self, at: usize, mut expect: impl FnMut(&Candidate, Offer) -> Expected) {
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

    /// Takes out the job that comes first, if any is left.
    pub(super) fn take_first(&mut self) -> Option<Candidate> {
        let at = self.first(|_| true)?;
        let last = self.list.len() - 1;
        let row = last * self.clusters;
        self.offers.copy_within(row.., at * self.clusters);
        self.offers.truncate(row);
        Some(self.list.swap_remove(at))
    }

    /// Takes out the first job that would complete more than the threshold earlier elsewhere, and all that come before
    /// it: they have had their turn.
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

    /// Where the first of some jobs is in the list.
    fn first(&self, which: impl Fn(&Candidate) -> bool) -> Option<usize> {
        let some = self.list.iter().enumerate().filter(|(_, candidate)| which(candidate));
        some.min_by(|(_, a), (_, b)| a.comes_before(b)).map(|(at, _)| at)
    }
}

impl Candidate {
    /// The order in which a heuristic examines two jobs.
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
            // Of equal clusters the one where it is, then the first.
            let better =
                |(_, other): (usize, Offer)| end < other.end() || end == other.end() && at == current;
            if counts && target.is_none_or(better) {
                target = Some((at, *offer));
            }
        }
        self.target = target;
        let (best, second) = two_least(fitting.map(|(_, offer)| offer.end())).unwrap_or((SimTime::MAX, None));
        let ends =
            Ends { current: self.current_end, new: target.map(|(_, offer)| offer.end()), best, second };
        self.key = Key::of(heuristic, &ends, self.width);
    }
}
