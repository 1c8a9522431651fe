//! Scheduler of all batch policies: from events to starts on nodes.

use super::allocation::{Allocation, Slot};
use super::cycles::SlurmCycles;
use super::head::HeadReservation;
use super::job::BatchJob;
use super::plan::ReservationPlan;
use super::pools::Pools;
use super::queue::{Queue, Waiting};
use super::running::{RunningJob, RunningJobs};
use super::site_order::SiteOrder;
use crate::site::{PrioritySystem, select_victims};
use dfrsim_cluster::{Decision, JobHandle, JobState, NodeRange, Scheduler, Situation, View};
use dfrsim_model::batch::{Backfilling, BatchPolicy, QueueOrder};
use dfrsim_model::priority::{PreemptMode, Priorities};
use dfrsim_model::{SimTime, Yield};
use std::sync::Arc;

/// A batch policy on a cluster, with the settings of a site if there are any.
#[derive(Debug)]
pub(crate) struct BatchScheduler {
    pub(super) policy: BatchPolicy,
    pub(super) site: Option<Box<PrioritySystem>>,
    pub(super) pools: Pools,
    pub(super) queue: Queue,
    pub(super) running: RunningJobs,
    /// Reservations of CONS.
    pub(super) plan: Option<ReservationPlan>,
    /// Jobs preempted in the last decision that wait to be requeued.
    pub(super) preempted: Vec<JobHandle>,
    /// Next main and backfill cycles of Slurm, and jobs that ended now but are not yet visible to
    /// either.
    pub(super) slurm_cycles: SlurmCycles,
    pub(super) completing: Vec<JobHandle>,
    /// Buffer: whether the limits of the site admit each of the arriving jobs.
    admitted: Vec<bool>,
    site_order: SiteOrder,
    /// True if running jobs must be tracked individually. FCFS on equal nodes that never go down
    /// only counts nodes, unless it is queried for predictions.
    tracks_runs: bool,
    pub(super) is_queried: bool,
    placement: Vec<NodeRange>,
}

/// Limits of a scheduling cycle by the settings of the site.
#[derive(Clone, Copy, Debug)]
pub(super) struct CycleLimits {
    /// True if jobs are backfilled.
    pub(super) backfills: bool,
    /// Maximum number of jobs tried, counted from the first job that cannot start.
    pub(super) max_tests: u32,
    /// Backfill window: jobs that can only start later have no reservation.
    pub(super) horizon: SimTime,
}

/// Reservations that a starting job must not delay.
pub(super) enum ReservationScope<'a> {
    /// No reservation: the job is before all waiting ones.
    None,
    /// The reservation of the queue head.
    Head(&'a mut HeadReservation),
    /// All reservations of the plan.
    All(&'a mut ReservationPlan),
}

impl BatchScheduler {
    /// Creates the scheduler of a policy for a cluster of `nodes` nodes. The settings must have been
    /// [checked](Priorities::check).
    pub(crate) fn new(policy: BatchPolicy, nodes: u32, site: Option<&Arc<Priorities>>) -> BatchScheduler {
        let queue = Queue::new(policy.order, policy.fill);
        let site = match policy.backfilling {
            Backfilling::Slurm => Some(Arc::new(site.map_or_else(Default::default, Arc::clone).as_slurm())),
            _ => site.filter(|site| !queue.is_by_arrival() || !site.is_arrival_order()).cloned(),
        };
        let mut pools = Pools::new(nodes, policy.nodes, policy.place);
        pools.requests.reservations = site.iter().flat_map(|site| site.reservations.clone()).collect();
        BatchScheduler {
            policy,
            slurm_cycles: SlurmCycles::new(site.as_deref()),
            site: site.map(|settings| Box::new(PrioritySystem::new(settings))),
            pools,
            queue,
            running: RunningJobs::default(),
            plan: None,
            preempted: Vec::new(),
            completing: Vec::new(),
            admitted: Vec::new(),
            site_order: SiteOrder::default(),
            tracks_runs: false,
            is_queried: false,
            placement: Vec::new(),
        }
    }

    #[inline]
    pub(super) fn enqueue(&mut self, job: BatchJob, need: usize) {
        if self.site.is_none() { self.queue.insert(job, need) } else { self.enqueue_by_priority(job, need) }
    }

    #[inline(never)]
    fn enqueue_by_priority(&mut self, job: BatchJob, need: usize) {
        if let Some(site) = &self.site {
            self.site_order.insert(&mut self.queue, site, job, need);
        }
    }

    fn submit(&mut self, view: View<'_>, job: JobHandle, is_admitted: bool, decision: &mut Decision) {
        let need = self.pools.requests.request_of(view, job);
        if !is_admitted || self.pools.max_tasks(need) < view.job(job).tasks().into() {
            return decision.reject(job);
        }
        self.enqueue(BatchJob::new(view, job), need);
    }

    /// Requeues a preempted or interrupted job with its remaining estimate.
    fn requeue(&mut self, view: View<'_>, job: JobHandle) {
        let need = self.pools.requests.request_of(view, job);
        self.enqueue(BatchJob::new(view, job), need);
    }

    /// Releases the nodes of a job, and its resources.
    pub(super) fn release_job(&mut self, view: View<'_>, job: JobHandle, on: &[NodeRange]) {
        self.pools.release_nodes(on);
        if !self.tracks_runs {
            return self.pools.release(0, &Allocation::default(), view.job(job).tasks());
        }
        self.note_end(view.now(), job);
    }

    /// Releases the resources of a job that has ended, if running jobs are tracked.
    #[inline]
    pub(super) fn note_end(&mut self, now: SimTime, job: JobHandle) -> Option<RunningJob> {
        let run = self.running.remove(job)?;
        self.pools.release(run.request, &run.allocation, run.size);
        if let Some(site) = &mut self.site {
            site.release(now, job);
        }
        if let Some(plan) = &mut self.plan {
            plan.note_end(&self.pools, now, &run);
        }
        Some(run)
    }

    /// Reallocates all running jobs after the pools have been regrouped. Cancels all reservations.
    fn regroup(&mut self, view: View<'_>) {
        let pools = &mut self.pools;
        self.running.for_each(|run| {
            let on = view.job(run.job).placement();
            run.allocation = pools.allocation_on(on.ranges());
            pools.occupy_nodes(on.ranges());
            pools.allocate(run.request, &run.allocation, run.size);
        });
        self.plan = None;
        self.queue.jobs.iter_mut().for_each(Waiting::cancel_reservation);
    }

    /// Sorts the queue for the current time; returns whether its order has changed.
    #[inline]
    pub(super) fn sort_queue(&mut self, now: SimTime) -> bool {
        (self.site.is_some() || self.queue.depends_on_time()) && self.sort_queue_now(now)
    }

    #[inline(never)]
    fn sort_queue_now(&mut self, now: SimTime) -> bool {
        match &self.site {
            Some(site) => self.site_order.sort(&mut self.queue, site, now),
            None => self.queue.sort(now),
        }
    }

    /// Returns the job at a queue index with its estimate as used in plans.
    pub(super) fn planned(&self, now: SimTime, at: usize) -> Waiting {
        self.as_planned(now, &self.queue.jobs[at])
    }

    /// Returns a waiting job with its estimate as used in plans: rounded, if the site has a backfill
    /// resolution.
    pub(super) fn as_planned(&self, now: SimTime, job: &Waiting) -> Waiting {
        let mut job = job.clone();
        if let Some(site) = &self.site {
            job.job.estimate = site.round_to_resolution(now, job.job.estimate);
        }
        job
    }

    #[inline]
    pub(super) fn is_blocked(&self, job: JobHandle) -> bool {
        self.site.as_ref().is_some_and(|site| site.is_ineligible(job))
    }

    pub(super) fn can_preempt(&self) -> bool {
        self.site.as_ref().is_some_and(|site| site.has_preemption())
    }

    pub(super) fn cycle_limits(&self, now: SimTime) -> CycleLimits {
        let Some(site) = &self.site else {
            return CycleLimits { backfills: true, max_tests: u32::MAX, horizon: SimTime::MAX };
        };
        let tests = site.settings().backfill.max_job_test.unwrap_or(u32::MAX);
        CycleLimits { backfills: site.is_backfill_due(now), max_tests: tests, horizon: site.horizon(now) }
    }

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

    /// Finds an allocation for the job, preempting other jobs if necessary.
    pub(super) fn find_slot_or_preempt(
        &mut self,
        view: View<'_>,
        job: &Waiting,
        mut beside: ReservationScope<'_>,
        decision: &mut Decision,
    ) -> Option<Slot> {
        let now = view.now();
        if let Some(room) = self.find_slot(now, job, &mut beside) {
            return Some(room);
        }
        let site = self.site.as_ref().filter(|site| !site.waits_for_preemption(now, job.job.job))?;
        let mut candidates = site.candidates(now, job.job.job);
        candidates.retain(|other| !self.completing.contains(other));
        if candidates.is_empty() {
            return None;
        }
        let leaving = select_victims(&candidates, |some| {
            let mut head = if let ReservationScope::Head(head) = &beside {
                Some(HeadReservation::clone(head))
            } else {
                None
            };
            let mut trial = match (&mut head, &mut beside) {
                (Some(head), _) => ReservationScope::Head(head),
                (None, ReservationScope::All(plan)) => ReservationScope::All(plan),
                (None, _) => ReservationScope::None,
            };
            some.iter().for_each(|&other| self.release_tentatively(now, other, &mut trial));
            let has_room = self.find_slot(now, job, &mut trial).is_some();
            some.iter().for_each(|&other| self.reacquire(now, other, &mut trial));
            has_room
        })?;
        for other in leaving {
            let site = self.site.as_mut().filter(|_| self.policy.backfilling == Backfilling::Slurm);
            if let Some(until) = site.and_then(|site| site.start_grace_period(now, other, job.job.job)) {
                self.limit_end(now, other, until, &mut beside);
            } else {
                self.release_tentatively(now, other, &mut beside);
                self.preempt(view, other, decision);
            }
        }
        self.find_slot(now, job, &mut beside)
    }

    /// Tentatively releases a running job's resources, for a trial preemption.
    fn release_tentatively(&mut self, now: SimTime, job: JobHandle, beside: &mut ReservationScope<'_>) {
        let run = self.running.get(job);
        self.pools.release(run.request, &run.allocation, run.size);
        let end = run.expected_release(now, &self.pools, self.site.as_deref());
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
        if let ReservationScope::All(plan) = beside {
            plan.timeline.allocate(&self.pools, run.occupancy(now));
        }
    }

    /// Limits a running job to end at `until`, when its grace period expires.
    fn limit_end(&mut self, now: SimTime, job: JobHandle, until: SimTime, beside: &mut ReservationScope<'_>) {
        let Some(mut run) = self.running.remove(job) else { return };
        run.end = run.end.min(until);
        let release = run.expected_release(now, &self.pools, self.site.as_deref());
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
    fn preempt_expired(&mut self, view: View<'_>, decision: &mut Decision) -> bool {
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

    /// Starts the job at a queue index.
    pub(super) fn start_waiting(&mut self, view: View<'_>, at: usize, room: Slot, decision: &mut Decision) {
        let Waiting { job, request: need, .. } = self.queue.jobs[at];
        self.queue.remove(at);
        self.start(view, &job, need, room, decision);
    }

    /// Starts or resumes a job that has been removed from the queue. `planned_end` is the end of its
    /// slot.
    pub(super) fn start(
        &mut self,
        view: View<'_>,
        job: &BatchJob,
        need: usize,
        (split, planned_end): Slot,
        decision: &mut Decision,
    ) {
        let (now, &BatchJob { job: handle, sequence, size: width, .. }) = (view.now(), job);
        self.pools.allocate(need, &split, width);
        self.pools.assign_nodes(view, width, &split, &mut self.placement);
        let on = self.placement.iter().copied();
        let is_paused = self.site.as_mut().is_some_and(|site| {
            site.start(now, handle);
            view.job(handle).state() == JobState::Paused
        });
        if is_paused {
            decision.resume(handle, on, Yield::ONE);
        } else {
            decision.start(handle, on, Yield::ONE);
        }
        if self.tracks_runs {
            let end = self.pools.end(now, job, &split);
            let reserved_to = planned_end;
            let run = RunningJob {
                end,
                sequence,
                job: handle,
                size: width,
                request: need,
                allocation: split,
                start: now,
                reserved_until: reserved_to,
            };
            if let Some(plan) = &mut self.plan {
                plan.timeline.allocate(&self.pools, run.occupancy(now));
            }
            self.running.insert(run);
        }
    }

    /// Runs a scheduling cycle.
    pub(super) fn run_cycle(&mut self, view: View<'_>, decision: &mut Decision) {
        if self.policy.backfilling == Backfilling::Slurm {
            // The cycles of Slurm ran while the events were applied.
            return;
        }
        let has_new_order = self.sort_queue(view.now());
        match self.policy.backfilling {
            Backfilling::Conservative(compression) if self.cycle_limits(view.now()).backfills => {
                self.schedule_conservatively(view, compression, has_new_order, decision);
            }
            Backfilling::Fcfs | Backfilling::Easy | Backfilling::Conservative(_) | Backfilling::Slurm => {
                self.backfill(view, decision);
            }
        }
    }

    /// Returns the time of the next decision if no event comes before.
    #[inline]
    pub(super) fn next_decision(&self, now: SimTime) -> Option<SimTime> {
        match &self.site {
            None => self.plan.as_ref()?.next_start(now, &self.queue),
            Some(site) if self.policy.backfilling == Backfilling::Slurm => self.next_cycle(now, site),
            Some(site) => self.next_site_decision(now, site),
        }
    }

    /// Returns the time of the next decision that the settings of the site require.
    #[inline(never)]
    fn next_site_decision(&self, now: SimTime, site: &PrioritySystem) -> Option<SimTime> {
        let waiting = || self.queue.jobs.iter().map(|job| job.job.job).chain(self.preempted.iter().copied());
        waiting().next()?;
        // A decision can start no job if neither the queue order nor the expected ends of running
        // jobs have changed.
        let is_fixed = site.has_stable_plans() && waiting().nth(1).is_none();
        let changes = if is_fixed { self.running.first_end() } else { Some(now) };
        let ranking = changes.and_then(|changes| site.next_priority_update(now, changes));
        let backfill = site.next_backfill(now).filter(|_| self.policy.backfilling != Backfilling::Fcfs);
        let delayed = site.next_hold_off_end(waiting());
        let candidate = site.next_candidate(now, waiting());
        [ranking, backfill, candidate, delayed, site.next_reservation_bound(now)].into_iter().flatten().min()
    }
}

impl BatchScheduler {
    /// Applies the events of a situation; returns whether the nodes have been regrouped.
    pub(super) fn apply_events(&mut self, situation: &Situation<'_>, decision: &mut Decision) -> bool {
        let view = situation.view;
        let now = view.now();
        let has_left = !situation.completed.is_empty() || !situation.interrupted.is_empty();
        let mut has_changed = has_left || !situation.submitted.is_empty() || !self.preempted.is_empty();
        if let Some(site) = &mut self.site {
            site.advance(now);
            for job in std::mem::take(&mut self.preempted) {
                self.requeue(view, job);
            }
        }
        let mut admitted = std::mem::take(&mut self.admitted);
        let mut admits = |job| self.site.as_mut().is_none_or(|site| site.submit(view, job));
        admitted.extend(situation.submitted.iter().map(|&job| admits(job)));
        let (is_slurm, is_first) = (self.policy.backfilling == Backfilling::Slurm, self.pools.is_ungrouped());
        // A cycle of Slurm runs before it sees the events of the same second, unless nodes change.
        // Its timers also advance to the first event.
        if is_slurm && (is_first || !self.pools.is_outdated(view)) {
            self.completing.extend(situation.completed);
            self.completing.extend(self.site.iter().flat_map(|site| site.grace_expired(now)));
            self.run_due_cycles(view, decision);
            self.completing.clear();
        }
        for &job in situation.completed {
            self.release_job(view, job, view.job(job).placement().ranges());
        }
        for it in situation.interrupted {
            self.release_job(view, it.job, &it.on);
            if view.job(it.job).state() == JobState::Waiting {
                self.site.iter_mut().for_each(|site| site.start_hold_off(now, it.job));
                self.requeue(view, it.job);
            }
        }
        has_changed |= self.preempt_expired(view, decision);
        has_changed |=
            self.site.as_ref().is_some_and(|site| site.reservation_bounds().any(|bound| bound == now));
        let is_regrouped = self.pools.update(view);
        if is_regrouped {
            let counts =
                self.policy.backfilling == Backfilling::Fcfs && self.site.is_none() && !view.has_outages();
            self.tracks_runs = self.is_queried || !counts || self.pools.single().is_none();
            self.regroup(view);
        }
        for (&job, is_admitted) in situation.submitted.iter().zip(admitted.drain(..)) {
            self.submit(view, job, is_admitted, decision);
        }
        self.admitted = admitted;
        has_changed |= is_regrouped;
        if is_slurm && is_regrouped && !is_first {
            self.run_due_cycles(view, decision);
        }
        if is_slurm && has_changed {
            self.slurm_cycles.change(now);
        }
        is_regrouped
    }

    /// Decides after the events have been applied.
    pub(super) fn decide_now(&mut self, view: View<'_>, decision: &mut Decision) {
        self.run_cycle(view, decision);
        if let Some((formula, job, value)) = self.queue.formula_error.take() {
            let (order, id) = (QueueOrder::Formula(formula), view.job(job).id());
            return decision
                .fail(format!("the order {order} is {value} for job {id}, expected a finite number"));
        }
        if let Some(time) = self.next_decision(view.now()) {
            decision.wake_at(time);
        }
    }
}

impl Scheduler for BatchScheduler {
    fn decide(&mut self, situation: &Situation<'_>, decision: &mut Decision) {
        self.apply_events(situation, decision);
        self.decide_now(situation.view, decision);
    }
}
