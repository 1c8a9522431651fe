//! What is known of a batch system between two decisions.

use super::nodes::Nodes;
use super::queue::{Parts, Running, Waiting};
use super::timers::Timers;
use crate::priority::Site;
use dfrsim_model::SortedMap;
use dfrsim_model::batch::BatchPolicy;

/// A job that starts by the record, with the line that says so.
#[derive(Debug)]
pub(super) struct Started {
    pub(super) job: u64,
    pub(super) line: u64,
    pub(super) on: Vec<(u32, u32)>,
}

/// A job that makes room by the record.
#[derive(Debug)]
pub(super) struct Preempted {
    pub(super) job: u64,
    pub(super) line: u64,
    /// With what estimate it waits again; `None` if it has left.
    pub(super) waits: Option<u64>,
}

/// What a job has from one moment to another under CONS.
#[derive(Debug)]
pub(super) struct Reservation {
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) parts: Parts,
}

/// What the head of the queue keeps under EASY/SPARE.
#[derive(Debug)]
pub(super) struct Bound {
    pub(super) job: u64,
    pub(super) parts: Parts,
    /// What is not free yet where nodes are counted: parts of those of running jobs.
    pub(super) awaited: Vec<(u64, Parts)>,
}

/// Follows a schedule moment by moment.
#[derive(Debug, Default)]
pub(crate) struct BatchCheck {
    pub(super) policy: BatchPolicy,
    pub(super) nodes: Nodes,
    pub(super) site: Option<Site>,
    pub(super) queue: Vec<Waiting>,
    pub(super) running: SortedMap<u64, Running>,
    pub(super) started: Vec<Started>,
    pub(super) preempted: Vec<Preempted>,
    /// Those of them that wait again, until the decision is over.
    pub(super) again: Vec<Waiting>,
    /// Whether anything happened since the last decision.
    pub(super) is_due: bool,
    /// The reservation of EASY/SPARE.
    pub(super) bound: Option<Bound>,
    /// Those of CONS, by job.
    pub(super) reserved: SortedMap<u64, Reservation>,
    /// Whether a job left before the end of its estimate since the last decision.
    pub(super) is_freed: bool,
    /// Whether the reservations rest on a job past its estimate, or on one that did not start as expected.
    pub(super) is_stale: bool,
    /// Whether jobs made room in the last decision, which SLURM sees at once.
    pub(super) is_soon: bool,
    /// Of SLURM: what happens at this moment, which it does not see yet.
    pub(super) timers: Timers,
    pub(super) arriving: Vec<Waiting>,
    pub(super) completing: Vec<u64>,
    /// Reservations up to this moment have been decided.
    pub(super) decided: u64,
}

impl BatchCheck {
    /// Jobs arrived and were done at this moment.
    pub(super) fn see_events(&mut self, now: u64) {
        std::mem::take(&mut self.completing).into_iter().for_each(|job| self.leave(job, now, None));
        self.queue.append(&mut self.arriving);
    }
    /// A job leaves its nodes, and waits again with an estimate if it has not left.
    pub(super) fn leave(&mut self, number: u64, now: u64, waits: Option<u64>) {
        let Some(Running { mut job, on, end, .. }) = self.running.remove(&number) else { return };
        on.iter().for_each(|&(node, _)| self.nodes.jobs[node as usize] -= 1);
        self.is_freed |= end > now;
        self.bound.iter_mut().for_each(|bound| bound.awaited.retain(|(job, _)| *job != number));
        let site = self.site.iter_mut();
        match waits {
            None => site.for_each(|site| site.leave(number, now)),
            Some(estimate) => {
                site.for_each(|site| site.pause(number, now));
                job.estimate = estimate;
                self.again.push(job);
            }
        }
    }
}
