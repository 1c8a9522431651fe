//! SLURM: the main scheduler and the backfilling of Slurm, each with a clock of its own.
//!
//! Both look once a second at the most, the main scheduler at its begin and backfilling in its middle: they see what happened before, as
//! Slurm's loops do, which poll.
//! The main scheduler (<https://slurm.schedmd.com/sched_config.html>) looks a while after its last pass, if something has happened since,
//! and at each multiple of an interval over the whole queue. It starts jobs in the order of the queue. When a job of a partition has no room, no job
//! of this partition starts behind it in the pass, and none of others on nodes that the job could have. Backfilling looks at an interval
//! from its last pass, if something has happened since: each job that it tries starts, or has a reservation of whole nodes.
//! Passes take no time.
//!
//! Reservations last as long as a pass. So it ends when no job behind can start any more: what is planned only fills, and a job that has no room
//! now beside some reservations has none beside more. Between passes the plan of what runs is kept, and brought up to date.
//!
//! Components of a heterogeneous job are for backfilling alone, which starts all of them at the place of the first one, or none.

use super::plan::{Failed, Plan};
use super::queue::Waiting;
use super::scheduler::{BatchScheduler, Beside};
use super::split::{Room, Split, Stay};
use crate::site::{Site, last_multiple, next_multiple};
use dfrsim_cluster::{Decision, JobHandle, View};
use dfrsim_model::batch::Discipline;
use dfrsim_model::{NodeId, SimSpan, SimTime, SortedMap};
use std::collections::BTreeSet;

/// What a job has in these pools from one moment to another.
fn stay<'a>(job: &Waiting, split: &'a Split, (start, end): (SimTime, SimTime)) -> Stay<'a> {
    Stay { need: job.need, split, width: job.job.width, start, end }
}

/// How many jobs of each partition and user were tried.
#[derive(Clone, Default)]
struct Tried {
    of_partition: SortedMap<Option<usize>, u32>,
    of_user: SortedMap<u32, u32>,
}

impl Tried {
    /// Counts a job of a partition; returns whether it is among those that are tried.
    fn count(&mut self, partition: Option<usize>, most: Option<u32>) -> bool {
        most.is_none_or(|most| more(self.of_partition.or_default(partition), most))
    }

    /// The same for a user.
    fn count_user(&mut self, user: Option<u32>, most: Option<u32>) -> bool {
        user.zip(most).is_none_or(|(user, most)| more(self.of_user.or_default(user), most))
    }
}

fn more(count: &mut u32, most: u32) -> bool {
    *count += 1;
    *count <= most
}

impl BatchScheduler {
    /// Makes the passes that are due.
    #[inline(never)]
    pub(super) fn follow_clocks(&mut self, view: View<'_>, decision: &mut Decision) {
        let now = view.now();
        self.order(now);
        let Some(site) = &self.site else { return };
        let whole = last_multiple(now, SimSpan::from_secs(site.settings().main.interval_s));
        if site.ranked_at() > self.passes.ranked_at && site.next_ranking(now, now).is_some() {
            self.passes.ranked_at = site.ranked_at();
            self.passes.backfill.change(now);
        }
        // Passes over the whole queue were made while no job waited, too.
        if self.passes.main.last < whole {
            self.passes.main.pass(whole);
        }
        let is_whole = whole == now;
        if self.passes.main.is_due(now) || is_whole {
            self.passes.main.pass(now);
            self.passes.awaits_whole &= !is_whole;
            let waiting = self.queue.jobs.len();
            self.start_in_order(view, is_whole, decision);
            if self.queue.jobs.len() < waiting {
                self.passes.backfill.change(now);
            }
        }
        if self.passes.backfill.is_due(now) {
            let mut plan = match self.plan.take() {
                Some(plan) => self.renew_plan(now, plan),
                None => self.new_plan(now),
            };
            self.plan_in_turn(view, &mut plan, decision);
            // Jobs that make room leave a plan as it is.
            if let Some(openings) = plan.timeline.openings.as_mut().filter(|_| !self.preempts()) {
                openings.withdraw();
                plan.hopeless = Failed::default();
                self.plan = Some(plan);
            }
        }
    }

    /// When the next pass is due.
    pub(super) fn next_pass(&self, now: SimTime, site: &Site) -> Option<SimTime> {
        let over = site.next_over();
        if self.queue.jobs.is_empty() && self.preempted.is_empty() {
            return over;
        }
        let soon = now.saturating_add(SimSpan::from_micros(1));
        // Jobs that made room in this decision wait in the next one.
        if !self.preempted.is_empty() {
            return Some(soon);
        }
        let whole = next_multiple(now, SimSpan::from_secs(site.settings().main.interval_s));
        let backfill = self.passes.backfill.last.saturating_add(self.passes.backfill.interval);
        let ranked = site.next_ranking(now, backfill);
        // Without a change, a pass over the whole queue starts no job that the last one did not.
        let depends_on_time = self.policy.order.depends_on_time() || ranked.is_some();
        let is_delayed = || self.queue.jobs.iter().any(|job| site.delayed(job.job.job).is_some());
        let is_of_use =
            self.passes.awaits_whole || depends_on_time || site.settings().have_limits() || is_delayed();
        let whole = Some(whole).filter(|_| is_of_use);
        let bound = site.next_bound(now);
        let clocks = [self.passes.main.next(), self.passes.backfill.next(), ranked, whole, over, bound];
        clocks.into_iter().flatten().map(|next| next.max(soon)).min()
    }

    fn partition(&self, job: JobHandle) -> Option<usize> {
        self.site.as_ref().and_then(|site| site.partition(job))
    }

    /// The main scheduler: starts jobs in the order of the queue, until one of their partition has no room.
    fn start_in_order(&mut self, view: View<'_>, is_whole: bool, decision: &mut Decision) {
        let (now, settings) = (view.now(), self.site.as_ref().map(|site| site.settings().main));
        let Some(settings) = settings else { return };
        let mut left = if is_whole { u32::MAX } else { settings.depth };
        let (mut tried, mut stopped, mut at) = (Tried::default(), BTreeSet::new(), 0);
        while at < self.queue.jobs.len() && left > 0 {
            let job = self.queue.jobs[at].job.job;
            let partition = self.partition(job);
            // Jobs that may not start count, too.
            if self.group(at).is_some() || !tried.count(partition, settings.depth_per_partition) {
                at += 1;
                continue;
            }
            left -= 1;
            if stopped.contains(&partition) || self.holds(job) {
                at += 1;
                continue;
            }
            let planned = self.planned(now, at);
            match self.room_or_make(view, &planned, Beside::NoReservation, decision) {
                Some(room) => self.start_waiting(view, at, room, decision),
                None => {
                    stopped.insert(partition);
                    let are_all = self.site.as_ref().is_some_and(|site| stopped.len() == site.partitions());
                    if self.pools.close(planned.need) || are_all {
                        break;
                    }
                    at += 1;
                }
            }
        }
        self.pools.closed.clear();
    }

    /// Backfilling with a plan of its own: each job that is tried starts, or has a reservation if it can begin before the horizon. SLURM counts all jobs
    /// that it tries; otherwise they count from the first one on that waits.
    pub(super) fn plan_in_turn(&mut self, view: View<'_>, plan: &mut Plan, decision: &mut Decision) {
        let (now, clock) = (view.now(), self.clock(view.now()));
        let Some(limits) = self.site.as_ref().map(|site| site.settings().backfill) else { return };
        let is_slurm = self.policy.discipline == Discipline::Slurm;
        let (mut tried, mut left, mut counts, mut at) = (Tried::default(), clock.tests, is_slurm, 0);
        let is_tried = |scheduler: &BatchScheduler, at: usize, tried: &mut Tried| {
            let job = scheduler.queue.jobs[at].job.job;
            !scheduler.holds(job)
                && (!is_slurm || {
                    let user = limits.max_job_user.and_then(|_| scheduler.site.as_ref()?.user(job));
                    // Both count, also if the first one is one too many.
                    tried.count_user(user, limits.max_job_user)
                        & tried.count(scheduler.partition(job), limits.max_job_part)
                })
        };
        // The places of the jobs that are tried until one starts.
        let mut ahead: Option<Vec<usize>> = None;
        // Whether the last of them was found able to start, and what is planned since takes no room that is free now.
        let mut is_sure = false;
        let mut met = BTreeSet::new();
        while at < self.queue.jobs.len() && left > 0 {
            if !self.preempts() {
                let ahead = ahead.get_or_insert_with(|| {
                    let mut tried = tried.clone();
                    let are_tried = (at..self.queue.jobs.len()).filter(|&at| is_tried(self, at, &mut tried));
                    are_tried.take(left as usize).collect()
                });
                while !is_sure && ahead.pop_if(|last| !self.can_start(now, *last, plan)).is_some() {}
                is_sure = true;
                // Behind the last one that can start no job needs a reservation.
                if ahead.last().is_none_or(|&last| last < at) {
                    break;
                }
            }
            let group = self.group(at).filter(|_| is_slurm);
            // A group is tried at the place of its first job that is not held back.
            let job = self.queue.jobs[at].job.job;
            let is_first = group.is_some_and(|group| !self.holds(job) && met.insert(group));
            if !is_tried(self, at, &mut tried) {
                at += 1;
                continue;
            }
            if let Some(group) = group {
                is_sure = false;
                left -= 1;
                match is_first && self.start_together(view, group, plan, clock.horizon, decision) {
                    true => ahead = None,
                    false => at += 1,
                }
                continue;
            }
            let job = self.planned(now, at);
            self.pools.count(job.need);
            let mut earliest = plan.earliest(&self.pools, now, &job, clock.horizon.max(now));
            if self.preempts() && earliest.as_ref().is_none_or(|(start, _)| *start > now) {
                let room = self.room_or_make(view, &job, Beside::Plan(plan), decision);
                // Jobs that were warned to make room may leave before they were expected to.
                if room.is_none() && self.site.as_ref().is_some_and(|site| site.next_over().is_some()) {
                    earliest = plan.earliest(&self.pools, now, &job, clock.horizon.max(now));
                }
                earliest = room.map(|room| (now, room)).or(earliest);
            }
            let start = earliest.as_ref().map(|(start, _)| *start);
            if let Some((start, (split, end))) = &earliest {
                let stay = stay(&job, split, (*start, *end));
                is_sure = *start > now && !plan.promise(&self.pools, stay);
                if *start == now {
                    plan.timeline.take(&self.pools, stay);
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

    /// Which of the groups that start together the job at a place in the queue is of.
    fn group(&self, at: usize) -> Option<u32> {
        self.site.as_ref().and_then(|site| site.group(self.queue.jobs[at].job.job))
    }

    /// Starts all jobs of a group that wait, if each has room beside those before it, and no limit holds one back; none makes others leave.
    /// Otherwise each has a reservation, from the first moment on at which each alone could begin. Returns whether they start. If
    /// there is no room even on an idle cluster, they start one by one from the next pass on.
    fn start_together(
        &mut self,
        view: View<'_>,
        group: u32,
        plan: &mut Plan,
        horizon: SimTime,
        decision: &mut Decision,
    ) -> bool {
        let (now, is_idle) = (view.now(), self.running.first_end().is_none());
        let places = (0..self.queue.jobs.len()).filter(|&at| self.group(at) == Some(group));
        let jobs: Vec<Waiting> = places.map(|at| self.planned(now, at)).collect();
        if jobs.iter().any(|job| self.holds(job.job.job)) {
            return false;
        }
        let mut rooms: Vec<Room> = Vec::new();
        for job in &jobs {
            self.pools.count(job.need);
            let Some(room) = plan.room_now(&self.pools, now, job).filter(|_| !self.holds(job.job.job)) else {
                break;
            };
            plan.timeline.take(&self.pools, stay(job, &room.0, (now, room.1)));
            self.pools.take(job.need, &room.0, job.job.width);
            self.site.iter_mut().for_each(|site| site.take(job.job.job));
            rooms.push(room);
        }
        let start = rooms.len() == jobs.len();
        for (job, (split, end)) in jobs.iter().zip(&rooms) {
            self.pools.give_back(job.need, split, job.job.width);
            self.site.iter_mut().for_each(|site| site.give_back(job.job.job));
            if !start {
                plan.timeline.give_back(&self.pools, stay(job, split, (now, *end)));
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
            self.site.as_mut().filter(|site| is_idle && is_open && site.next_bound(now).is_none())
        {
            site.part(group);
            self.passes.change(now);
            return false;
        }
        let (mut from, horizon) = (now.saturating_add(SimSpan::from_micros(1)), horizon.max(now));
        jobs.iter().for_each(|job| self.pools.count(job.need));
        let find = |plan: &mut Plan, from: SimTime, job: &Waiting| {
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
                plan.promise(&self.pools, stay(job, &split, (start, end)));
            }
        }
        false
    }

    /// Whether the job at a place in the queue can start now beside a plan that only fills.
    fn can_start(&mut self, now: SimTime, at: usize, plan: &mut Plan) -> bool {
        let job = self.planned(now, at);
        self.pools.count(job.need);
        if plan.hopeless.exclude(&self.pools.needs, &job) {
            return false;
        }
        let can_start = plan.has_room_now(&self.pools, now, &job);
        if !can_start {
            plan.hopeless.add(&self.pools.needs, &job);
        }
        can_start
    }
}
