//! Conservative backfilling (CONS).

use super::backfill_cycle::CycleRules;
use super::plan::ReservationPlan;
use super::queue::Waiting;
use super::state::BatchState;
use dfrsim_cluster::{Decision, View};
use dfrsim_model::SimTime;
use dfrsim_model::batch::Compression;

/// Conservative backfilling, and its reservations.
#[derive(Debug)]
pub(super) struct ConservativeBackfiller {
    compression: Compression,
    /// Reservations that are kept from one scheduling cycle to the next.
    pub(super) plan: Option<ReservationPlan>,
}

impl ConservativeBackfiller {
    pub(super) fn new(compression: Compression) -> ConservativeBackfiller {
        ConservativeBackfiller { compression, plan: None }
    }

    /// Gives every job a reservation in the earliest hole that delays no other job (Mu'alem and
    /// Feitelson 2001, section 2), and starts the jobs whose reservations begin now.
    ///
    /// A running job that has exceeded its estimate is assumed to end one second from now. As that
    /// invalidates reservations, the queue is then replanned. It is also replanned when nodes fail
    /// or come back and when a maintenance window is announced. At a site with priorities, it is
    /// replanned in each cycle in which anything but an arrival at the end of the queue may have
    /// changed the plan. Between the backfill cycles of a site, jobs start in queue order.
    pub(super) fn schedule(
        &mut self,
        state: &mut BatchState,
        view: View<'_>,
        has_new_order: bool,
        decision: &mut Decision,
    ) {
        let now = view.now();
        if !state.cycle_limits(now).backfills {
            state.start_in_order(view, decision);
            return;
        }
        let is_kept = state.site.as_ref().is_none_or(|site| site.has_stable_plans());
        let (mut plan, is_new) = match self.plan.take().filter(|_| is_kept) {
            Some(plan) => (plan, false),
            None => (state.plan_running_jobs(now), true),
        };
        plan.timeline.advance(now);
        let overdue = state.running.count_overruns(now);
        let was_overdue = std::mem::replace(&mut plan.had_overrun, overdue > 0);
        let (freed, late) = (std::mem::take(&mut plan.had_early_end), std::mem::take(&mut plan.had_late_end));
        if is_new {
            state.queue.jobs.iter_mut().for_each(Waiting::cancel_reservation);
        } else if overdue > 0
            || was_overdue
            || freed && self.compression == Compression::Replan
            || state.site.is_some() && (has_new_order || freed || late)
        {
            plan.cancel_reservations(now, &mut state.queue.jobs, || {
                state.running.timeline(&state.pools, now)
            });
            extend_overruns(state, now, overdue, &mut plan);
        }
        if !is_kept {
            state.run_backfill_cycle(view, &mut plan, CycleRules::default(), decision);
            return;
        }
        start_planned(state, view, &mut plan, freed && !is_new, decision);
        self.plan = Some(plan);
    }
}

/// Starts the jobs whose reservations begin now, after compression, if any, and after jobs
/// without a reservation have got one.
fn start_planned(
    state: &mut BatchState,
    view: View<'_>,
    plan: &mut ReservationPlan,
    moves_up: bool,
    decision: &mut Decision,
) {
    let now = view.now();
    let (pools, jobs) = (&state.pools, state.queue.jobs.make_contiguous());
    let (mut arrived, has_place) = (Vec::new(), |job: &Waiting| job.start < SimTime::MAX);
    for (at, job) in jobs.iter_mut().enumerate() {
        match (has_place(job), moves_up) {
            (true, true) => plan.compress(pools, now, job),
            (true, false) => {}
            (false, _) => arrived.push(at),
        }
    }
    arrived.into_iter().for_each(|at| plan.reserve_earliest(pools, now, &mut jobs[at]));
    if state.pools.requests.has_levels() {
        return start_planned_or_below(state, view, plan, decision);
    }
    let mut at = 0;
    while let Some(next) = state.queue.jobs.range(at..).position(|job| job.start == now) {
        at += next;
        let mut job = state.queue.remove(at);
        plan.note_start(&state.pools, &job);
        let room = (std::mem::take(&mut job.allocation), job.end);
        state.start(view, &job.job, job.request, room, decision);
    }
}

/// Starts, in queue order, the jobs whose reservations begin now, and others at a speed level at which they
/// fit now beside all reservations but their own.
fn start_planned_or_below(
    state: &mut BatchState,
    view: View<'_>,
    plan: &mut ReservationPlan,
    decision: &mut Decision,
) {
    let (now, mut at) = (view.now(), 0);
    while at < state.queue.jobs.len() {
        if state.queue.jobs[at].start != now {
            let Some(found) = plan.find_slot_below(&state.pools, now, &mut state.queue.jobs[at]) else {
                at += 1;
                continue;
            };
            let had_place = state.queue.jobs[at].start < SimTime::MAX;
            plan.had_early_end |= had_place;
            if had_place {
                plan.cancel_reservation(&state.pools, now, &mut state.queue.jobs[at]);
            }
            plan.reserve_now(&state.pools, now, &mut state.queue.jobs[at], found);
        }
        let mut started = state.queue.remove(at);
        plan.note_start(&state.pools, &started);
        let slot = (std::mem::take(&mut started.allocation), started.end);
        state.start(view, &started.job, started.request, slot, decision);
    }
}

/// Moves the assumed ends of the jobs that have exceeded their estimates to one second from now.
fn extend_overruns(state: &mut BatchState, now: SimTime, overdue: usize, plan: &mut ReservationPlan) {
    let pools = &state.pools;
    state.running.for_first(overdue, |run| {
        let from = run.reserved_until.max(now);
        run.reserved_until = run.expected_release(now, pools, None);
        plan.timeline.allocate(pools, run.occupancy(from));
        if let Some(base) = &mut plan.base {
            base.allocate(pools, run.occupancy(from));
        }
    });
}
