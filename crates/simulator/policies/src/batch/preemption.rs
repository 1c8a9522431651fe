//! Starts of waiting jobs beside reservations, with the preemption of running jobs.

use super::allocation::{Allocation, Slot, Start};
use super::head::HeadReservation;
use super::plan::ReservationPlan;
use super::queue::Waiting;
use super::state::BatchState;
use crate::site::{select_in_passes, select_victims};
use dfrsim_cluster::{Decision, JobHandle, View};
use dfrsim_model::batch::NodeUse;
use dfrsim_model::site::{PreemptMode, VictimOrder};
use dfrsim_model::{SimTime, SortedMap};

/// Reservations that a starting job must not delay.
pub(super) enum ReservationScope<'a> {
    /// No reservation: the job is before all waiting ones.
    None,
    /// The reservation of the queue head.
    Head(&'a mut HeadReservation),
    /// All reservations of the plan.
    All(&'a mut ReservationPlan),
}

/// Rules of preemption in which schedulers differ.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PreemptionRules<'a> {
    /// Jobs that have ended, which the scheduler does not see yet.
    pub(super) completing: &'a [JobHandle],
    /// True if preempted jobs have the grace period of their class.
    pub(super) has_grace_periods: bool,
}

impl BatchState {
    /// Finds a slot now that delays none of the given reservations.
    fn find_slot(&mut self, now: SimTime, job: &Waiting, beside: &mut ReservationScope<'_>) -> Option<Slot> {
        match beside {
            ReservationScope::None => self.pools.find_slot_now(now, job),
            ReservationScope::Head(head) => head.find_backfill_slot(&mut self.pools, now, job),
            ReservationScope::All(plan) => {
                self.pools.count(job.request);
                plan.find_slot_now(&self.pools, now, job)
            }
        }
    }

    /// Finds a slot now at a speed level below that of the job, which lacks power.
    #[inline]
    pub(super) fn find_slot_below(
        &mut self,
        now: SimTime,
        job: &Waiting,
        beside: &mut ReservationScope<'_>,
    ) -> Option<Start> {
        // The plan has its own amounts, which reservations reduce.
        let may_start = match beside {
            ReservationScope::All(_) => self.pools.requests.has_levels(),
            ReservationScope::None | ReservationScope::Head(_) => self.pools.may_start_below(now, job),
        };
        if may_start { self.find_slot_at_levels(now, job, beside) } else { None }
    }

    /// Finds a slot now at one of the speed levels below that of the job, from fast to slow.
    #[inline(never)]
    fn find_slot_at_levels(
        &mut self,
        now: SimTime,
        job: &Waiting,
        beside: &mut ReservationScope<'_>,
    ) -> Option<Start> {
        self.pools.requests.below(job.request).find_map(|request| {
            let job = job.at(request);
            let is_licensed = !self.pools.is_unlicensed(now, &job);
            let slot = is_licensed.then(|| self.find_slot(now, &job, beside)).flatten();
            slot.map(|slot| (request, slot))
        })
    }

    /// Finds a slot for the job now, at a lower speed level or preempting other jobs if necessary.
    pub(super) fn find_slot_or_preempt(
        &mut self,
        view: View<'_>,
        job: &Waiting,
        mut beside: ReservationScope<'_>,
        rules: PreemptionRules<'_>,
        decision: &mut Decision,
    ) -> Option<Start> {
        let now = view.now();
        if self.pools.requests.has_levels() && self.pools.is_unlicensed(now, job) {
            return self.find_slot_below(now, job, &mut beside);
        }
        if let Some(slot) = self.find_slot(now, job, &mut beside) {
            return Some((job.request, slot));
        }
        if let Some(start) = self.find_slot_below(now, job, &mut beside) {
            return Some(start);
        }
        let site = self.site.as_ref().filter(|site| !site.waits_for_preemption(now, job.job.job))?;
        let mut candidates = site.candidates(now, job.job.job);
        candidates.retain(|other| !rules.completing.contains(other));
        if candidates.is_empty() {
            return None;
        }
        let settings = site.settings();
        let passes = (settings.preempt_reorders, settings.preempt_strict_order);
        // Where each task has a node of its own, slots have no particular nodes before the start.
        let has_passes = settings.victims != VictimOrder::Youngest && self.policy.nodes != NodeUse::Whole;
        let leaving = if has_passes {
            let allocations: SortedMap<JobHandle, Allocation> =
                candidates.iter().map(|&other| (other, self.running.get(other).allocation.clone())).collect();
            let overlap = |other: JobHandle, slot: &Slot| {
                let pools = |split: &Allocation| split.pools().map(|(pool, _)| pool).collect::<Vec<_>>();
                let own = pools(&allocations[&other]);
                pools(&slot.0).into_iter().filter(|pool| own.contains(pool)).count()
            };
            select_in_passes(
                &candidates,
                passes,
                |some| self.slot_without(now, some, job, &mut beside),
                overlap,
            )?
        } else {
            select_victims(&candidates, |some| self.slot_without(now, some, job, &mut beside).is_some())?
        };
        for other in leaving {
            let site = self.site.as_mut().filter(|_| rules.has_grace_periods);
            if let Some(until) = site.and_then(|site| site.start_grace_period(now, other, job.job.job)) {
                self.limit_end(now, other, until, &mut beside);
            } else {
                self.release_tentatively(now, other, &mut beside);
                self.preempt(view, other, decision);
            }
        }
        self.find_slot(now, job, &mut beside).map(|slot| (job.request, slot))
    }

    /// Finds the slot that a job would have now without some running jobs.
    fn slot_without(
        &mut self,
        now: SimTime,
        some: &[JobHandle],
        job: &Waiting,
        beside: &mut ReservationScope<'_>,
    ) -> Option<Slot> {
        let mut head =
            if let ReservationScope::Head(head) = beside { Some(HeadReservation::clone(head)) } else { None };
        let mut trial = match (&mut head, beside) {
            (Some(head), _) => ReservationScope::Head(head),
            (None, ReservationScope::All(plan)) => ReservationScope::All(plan),
            (None, _) => ReservationScope::None,
        };
        some.iter().for_each(|&other| self.release_tentatively(now, other, &mut trial));
        let slot = self.find_slot(now, job, &mut trial);
        some.iter().for_each(|&other| self.reacquire(now, other, &mut trial));
        slot
    }

    /// Tentatively releases a running job's resources, for a trial preemption.
    fn release_tentatively(&mut self, now: SimTime, job: JobHandle, beside: &mut ReservationScope<'_>) {
        let run = self.running.get(job);
        self.pools.release(run.request, &run.allocation, run.size);
        let end = run.expected_release(now, &self.pools, self.site.as_deref());
        self.pools.release_common_amounts(run.request, now, end);
        match beside {
            ReservationScope::None => {}
            ReservationScope::Head(head) => head.add_released(&self.pools, end, run),
            ReservationScope::All(plan) => plan.timeline.release(&self.pools, run.occupancy(now)),
        }
    }

    /// Undoes `release_tentatively`; the head's reservation is not restored, as it was a copy.
    fn reacquire(&mut self, now: SimTime, job: JobHandle, beside: &mut ReservationScope<'_>) {
        let run = self.running.get(job);
        self.pools.allocate(run.request, &run.allocation, run.size);
        let end = run.expected_release(now, &self.pools, self.site.as_deref());
        self.pools.reserve_common_amounts(run.request, now, end);
        if let ReservationScope::All(plan) = beside {
            plan.timeline.allocate(&self.pools, run.occupancy(now));
        }
    }

    /// Limits a running job to end at `until`, when its grace period expires.
    fn limit_end(&mut self, now: SimTime, job: JobHandle, until: SimTime, beside: &mut ReservationScope<'_>) {
        let Some(mut run) = self.running.remove(job) else { return };
        let before = run.expected_release(now, &self.pools, self.site.as_deref());
        run.end = run.end.min(until);
        let release = run.expected_release(now, &self.pools, self.site.as_deref());
        self.pools.release_common_amounts(run.request, release, before);
        if let ReservationScope::All(plan) = beside
            && release < run.reserved_until
        {
            // The timeline drops what is before the start of a change.
            plan.timeline.release(&self.pools, run.occupancy(now));
            run.reserved_until = release;
            plan.timeline.allocate(&self.pools, run.occupancy(now));
        }
        self.running.insert(run);
    }

    /// Preempts the jobs whose grace period has expired; returns whether there are any.
    pub(super) fn preempt_expired(&mut self, view: View<'_>, decision: &mut Decision) -> bool {
        let over = self.site.as_ref().map_or_else(Vec::new, |site| site.grace_expired(view.now()));
        for &job in &over {
            self.release_tentatively(view.now(), job, &mut ReservationScope::None);
            self.preempt(view, job, decision);
        }
        !over.is_empty()
    }

    /// Preempts a job whose resources have been released tentatively.
    fn preempt(&mut self, view: View<'_>, job: JobHandle, decision: &mut Decision) {
        self.running.remove(job);
        self.pools.release_nodes(view.job(job).placement().ranges());
        let Some(site) = &mut self.site else { return };
        site.release(view.now(), job);
        match site.preempt_mode(job) {
            PreemptMode::Off => unreachable!("it is no candidate"),
            PreemptMode::Requeue => {
                site.start_hold_off(view.now(), job);
                decision.requeue(job);
            }
            PreemptMode::Cancel => return decision.lose(job),
            PreemptMode::Suspend => decision.pause(job),
        }
        self.preempted.push(job);
    }
}
