//! The SLURM policy: Slurm's main scheduler and backfill scheduler, each with its own timer.
//!
//! Each of them runs at most once per second, the main scheduler at the start of a second and the
//! backfill scheduler in its middle. They see earlier events only, as Slurm's loops do, which poll.
//! A main cycle (<https://slurm.schedmd.com/sched_config.html>) runs some time after the last one,
//! if there has been an event, and, over the whole queue, at each multiple of an interval. It starts
//! jobs in queue order. When a job of a partition does not fit, no job of this partition behind it
//! starts in the cycle, and none of other partitions on nodes that the job could use. A backfill
//! cycle runs one interval after the last one, if there has been an event: each job that it tries
//! starts, or gets a reservation of whole nodes. Cycles take no simulated time.
//!
//! Reservations exist only during one cycle. The cycle can therefore end when no later job can start
//! any more: reservations only add up, and a job that does not fit now alongside some of them does
//! not fit alongside more. Between cycles, the plan of the running jobs is kept and updated.
//!
//! Components of a heterogeneous job are started by backfill cycles only: all of them at the queue
//! position of the first one, or none.

use super::allocation::{Allocation, Occupancy, Slot};
use super::plan::{RejectedRequests, ReservationPlan};
use super::queue::Waiting;
use super::scheduler::{BatchScheduler, ReservationScope};
use crate::site::{PrioritySystem, last_multiple, next_multiple};
use dfrsim_cluster::{Decision, JobHandle, View};
use dfrsim_model::batch::Backfilling;
use dfrsim_model::{NodeId, SimSpan, SimTime, SortedMap};
use std::collections::BTreeSet;

/// Returns the occupancy of a job with an allocation from `start` to `end`.
fn occupancy<'a>(job: &Waiting, split: &'a Allocation, (start, end): (SimTime, SimTime)) -> Occupancy<'a> {
    Occupancy { request: job.request, allocation: split, size: job.job.size, start, end }
}

/// Numbers of jobs tried, by partition and by user.
#[derive(Clone, Default)]
struct TestCounts {
    by_partition: SortedMap<Option<usize>, u32>,
    by_user: SortedMap<u32, u32>,
}

impl TestCounts {
    /// Counts a job of a partition; returns whether it is within the limit.
    fn count(&mut self, partition: Option<usize>, most: Option<u32>) -> bool {
        most.is_none_or(|most| is_within(self.by_partition.or_default(partition), most))
    }

    /// Counts a job of a user; returns whether it is within the limit.
    fn count_user(&mut self, user: Option<u32>, most: Option<u32>) -> bool {
        user.zip(most).is_none_or(|(user, most)| is_within(self.by_user.or_default(user), most))
    }
}

fn is_within(count: &mut u32, most: u32) -> bool {
    *count += 1;
    *count <= most
}

impl BatchScheduler {
    /// Runs the scheduling cycles that are due.
    #[inline(never)]
    pub(super) fn run_due_cycles(&mut self, view: View<'_>, decision: &mut Decision) {
        let now = view.now();
        self.sort_queue(now);
        let Some(site) = &self.site else { return };
        let whole = last_multiple(now, SimSpan::from_secs(site.settings().main.interval_s));
        if site.last_priority_update() > self.slurm_cycles.sorted_at
            && site.next_priority_update(now, now).is_some()
        {
            self.slurm_cycles.sorted_at = site.last_priority_update();
            self.slurm_cycles.backfill.change(now);
        }
        // Cycles over the whole queue also ran while no job was waiting.
        if self.slurm_cycles.main.last < whole {
            self.slurm_cycles.main.record_cycle(whole);
        }
        let is_whole = whole == now;
        if self.slurm_cycles.main.begin_if_due(now) || is_whole {
            self.slurm_cycles.main.record_cycle(now);
            self.slurm_cycles.is_full_cycle_pending &= !is_whole;
            let waiting = self.queue.jobs.len();
            self.run_main_cycle(view, is_whole, decision);
            if self.queue.jobs.len() < waiting {
                self.slurm_cycles.backfill.change(now);
            }
        }
        if self.slurm_cycles.backfill.begin_if_due(now) {
            let mut plan = match self.plan.take() {
                Some(plan) => self.refresh_plan(now, plan),
                None => self.new_plan(now),
            };
            self.run_backfill_cycle(view, &mut plan, decision);
            // With preemption, a plan is not kept: preempted jobs are not removed from its holes.
            if let Some(openings) = plan.timeline.holes.as_mut().filter(|_| !self.can_preempt()) {
                openings.cancel_reservations();
                plan.infeasible = RejectedRequests::default();
                self.plan = Some(plan);
            }
        }
    }

    /// Returns the time of the next cycle.
    pub(super) fn next_cycle(&self, now: SimTime, site: &PrioritySystem) -> Option<SimTime> {
        let over = site.next_grace_end();
        if self.queue.jobs.is_empty() && self.preempted.is_empty() {
            return over;
        }
        let soon = now.saturating_add(SimSpan::from_micros(1));
        // Jobs preempted in this decision are requeued in the next one.
        if !self.preempted.is_empty() {
            return Some(soon);
        }
        let whole = next_multiple(now, SimSpan::from_secs(site.settings().main.interval_s));
        let backfill = self.slurm_cycles.backfill.last.saturating_add(self.slurm_cycles.backfill.interval);
        let ranked = site.next_priority_update(now, backfill);
        // Without a change, a cycle over the whole queue starts no job that the last one did not
        // start.
        let depends_on_time = self.policy.order.depends_on_time() || ranked.is_some();
        let is_delayed = || self.queue.jobs.iter().any(|job| site.hold_off_end(job.job.job).is_some());
        let is_of_use = self.slurm_cycles.is_full_cycle_pending
            || depends_on_time
            || site.settings().has_limits()
            || is_delayed();
        let whole = Some(whole).filter(|_| is_of_use);
        let bound = site.next_reservation_bound(now);
        let clocks =
            [self.slurm_cycles.main.next(), self.slurm_cycles.backfill.next(), ranked, whole, over, bound];
        clocks.into_iter().flatten().map(|next| next.max(soon)).min()
    }

    fn partition(&self, job: JobHandle) -> Option<usize> {
        self.site.as_ref().and_then(|site| site.partition(job))
    }

    /// Runs a main cycle: starts jobs in queue order, in each partition until one does not fit.
    fn run_main_cycle(&mut self, view: View<'_>, is_whole: bool, decision: &mut Decision) {
        let (now, settings) = (view.now(), self.site.as_ref().map(|site| site.settings().main));
        let Some(settings) = settings else { return };
        let mut left = if is_whole { u32::MAX } else { settings.depth };
        let (mut tried, mut stopped, mut at) = (TestCounts::default(), BTreeSet::new(), 0);
        while at < self.queue.jobs.len() && left > 0 {
            let job = self.queue.jobs[at].job.job;
            let partition = self.partition(job);
            // Jobs that may not start count towards the limits, too.
            if self.heterogeneous_job(at).is_some() || !tried.count(partition, settings.depth_per_partition) {
                at += 1;
                continue;
            }
            left -= 1;
            if stopped.contains(&partition) || self.is_blocked(job) {
                at += 1;
                continue;
            }
            let planned = self.planned(now, at);
            match self.find_slot_or_preempt(view, &planned, ReservationScope::None, decision) {
                Some(room) => self.start_waiting(view, at, room, decision),
                None => {
                    stopped.insert(partition);
                    let are_all =
                        self.site.as_ref().is_some_and(|site| stopped.len() == site.partition_count());
                    if self.pools.close(planned.request) || are_all {
                        break;
                    }
                    at += 1;
                }
            }
        }
        self.pools.closed.clear();
    }

    /// Runs a backfill cycle with a plan: each job that is tried starts, or gets a reservation if it
    /// can begin within the backfill window. SLURM counts all jobs tried; other policies count from
    /// the first job that cannot start.
    pub(super) fn run_backfill_cycle(
        &mut self,
        view: View<'_>,
        plan: &mut ReservationPlan,
        decision: &mut Decision,
    ) {
        let (now, clock) = (view.now(), self.cycle_limits(view.now()));
        let Some(limits) = self.site.as_ref().map(|site| site.settings().backfill) else { return };
        let is_slurm = self.policy.backfilling == Backfilling::Slurm;
        let (mut tried, mut left, mut counts, mut at) = (TestCounts::default(), clock.max_tests, is_slurm, 0);
        let is_tried = |scheduler: &BatchScheduler, at: usize, tried: &mut TestCounts| {
            let job = scheduler.queue.jobs[at].job.job;
            !scheduler.is_blocked(job)
                && (!is_slurm || {
                    let user = limits.max_job_user.and_then(|_| scheduler.site.as_ref()?.user(job));
                    // No short-circuit: a job counts for its partition even if it exceeds the limit
                    // of its user.
                    tried.count_user(user, limits.max_job_user)
                        & tried.count(scheduler.partition(job), limits.max_job_part)
                })
        };
        // Queue indices of the jobs that are tried until one starts.
        let mut ahead: Option<Vec<usize>> = None;
        // True if the last of these jobs is known to be able to start, and no reservation since has
        // taken resources that are free now.
        let mut is_sure = false;
        let mut met = BTreeSet::new();
        while at < self.queue.jobs.len() && left > 0 {
            if !self.can_preempt() {
                let ahead = ahead.get_or_insert_with(|| {
                    let mut tried = tried.clone();
                    let are_tried = (at..self.queue.jobs.len()).filter(|&at| is_tried(self, at, &mut tried));
                    are_tried.take(left as usize).collect()
                });
                while !is_sure && ahead.pop_if(|last| !self.can_start(now, *last, plan)).is_some() {}
                is_sure = true;
                // No job needs a reservation behind the last one that can start.
                if ahead.last().is_none_or(|&last| last < at) {
                    break;
                }
            }
            let group = self.heterogeneous_job(at).filter(|_| is_slurm);
            // A group is tried at the position of its first job that is not blocked.
            let job = self.queue.jobs[at].job.job;
            let is_first = group.is_some_and(|group| !self.is_blocked(job) && met.insert(group));
            if !is_tried(self, at, &mut tried) {
                at += 1;
                continue;
            }
            if let Some(group) = group {
                is_sure = false;
                left -= 1;
                match is_first && self.start_components(view, group, plan, clock.horizon, decision) {
                    true => ahead = None,
                    false => at += 1,
                }
                continue;
            }
            let job = self.planned(now, at);
            self.pools.count(job.request);
            let mut earliest = plan.earliest(&self.pools, now, &job, clock.horizon.max(now));
            if self.can_preempt() && earliest.as_ref().is_none_or(|(start, _)| *start > now) {
                let room = self.find_slot_or_preempt(view, &job, ReservationScope::All(plan), decision);
                // Jobs in their grace period may now end before their expected ends.
                if room.is_none() && self.site.as_ref().is_some_and(|site| site.next_grace_end().is_some()) {
                    earliest = plan.earliest(&self.pools, now, &job, clock.horizon.max(now));
                }
                earliest = room.map(|room| (now, room)).or(earliest);
            }
            let start = earliest.as_ref().map(|(start, _)| *start);
            if let Some((start, (split, end))) = &earliest {
                let stay = occupancy(&job, split, (*start, *end));
                is_sure = *start > now && !plan.reserve_later(&self.pools, stay);
                if *start == now {
                    plan.timeline.allocate(&self.pools, stay);
                }
            }
            match earliest.filter(|_| start == Some(now)) {
                Some((_, room)) => {
                    self.start_waiting(view, at, room, decision);
                    ahead = None;
                }
                None => (counts, at) = (true, at + 1),
            }
            left -= u32::from(counts);
        }
    }

    /// Returns the heterogeneous job of which the job at a queue index is a component, if any.
    fn heterogeneous_job(&self, at: usize) -> Option<u32> {
        self.site.as_ref().and_then(|site| site.heterogeneous_job(self.queue.jobs[at].job.job))
    }

    /// Starts all waiting components of a heterogeneous job if they fit together and no limit blocks
    /// any of them. There is no preemption for them. Otherwise each gets a reservation after the
    /// earliest time at which each of them alone could begin. Returns whether they start. If they do
    /// not fit even on an idle cluster, they start one by one from the next cycle on.
    fn start_components(
        &mut self,
        view: View<'_>,
        group: u32,
        plan: &mut ReservationPlan,
        horizon: SimTime,
        decision: &mut Decision,
    ) -> bool {
        let (now, is_idle) = (view.now(), self.running.first_end().is_none());
        let places = (0..self.queue.jobs.len()).filter(|&at| self.heterogeneous_job(at) == Some(group));
        let jobs: Vec<Waiting> = places.map(|at| self.planned(now, at)).collect();
        if jobs.iter().any(|job| self.is_blocked(job.job.job)) {
            return false;
        }
        let mut rooms: Vec<Slot> = Vec::new();
        for job in &jobs {
            self.pools.count(job.request);
            let Some(room) =
                plan.find_slot_now(&self.pools, now, job).filter(|_| !self.is_blocked(job.job.job))
            else {
                break;
            };
            plan.timeline.allocate(&self.pools, occupancy(job, &room.0, (now, room.1)));
            self.pools.allocate(job.request, &room.0, job.job.size);
            self.site.iter_mut().for_each(|site| site.count_for_limits(job.job.job));
            rooms.push(room);
        }
        let start = rooms.len() == jobs.len();
        for (job, (split, end)) in jobs.iter().zip(&rooms) {
            self.pools.release(job.request, split, job.job.size);
            self.site.iter_mut().for_each(|site| site.uncount_for_limits(job.job.job));
            if !start {
                plan.timeline.release(&self.pools, occupancy(job, split, (now, *end)));
            }
        }
        if start {
            for (job, room) in jobs.iter().zip(rooms) {
                let at = self.queue.jobs.iter().position(|other| other.job.job == job.job.job);
                self.start_waiting(view, at.expect("it waits"), room, decision);
            }
            return true;
        }
        let is_open = view.windows().is_empty() && (0..view.nodes()).all(|node| view.is_up(NodeId(node)));
        if let Some(site) =
            self.site.as_mut().filter(|site| is_idle && is_open && site.next_reservation_bound(now).is_none())
        {
            site.dissolve_group(group);
            self.slurm_cycles.change(now);
            return false;
        }
        let (mut from, horizon) = (now.saturating_add(SimSpan::from_micros(1)), horizon.max(now));
        jobs.iter().for_each(|job| self.pools.count(job.request));
        let find = |plan: &mut ReservationPlan, from: SimTime, job: &Waiting| {
            let earliest = plan.earliest_from(&self.pools, (now, from), job, horizon);
            earliest.filter(|(start, _)| *start <= horizon)
        };
        loop {
            let starts = jobs.iter().map(|job| Some(find(plan, from, job)?.0));
            let Some(latest) = starts.collect::<Option<Vec<_>>>() else { return false };
            let latest = latest.into_iter().fold(from, SimTime::max);
            if std::mem::replace(&mut from, latest) == latest {
                break;
            }
        }
        for job in &jobs {
            if let Some((start, (split, end))) = find(plan, from, job) {
                plan.reserve_later(&self.pools, occupancy(job, &split, (start, end)));
            }
        }
        false
    }

    /// Returns whether the job at a queue index can start now without delaying the plan. Rejected
    /// requests are recorded, as the plan only gets fuller.
    fn can_start(&mut self, now: SimTime, at: usize, plan: &mut ReservationPlan) -> bool {
        let job = self.planned(now, at);
        self.pools.count(job.request);
        if plan.infeasible.rules_out(&self.pools.requests, &job) {
            return false;
        }
        let can_start = plan.can_start_now(&self.pools, now, &job);
        if !can_start {
            plan.infeasible.add(&self.pools.requests, &job);
        }
        can_start
    }
}
