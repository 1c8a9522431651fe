//! CONS: every job has a reservation (Mu'alem and Feitelson 2001, section 2).

use super::BatchRule;
use super::check::{Cluster, Decision, OVERRUN, Running};
use super::queue::Waiting;
use crate::profile::{Profile, Request, reserve};
use dfrsim_model::SimTime;
use std::collections::BTreeMap;

/// The reservations from one decision to the next.
#[derive(Debug)]
pub(super) struct Reservations {
    /// Whether an early end makes all of them again.
    replans: bool,
    /// When each waiting job starts.
    starts: BTreeMap<u64, u64>,
    /// Whether a job ended before its estimate since the last decision.
    freed: bool,
    /// Whether the reservations rest on a job past its estimate, or on one that did not start as expected.
    is_stale: bool,
    /// Starts up to this moment are decided.
    decided: u64,
}

impl Reservations {
    pub(super) fn new(replans: bool) -> Reservations {
        Reservations { replans, starts: BTreeMap::new(), freed: false, is_stale: false, decided: 0 }
    }

    pub(super) fn ended(&mut self, now: u64, job: &Running) {
        self.freed |= job.end > now;
    }

    /// When the next job starts if no other event occurs.
    pub(super) fn next_start(&self) -> Option<u64> {
        self.starts.values().copied().filter(|&start| start > self.decided && start < u64::MAX).min()
    }

    /// Makes the reservations of this moment for a queue by submission.
    fn plan(&mut self, now: u64, queue: &[Waiting], cluster: &Cluster, is_stale: bool) {
        let freed = std::mem::take(&mut self.freed);
        if is_stale || freed && self.replans {
            self.starts.clear();
        }
        let requests = queue.iter().map(|job| Request { key: job.job, width: job.width, span: job.estimate });
        let profile = Profile::of_running(cluster.nodes, now, &cluster.ends(now));
        reserve(profile, requests, &mut self.starts, freed);
    }

    /// Judges a decision.
    pub(super) fn decide(&mut self, queue: &[Waiting], decision: &mut Decision<'_>) {
        let now = decision.now;
        let overdue = decision.cluster.running.values().any(|job| job.end <= now);
        let is_stale = std::mem::replace(&mut self.is_stale, overdue) || overdue;
        self.plan(now, queue, decision.cluster, is_stale);
        for job in queue {
            let reserved = self.starts[&job.job];
            let expected = reserved == now;
            let starts = decision.judge(job, expected, || {
                if expected {
                    BatchRule::ReservationMissed
                } else {
                    BatchRule::BeforeReservation { reserved: SimTime::from_micros(reserved) }
                }
            });
            if starts {
                self.starts.remove(&job.job);
            }
            self.is_stale |= starts != expected;
        }
        // No decision is due in the second in which jobs past their estimates are expected to end.
        self.decided = if overdue { now.saturating_add(OVERRUN) } else { now };
    }
}
