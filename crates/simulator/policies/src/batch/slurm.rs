//! The SLURM policy: Slurm's main scheduler and backfill scheduler, each with its own timer.
//!
//! Each of them runs at most once per second, the main scheduler at the start of a second and the
//! backfill scheduler in its middle. They see earlier events only, as Slurm's loops do, which poll.
//! A main cycle (<https://slurm.schedmd.com/sched_config.html>) runs some time after the last one,
//! if there has been an event, and, over the whole queue, at each multiple of an interval. It starts
//! jobs in queue order. When a job of a partition does not fit, no job of this partition behind it
//! starts in the cycle, and none of other partitions on nodes of this partition. A backfill cycle
//! runs one interval after the last one, if there has been an event: each job that it tries starts,
//! or gets a reservation of whole nodes. It looks at expected ends in [windows](super::windows), and
//! its reservations begin and end at multiples of the backfill resolution; where each task has a
//! node of its own, both are exact. Cycles take no simulated time.
//!
//! Resources of the whole cluster, such as licences, are those of Slurm with `bf_licenses`: a job whose
//! part is not free until its end ends the main cycle, and the reservations of a backfill cycle hold their
//! parts, exactly from their starts to their ends. Without `bf_licenses` both cycles skip such a job, and
//! reservations hold none.
//!
//! Reservations exist only during one cycle. The cycle can therefore end when no later job can start
//! any more: reservations only add up, and a job that does not fit now alongside some of them does
//! not fit alongside more. Between cycles, the plan of the running jobs is kept and updated.
//!
//! Components of a heterogeneous job are started by backfill cycles only: all of them at the queue
//! position of the first one, or none.

use super::backfill_cycle::{CycleRules, TestCounts};
use super::cycles::SlurmCycles;
use super::plan::{RejectedRequests, ReservationPlan};
use super::preemption::{PreemptionRules, ReservationScope};
use super::state::BatchState;
use super::will_run::{PlanRules, WillRun};
use crate::site::{classes_of_partition, last_multiple, next_multiple};
use dfrsim_cluster::{Decision, JobHandle, Situation, View};
use dfrsim_model::batch::NodeUse;
use dfrsim_model::site::SiteSettings;
use dfrsim_model::{SimSpan, SimTime, SortedMap};
use std::collections::BTreeSet;

/// Slurm's two schedulers.
#[derive(Debug)]
pub(super) struct SlurmBackfiller {
    pub(super) cycles: SlurmCycles,
    /// True if the next decision takes over a running system with the timers of its past: its jobs are
    /// no events.
    pub(super) continues: bool,
    /// True if a job was withdrawn since the last decision: Slurm counts the cancellation of a pending
    /// job as a change of its queue.
    pub(super) has_withdrawn: bool,
    /// Jobs that ended now but are not yet visible to either scheduler.
    completing: Vec<JobHandle>,
    /// Plan of the running jobs, kept from one backfill cycle to the next.
    pub(super) plan: Option<ReservationPlan>,
    /// Node classes of each partition that has stopped a main cycle.
    partition_classes: SortedMap<Option<usize>, Vec<bool>>,
}

impl SlurmBackfiller {
    pub(super) fn new(settings: Option<&SiteSettings>) -> SlurmBackfiller {
        SlurmBackfiller {
            cycles: SlurmCycles::new(settings),
            continues: false,
            has_withdrawn: false,
            completing: Vec::new(),
            plan: None,
            partition_classes: SortedMap::default(),
        }
    }

    /// Runs the cycles that are due before they see the events of the situation, which are of the
    /// same second. If nodes change, the cycles run only [after](Self::note_events) these events.
    /// The timers also advance to the first event.
    pub(super) fn run_before_events(
        &mut self,
        state: &mut BatchState,
        situation: &Situation<'_>,
        decision: &mut Decision,
    ) {
        let view = situation.view;
        if self.continues || !state.pools.is_ungrouped() && state.pools.is_outdated(view) {
            return;
        }
        self.completing.extend(situation.completed);
        self.completing.extend(state.site.iter().flat_map(|site| site.grace_expired(view.now())));
        self.run_due_cycles(state, view, decision);
        self.completing.clear();
    }

    /// Notes that events have been applied that change what cycles decide.
    pub(super) fn note_events(&mut self, now: SimTime) {
        if !self.continues {
            self.cycles.change(now);
        }
    }

    /// Runs the scheduling cycles that are due.
    #[inline(never)]
    pub(super) fn run_due_cycles(&mut self, state: &mut BatchState, view: View<'_>, decision: &mut Decision) {
        let now = view.now();
        state.begin_cycle(now);
        state.sort_queue(now);
        let Some(site) = &state.site else { return };
        let whole = last_multiple(now, SimSpan::from_secs(site.settings().main.interval_s));
        if site.last_priority_update() > self.cycles.sorted_at
            && site.next_priority_update(now, now).is_some()
        {
            self.cycles.sorted_at = site.last_priority_update();
            self.cycles.backfill.change(now);
        }
        // Cycles over the whole queue also ran while no job was waiting.
        if self.cycles.main.last < whole {
            self.cycles.main.record_cycle(whole);
        }
        let is_whole = whole == now;
        if self.cycles.main.begin_if_due(now) || is_whole {
            self.cycles.main.record_cycle(now);
            self.cycles.is_full_cycle_pending &= !is_whole;
            let waiting = state.queue.jobs.len();
            self.run_main_cycle(state, view, is_whole, decision);
            if state.queue.jobs.len() < waiting {
                self.cycles.backfill.change(now);
            }
        }
        if self.cycles.backfill.begin_if_due(now) {
            self.run_backfill_cycle(state, view, decision);
        }
    }

    fn run_backfill_cycle(&mut self, state: &mut BatchState, view: View<'_>, decision: &mut Decision) {
        let now = view.now();
        let Some(limits) = state.site.as_ref().map(|site| site.settings().backfill) else { return };
        let mut plan = match self.plan.take() {
            Some(plan) => refresh_plan(state, now, plan),
            None => new_plan(state, now),
        };
        let rules = CycleRules {
            counts_all: true,
            starts_together: true,
            reserves_for_heads: false,
            max_tests_per_user: limits.max_job_user,
            max_tests_per_partition: limits.max_job_part,
            preemption: self.preemption_rules(),
        };
        if state.run_backfill_cycle(view, &mut plan, rules, decision) {
            self.cycles.change(now);
        }
        // A plan is not kept under preemption: preempted jobs are not removed from it.
        if plan.timeline.will_run.is_some() && !state.can_preempt() {
            plan.timeline.cancel_reservations_of_cycle(&state.pools);
            plan.infeasible = RejectedRequests::default();
            self.plan = Some(plan);
        }
    }

    fn preemption_rules(&self) -> PreemptionRules<'_> {
        PreemptionRules { completing: &self.completing, has_grace_periods: true }
    }

    /// Returns the time of the next cycle.
    pub(super) fn next_cycle(&self, state: &BatchState, now: SimTime) -> Option<SimTime> {
        let site = state.site.as_ref()?;
        let over = site.next_grace_end();
        if state.queue.jobs.is_empty() && state.preempted.is_empty() {
            return over;
        }
        let soon = now.saturating_add(SimSpan::from_micros(1));
        // Jobs preempted in this decision are requeued in the next one.
        if !state.preempted.is_empty() {
            return Some(soon);
        }
        let whole = next_multiple(now, SimSpan::from_secs(site.settings().main.interval_s));
        let backfill = self.cycles.backfill.last.saturating_add(self.cycles.backfill.interval);
        let ranked = site.next_priority_update(now, backfill);
        // Without a change, a cycle over the whole queue starts no job that the last one did not
        // start.
        let depends_on_time = state.policy.order.depends_on_time() || ranked.is_some();
        let is_delayed = || state.queue.jobs.iter().any(|job| site.hold_off_end(job.job.job).is_some());
        let is_of_use = self.cycles.is_full_cycle_pending
            || depends_on_time
            || site.settings().has_limits()
            || is_delayed();
        let whole = Some(whole).filter(|_| is_of_use);
        let bound = site.next_reservation_bound(now);
        let timers = [self.cycles.main.next(), self.cycles.backfill.next(), ranked, whole, over, bound];
        timers.into_iter().flatten().map(|next| next.max(soon)).min()
    }

    /// Runs a main cycle: starts jobs in queue order, in each partition until one does not fit.
    fn run_main_cycle(
        &mut self,
        state: &mut BatchState,
        view: View<'_>,
        is_whole: bool,
        decision: &mut Decision,
    ) {
        let (now, settings) = (view.now(), state.site.as_ref().map(|site| site.settings().main));
        let Some(settings) = settings else { return };
        let mut left = if is_whole { u32::MAX } else { settings.depth };
        let (mut tried, mut stopped, mut at) = (TestCounts::default(), BTreeSet::new(), 0);
        while at < state.queue.jobs.len() && left > 0 {
            let job = state.queue.jobs[at].job.job;
            let partition = state.partition(job);
            // Jobs that may not start count towards the limits, too.
            if state.heterogeneous_job(at).is_some() || !tried.count(partition, settings.depth_per_partition)
            {
                at += 1;
                continue;
            }
            left -= 1;
            if stopped.contains(&partition) || state.is_blocked(job) || state.is_unlicensed(now, at) {
                at += 1;
                continue;
            }
            let (planned, beside) = (state.planned(now, at), ReservationScope::None);
            match state.find_slot_or_preempt(view, &planned, beside, self.preemption_rules(), decision) {
                Some(slot) => {
                    state.start_waiting(view, at, slot, decision);
                    if let Some(plan) = &mut self.plan {
                        plan.timeline.allocate(&state.pools, state.running.get(job).occupancy(now));
                    }
                }
                // Backfill cycles reserve what it lacks.
                None if state.pools.lacks_common_amounts(now, &planned) => break,
                None => {
                    stopped.insert(partition);
                    let are_all =
                        state.site.as_ref().is_some_and(|site| stopped.len() == site.partition_count());
                    let classes = self.partition_classes.or_insert_with(partition, || {
                        classes_of_partition(
                            view.classes(),
                            state.site.as_ref().and_then(|site| site.partition_name(job)),
                        )
                    });
                    if state.pools.close(classes) || are_all {
                        break;
                    }
                    at += 1;
                }
            }
        }
        state.pools.closed.clear();
    }
}

/// Makes a plan that contains only the running jobs. Where tasks share nodes, a cycle reserves whole
/// nodes.
fn new_plan(state: &mut BatchState, now: SimTime) -> ReservationPlan {
    let mut plan = state.plan_running_jobs(now);
    let rules = state.site.as_ref().map_or_else(PlanRules::default, |site| {
        let backfill = site.settings().backfill;
        PlanRules {
            window_growth: SimSpan::from_secs(backfill.window_linear_s),
            resolution: SimSpan::from_secs(backfill.resolution_s),
        }
    });
    let ends = || state.running.iter().map(|run| run.reserved_until).collect();
    let has_pools_per_node = state.policy.nodes != NodeUse::Whole;
    plan.timeline.will_run = has_pools_per_node.then(|| WillRun::new(&state.pools, rules, ends()));
    plan
}

/// Updates the expected ends in a plan that contains only the running jobs.
fn refresh_plan(state: &mut BatchState, now: SimTime, mut plan: ReservationPlan) -> ReservationPlan {
    let pools = &state.pools;
    state.running.for_each(|run| {
        let end = run.exact_release(now, pools);
        if end != run.reserved_until {
            plan.timeline.release(pools, run.occupancy(now));
            run.reserved_until = end;
            plan.timeline.allocate(pools, run.occupancy(now));
        }
    });
    plan
}
