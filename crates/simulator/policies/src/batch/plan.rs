//! Reservations of conservative backfilling.

use super::allocation::{Occupancy, Slot, Start};
use super::job::BatchJob;
use super::pools::Pools;
use super::queue::{Queue, Waiting};
use super::requests::TaskRequests;
use super::running::{OVERRUN_EXTENSION, RunningJob};
use super::timeline::Timeline;
use dfrsim_model::{SimSpan, SimTime};
use std::collections::VecDeque;

/// Running jobs and reservations, kept from one scheduling cycle to the next.
#[derive(Debug, Default)]
pub(super) struct ReservationPlan {
    pub(super) timeline: Timeline,
    /// Timeline without reservations; present once the queue has been replanned.
    pub(super) base: Option<Timeline>,
    /// Requests that cannot start now.
    pub(super) infeasible: RejectedRequests,
    /// True if nodes became free earlier than expected since the last cycle.
    pub(super) had_early_end: bool,
    /// True if a job ended after its estimate since the last cycle.
    pub(super) had_late_end: bool,
    /// True if a running job had exceeded its estimate in the last cycle.
    pub(super) had_overrun: bool,
}

/// Requests, sizes and estimates of jobs that do not fit. No entry dominates another.
#[derive(Clone, Debug, Default)]
pub(super) struct RejectedRequests(Vec<(usize, u32, SimSpan)>);

impl RejectedRequests {
    /// Returns whether a job requests at least as much as a rejected one, and therefore cannot fit
    /// either.
    pub(super) fn rules_out(&self, needs: &TaskRequests, job: &Waiting) -> bool {
        let BatchJob { size: width, estimate, .. } = job.job;
        let asks_less = |it: &(usize, u32, SimSpan)| {
            it.1 <= width && it.2 <= estimate && needs.is_within(it.0, job.request)
        };
        self.0.iter().any(asks_less)
    }

    /// Adds a job that does not fit, and removes the entries that this makes redundant.
    pub(super) fn add(&mut self, needs: &TaskRequests, job: &Waiting) {
        let BatchJob { size: width, estimate, .. } = job.job;
        self.0.retain(|it| !(it.1 >= width && it.2 >= estimate && needs.is_within(job.request, it.0)));
        self.0.push((job.request, width, estimate));
    }
}

impl ReservationPlan {
    /// Releases the resources of a job that has ended.
    pub(super) fn note_end(&mut self, pools: &Pools, now: SimTime, run: &RunningJob) {
        self.timeline.release(pools, run.occupancy(now));
        if let Some(base) = &mut self.base {
            base.release(pools, run.occupancy(now));
        }
        self.had_early_end |= run.end > now;
        self.had_late_end |= run.end < now;
    }

    /// Cancels the reservation of a job that has left the queue.
    pub(super) fn note_cancelled(&mut self, pools: &Pools, now: SimTime, mut job: Waiting) {
        if job.start < SimTime::MAX {
            self.cancel_reservation(pools, now, &mut job);
            self.had_early_end = true;
        }
    }

    /// Returns the next time at which a reservation begins.
    #[inline(never)]
    pub(super) fn next_start(&self, now: SimTime, queue: &Queue) -> Option<SimTime> {
        let not_before = if self.had_overrun { now + OVERRUN_EXTENSION } else { now };
        let starts = queue.jobs.iter().map(|job| job.start);
        starts.filter(|&start| start > not_before && start < SimTime::MAX).min()
    }

    fn reserve(&mut self, pools: &Pools, job: &mut Waiting, found: (SimTime, Slot)) {
        job.set_reservation(found);
        self.timeline.allocate(pools, job.occupancy(job.start));
    }

    /// Gives the job the earliest possible reservation, if there is one. It must not have a
    /// reservation yet.
    pub(super) fn reserve_earliest(&mut self, pools: &Pools, now: SimTime, job: &mut Waiting) {
        if let Some(earliest) = self.earliest(pools, now, job, SimTime::MAX) {
            self.reserve(pools, job, earliest);
        }
    }

    /// Finds the earliest slot, from now until `latest`, that delays no reservation.
    pub(super) fn earliest(
        &mut self,
        pools: &Pools,
        now: SimTime,
        job: &Waiting,
        latest: SimTime,
    ) -> Option<(SimTime, Slot)> {
        let earliest = self.earliest_from(pools, (now, now), job, latest);
        earliest.filter(|(start, _)| *start <= latest)
    }

    /// Finds the earliest slot from `from` on that delays no reservation. It may start after
    /// `latest` if the nodes are a single pool.
    pub(super) fn earliest_from(
        &mut self,
        pools: &Pools,
        (now, from): (SimTime, SimTime),
        job: &Waiting,
        latest: SimTime,
    ) -> Option<(SimTime, Slot)> {
        // With a single pool the search needs no upper limit, since one profile describes the free
        // nodes. There, a limit would be the start of the job's own reservation.
        let before =
            if pools.is_one_pool { SimTime::MAX } else { latest.saturating_add(SimSpan::from_micros(1)) };
        self.timeline.earliest_with_reservations(pools, (now, from), job, before)
    }

    /// Reserves resources for a later start; returns whether this can prevent a job from starting
    /// that could have started before.
    pub(super) fn reserve_later(&mut self, pools: &Pools, stay: Occupancy<'_>) -> bool {
        if self.timeline.will_run.is_some() {
            self.timeline.reserve_in_cycle(pools, stay);
            return !pools.requests.get(stay.request).common.is_empty()
                || stay.allocation.pools().any(|(pool, _)| pools.has_free(pool));
        }
        self.timeline.allocate(pools, stay);
        true
    }

    /// Reserves the nodes of a job that starts now and has whole nodes. Slurm keeps jobs that it tests
    /// later in the cycle off these until the job ends.
    pub(super) fn reserve_whole_nodes(&mut self, stay: Occupancy<'_>) {
        self.timeline.will_run.iter_mut().for_each(|will_run| will_run.reserve(stay));
    }

    /// Finds a slot now that delays no reservation. The free resources must have been
    /// [counted](Pools::count).
    pub(super) fn find_slot_now(&mut self, pools: &Pools, now: SimTime, job: &Waiting) -> Option<Slot> {
        if let Some(will_run) = &self.timeline.will_run {
            return will_run
                .find_slot_now(pools, now, job)
                .filter(|slot| self.has_amounts(pools, now, job, slot.1));
        }
        // With a single pool the search needs no upper limit, since one profile describes the free
        // nodes.
        let soon = if pools.is_one_pool { SimTime::MAX } else { now.saturating_add(SimSpan::from_micros(1)) };
        let earliest = self.timeline.earliest(pools, now, job, soon);
        earliest.filter(|(start, _)| *start == now).map(|(_, room)| room)
    }

    /// Finds a slot now for a waiting job at one of the speed levels below its own, beside all reservations
    /// but its own.
    pub(super) fn find_slot_below(
        &mut self,
        pools: &Pools,
        now: SimTime,
        job: &mut Waiting,
    ) -> Option<Start> {
        // What running jobs leave now is an upper bound. A slower level may draw more, as its units of other
        // resources draw what they do at full speed.
        let soon = now.saturating_add(SimSpan::from_micros(1));
        let mut levels = pools.requests.below(job.request);
        if !levels.any(|request| pools.has_common_amounts(request, now, soon)) || !pools.might_fit()(job) {
            return None;
        }
        let has_place = job.start < SimTime::MAX;
        if has_place {
            self.timeline.release(pools, job.occupancy(now));
        }
        let mut levels = pools.requests.below(job.request);
        let found =
            levels.find_map(|request| Some((request, self.timeline.slot_now(pools, now, &job.at(request))?)));
        if has_place {
            self.timeline.allocate(pools, job.occupancy(now));
        }
        found
    }

    /// Reserves a slot that begins now for a job, with the request of a level.
    pub(super) fn reserve_now(&mut self, pools: &Pools, now: SimTime, job: &mut Waiting, found: Start) {
        let (request, slot) = found;
        job.request = request;
        self.reserve(pools, job, (now, slot));
    }

    /// Returns whether the job can start now without delaying a reservation.
    pub(super) fn can_start_now(&mut self, pools: &Pools, now: SimTime, job: &Waiting) -> bool {
        match &self.timeline.will_run {
            Some(will_run) => will_run
                .span_now(pools, now, job)
                .is_some_and(|(_, end)| self.has_amounts(pools, now, job, end)),
            None => self.find_slot_now(pools, now, job).is_some(),
        }
    }

    /// Returns whether the job's amounts of the resources of the whole cluster are free from now to `end`.
    #[inline]
    fn has_amounts(&self, pools: &Pools, now: SimTime, job: &Waiting, end: SimTime) -> bool {
        self.timeline.has_common_amounts(pools, pools.requests.get(job.request), now, end)
    }

    /// Notes that a job starts at its reservation.
    pub(super) fn note_start(&mut self, pools: &Pools, job: &Waiting) {
        if let Some(base) = &mut self.base {
            base.allocate(pools, job.occupancy(job.start));
        }
    }

    /// Cancels all reservations. Only the allocations of running jobs remain, which `running`
    /// computes if there is no base timeline yet.
    pub(super) fn cancel_reservations(
        &mut self,
        now: SimTime,
        jobs: &mut VecDeque<Waiting>,
        running: impl FnOnce() -> Timeline,
    ) {
        let base = self.base.get_or_insert_with(running);
        base.advance(now);
        self.timeline.clone_from(base);
        jobs.iter_mut().for_each(Waiting::cancel_reservation);
    }

    pub(super) fn cancel_reservation(&mut self, pools: &Pools, now: SimTime, job: &mut Waiting) {
        // The reserved start may be in the past if it depended on a job that has exceeded its
        // estimate.
        self.timeline.release(pools, job.occupancy(now));
        job.cancel_reservation();
    }

    /// Compresses the schedule: moves the job's reservation to an earlier hole, if there is one.
    pub(super) fn compress(&mut self, pools: &Pools, now: SimTime, job: &mut Waiting) {
        if pools.single().is_some() {
            // Most jobs cannot move, and a job's own nodes count as free for it. The reservation is
            // therefore released only once an earlier hole is found.
            if let Some(earlier) = self.timeline.earliest(pools, now, job, job.start) {
                let (start, (_, end)) = earlier;
                self.timeline.move_earlier(job.occupancy(now), (start, end));
                job.set_reservation(earlier);
            }
            return;
        }
        if pools.is_one_pool {
            if let Some(earlier) = self.timeline.earliest(pools, now, job, job.start) {
                self.timeline.release(pools, job.occupancy(now));
                self.reserve(pools, job, earlier);
            }
            return;
        }
        self.timeline.release(pools, job.occupancy(now));
        match self.timeline.earliest(pools, now, job, job.start) {
            Some(earlier) => self.reserve(pools, job, earlier),
            None => self.timeline.allocate(pools, job.occupancy(now)),
        }
    }
}
