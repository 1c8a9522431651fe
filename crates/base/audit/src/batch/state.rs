//! State of a batch system between two decisions.

use super::keys::Mix;
use super::nodes::BatchNodes;
use super::queue::{DevicesByPool, Parts, Running, Waiting};
use super::timers::Timers;
use crate::priority::PrioritySystem;
use crate::unrecorded::UnrecordedDecisions;
use dfrsim_model::SortedMap;
use dfrsim_model::batch::BatchPolicy;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Start of a job in the record, with its line.
#[derive(Debug)]
pub(super) struct Started {
    pub(super) job: u64,
    pub(super) line: u64,
    pub(super) on: Vec<(u32, u32)>,
    /// Devices as triples of node, device and tasks.
    pub(super) devices: Vec<(u32, u32, u32)>,
    pub(super) level: u32,
}

/// Preemption of a job in the record.
#[derive(Debug)]
pub(super) struct Preempted {
    pub(super) job: u64,
    pub(super) line: u64,
    /// Remaining estimate with which it is requeued; `None` if it has left.
    pub(super) waits: Option<u64>,
}

/// Reservation of a job under CONS.
#[derive(Debug)]
pub(super) struct Reservation {
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) parts: Parts,
    pub(super) devices: DevicesByPool,
}

/// Checker that follows a schedule decision by decision.
#[derive(Debug, Default)]
pub(crate) struct BatchCheck {
    pub(super) policy: BatchPolicy,
    pub(super) nodes: BatchNodes,
    /// Tasks submitted so far.
    pub(super) mix: Arc<Mix>,
    pub(super) site: Option<PrioritySystem>,
    pub(super) queue: Vec<Waiting>,
    pub(super) running: SortedMap<u64, Running>,
    pub(super) started: Vec<Started>,
    pub(super) preempted: Vec<Preempted>,
    /// Preempted jobs to be requeued after the decision.
    pub(super) requeued: Vec<Waiting>,
    /// True if anything but the decision itself happened since the last decision.
    pub(super) is_due: bool,
    /// Time of the next decision if nothing happens before.
    pub(super) wake: Option<u64>,
    pub(super) unrecorded: UnrecordedDecisions,
    /// Waiting jobs of which it was reported that they do not start. The record is right about them
    /// from then on.
    pub(super) late: BTreeSet<u64>,
    /// Reservations of CONS, by job.
    pub(super) reserved: SortedMap<u64, Reservation>,
    /// True if a job left before the end of its estimate since the last decision.
    pub(super) is_freed: bool,
    /// True if a job started at a speed level before its reservation in this decision. The next decision
    /// sees that as an early end.
    pub(super) leaves_plan: bool,
    /// True if reservations are stale: a job exceeded its estimate or did not start as planned.
    pub(super) is_stale: bool,
    /// True if jobs were preempted in the last decision, which SLURM sees at once.
    pub(super) is_soon: bool,
    /// Timers of the SLURM cycles. The fields `arriving` and `completing` have the events of the
    /// current time, which the cycles do not see yet.
    pub(super) timers: Timers,
    pub(super) arriving: Vec<Waiting>,
    pub(super) completing: Vec<u64>,
    /// True for a cluster of a grid.
    pub(super) is_in_grid: bool,
    /// Time of the last decision for which there was a reason.
    pub(super) last_decision: Option<u64>,
    /// Time up to which reservations have been decided.
    pub(super) decided: u64,
}

impl BatchCheck {
    /// Applies the arrivals and completions of the current time.
    pub(super) fn apply_events(&mut self, now: u64) {
        std::mem::take(&mut self.completing).into_iter().for_each(|job| self.leave(job, now, None));
        if self.policy.place.depends_on_tasks() {
            let mix = Arc::make_mut(&mut self.mix);
            self.arriving.iter().filter(|job| job.tasks <= job.most).for_each(|job| mix.see(job));
        }
        self.queue.append(&mut self.arriving);
    }
    /// Releases the nodes of a job; requeues it if it has a remaining estimate.
    pub(super) fn leave(&mut self, number: u64, now: u64, waits: Option<u64>) {
        self.late.remove(&number);
        let Some(Running { mut job, on, end, .. }) = self.running.remove(&number) else { return };
        on.iter().for_each(|&(node, _)| self.nodes.jobs[node as usize] -= 1);
        self.is_freed |= end > now;
        let site = self.site.iter_mut();
        match waits {
            None => site.for_each(|site| site.leave(number, now)),
            Some(estimate) => {
                site.for_each(|site| site.pause(number, now));
                job.estimate = estimate;
                self.requeued.push(job.at_level(0));
            }
        }
    }
}
