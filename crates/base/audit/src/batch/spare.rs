//! EASY/SPARE: the head of the queue waits for certain nodes.

use super::BatchRule;
use super::check::{Cluster, Decision};
use super::queue::Waiting;

/// The reservation of the head of the queue.
#[derive(Debug)]
struct Reservation {
    job: u64,
    /// How many of its nodes are free already.
    free: u32,
    /// How many it takes of jobs that run.
    awaited: Vec<(u64, u32)>,
}

impl Reservation {
    /// Of the nodes that are free by the earliest moment at which there are enough, those that are free latest; of jobs that
    /// end in the same moment, those of the one that was submitted last.
    fn new(job: &Waiting, now: u64, cluster: &Cluster) -> Reservation {
        let mut ends: Vec<(u64, u64, u32)> =
            cluster.running.iter().map(|(&job, it)| (it.expected_end(now), job, it.width)).collect();
        ends.sort_unstable();
        let mut available = cluster.free();
        let mut time = now;
        for &(end, _, width) in &ends {
            if available >= job.width {
                break;
            }
            available = available.saturating_add(width);
            time = end;
        }
        let mut missing = job.width;
        let mut awaited = Vec::new();
        for &(_, running, width) in ends.iter().rev().skip_while(|&&(end, ..)| end > time) {
            if missing == 0 {
                break;
            }
            let taken = width.min(missing);
            missing -= taken;
            awaited.push((running, taken));
        }
        Reservation { job: job.job, free: missing, awaited }
    }
}

/// The reservation from one decision to the next.
#[derive(Debug, Default)]
pub(super) struct SpareNodes(Option<Reservation>);

impl SpareNodes {
    /// A job has ended; its nodes may be awaited.
    pub(super) fn ended(&mut self, job: u64) {
        if let Some(reservation) = &mut self.0
            && let Some(at) = reservation.awaited.iter().position(|&(awaited, _)| awaited == job)
        {
            reservation.free += reservation.awaited.remove(at).1;
        }
    }

    /// Judges a decision: first the job of the reservation, then the others in the order of the queue.
    pub(super) fn decide(&mut self, queue: &[Waiting], decision: &mut Decision<'_>) {
        let reserved = self.0.as_ref().map(|reservation| reservation.job);
        let (reserved, others): (Vec<&Waiting>, Vec<&Waiting>) =
            queue.iter().partition(|job| Some(job.job) == reserved);
        for job in reserved {
            let (free, width) = (decision.cluster.free(), job.width);
            let is_free = self.0.as_ref().is_some_and(|reservation| reservation.awaited.is_empty());
            let starts = decision.judge(job, is_free, || {
                if is_free { BatchRule::HeadWaits { free, width } } else { BatchRule::NoRoom { width, free } }
            });
            if starts {
                self.0 = None;
            }
        }
        for job in others {
            let held = self.0.as_ref().map_or(0, |reservation| reservation.free);
            let (free, width) = (decision.cluster.free().saturating_sub(held), job.width);
            if free == 0 && self.0.is_some() && decision.starting.is_empty() {
                return;
            }
            let fits = width <= free;
            let starts = decision.judge(job, fits, || match &self.0 {
                _ if !fits => BatchRule::NoRoom { width, free },
                Some(reservation) => BatchRule::NotBackfilled { free, width, head: reservation.job },
                None => BatchRule::HeadWaits { free, width },
            });
            if !starts && self.0.is_none() {
                self.0 = Some(Reservation::new(job, decision.now, decision.cluster));
            }
        }
    }
}
