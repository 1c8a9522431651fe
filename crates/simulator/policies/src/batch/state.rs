//! State of a batch system: its nodes, its waiting and running jobs, and the settings of its site.

use super::allocation::{Allocation, Slot, Start};
use super::job::BatchJob;
use super::plan::ReservationPlan;
use super::pools::Pools;
use super::queue::{Queue, Waiting};
use super::running::{RunningJob, RunningJobs};
use super::site_order::SiteOrder;
use crate::site::PrioritySystem;
use dfrsim_cluster::{Decision, JobHandle, JobState, NodeRange, View};
use dfrsim_model::batch::{Backfilling, BatchPolicy};
use dfrsim_model::site::SiteSettings;
use dfrsim_model::{SimSpan, SimTime, Yield};
use std::sync::Arc;

/// State that all backfilling schemes share.
#[derive(Debug)]
pub(super) struct BatchState {
    pub(super) policy: BatchPolicy,
    pub(super) site: Option<Box<PrioritySystem>>,
    pub(super) pools: Pools,
    pub(super) queue: Queue,
    pub(super) running: RunningJobs,
    /// Jobs preempted in the last decision that wait to be requeued.
    pub(super) preempted: Vec<JobHandle>,
    /// True if running jobs must be tracked individually. FCFS on equal nodes that never go down
    /// only counts nodes, unless it is queried for predictions.
    pub(super) tracks_runs: bool,
    site_order: SiteOrder,
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

impl BatchState {
    /// Creates the state of an idle cluster of `nodes` nodes. The settings must have been
    /// [checked](SiteSettings::check).
    pub(super) fn new(policy: BatchPolicy, nodes: u32, site: Option<&Arc<SiteSettings>>) -> BatchState {
        let queue = Queue::new(policy.order, policy.fill);
        let site = match policy.backfilling {
            Backfilling::Slurm => Some(Arc::new(site.map_or_else(Default::default, Arc::clone).as_slurm())),
            _ => site.filter(|site| !queue.is_by_arrival() || !site.is_arrival_order()).cloned(),
        };
        let mut pools = Pools::new(nodes, policy.nodes, policy.place);
        pools.requests.learn_partitions(site.as_deref().map_or(&[], |site| &site.partitions));
        pools.requests.reservations = site.iter().flat_map(|site| site.reservations.clone()).collect();
        let mut site = site.map(|settings| Box::new(PrioritySystem::new(settings)));
        if policy.backfilling == Backfilling::Slurm {
            site.iter_mut().for_each(|site| site.plan_exact_ends());
            pools.skips_unlicensed =
                site.as_ref().is_some_and(|site| site.settings().backfill.skips_unlicensed);
        }
        BatchState {
            policy,
            site,
            pools,
            queue,
            running: RunningJobs::default(),
            preempted: Vec::new(),
            tracks_runs: false,
            site_order: SiteOrder::default(),
            placement: Vec::new(),
        }
    }

    #[inline]
    fn enqueue(&mut self, job: BatchJob, need: usize) {
        if self.site.is_none() { self.queue.insert(job, need) } else { self.enqueue_by_priority(job, need) }
    }

    #[inline(never)]
    fn enqueue_by_priority(&mut self, job: BatchJob, need: usize) {
        if let Some(site) = &self.site {
            self.site_order.insert(&mut self.queue, site, job, need);
        }
    }

    /// Enqueues a job that arrived now, or rejects it.
    pub(super) fn submit(
        &mut self,
        view: View<'_>,
        job: JobHandle,
        is_admitted: bool,
        decision: &mut Decision,
    ) {
        let need = self.pools.request_of(view, job);
        let may_fit = is_admitted && self.pools.max_tasks(need) >= view.job(job).tasks().into();
        let margin = self.site.as_ref().map_or(0, |site| site.settings().backfill.resolution_s);
        if !may_fit || !self.pools.has_round_for(view, job, SimSpan::from_secs(margin)) {
            return decision.reject(job);
        }
        self.pools.see(need, view.job(job).tasks());
        self.enqueue(BatchJob::new(view, job), need);
    }

    /// Advances the priorities of the site to the current time, and requeues the jobs preempted in
    /// the last decision; returns whether there are any.
    #[inline]
    pub(super) fn advance(&mut self, view: View<'_>) -> bool {
        let Some(site) = &mut self.site else { return false };
        site.advance(view.now());
        let preempted = std::mem::take(&mut self.preempted);
        preempted.iter().for_each(|&job| self.requeue(view, job));
        !preempted.is_empty()
    }

    /// Returns whether the limits of the site admit a job that arrived now.
    #[inline]
    pub(super) fn admits(&mut self, view: View<'_>, job: JobHandle) -> bool {
        self.site.as_mut().is_none_or(|site| site.submit(view, job))
    }

    /// Returns whether a reservation of the site begins or ends now.
    pub(super) fn is_at_reservation_bound(&self, now: SimTime) -> bool {
        self.site.as_ref().is_some_and(|site| site.reservation_bounds().any(|bound| bound == now))
    }

    /// Requeues a preempted or interrupted job with its remaining estimate.
    pub(super) fn requeue(&mut self, view: View<'_>, job: JobHandle) {
        let need = self.pools.request_of(view, job);
        self.enqueue(BatchJob::new(view, job), need);
    }

    /// Releases the nodes of a job, and its resources. Returns the job, if running jobs are tracked.
    #[inline]
    pub(super) fn release(&mut self, view: View<'_>, job: JobHandle, on: &[NodeRange]) -> Option<RunningJob> {
        self.pools.release_nodes(on);
        if !self.tracks_runs {
            self.pools.release(0, &Allocation::default(), view.job(job).tasks());
            return None;
        }
        let run = self.running.remove(job)?;
        self.pools.release(run.request, &run.allocation, run.size);
        if let Some(site) = &mut self.site {
            site.release(view.now(), job);
        }
        Some(run)
    }

    /// Reallocates all running jobs after the pools have been regrouped, and cancels all
    /// reservations.
    pub(super) fn regroup(&mut self, view: View<'_>) {
        let pools = &mut self.pools;
        self.running.for_each(|run| {
            let on = view.job(run.job).placement();
            run.allocation = pools.allocation_on(on.ranges(), view.devices(run.job));
            pools.occupy_nodes(on.ranges());
            pools.allocate(run.request, &run.allocation, run.size);
        });
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

    /// Returns whether the job at a queue index is skipped because it lacks resources of the whole cluster.
    #[inline]
    pub(super) fn is_unlicensed(&self, now: SimTime, at: usize) -> bool {
        self.pools.skips_unlicensed && self.pools.is_unlicensed_at_all(now, &self.planned(now, at))
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

    /// Starts the job at a queue index.
    pub(super) fn start_waiting(
        &mut self,
        view: View<'_>,
        at: usize,
        (request, slot): Start,
        decision: &mut Decision,
    ) {
        let job = self.queue.jobs[at].job;
        self.queue.remove(at);
        self.start(view, &job, request, slot, decision);
    }

    /// Starts or resumes a job that has been removed from the queue. `planned_end` is the end of its
    /// slot.
    pub(super) fn start(
        &mut self,
        view: View<'_>,
        job: &BatchJob,
        request: usize,
        (mut allocation, planned_end): Slot,
        decision: &mut Decision,
    ) {
        let (now, &BatchJob { job: handle, sequence, size, .. }) = (view.now(), job);
        self.pools.bind(request, &mut allocation);
        self.pools.allocate(request, &allocation, size);
        self.pools.reserve_common_amounts(request, now, planned_end);
        self.pools.assign_nodes(view, size, &allocation, &mut self.placement);
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
        if self.pools.requests.has_levels() {
            decision.at_level(self.pools.requests.level(request));
        }
        if allocation.has_devices() {
            decision.on_devices(self.pools.devices_on_nodes(&allocation));
        }
        if self.tracks_runs {
            let end = self.pools.end(now, job, request, &allocation);
            self.running.insert(RunningJob {
                end,
                sequence,
                job: handle,
                size,
                request,
                allocation,
                start: now,
                reserved_until: planned_end,
            });
        }
    }

    /// Takes over a job that already runs when the simulation begins.
    #[cold]
    pub(super) fn adopt(&mut self, view: View<'_>, handle: JobHandle) {
        let (seen, job) = (view.job(handle), BatchJob::new(view, handle));
        let request = self.pools.request_of(view, handle);
        let request = self.pools.requests.at_level(request, seen.level());
        self.pools.see(request, job.size);
        let on = seen.placement().ranges();
        let allocation = self.pools.allocation_on(on, view.devices(handle));
        self.pools.occupy_nodes(on);
        self.pools.allocate(request, &allocation, job.size);
        let start = seen.first_start().unwrap_or_default();
        if let Some(site) = &mut self.site {
            site.adopt(view, handle, start);
        }
        if self.tracks_runs {
            let end = seen.expected_end().unwrap_or(SimTime::MAX);
            self.running.insert(RunningJob {
                end,
                sequence: job.sequence,
                job: handle,
                size: job.size,
                request,
                allocation,
                start,
                reserved_until: end,
            });
        }
    }

    /// Returns whether each running job releases its nodes exactly at its estimated end: ends are
    /// not rounded, and there are no maintenance windows.
    pub(super) fn releases_at_estimated_ends(&self) -> bool {
        let rounds = self.site.as_ref().is_some_and(|site| site.settings().backfill.resolution_s > 0);
        !rounds && !self.pools.has_windows
    }

    /// Returns the running jobs with the times at which they are expected to release their nodes, in
    /// this order.
    pub(super) fn releases(&self, now: SimTime) -> Vec<(SimTime, &RunningJob)> {
        if self.releases_at_estimated_ends() {
            return self.running.releases(now).collect();
        }
        let release = |run| (RunningJob::expected_release(run, now, &self.pools, self.site.as_deref()), run);
        let mut all: Vec<(SimTime, &RunningJob)> = self.running.iter().map(release).collect();
        all.sort_by_key(|(end, run)| (*end, run.sequence));
        all
    }

    /// Begins a scheduling cycle for the resources of the whole cluster.
    #[inline]
    pub(super) fn begin_cycle(&mut self, now: SimTime) {
        if self.pools.common.as_mut().is_some_and(|common| common.begin_cycle()) {
            self.plan_common_amounts(now);
        }
    }

    /// Plans the resources of the whole cluster over time for the current cycle, unless it has such a
    /// plan.
    #[inline(never)]
    pub(super) fn plan_common_amounts(&mut self, now: SimTime) {
        let Some(mut common) = self.pools.common.take() else { return };
        if !common.has_plan() {
            let requests = &self.pools.requests;
            let amounts = |(end, run): (SimTime, &RunningJob)| (end, &requests.get(run.request).common[..]);
            match self.releases_at_estimated_ends() {
                true => common.plan(now, self.running.releases(now).map(amounts)),
                false => common.plan(now, self.releases(now).into_iter().map(amounts)),
            }
        }
        self.pools.common = Some(common);
    }

    /// Makes a plan that contains only the running jobs.
    pub(super) fn plan_running_jobs(&mut self, now: SimTime) -> ReservationPlan {
        let (pools, site) = (&self.pools, self.site.as_deref());
        self.running.for_each(|run| run.reserved_until = run.expected_release(now, pools, site));
        ReservationPlan { timeline: self.running.timeline(pools, now), ..ReservationPlan::default() }
    }

    /// Returns the time of the next decision that the settings of the site require.
    #[inline(never)]
    pub(super) fn next_site_decision(&self, now: SimTime, site: &PrioritySystem) -> Option<SimTime> {
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
