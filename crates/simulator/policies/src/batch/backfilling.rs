//! FCFS, FIRSTFIT, EASY and TWOQ.

use super::allocation::Start;
use super::backfill_cycle::CycleRules;
use super::head::HeadReservation;
use super::preemption::{PreemptionRules, ReservationScope};
use super::queue::Waiting;
use super::state::BatchState;
use dfrsim_cluster::{Decision, View};
use dfrsim_model::SimTime;
use dfrsim_model::batch::Backfilling;

impl BatchState {
    /// Starts jobs in queue order until one cannot start: the queue head. The head has a reservation at
    /// the shadow time, the earliest time at which enough resources will be free; the reservation is
    /// computed anew in each scheduling cycle. The jobs behind it are tried in the backfill order, if
    /// the policy has one, and start if they do not delay the head (Lifka 1995; Mu'alem and Feitelson
    /// 2001, section 2). Under FIRSTFIT the head has no reservation. While the head cannot have a
    /// reservation, since too many nodes are down, all other jobs may start before it.
    pub(super) fn backfill(&mut self, view: View<'_>, decision: &mut Decision) {
        let first = self.start_in_order(view, decision);
        if let Some(first) = first.filter(|_| !self.is_full(view.now())) {
            self.backfill_behind(view, first, decision);
        }
    }

    /// Starts the jobs that delay neither the first short nor the first long job that cannot start;
    /// the reservations of both are computed anew in each scheduling cycle, in queue order. Between
    /// the backfill cycles of a site, jobs start in queue order.
    pub(super) fn backfill_two_queues(&mut self, view: View<'_>, decision: &mut Decision) {
        let now = view.now();
        if !self.cycle_limits(now).backfills {
            self.start_in_order(view, decision);
        } else if !self.queue.jobs.is_empty() {
            let rules = CycleRules { reserves_for_heads: true, ..CycleRules::default() };
            let mut plan = self.plan_running_jobs(now);
            self.run_backfill_cycle(view, &mut plan, rules, decision);
        }
    }

    /// Tries to backfill the jobs behind the queue head.
    #[inline(never)]
    fn backfill_behind(&mut self, view: View<'_>, first: usize, decision: &mut Decision) {
        let (now, clock) = (view.now(), self.cycle_limits(view.now()));
        if !clock.backfills {
            return;
        }
        // Jobs that do not fit now can be skipped if no job is preempted for them and they do not
        // count towards the backfill depth.
        let passes_over = self.site.is_none() || !self.can_preempt() && clock.max_tests == u32::MAX;
        let next = if passes_over { self.next_fitting(now, first + 1) } else { Some(first + 1) };
        let Some(at) = next else { return };
        let reserves = self.policy.backfilling != Backfilling::FirstFit;
        let head = if reserves { self.head_reservation(now, first) } else { None };
        self.queue.sort_for_backfill(first + 1, now);
        let at = if self.policy.fill.is_some() { first + 1 } else { at };
        self.backfill_from(at, view, (clock.max_tests - 1, passes_over), head, decision);
        self.queue.restore_order(now);
    }

    /// Starts the jobs from queue index `at` on that do not delay the head, within the given number
    /// of tests.
    fn backfill_from(
        &mut self,
        mut at: usize,
        view: View<'_>,
        (mut tests, passes_over): (u32, bool),
        mut head: Option<HeadReservation>,
        decision: &mut Decision,
    ) {
        let now = view.now();
        while at < self.queue.jobs.len() && tests > 0 && !self.is_full(now) {
            if passes_over {
                let next = match &head {
                    Some(head) => self.next_candidate(now, at, head),
                    None => self.next_fitting(now, at),
                };
                let Some(next) = next else { return };
                at = next;
            }
            if self.is_blocked(self.queue.jobs[at].job.job) {
                at += 1;
                continue;
            }
            let room = match (&self.site, &mut head) {
                (None, None) => self.find_start(now, at),
                (None, Some(head)) => {
                    let job = &self.queue.jobs[at];
                    match head.find_backfill_slot(&mut self.pools, now, job) {
                        Some(slot) => Some((job.request, slot)),
                        None if self.pools.requests.has_levels() && self.pools.may_start_below(now, job) => {
                            let job = job.clone();
                            self.find_slot_below(now, &job, &mut ReservationScope::Head(head))
                        }
                        None => None,
                    }
                }
                (Some(_), head) => {
                    let beside = head.as_mut().map_or(ReservationScope::None, ReservationScope::Head);
                    let (job, rules) = (self.planned(now, at), PreemptionRules::default());
                    self.find_slot_or_preempt(view, &job, beside, rules, decision)
                }
            };
            match room {
                Some(room) => self.start_waiting(view, at, room, decision),
                None => at += 1,
            }
            tests -= 1;
        }
    }

    /// Starts jobs in queue order until one cannot start; returns its index in the queue.
    pub(super) fn start_in_order(&mut self, view: View<'_>, decision: &mut Decision) -> Option<usize> {
        let (now, mut at) = (view.now(), 0);
        while at < self.queue.jobs.len() {
            let room = if self.site.is_none() {
                self.find_start(now, at)
            } else if self.is_blocked(self.queue.jobs[at].job.job) {
                at += 1;
                continue;
            } else {
                let (beside, rules) = (ReservationScope::None, PreemptionRules::default());
                self.find_slot_or_preempt(view, &self.planned(now, at), beside, rules, decision)
            };
            let Some(room) = room else { return Some(at) };
            self.start_waiting(view, at, room, decision);
        }
        None
    }

    /// Finds a slot now for the job at a queue index, beside no reservation.
    #[inline]
    fn find_start(&mut self, now: SimTime, at: usize) -> Option<Start> {
        let job = &self.queue.jobs[at];
        match self.pools.find_slot_now(now, job) {
            Some(slot) => Some((job.request, slot)),
            None if self.pools.requests.has_levels() => self.find_start_below(now, at),
            None => None,
        }
    }

    /// Finds a slot now for the job at a queue index at a lower speed level, beside no reservation.
    #[inline(never)]
    fn find_start_below(&mut self, now: SimTime, at: usize) -> Option<Start> {
        let job = self.queue.jobs[at].clone();
        match self.pools.may_start_below(now, &job) {
            true => self.find_slot_below(now, &job, &mut ReservationScope::None),
            false => None,
        }
    }

    /// Returns whether no job can start: there is no preemption, and no core or node is free, or too
    /// little of a resource of the whole cluster.
    fn is_full(&self, now: SimTime) -> bool {
        self.pools.is_full(now) && !self.can_preempt()
    }

    /// Computes the reservation of the job at a queue index, if it can have one. Its amounts of the
    /// resources of the whole cluster are reserved in the plan of the cycle, unless the policy reserves
    /// nodes alone.
    fn head_reservation(&mut self, now: SimTime, at: usize) -> Option<HeadReservation> {
        self.pools.count(self.queue.jobs[at].request);
        if self.pools.common.is_none() {
            return self.head_reservation_of_nodes(now, at);
        }
        if self.policy.reserves_nodes_only {
            let common = self.pools.common.take();
            let head = self.head_reservation_of_nodes(now, at);
            self.pools.common = common;
            return head;
        }
        let requests = &self.pools.requests;
        let waiting = || self.queue.jobs.range(at..).map(|job| &requests.get(job.request).common[..]);
        let is_scarce = self.pools.common.as_ref().is_some_and(|common| !common.suffices(waiting()));
        if is_scarce {
            self.plan_common_amounts(now);
        }
        let head = self.head_reservation_of_nodes(now, at);
        if let Some(head) = head.as_ref().filter(|_| is_scarce) {
            let (start, end) = head.interval();
            self.pools.reserve_common_amounts(self.queue.jobs[at].request, start, end);
        }
        head
    }

    /// Computes the reservation of the job at a queue index in the pools as they are.
    #[inline]
    fn head_reservation_of_nodes(&self, now: SimTime, at: usize) -> Option<HeadReservation> {
        if self.releases_at_estimated_ends() {
            HeadReservation::new(&self.pools, now, &self.queue.jobs[at], self.running.releases(now))
        } else {
            HeadReservation::new(&self.pools, now, &self.planned(now, at), self.releases(now).into_iter())
        }
    }

    /// Finds the next job, from a queue index on, that may fit into the free resources now.
    fn next_fitting(&self, now: SimTime, from: usize) -> Option<usize> {
        let mut jobs = self.queue.jobs.range(from..);
        let found = match self.pools.free_of_one_pool() {
            Some(free) if self.pools.is_unlimited() => jobs.position(|job| u64::from(job.job.size) <= free),
            Some(free) => {
                return self.next_with_common_amounts(now, from, |job| u64::from(job.job.size) <= free);
            }
            None if self.pools.common.is_none() => jobs.position(self.pools.might_fit()),
            None => return self.next_with_common_amounts(now, from, self.pools.might_fit()),
        };
        Some(from + found?)
    }

    /// Finds the next job, from a queue index on, that may start now without delaying the head.
    fn next_candidate(&self, now: SimTime, from: usize, head: &HeadReservation) -> Option<usize> {
        let Some(free) = self.pools.free_of_one_pool() else { return self.next_fitting(now, from) };
        let (mut jobs, speed) = (self.queue.jobs.range(from..), self.pools.groups[0].speed);
        let runs_beyond = |job: &Waiting| job.job.end(now, speed) > head.shadow_time;
        let may_start = |job: &Waiting| {
            let width = u64::from(job.job.size);
            width <= free && (width <= head.extra_nodes || !runs_beyond(job))
        };
        let found = if self.pools.is_unlimited() {
            jobs.position(may_start)
        } else {
            let has_common = self.pools.might_have_common_amounts(now, Some(head.shadow_time));
            jobs.position(|job| may_start(job) && has_common(job, runs_beyond(job)))
        };
        Some(from + found?)
    }

    /// Finds the next job, from a queue index on, that meets a condition and for which the resources of the
    /// whole cluster may suffice now.
    #[inline(never)]
    fn next_with_common_amounts(
        &self,
        now: SimTime,
        from: usize,
        may_start: impl Fn(&Waiting) -> bool,
    ) -> Option<usize> {
        let has_common = self.pools.might_have_common_amounts(now, None);
        let found = self.queue.jobs.range(from..).position(|job| may_start(job) && has_common(job, false));
        Some(from + found?)
    }
}
