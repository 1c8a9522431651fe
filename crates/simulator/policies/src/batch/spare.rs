//! EASY that backfills onto unreserved (spare) nodes only.

use super::allocation::{Allocation, Slot};
use super::queue::Waiting;
use super::reserved::NodeReservation;
use super::scheduler::{BatchScheduler, ReservationScope};
use dfrsim_cluster::{Decision, JobHandle, View};

impl BatchScheduler {
    /// Gives the queue head a reservation of specific nodes: among those that are free at the shadow
    /// time, the ones that become free last. The head keeps them until all of them are free, and
    /// then starts. Other jobs start, in queue order, if they fit into the resources that are free
    /// and not reserved, however short they are; EASY would also start jobs on reserved nodes if
    /// they end before the shadow time.
    ///
    /// This is the behaviour of the simulator of the dissertation's author (vcsim, M. Stillwell,
    /// 2010, `results/scripts/sim.py`): the time of its reservation is unknown until it starts, and
    /// in Python 2 no number is less than or equal to an unknown one, so the rule for short jobs
    /// never applies. The published figures of EASY are those of this policy.
    ///
    /// The reservation is cancelled when nodes fail or come back or a maintenance window is
    /// announced, when the job could start but would overlap a window, and when a limit blocks the
    /// job.
    pub(super) fn backfill_spare_nodes(&mut self, view: View<'_>, decision: &mut Decision) {
        let (now, clock) = (view.now(), self.cycle_limits(view.now()));
        self.start_reserved(view, decision);
        let (mut at, mut tests) = (0, clock.max_tests);
        let mut has_head = self.reserved.is_some();
        tests -= u32::from(has_head);
        self.block_reserved(&[]);
        if has_head {
            self.queue.sort_for_backfill(at, now);
        }
        while at < self.queue.jobs.len() && !(has_head && (tests == 0 || !clock.backfills)) {
            let job = &self.queue.jobs[at];
            let is_hopeless = self.site.is_none() && has_head && !self.pools.might_fit()(job);
            if is_hopeless || self.is_blocked(job.job.job) {
                at += 1;
                continue;
            }
            let job = self.planned(now, at);
            if let Some(room) = self.find_slot_or_preempt(view, &job, ReservationScope::None, decision) {
                self.start_waiting(view, at, room, decision);
            } else if has_head {
                at += 1;
            } else {
                has_head = true;
                if !clock.backfills {
                    break;
                }
                self.pools.count(job.request);
                let mut releases = self.releases(now);
                releases.sort_by_key(|(end, run)| (*end, run.sequence));
                if let Some((held, awaited)) = NodeReservation::bind(&self.pools, now, &job, &releases) {
                    self.reserved =
                        Some(NodeReservation { job: self.queue.remove(at), blocked: held, awaited });
                    self.block_reserved(&[]);
                } else {
                    at += 1;
                }
                self.queue.sort_for_backfill(at, now);
            }
            tests -= u32::from(has_head);
        }
        self.queue.restore_order(now);
        self.unblock_reserved();
    }

    /// Blocks the resources of the reservation, as if the jobs `left` had ended.
    pub(super) fn block_reserved(&mut self, left: &[JobHandle]) {
        if let Some(reserved) = &self.reserved {
            let mut split = reserved.blocked.clone();
            let awaited = reserved.awaited.iter().filter(|(job, _)| left.contains(job));
            awaited.flat_map(|(_, split)| &split.0).for_each(|&(pool, nodes)| split.add(pool, nodes));
            self.blocked = self.pools.block(reserved.job.request, &split);
        }
    }

    /// Unblocks the resources of the reservation.
    pub(super) fn unblock_reserved(&mut self) {
        let held = std::mem::take(&mut self.blocked);
        self.pools.unblock(&held);
    }

    /// Starts the job of the reservation if its nodes are free, or if preemption makes it fit.
    /// Cancels the reservation if the job is blocked or would overlap a window.
    fn start_reserved(&mut self, view: View<'_>, decision: &mut Decision) {
        let now = view.now();
        let Some(reserved) = self.reserved.take() else { return };
        let (job, held) = (self.as_planned(now, &reserved.job), &reserved.blocked);
        let is_ready = reserved.is_ready(&self.pools);
        let end = self.pools.end(now, &job.job, held);
        if self.is_blocked(job.job.job) || is_ready && !self.pools.is_open(held, job.request, now, end) {
            self.enqueue(reserved.job.job, reserved.job.request);
            self.sort_queue(now);
        } else if is_ready {
            let split = if self.pools.single().is_some() { Allocation::default() } else { reserved.blocked };
            self.start(view, &reserved.job.job, reserved.job.request, (split, end), decision);
        } else if let Some(room) = self.find_slot_by_preemption(view, &job, decision) {
            self.start(view, &reserved.job.job, reserved.job.request, room, decision);
        } else {
            self.reserved = Some(reserved);
        }
    }

    fn find_slot_by_preemption(
        &mut self,
        view: View<'_>,
        job: &Waiting,
        decision: &mut Decision,
    ) -> Option<Slot> {
        let candidates = self.site.as_ref()?.candidates(view.now(), job.job.job);
        let waits_on = candidates.is_empty() || self.pools.find_slot_now(view.now(), job).is_some();
        if waits_on { None } else { self.find_slot_or_preempt(view, job, ReservationScope::None, decision) }
    }
}
