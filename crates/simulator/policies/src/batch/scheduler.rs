//! Scheduler of all batch policies: it applies events and starts jobs.

use super::conservative::ConservativeBackfiller;
use super::cycles::SlurmCycles;
use super::plan::ReservationPlan;
use super::pools::Pools;
use super::running::RunningJob;
use super::slurm::SlurmBackfiller;
use super::state::BatchState;
use crate::site::SiteMemory;
use dfrsim_cluster::{Decision, JobHandle, JobState, Memory, NodeRange, Scheduler, Situation, View};
use dfrsim_model::SimTime;
use dfrsim_model::batch::{Backfilling, BatchPolicy, QueueOrder};
use dfrsim_model::site::SiteSettings;
use std::sync::Arc;

/// A batch policy on a cluster, with the settings of a site if there are any.
#[derive(Debug)]
pub(crate) struct BatchScheduler {
    pub(super) state: BatchState,
    pub(super) backfiller: Backfiller,
    /// True if the scheduler is queried for predictions.
    pub(super) is_queried: bool,
    /// Buffer with one entry per submitted job: true if the limits of the site admit it.
    admitted: Vec<bool>,
}

/// Memory of a batch policy at a site.
#[derive(Debug)]
struct BatchMemory {
    /// Timers of Slurm's cycles.
    cycles: Option<SlurmCycles>,
    site: Arc<SiteMemory>,
}

/// Backfilling scheme, with the state that only this scheme needs.
#[derive(Debug)]
pub(super) enum Backfiller {
    Fcfs,
    /// EASY, and FIRSTFIT, which has no reservation.
    Easy,
    TwoQueues,
    Conservative(ConservativeBackfiller),
    Slurm(SlurmBackfiller),
}

impl Backfiller {
    fn new(scheme: Backfilling, state: &BatchState) -> Backfiller {
        match scheme {
            Backfilling::Fcfs => Backfiller::Fcfs,
            Backfilling::FirstFit | Backfilling::Easy => Backfiller::Easy,
            Backfilling::TwoQueues => Backfiller::TwoQueues,
            Backfilling::Conservative(compression) => {
                Backfiller::Conservative(ConservativeBackfiller::new(compression))
            }
            Backfilling::Slurm => {
                Backfiller::Slurm(SlurmBackfiller::new(state.site.as_ref().map(|site| site.settings())))
            }
        }
    }

    /// Returns the reservation plan of all waiting jobs; `None` if the scheme has none.
    pub(super) fn plan(&self) -> Option<&ReservationPlan> {
        if let Backfiller::Conservative(it) = self { it.plan.as_ref() } else { None }
    }

    /// Returns mutable access to the reservation plan; `None` if the scheme has none.
    pub(super) fn plan_mut(&mut self) -> Option<&mut ReservationPlan> {
        if let Backfiller::Conservative(it) = self { it.plan.as_mut() } else { None }
    }

    /// Notes that a job was withdrawn, which is an event for Slurm's cycles.
    pub(super) fn note_withdrawal(&mut self) {
        if let Backfiller::Slurm(slurm) = self {
            slurm.has_withdrawn = true;
        }
    }

    /// Clears the reservation plan.
    pub(super) fn forget_plan(&mut self) {
        if let Backfiller::Conservative(ConservativeBackfiller { plan, .. })
        | Backfiller::Slurm(SlurmBackfiller { plan, .. }) = self
        {
            *plan = None;
        }
    }

    /// Updates the reservation plan, if there is one, after the end of a job.
    fn note_end(&mut self, pools: &Pools, now: SimTime, run: &RunningJob) {
        if let Backfiller::Conservative(ConservativeBackfiller { plan: Some(plan), .. })
        | Backfiller::Slurm(SlurmBackfiller { plan: Some(plan), .. }) = self
        {
            plan.note_end(pools, now, run);
        }
    }
}

impl BatchScheduler {
    /// Creates the scheduler of a policy for a cluster of `nodes` nodes. The settings must have been
    /// [checked](SiteSettings::check).
    pub(crate) fn new(policy: BatchPolicy, nodes: u32, site: Option<&Arc<SiteSettings>>) -> BatchScheduler {
        let state = BatchState::new(policy, nodes, site);
        let backfiller = Backfiller::new(policy.backfilling, &state);
        BatchScheduler { state, backfiller, is_queried: false, admitted: Vec::new() }
    }

    /// Returns the memory of a policy that takes over a site at a time, at which the usage is that of the
    /// settings; `None` without a site.
    pub(crate) fn memory_of_usage(mut self, at: SimTime) -> Option<Memory> {
        let site = self.state.site.as_mut()?;
        site.begin_at(at);
        Some(Arc::new(BatchMemory { cycles: None, site: Arc::new(site.memory(at)) }))
    }

    /// Releases the nodes of a job and updates the reservation plan.
    pub(super) fn release(&mut self, view: View<'_>, job: JobHandle, on: &[NodeRange]) {
        if let Some(run) = self.state.release(view, job, on) {
            self.backfiller.note_end(&self.state.pools, view.now(), &run);
        }
    }

    /// Regroups the nodes and cancels all reservations if the platform has changed; returns whether
    /// it has.
    fn update_nodes(&mut self, view: View<'_>) -> bool {
        let BatchScheduler { state, backfiller, is_queried, .. } = self;
        let is_regrouped = state.pools.update(view);
        if is_regrouped {
            let counts = matches!(backfiller, Backfiller::Fcfs) && state.site.is_none();
            let counts = counts && !view.has_outages() && state.pools.single().is_some();
            state.tracks_runs = *is_queried || !counts;
            state.regroup(view);
            backfiller.forget_plan();
        }
        is_regrouped
    }

    /// Applies the events of a situation; returns whether the nodes have been regrouped.
    pub(super) fn apply_events(&mut self, situation: &Situation<'_>, decision: &mut Decision) -> bool {
        let (view, now) = (situation.view, situation.view.now());
        self.state.pools.note_awake(view);
        let has_left = !situation.completed.is_empty() || !situation.interrupted.is_empty();
        let mut has_changed = has_left || !situation.submitted.is_empty() || !situation.running.is_empty();
        has_changed |= self.state.advance(view);
        let mut admitted = std::mem::take(&mut self.admitted);
        admitted.extend(situation.submitted.iter().map(|&job| self.state.admits(view, job)));
        let is_first = self.state.pools.is_ungrouped();
        if let Backfiller::Slurm(slurm) = &mut self.backfiller {
            slurm.run_before_events(&mut self.state, situation, decision);
        }
        for &job in situation.completed {
            self.release(view, job, view.job(job).placement().ranges());
        }
        for it in situation.interrupted {
            self.release(view, it.job, &it.on);
            if view.job(it.job).state() == JobState::Waiting {
                self.state.site.iter_mut().for_each(|site| site.start_hold_off(now, it.job));
                self.state.requeue(view, it.job);
            }
        }
        has_changed |= self.state.preempt_expired(view, decision);
        has_changed |= self.state.is_at_reservation_bound(now);
        has_changed |= self.state.pools.common.as_ref().is_some_and(|common| common.rises_now(now));
        let is_regrouped = self.update_nodes(view);
        for &job in situation.running {
            self.state.adopt(view, job);
        }
        for (&job, is_admitted) in situation.submitted.iter().zip(admitted.drain(..)) {
            self.state.submit(view, job, is_admitted, decision);
        }
        self.admitted = admitted;
        if let Backfiller::Slurm(slurm) = &mut self.backfiller {
            if is_regrouped && !is_first {
                slurm.run_due_cycles(&mut self.state, view, decision);
            }
            if std::mem::take(&mut slurm.has_withdrawn) || has_changed || is_regrouped {
                slurm.note_events(now);
            }
            slurm.continues = false;
        }
        is_regrouped
    }

    /// Runs a scheduling cycle. Slurm's cycles run while events are applied instead.
    fn run_cycle(&mut self, view: View<'_>, decision: &mut Decision) {
        let BatchScheduler { state, backfiller, .. } = self;
        state.begin_cycle(view.now());
        let is_slurm = matches!(backfiller, Backfiller::Slurm(_));
        let has_new_order = !is_slurm && state.sort_queue(view.now());
        match backfiller {
            Backfiller::Fcfs => _ = state.start_in_order(view, decision),
            Backfiller::Easy => state.backfill(view, decision),
            Backfiller::TwoQueues => state.backfill_two_queues(view, decision),
            Backfiller::Conservative(it) => it.schedule(state, view, has_new_order, decision),
            Backfiller::Slurm(_) => {}
        }
    }

    /// Returns the time of the next decision if no event occurs earlier.
    #[inline]
    fn next_decision(&self, now: SimTime) -> Option<SimTime> {
        match (&self.backfiller, &self.state.site) {
            (Backfiller::Slurm(slurm), _) => slurm.next_cycle(&self.state, now),
            (_, Some(site)) => self.state.next_site_decision(now, site),
            (backfiller, None) => backfiller.plan()?.next_start(now, &self.state.queue),
        }
    }

    /// Schedules jobs after the events have been applied, and requests the next decision.
    pub(super) fn decide_now(&mut self, view: View<'_>, decision: &mut Decision) {
        self.run_cycle(view, decision);
        if let Some((formula, job, value)) = self.state.queue.formula_error.take() {
            let (order, id) = (QueueOrder::Formula(formula), view.job(job).id());
            return decision
                .fail(format!("the order {order} is {value} for job {id}, expected a finite number"));
        }
        let mut next = self.next_decision(view.now());
        if let Some(common) =
            self.state.pools.common.as_ref().filter(|it| it.can_bind() && !self.state.queue.jobs.is_empty())
        {
            next = common.next_rise(view.now()).into_iter().chain(next).min();
        }
        if let Some(time) = next {
            decision.wake_at(time);
        }
    }
}

impl Scheduler for BatchScheduler {
    fn decide(&mut self, situation: &Situation<'_>, decision: &mut Decision) {
        self.apply_events(situation, decision);
        self.decide_now(situation.view, decision);
    }

    fn memory(&self, at: SimTime) -> Option<Memory> {
        let site = self.state.site.as_ref()?;
        let cycles = match &self.backfiller {
            Backfiller::Slurm(slurm) => Some(slurm.cycles.clone()),
            _ => None,
        };
        Some(Arc::new(BatchMemory { cycles, site: Arc::new(site.memory(at)) }))
    }

    fn recall(&mut self, memory: &Memory) {
        let Some(BatchMemory { cycles, site }) = memory.downcast_ref::<BatchMemory>() else { return };
        if let (Backfiller::Slurm(slurm), Some(cycles)) = (&mut self.backfiller, cycles) {
            (slurm.cycles, slurm.continues) = (cycles.clone(), true);
        }
        self.state.site.iter_mut().for_each(|it| it.recall(site));
    }
}
