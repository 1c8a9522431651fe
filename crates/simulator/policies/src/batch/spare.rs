//! EASY that backfills into spare nodes only.

use super::queue::Waiting;
use super::reserved::Reserved;
use super::scheduler::{BatchScheduler, Beside};
use super::split::{Room, Split};
use dfrsim_cluster::{Decision, JobHandle, View};

impl BatchScheduler {
    /// Gives the head of the queue a reservation of certain nodes: those that are free latest by the earliest time at which there are enough. It
    /// keeps them until all of them are free, and starts then. Other jobs start, in the order of the queue, if they fit into what is free
    /// and not reserved, however short they are; EASY would also let those onto reserved nodes that end by the time of the reservation.
    ///
    /// This is what the simulator of the dissertation's author does (vcsim, M. Stillwell, 2010, `results/scripts/sim.py`): the time
    /// of its reservation is unknown until it starts, and in Python 2 no number is below or equal to an unknown one, so the rule
    /// for short jobs never applies. The published figures of EASY are those of this policy.
    ///
    /// The reservation is given up when nodes go down or come up or a window is announced, when the job could start and would reach into a
    /// window, and when a limit holds the job back.
    pub(super) fn backfill_spare_nodes(&mut self, view: View<'_>, decision: &mut Decision) {
        let (now, clock) = (view.now(), self.clock(view.now()));
        self.start_reserved(view, decision);
        let (mut at, mut tests) = (0, clock.tests);
        let mut has_head = self.reserved.is_some();
        tests -= u32::from(has_head);
        self.hold(&[]);
        if has_head {
            self.queue.sort_behind(at, now);
        }
        while at < self.queue.jobs.len() && !(has_head && (tests == 0 || !clock.backfills)) {
            let job = &self.queue.jobs[at];
            let is_hopeless = self.site.is_none() && has_head && !self.pools.might_fit()(job);
            if is_hopeless || self.holds(job.job.job) {
                at += 1;
                continue;
            }
            let job = self.planned(now, at);
            if let Some(room) = self.room_or_make(view, &job, Beside::NoReservation, decision) {
                self.start_waiting(view, at, room, decision);
            } else if has_head {
                at += 1;
            } else {
                has_head = true;
                if !clock.backfills {
                    break;
                }
                self.pools.count(job.need);
                let mut releases = self.releases(now);
                releases.sort_by_key(|(end, run)| (*end, run.sequence));
                if let Some((held, awaited)) = Reserved::bind(&self.pools, now, &job, &releases) {
                    self.reserved = Some(Reserved { job: self.queue.take(at), held, awaited });
                    self.hold(&[]);
                } else {
                    at += 1;
                }
                self.queue.sort_behind(at, now);
            }
            tests -= u32::from(has_head);
        }
        self.queue.sort_back(now);
        self.release();
    }

    /// Takes what the reservation keeps from others, as if some jobs had left.
    pub(super) fn hold(&mut self, left: &[JobHandle]) {
        if let Some(reserved) = &self.reserved {
            let mut split = reserved.held.clone();
            let awaited = reserved.awaited.iter().filter(|(job, _)| left.contains(job));
            awaited.flat_map(|(_, split)| &split.0).for_each(|&(pool, nodes)| split.add(pool, nodes));
            self.held = self.pools.hold(reserved.job.need, &split);
        }
    }

    /// Gives back what was taken for the reservation.
    pub(super) fn release(&mut self) {
        let held = std::mem::take(&mut self.held);
        self.pools.release(&held);
    }

    /// Starts the job of the reservation if its nodes are free, or if others make room for it.
    fn start_reserved(&mut self, view: View<'_>, decision: &mut Decision) {
        let now = view.now();
        let Some(reserved) = self.reserved.take() else { return };
        let (job, held) = (self.as_planned(now, &reserved.job), &reserved.held);
        let is_ready = reserved.is_ready(&self.pools);
        let end = self.pools.end(now, &job.job, held);
        if self.holds(job.job.job) || is_ready && !self.pools.is_open(held, job.need, now, end) {
            self.join(reserved.job.job, reserved.job.need);
            self.order(now);
        } else if is_ready {
            let split = if self.pools.single().is_some() { Split::default() } else { reserved.held };
            self.start(view, &reserved.job.job, reserved.job.need, (split, end), decision);
        } else if let Some(room) = self.room_if_preempting(view, &job, decision) {
            self.start(view, &reserved.job.job, reserved.job.need, room, decision);
        } else {
            self.reserved = Some(reserved);
        }
    }

    fn room_if_preempting(&mut self, view: View<'_>, job: &Waiting, decision: &mut Decision) -> Option<Room> {
        let candidates = self.site.as_ref()?.candidates(view.now(), job.job.job);
        let waits_on = candidates.is_empty() || self.pools.room_now(view.now(), job).is_some();
        if waits_on { None } else { self.room_or_make(view, job, Beside::NoReservation, decision) }
    }
}
