//! The reservations of conservative backfilling.

use super::job::BatchJob;
use super::needs::Needs;
use super::pools::Pools;
use super::queue::{Queue, Waiting};
use super::running::{OVERRUN, Run};
use super::split::{Room, Stay};
use super::timeline::Timeline;
use dfrsim_model::{SimSpan, SimTime};
use std::collections::VecDeque;

/// What runs and what is reserved, from one pass to the next.
#[derive(Debug, Default)]
pub(super) struct Plan {
    pub(super) timeline: Timeline,
    /// The same without reservations, once these were made again.
    pub(super) base: Option<Timeline>,
    /// Jobs that cannot start now.
    pub(super) hopeless: Failed,
    /// Whether nodes came free before they were expected to since the last pass.
    pub(super) freed: bool,
    /// Whether a job ended after its estimate since then.
    pub(super) late: bool,
    /// Whether a job was past its estimate in the last pass.
    pub(super) overdue: bool,
}

/// Needs, widths and estimates of jobs for which there is no room, none of them asking for as much as another one.
#[derive(Clone, Debug, Default)]
pub(super) struct Failed(Vec<(usize, u32, SimSpan)>);

impl Failed {
    /// Whether a job asks for as much as one of them: then there is no room for it, either.
    pub(super) fn exclude(&self, needs: &Needs, job: &Waiting) -> bool {
        let BatchJob { width, estimate, .. } = job.job;
        let asks_less = |it: &(usize, u32, SimSpan)| {
            it.1 <= width && it.2 <= estimate && needs.are_within(it.0, job.need)
        };
        self.0.iter().any(asks_less)
    }

    /// There is no room for a job.
    pub(super) fn add(&mut self, needs: &Needs, job: &Waiting) {
        let BatchJob { width, estimate, .. } = job.job;
        self.0.retain(|it| !(it.1 >= width && it.2 >= estimate && needs.are_within(job.need, it.0)));
        self.0.push((job.need, width, estimate));
    }
}

impl Plan {
    /// A job has left its nodes.
    pub(super) fn ended(&mut self, pools: &Pools, now: SimTime, run: &Run) {
        self.timeline.give_back(pools, run.stay(now));
        if let Some(base) = &mut self.base {
            base.give_back(pools, run.stay(now));
        }
        self.freed |= run.end > now;
        self.late |= run.end < now;
    }

    /// A job has left the queue.
    pub(super) fn cancelled(&mut self, pools: &Pools, now: SimTime, mut job: Waiting) {
        if job.start < SimTime::MAX {
            self.withdraw(pools, now, &mut job);
            self.freed = true;
        }
    }

    /// The next moment at which a reservation begins.
    #[inline(never)]
    pub(super) fn next_start(&self, now: SimTime, queue: &Queue) -> Option<SimTime> {
        let not_before = if self.overdue { now + OVERRUN } else { now };
        let starts = queue.jobs.iter().map(|job| job.start);
        starts.filter(|&start| start > not_before && start < SimTime::MAX).min()
    }

    fn reserve(&mut self, pools: &Pools, job: &mut Waiting, found: (SimTime, Room)) {
        job.promise(found);
        self.timeline.take(pools, job.stay(job.start));
    }

    /// Gives a job that has none the earliest reservation, if there is one.
    pub(super) fn reserve_earliest(&mut self, pools: &Pools, now: SimTime, job: &mut Waiting) {
        if let Some(earliest) = self.earliest(pools, now, job, SimTime::MAX) {
            self.reserve(pools, job, earliest);
        }
    }

    /// The earliest moment from now on, and not behind another one, at which a job has room beside all that is planned.
    pub(super) fn earliest(
        &mut self,
        pools: &Pools,
        now: SimTime,
        job: &Waiting,
        latest: SimTime,
    ) -> Option<(SimTime, Room)> {
        let earliest = self.earliest_from(pools, (now, now), job, latest);
        earliest.filter(|(start, _)| *start <= latest)
    }

    /// The same from a moment on.
    pub(super) fn earliest_from(
        &mut self,
        pools: &Pools,
        (now, from): (SimTime, SimTime),
        job: &Waiting,
        latest: SimTime,
    ) -> Option<(SimTime, Room)> {
        // One number says what is free until the end of time: there the search has no end.
        let is_single = pools.single().is_some();
        let before = if is_single { SimTime::MAX } else { latest.saturating_add(SimSpan::from_micros(1)) };
        self.timeline.earliest_beside(pools, (now, from), job, before)
    }

    /// Takes what a job has from a later moment on; returns whether no job can start for that which could before.
    pub(super) fn promise(&mut self, pools: &Pools, stay: Stay<'_>) -> bool {
        if let Some(openings) = &mut self.timeline.openings {
            openings.promise(pools, stay);
            return stay.split.0.iter().any(|&(pool, _)| pools.has_free(pool));
        }
        self.timeline.take(pools, stay);
        true
    }

    /// Where a job can start now beside all that is planned, where what is free now is [counted](Pools::count).
    pub(super) fn room_now(&mut self, pools: &Pools, now: SimTime, job: &Waiting) -> Option<Room> {
        if let Some(openings) = &self.timeline.openings {
            return openings.room_now(pools, now, job);
        }
        // One number says what is free until the end of time: there the search has no end.
        let soon =
            if pools.single().is_some() { SimTime::MAX } else { now.saturating_add(SimSpan::from_micros(1)) };
        let earliest = self.timeline.earliest(pools, now, job, soon);
        earliest.filter(|(start, _)| *start == now).map(|(_, room)| room)
    }

    /// Whether it can.
    pub(super) fn has_room_now(&mut self, pools: &Pools, now: SimTime, job: &Waiting) -> bool {
        match &self.timeline.openings {
            Some(openings) => openings.span_now(pools, now, job).is_some(),
            None => self.room_now(pools, now, job).is_some(),
        }
    }

    /// A reservation has become a start.
    pub(super) fn start(&mut self, pools: &Pools, job: &Waiting) {
        if let Some(base) = &mut self.base {
            base.take(pools, job.stay(job.start));
        }
    }

    /// Takes all reservations back, which leaves what `running` jobs have.
    pub(super) fn clear(
        &mut self,
        now: SimTime,
        jobs: &mut VecDeque<Waiting>,
        running: impl FnOnce() -> Timeline,
    ) {
        let base = self.base.get_or_insert_with(running);
        base.advance(now);
        self.timeline.clone_from(base);
        jobs.iter_mut().for_each(Waiting::withdraw);
    }

    pub(super) fn withdraw(&mut self, pools: &Pools, now: SimTime, job: &mut Waiting) {
        // A start that hung on a job past its estimate may have passed.
        self.timeline.give_back(pools, job.stay(now));
        job.withdraw();
    }

    /// Lets a job give its reservation up for an earlier one, if there is one.
    pub(super) fn move_up(&mut self, pools: &Pools, now: SimTime, job: &mut Waiting) {
        if pools.single().is_some() {
            // Most jobs cannot, and their own nodes are free for them: a reservation is given up only once an earlier hole is found.
            if let Some(earlier) = self.timeline.earliest(pools, now, job, job.start) {
                let (start, (_, end)) = earlier;
                self.timeline.move_up(job.stay(now), (start, end));
                job.promise(earlier);
            }
            return;
        }
        self.timeline.give_back(pools, job.stay(now));
        match self.timeline.earliest(pools, now, job, job.start) {
            Some(earlier) => self.reserve(pools, job, earlier),
            None => self.timeline.take(pools, job.stay(now)),
        }
    }
}
