//! The one scheduler of batch policies: from what happened to who starts where.

use super::head::Head;
use super::job::BatchJob;
use super::passes::Passes;
use super::plan::Plan;
use super::pools::Pools;
use super::queue::{Queue, Waiting};
use super::reserved::Reserved;
use super::running::{Run, Running};
use super::site_order::SiteOrder;
use super::split::{Room, Split};
use crate::site::{Site, needed};
use dfrsim_cluster::{Decision, JobHandle, JobState, NodeRange, Scheduler, Situation, View};
use dfrsim_model::batch::{BatchPolicy, Discipline, QueueOrder};
use dfrsim_model::priority::{PreemptMode, Priorities};
use dfrsim_model::{SimTime, Yield};
use std::sync::Arc;

/// A batch policy on a cluster, with the settings of a site if there are any.
#[derive(Debug)]
pub(crate) struct BatchScheduler {
    pub(super) policy: BatchPolicy,
    pub(super) site: Option<Box<Site>>,
    pub(super) pools: Pools,
    pub(super) queue: Queue,
    pub(super) running: Running,
    /// The reservation of EASY/SPARE.
    pub(super) reserved: Option<Reserved>,
    /// What is held for it during a pass.
    pub(super) held: Vec<(usize, u64)>,
    /// The reservations of CONS.
    pub(super) plan: Option<Plan>,
    /// The jobs that made room in the last decision, and wait.
    pub(super) preempted: Vec<JobHandle>,
    /// When the two schedulers of Slurm look, and the jobs that have ended at this moment, which they do not see yet.
    pub(super) passes: Passes,
    pub(super) completing: Vec<JobHandle>,
    /// Whether the limits of the site admit each of the jobs that arrive; kept to reuse its memory.
    admitted: Vec<bool>,
    site_order: SiteOrder,
    /// Whether it must be known who runs: FCFS on equal nodes that never go down only counts nodes, if it is asked for no forecasts.
    tracks_runs: bool,
    pub(super) is_asked: bool,
    placement: Vec<NodeRange>,
}

/// What a pass may do by the settings of the site.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    /// Whether jobs are backfilled.
    pub(super) backfills: bool,
    /// How many jobs are tried from the first one on that waits.
    pub(super) tests: u32,
    /// Jobs that can only start later have no reservation.
    pub(super) horizon: SimTime,
}

/// What a job that starts must not delay.
pub(super) enum Beside<'a> {
    /// No reservation: it is before all that wait, or on nodes that are not reserved.
    NoReservation,
    /// The head of the queue.
    Head(&'a mut Head),
    /// All that has a reservation.
    Plan(&'a mut Plan),
}

impl BatchScheduler {
    /// Makes the scheduler of a policy for a cluster of this many nodes; the settings must have been [checked](Priorities::check).
    pub(crate) fn new(policy: BatchPolicy, nodes: u32, site: Option<&Arc<Priorities>>) -> BatchScheduler {
        let queue = Queue::new(policy.order, policy.fill);
        let site = match policy.discipline {
            Discipline::Slurm => Some(Arc::new(site.map_or_else(Default::default, Arc::clone).as_slurm())),
            _ => site.filter(|site| !queue.is_by_arrival() || !site.order_by_arrival()).cloned(),
        };
        let mut pools = Pools::new(nodes, policy.nodes, policy.place);
        pools.needs.reservations = site.iter().flat_map(|site| site.reservations.clone()).collect();
        BatchScheduler {
            policy,
            passes: Passes::new(site.as_deref()),
            site: site.map(|settings| Box::new(Site::new(settings))),
            pools,
            queue,
            running: Running::default(),
            reserved: None,
            held: Vec::new(),
            plan: None,
            preempted: Vec::new(),
            completing: Vec::new(),
            admitted: Vec::new(),
            site_order: SiteOrder::default(),
            tracks_runs: false,
            is_asked: false,
            placement: Vec::new(),
        }
    }

    #[inline]
    pub(super) fn join(&mut self, job: BatchJob, need: usize) {
        if self.site.is_none() { self.queue.insert(job, need) } else { self.join_by_priority(job, need) }
    }

    #[inline(never)]
    fn join_by_priority(&mut self, job: BatchJob, need: usize) {
        if let Some(site) = &self.site {
            self.site_order.join(&mut self.queue, site, job, need);
        }
    }

    fn submit(&mut self, view: View<'_>, job: JobHandle, is_admitted: bool, decision: &mut Decision) {
        let need = self.pools.needs.of(view, job);
        if !is_admitted || self.pools.most(need) < view.job(job).tasks().into() {
            return decision.reject(job);
        }
        self.join(BatchJob::new(view, job), need);
    }

    /// A job that had started joins the queue again, with what is left of its estimate.
    fn wait_again(&mut self, view: View<'_>, job: JobHandle) {
        let need = self.pools.needs.of(view, job);
        self.join(BatchJob::new(view, job), need);
    }

    /// A job leaves its nodes.
    pub(super) fn leave(&mut self, view: View<'_>, job: JobHandle, on: &[NodeRange]) {
        self.pools.leave(on);
        if !self.tracks_runs {
            return self.pools.give_back(0, &Split::default(), view.job(job).tasks());
        }
        self.ended(view.now(), job);
    }

    /// A job that was started is off its nodes.
    #[inline]
    pub(super) fn ended(&mut self, now: SimTime, job: JobHandle) -> Option<Run> {
        let run = self.running.remove(job)?;
        self.pools.give_back(run.need, &run.split, run.width);
        if let Some(site) = &mut self.site {
            site.leave(now, job);
        }
        if let Some(plan) = &mut self.plan {
            plan.ended(&self.pools, now, &run);
        }
        if let Some(reserved) = &mut self.reserved {
            reserved.ended(job);
        }
        Some(run)
    }

    /// Gives all running jobs their pools again, after these have changed.
    fn regroup(&mut self, view: View<'_>) {
        let pools = &mut self.pools;
        self.running.for_each(|run| {
            let on = view.job(run.job).placement();
            run.split = pools.split(on.ranges());
            pools.occupy(on.ranges());
            pools.take(run.need, &run.split, run.width);
        });
        self.plan = None;
        self.queue.jobs.iter_mut().for_each(Waiting::withdraw);
        if let Some(reserved) = self.reserved.take() {
            self.join(reserved.job.job, reserved.job.need);
        }
    }

    /// Brings the queue into the order of now; returns whether it was another one.
    #[inline]
    pub(super) fn order(&mut self, now: SimTime) -> bool {
        (self.site.is_some() || self.queue.depends_on_time()) && self.order_again(now)
    }

    #[inline(never)]
    fn order_again(&mut self, now: SimTime) -> bool {
        match &self.site {
            Some(site) => self.site_order.order(&mut self.queue, site, now),
            None => self.queue.sort(now),
        }
    }

    /// A job of the queue as it is planned.
    pub(super) fn planned(&self, now: SimTime, at: usize) -> Waiting {
        self.as_planned(now, &self.queue.jobs[at])
    }

    /// A waiting job as it is planned: with its estimate rounded, where the site does that.
    pub(super) fn as_planned(&self, now: SimTime, job: &Waiting) -> Waiting {
        let mut job = job.clone();
        if let Some(site) = &self.site {
            job.job.estimate = site.rounded(now, job.job.estimate);
        }
        job
    }

    #[inline]
    pub(super) fn holds(&self, job: JobHandle) -> bool {
        self.site.as_ref().is_some_and(|site| site.passes_over(job))
    }

    pub(super) fn preempts(&self) -> bool {
        self.site.as_ref().is_some_and(|site| site.preempts())
    }

    pub(super) fn clock(&self, now: SimTime) -> Clock {
        let Some(site) = &self.site else {
            return Clock { backfills: true, tests: u32::MAX, horizon: SimTime::MAX };
        };
        let tests = site.settings().backfill.max_job_test.unwrap_or(u32::MAX);
        Clock { backfills: site.backfills(now), tests, horizon: site.horizon(now) }
    }

    /// Where a job can start now.
    fn room(&mut self, now: SimTime, job: &Waiting, beside: &mut Beside<'_>) -> Option<Room> {
        match beside {
            Beside::NoReservation => self.pools.room_now(now, job),
            Beside::Head(head) => head.room_beside(&mut self.pools, now, job),
            Beside::Plan(plan) => {
                self.pools.count(job.need);
                plan.room_now(&self.pools, now, job)
            }
        }
    }

    /// Where a job can start now, if need be where others make room for it, which leave then.
    pub(super) fn room_or_make(
        &mut self,
        view: View<'_>,
        job: &Waiting,
        mut beside: Beside<'_>,
        decision: &mut Decision,
    ) -> Option<Room> {
        let now = view.now();
        if let Some(room) = self.room(now, job, &mut beside) {
            return Some(room);
        }
        let site = self.site.as_ref().filter(|site| !site.awaits(now, job.job.job))?;
        let mut candidates = site.candidates(now, job.job.job);
        candidates.retain(|other| !self.completing.contains(other));
        if candidates.is_empty() {
            return None;
        }
        let leaving = needed(&candidates, |some| {
            let mut head = if let Beside::Head(head) = &beside { Some(Head::clone(head)) } else { None };
            let mut trial = match (&mut head, &mut beside) {
                (Some(head), _) => Beside::Head(head),
                (None, Beside::Plan(plan)) => Beside::Plan(plan),
                (None, _) => Beside::NoReservation,
            };
            self.release();
            some.iter().for_each(|&other| self.set_aside(now, other, &mut trial));
            self.hold(some);
            let has_room = self.room(now, job, &mut trial).is_some();
            self.release();
            some.iter().for_each(|&other| self.put_back(now, other, &mut trial));
            self.hold(&[]);
            has_room
        })?;
        self.release();
        for other in leaving {
            let site = self.site.as_mut().filter(|_| self.policy.discipline == Discipline::Slurm);
            if let Some(until) = site.and_then(|site| site.warn(now, other, job.job.job)) {
                self.expect(now, other, until, &mut beside);
            } else {
                self.set_aside(now, other, &mut beside);
                self.preempt(view, other, decision);
            }
        }
        self.hold(&[]);
        self.room(now, job, &mut beside)
    }

    /// Gives the room of a running job back, as if it left now.
    fn set_aside(&mut self, now: SimTime, job: JobHandle, beside: &mut Beside<'_>) {
        let run = self.running.get(job);
        self.pools.give_back(run.need, &run.split, run.width);
        let end = run.release(now, &self.pools, self.site.as_deref());
        match beside {
            Beside::NoReservation => {}
            Beside::Head(head) => head.grow(&self.pools, end, run),
            Beside::Plan(plan) => plan.timeline.give_back(&self.pools, run.stay(now)),
        }
    }

    /// Takes the room again that was given back, but for that of a head.
    fn put_back(&mut self, now: SimTime, job: JobHandle, beside: &mut Beside<'_>) {
        let run = self.running.get(job);
        self.pools.take(run.need, &run.split, run.width);
        if let Beside::Plan(plan) = beside {
            plan.timeline.take(&self.pools, run.stay(now));
        }
    }

    /// A running job leaves its nodes at a moment if it has not ended before.
    fn expect(&mut self, now: SimTime, job: JobHandle, until: SimTime, beside: &mut Beside<'_>) {
        let Some(mut run) = self.running.remove(job) else { return };
        run.end = run.end.min(until);
        let release = run.release(now, &self.pools, self.site.as_deref());
        if let Beside::Plan(plan) = beside
            && release < run.reserved_to
        {
            // A timeline forgets what is before the begin of a change.
            plan.timeline.give_back(&self.pools, run.stay(now));
            run.reserved_to = release;
            plan.timeline.take(&self.pools, run.stay(now));
        }
        self.running.insert(run);
    }

    /// Jobs leave that were warned to make room, and have had their time.
    fn let_go(&mut self, view: View<'_>, decision: &mut Decision) -> bool {
        let over = self.site.as_ref().map_or_else(Vec::new, |site| site.over(view.now()));
        for &job in &over {
            self.set_aside(view.now(), job, &mut Beside::NoReservation);
            self.preempt(view, job, decision);
        }
        !over.is_empty()
    }

    /// Takes a job off its nodes whose room was given back.
    fn preempt(&mut self, view: View<'_>, job: JobHandle, decision: &mut Decision) {
        self.running.remove(job);
        if let Some(reserved) = &mut self.reserved {
            reserved.ended(job);
        }
        self.pools.leave(view.job(job).placement().ranges());
        let Some(site) = &mut self.site else { return };
        site.leave(view.now(), job);
        match site.preempt_mode(job) {
            PreemptMode::Off => unreachable!("it is no candidate"),
            PreemptMode::Requeue => {
                site.delay(view.now(), job);
                decision.requeue(job);
            }
            PreemptMode::Cancel => return decision.lose(job),
            PreemptMode::Suspend => decision.pause(job),
        }
        self.preempted.push(job);
    }

    /// Starts the job at a place in the queue.
    pub(super) fn start_waiting(&mut self, view: View<'_>, at: usize, room: Room, decision: &mut Decision) {
        let Waiting { job, need, .. } = self.queue.jobs[at];
        self.queue.take(at);
        self.start(view, &job, need, room, decision);
    }

    /// Starts a job that has left the queue, or lets it go on; it ends by its plan at a moment.
    pub(super) fn start(
        &mut self,
        view: View<'_>,
        job: &BatchJob,
        need: usize,
        (split, planned_end): Room,
        decision: &mut Decision,
    ) {
        let (now, &BatchJob { job: handle, sequence, width, .. }) = (view.now(), job);
        self.pools.take(need, &split, width);
        self.pools.place(view, width, &split, &mut self.placement);
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
            let run = Run { end, sequence, job: handle, width, need, split, since: now, reserved_to };
            if let Some(plan) = &mut self.plan {
                plan.timeline.take(&self.pools, run.stay(now));
            }
            self.running.insert(run);
        }
    }

    /// Starts what can start.
    pub(super) fn pass(&mut self, view: View<'_>, decision: &mut Decision) {
        if self.policy.discipline == Discipline::Slurm {
            // It has looked while events were taken in.
            return;
        }
        let has_new_order = self.order(view.now());
        match self.policy.discipline {
            Discipline::Spare => self.backfill_spare_nodes(view, decision),
            Discipline::Conservative(compression) if self.clock(view.now()).backfills => {
                self.follow_plan(view, compression, has_new_order, decision);
            }
            Discipline::Fcfs | Discipline::Easy | Discipline::Conservative(_) | Discipline::Slurm => {
                self.backfill(view, decision);
            }
        }
    }

    /// When the next decision is due if no event comes before.
    #[inline]
    pub(super) fn next_decision(&self, now: SimTime) -> Option<SimTime> {
        match &self.site {
            None => self.plan.as_ref()?.next_start(now, &self.queue),
            Some(site) if self.policy.discipline == Discipline::Slurm => self.next_pass(now, site),
            Some(site) => self.next_change(now, site),
        }
    }

    /// When the next decision is due by the settings of the site.
    #[inline(never)]
    fn next_change(&self, now: SimTime, site: &Site) -> Option<SimTime> {
        let reserved = self.reserved.iter().map(|reserved| reserved.job.job.job);
        let waiting = || self.queue.jobs.iter().map(|job| job.job.job).chain(self.preempted.iter().copied());
        waiting().chain(reserved.clone()).next()?;
        // A decision starts no job if neither the order nor what is known of running jobs changes.
        let is_fixed = site.keeps_plans() && waiting().nth(1).is_none();
        let changes = if is_fixed { self.running.first_end() } else { Some(now) };
        let ranking = changes.and_then(|changes| site.next_ranking(now, changes));
        let backfill = site.next_backfill(now).filter(|_| self.policy.discipline != Discipline::Fcfs);
        let delayed = site.next_undelayed(waiting().chain(reserved.clone()));
        let candidate = site.next_candidate(now, waiting().chain(reserved));
        [ranking, backfill, candidate, delayed, site.next_bound(now)].into_iter().flatten().min()
    }
}

impl BatchScheduler {
    /// Takes in what happened; returns whether nodes are in other groups now.
    pub(super) fn take_in(&mut self, situation: &Situation<'_>, decision: &mut Decision) -> bool {
        let view = situation.view;
        let now = view.now();
        let has_left = !situation.completed.is_empty() || !situation.interrupted.is_empty();
        let mut has_changed = has_left || !situation.submitted.is_empty() || !self.preempted.is_empty();
        if let Some(site) = &mut self.site {
            site.advance(now);
            for job in std::mem::take(&mut self.preempted) {
                self.wait_again(view, job);
            }
        }
        let mut admitted = std::mem::take(&mut self.admitted);
        let mut admits = |job| self.site.as_mut().is_none_or(|site| site.submit(view, job));
        admitted.extend(situation.submitted.iter().map(|&job| admits(job)));
        let (is_slurm, is_first) = (self.policy.discipline == Discipline::Slurm, self.pools.are_new());
        // SLURM looks before it sees what happens in the same second, unless nodes change; its clocks also go on to the first event.
        if is_slurm && (is_first || !self.pools.are_outdated(view)) {
            self.completing.extend(situation.completed);
            self.completing.extend(self.site.iter().flat_map(|site| site.over(now)));
            self.follow_clocks(view, decision);
            self.completing.clear();
        }
        for &job in situation.completed {
            self.leave(view, job, view.job(job).placement().ranges());
        }
        for it in situation.interrupted {
            self.leave(view, it.job, &it.on);
            if view.job(it.job).state() == JobState::Waiting {
                self.site.iter_mut().for_each(|site| site.delay(now, it.job));
                self.wait_again(view, it.job);
            }
        }
        has_changed |= self.let_go(view, decision);
        has_changed |= self.site.as_ref().is_some_and(|site| site.bounds().any(|bound| bound == now));
        let is_regrouped = self.pools.follow(view);
        if is_regrouped {
            let counts =
                self.policy.discipline == Discipline::Fcfs && self.site.is_none() && !view.has_outages();
            self.tracks_runs = self.is_asked || !counts || self.pools.single().is_none();
            self.regroup(view);
        }
        for (&job, is_admitted) in situation.submitted.iter().zip(admitted.drain(..)) {
            self.submit(view, job, is_admitted, decision);
        }
        self.admitted = admitted;
        has_changed |= is_regrouped;
        if is_slurm && is_regrouped && !is_first {
            self.follow_clocks(view, decision);
        }
        if is_slurm && has_changed {
            self.passes.change(now);
        }
        is_regrouped
    }

    /// Decides when what happened is taken in.
    pub(super) fn decide_now(&mut self, view: View<'_>, decision: &mut Decision) {
        self.pass(view, decision);
        if let Some((formula, job, value)) = self.queue.fault.take() {
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
        self.take_in(situation, decision);
        self.decide_now(situation.view, decision);
    }
}
