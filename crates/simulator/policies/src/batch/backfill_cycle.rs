//! Backfill cycles that make a new plan: those of Slurm, those of two-queue backfilling, and those
//! of CONS at a site with priorities.

use super::allocation::{Allocation, Occupancy, Slot, Start};
use super::plan::ReservationPlan;
use super::preemption::{PreemptionRules, ReservationScope};
use super::queue::Waiting;
use super::state::BatchState;
use dfrsim_cluster::{Decision, JobHandle, View};
use dfrsim_model::{NodeId, SimSpan, SimTime, SortedMap};
use std::collections::BTreeSet;

/// Longest estimate of a short job under two-queue backfilling.
const SHORT: SimSpan = SimSpan::from_secs(3_600);

/// Rules of a backfill cycle in which schedulers differ.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CycleRules<'a> {
    /// True if all jobs tried count towards the backfill depth; otherwise, those from the first job
    /// on that cannot start.
    pub(super) counts_all: bool,
    /// True if the components of a heterogeneous job start together.
    pub(super) starts_together: bool,
    /// True if only the first job of each of the two queues gets a reservation.
    pub(super) reserves_for_heads: bool,
    /// Maximum number of jobs tried per user and per partition.
    pub(super) max_tests_per_user: Option<u32>,
    pub(super) max_tests_per_partition: Option<u32>,
    pub(super) preemption: PreemptionRules<'a>,
}

/// Numbers of jobs tried, by partition and by user.
#[derive(Clone, Default)]
pub(super) struct TestCounts {
    by_partition: SortedMap<Option<usize>, u32>,
    by_user: SortedMap<u32, u32>,
}

impl TestCounts {
    /// Counts a job of a partition; returns whether it is within the limit.
    pub(super) fn count(&mut self, partition: Option<usize>, most: Option<u32>) -> bool {
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

/// Result of the attempt to start the components of a heterogeneous job.
#[derive(PartialEq, Eq)]
enum Components {
    Started,
    Waiting,
    /// They do not fit even on an idle cluster, and are now jobs of their own.
    Separated,
}

/// Returns the occupancy of a job with an allocation from `start` to `end`.
fn occupancy<'a>(job: &Waiting, split: &'a Allocation, (start, end): (SimTime, SimTime)) -> Occupancy<'a> {
    Occupancy { request: job.request, allocation: split, size: job.job.size, start, end }
}

impl BatchState {
    pub(super) fn partition(&self, job: JobHandle) -> Option<usize> {
        self.site.as_ref().and_then(|site| site.partition(job))
    }

    /// Returns whether the partition of a job allocates whole nodes.
    fn has_whole_nodes(&self, job: JobHandle) -> bool {
        self.site.as_ref().is_some_and(|site| site.has_whole_nodes(job))
    }

    /// Returns the heterogeneous job of which the job at a queue index is a component, if any.
    pub(super) fn heterogeneous_job(&self, at: usize) -> Option<u32> {
        self.site.as_ref().and_then(|site| site.heterogeneous_job(self.queue.jobs[at].job.job))
    }

    /// Counts the job at a queue index as tried, unless a limit on the number of tried jobs is
    /// reached; returns whether it is tried.
    fn is_tried(&self, now: SimTime, at: usize, rules: &CycleRules<'_>, tried: &mut TestCounts) -> bool {
        let job = self.queue.jobs[at].job.job;
        let user = rules.max_tests_per_user.and_then(|_| self.site.as_ref()?.user(job));
        // No short-circuit behind the first test: a job counts for its partition even if it exceeds
        // the limit of its user.
        !self.is_blocked(job)
            && !self.is_unlicensed(now, at)
            && tried.count_user(user, rules.max_tests_per_user)
                & tried.count(self.partition(job), rules.max_tests_per_partition)
    }

    /// Runs a backfill cycle with a plan: each job that is tried starts, or gets a reservation if it
    /// can begin within the backfill window. Returns whether the components of a heterogeneous job
    /// were separated.
    pub(super) fn run_backfill_cycle(
        &mut self,
        view: View<'_>,
        plan: &mut ReservationPlan,
        rules: CycleRules<'_>,
        decision: &mut Decision,
    ) -> bool {
        let (now, limits) = (view.now(), self.cycle_limits(view.now()));
        let latest = limits.horizon.max(now);
        let (mut tried, mut left, mut at) = (TestCounts::default(), limits.max_tests, 0);
        let (mut counts, mut has_separated) = (rules.counts_all, false);
        // Queue indices of the jobs that are tried until one starts.
        let mut ahead: Option<Vec<usize>> = None;
        // Queues, short and long, of which a job that cannot start has been tried.
        let mut has_head = [false; 2];
        // True if the last of these jobs is known to be able to start, and no reservation since has
        // taken resources that are free now.
        let mut is_sure = false;
        let mut met = BTreeSet::new();
        while at < self.queue.jobs.len() && left > 0 {
            if !self.can_preempt() {
                let ahead = ahead.get_or_insert_with(|| {
                    let mut tried = tried.clone();
                    let all = at..self.queue.jobs.len();
                    all.filter(|&at| self.is_tried(now, at, &rules, &mut tried)).take(left as usize).collect()
                });
                while !is_sure && ahead.pop_if(|last| !self.can_start(now, *last, plan)).is_some() {}
                is_sure = true;
                // No job needs a reservation behind the last one that can start.
                if ahead.last().is_none_or(|&last| last < at) {
                    break;
                }
            }
            let group = self.heterogeneous_job(at).filter(|_| rules.starts_together);
            // A group is tried at the position of its first job that is not blocked.
            let job = self.queue.jobs[at].job.job;
            let is_held = self.is_blocked(job) || self.is_unlicensed(now, at);
            let is_first = group.is_some_and(|group| !is_held && met.insert(group));
            if !self.is_tried(now, at, &rules, &mut tried) {
                at += 1;
                continue;
            }
            if let Some(group) = group {
                is_sure = false;
                left -= 1;
                let mut found = Components::Waiting;
                if is_first {
                    found = self.start_components(view, group, plan, latest, decision);
                }
                has_separated |= found == Components::Separated;
                match found {
                    Components::Started => ahead = None,
                    Components::Waiting | Components::Separated => at += 1,
                }
                continue;
            }
            let mut job = self.planned(now, at);
            self.pools.count(job.request);
            // One that lacks resources of the whole cluster may have them at a lower speed level.
            let is_licensed = !self.pools.is_unlicensed(now, &job);
            let mut earliest = match is_licensed {
                true => plan.earliest(&self.pools, now, &job, latest),
                false => None,
            };
            if self.pools.requests.has_levels() && earliest.as_ref().is_none_or(|(start, _)| *start > now) {
                let below = self.find_slot_below(now, &job, &mut ReservationScope::All(plan));
                if let Some((request, slot)) = below {
                    (job.request, earliest) = (request, Some((now, slot)));
                }
            }
            if self.can_preempt() && is_licensed && earliest.as_ref().is_none_or(|(start, _)| *start > now) {
                let beside = ReservationScope::All(plan);
                let slot = self.find_slot_or_preempt(view, &job, beside, rules.preemption, decision);
                let slot = slot.map(|(request, slot)| {
                    job.request = request;
                    slot
                });
                // Jobs in their grace period may now end before their expected ends.
                if slot.is_none() && self.site.as_ref().is_some_and(|site| site.next_grace_end().is_some()) {
                    earliest = plan.earliest(&self.pools, now, &job, latest);
                }
                earliest = slot.map(|slot| (now, slot)).or(earliest);
            }
            let start = earliest.as_ref().map(|(start, _)| *start);
            if rules.reserves_for_heads && start != Some(now) {
                let is_long = self.queue.jobs[at].job.estimate > SHORT;
                if std::mem::replace(&mut has_head[usize::from(is_long)], true) {
                    earliest = None;
                }
            }
            if let Some((start, (allocation, end))) = &mut earliest {
                if *start == now {
                    self.pools.bind(job.request, allocation);
                }
                let stay = occupancy(&job, allocation, (*start, *end));
                is_sure = *start > now && !plan.reserve_later(&self.pools, stay);
                if *start == now {
                    plan.timeline.allocate(&self.pools, stay);
                    if self.has_whole_nodes(job.job.job) {
                        plan.reserve_whole_nodes(stay);
                    }
                }
            }
            match earliest.filter(|_| start == Some(now)) {
                Some((_, slot)) => {
                    self.start_waiting(view, at, (job.request, slot), decision);
                    ahead = None;
                }
                None => (counts, at) = (true, at + 1),
            }
            left -= u32::from(counts);
        }
        has_separated
    }

    /// Starts all waiting components of a heterogeneous job if they fit together and no limit blocks
    /// any of them. There is no preemption for them. Otherwise each gets a reservation after the
    /// earliest time at which each of them alone could begin, until `latest`.
    fn start_components(
        &mut self,
        view: View<'_>,
        group: u32,
        plan: &mut ReservationPlan,
        latest: SimTime,
        decision: &mut Decision,
    ) -> Components {
        let (now, is_idle) = (view.now(), self.running.first_end().is_none());
        let places = (0..self.queue.jobs.len()).filter(|&at| self.heterogeneous_job(at) == Some(group));
        let jobs: Vec<Waiting> = places.map(|at| self.planned(now, at)).collect();
        if jobs.iter().any(|job| self.is_blocked(job.job.job) || self.pools.is_unlicensed_at_all(now, job)) {
            return Components::Waiting;
        }
        let mut slots: Vec<(Waiting, Slot)> = Vec::new();
        for job in &jobs {
            let Some((request, mut slot)) = self.component_slot(now, job, plan) else { break };
            let job = job.at(request);
            self.pools.bind(job.request, &mut slot.0);
            plan.timeline.allocate(&self.pools, occupancy(&job, &slot.0, (now, slot.1)));
            self.pools.allocate(job.request, &slot.0, job.job.size);
            let slowest = self.pools.slowest_end(now, &job);
            self.pools.reserve_common_amounts(job.request, now, slowest);
            self.site.iter_mut().for_each(|site| site.count_for_limits(job.job.job));
            slots.push((job, slot));
        }
        let start = slots.len() == jobs.len();
        for (job, (split, end)) in &slots {
            self.pools.release(job.request, split, job.job.size);
            let slowest = self.pools.slowest_end(now, job);
            self.pools.release_common_amounts(job.request, now, slowest);
            self.site.iter_mut().for_each(|site| site.uncount_for_limits(job.job.job));
            if !start {
                plan.timeline.release(&self.pools, occupancy(job, split, (now, *end)));
            }
        }
        if start {
            for (job, slot) in slots {
                let at = self.queue.jobs.iter().position(|other| other.job.job == job.job.job);
                self.start_waiting(view, at.expect("it waits"), (job.request, slot), decision);
            }
            return Components::Started;
        }
        let is_open = view.windows().is_empty() && (0..view.nodes()).all(|node| view.is_up(NodeId(node)));
        if let Some(site) =
            self.site.as_mut().filter(|site| is_idle && is_open && site.next_reservation_bound(now).is_none())
        {
            site.dissolve_group(group);
            return Components::Separated;
        }
        let mut from = now.saturating_add(SimSpan::from_micros(1));
        jobs.iter().for_each(|job| self.pools.count(job.request));
        let find = |plan: &mut ReservationPlan, from: SimTime, job: &Waiting| {
            let earliest = plan.earliest_from(&self.pools, (now, from), job, latest);
            earliest.filter(|(start, _)| *start <= latest)
        };
        loop {
            let starts = jobs.iter().map(|job| Some(find(plan, from, job)?.0));
            let Some(starts) = starts.collect::<Option<Vec<_>>>() else { return Components::Waiting };
            let last = starts.into_iter().fold(from, SimTime::max);
            if std::mem::replace(&mut from, last) == last {
                break;
            }
        }
        for job in &jobs {
            if let Some((start, (split, end))) = find(plan, from, job) {
                plan.reserve_later(&self.pools, occupancy(job, &split, (start, end)));
            }
        }
        Components::Waiting
    }

    /// Finds a slot now for a component of a heterogeneous job that no limit blocks, at its level or one
    /// below.
    fn component_slot(&mut self, now: SimTime, job: &Waiting, plan: &mut ReservationPlan) -> Option<Start> {
        self.pools.count(job.request);
        let slot = plan
            .find_slot_now(&self.pools, now, job)
            .filter(|_| !self.is_blocked(job.job.job) && !self.pools.is_unlicensed(now, job));
        match slot {
            Some(slot) => Some((job.request, slot)),
            None if self.is_blocked(job.job.job) => None,
            None => self.find_slot_below(now, job, &mut ReservationScope::All(plan)),
        }
    }

    /// Returns whether the job at a queue index can start now without delaying the plan, at its level or
    /// one below. Rejected requests are recorded, as the plan only gets fuller.
    fn can_start(&mut self, now: SimTime, at: usize, plan: &mut ReservationPlan) -> bool {
        let Waiting { request, ref job, .. } = self.queue.jobs[at];
        let size = u64::from(job.size);
        self.pools.count(request);
        // Most jobs of a long queue fail this test, whatever is reserved.
        if plan.timeline.will_run.is_some() && self.pools.fit_counts[request].total < size {
            return false;
        }
        let job = self.planned(now, at);
        if self.can_start_at_level(now, &job, plan) {
            return true;
        }
        let mut below = self.pools.requests.below(request);
        below.any(|request| {
            self.pools.count(request);
            self.can_start_at_level(now, &job.at(request), plan)
        })
    }

    /// Returns whether a job can start now at its level without delaying the plan.
    fn can_start_at_level(&mut self, now: SimTime, job: &Waiting, plan: &mut ReservationPlan) -> bool {
        if self.pools.requests.has_levels() && self.pools.is_unlicensed(now, job) {
            return false;
        }
        if plan.infeasible.rules_out(&self.pools.requests, job) {
            return false;
        }
        let can_start = plan.can_start_now(&self.pools, now, job);
        if !can_start {
            plan.infeasible.add(&self.pools.requests, job);
        }
        can_start
    }
}
