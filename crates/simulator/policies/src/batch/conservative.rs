//! Conservative backfilling (CONS).

use super::holes::Holes;
use super::plan::ReservationPlan;
use super::queue::Waiting;
use super::scheduler::BatchScheduler;
use dfrsim_cluster::{Decision, View};
use dfrsim_model::SimTime;
use dfrsim_model::batch::{Backfilling, Compression, NodeUse};

impl BatchScheduler {
    /// Gives every job a reservation in the earliest hole that delays no other job (Mu'alem and
    /// Feitelson 2001, section 2), and starts the jobs whose reservations begin now.
    ///
    /// A running job that has exceeded its estimate is assumed to end one second from now. As that
    /// invalidates reservations, the queue is then replanned. It is also replanned when nodes fail
    /// or come back and when a maintenance window is announced. At a site with priorities, it is
    /// replanned in each cycle in which anything but an arrival at the end of the queue may have
    /// changed the plan.
    pub(super) fn schedule_conservatively(
        &mut self,
        view: View<'_>,
        compression: Compression,
        has_new_order: bool,
        decision: &mut Decision,
    ) {
        let now = view.now();
        let is_kept = self.site.as_ref().is_none_or(|site| site.has_stable_plans());
        let (mut plan, is_new) = match self.plan.take().filter(|_| is_kept) {
            Some(plan) => (plan, false),
            None => (self.new_plan(now), true),
        };
        plan.timeline.advance(now);
        let overdue = self.running.count_overruns(now);
        let was_overdue = std::mem::replace(&mut plan.had_overrun, overdue > 0);
        let (freed, late) = (std::mem::take(&mut plan.had_early_end), std::mem::take(&mut plan.had_late_end));
        if is_new {
            self.queue.jobs.iter_mut().for_each(Waiting::cancel_reservation);
        } else if overdue > 0
            || was_overdue
            || freed && compression == Compression::Replan
            || self.site.is_some() && (has_new_order || freed || late)
        {
            plan.cancel_reservations(now, &mut self.queue.jobs, || self.running.timeline(&self.pools, now));
            self.extend_overruns(now, overdue, &mut plan);
        }
        let moves_up = freed && !is_new;
        if self.site.as_ref().is_none_or(|site| site.has_stable_plans()) {
            self.start_planned(view, &mut plan, moves_up, decision);
            self.plan = Some(plan);
            return;
        }
        self.run_backfill_cycle(view, &mut plan, decision);
    }

    /// Starts the jobs whose reservations begin now, after compression, if any, and after jobs
    /// without a reservation have got one.
    fn start_planned(
        &mut self,
        view: View<'_>,
        plan: &mut ReservationPlan,
        moves_up: bool,
        decision: &mut Decision,
    ) {
        let now = view.now();
        let (pools, jobs) = (&self.pools, self.queue.jobs.make_contiguous());
        let (mut arrived, has_place) = (Vec::new(), |job: &Waiting| job.start < SimTime::MAX);
        for (at, job) in jobs.iter_mut().enumerate() {
            match (has_place(job), moves_up) {
                (true, true) => plan.compress(pools, now, job),
                (true, false) => {}
                (false, _) => arrived.push(at),
            }
        }
        arrived.into_iter().for_each(|at| plan.reserve_earliest(pools, now, &mut jobs[at]));
        let mut at = 0;
        while let Some(next) = self.queue.jobs.range(at..).position(|job| job.start == now) {
            at += next;
            let mut job = self.queue.remove(at);
            plan.note_start(&self.pools, &job);
            let room = (std::mem::take(&mut job.allocation), job.end);
            self.start(view, &job.job, job.request, room, decision);
        }
    }

    /// Makes a plan that contains only the running jobs.
    pub(super) fn new_plan(&mut self, now: SimTime) -> ReservationPlan {
        let (pools, site) = (&self.pools, self.site.as_deref());
        self.running.for_each(|run| run.reserved_until = run.expected_release(now, pools, site));
        let promises_pools =
            self.policy.backfilling == Backfilling::Slurm && self.policy.nodes != NodeUse::Whole;
        let mut timeline = self.running.timeline(pools, now);
        timeline.holes = promises_pools.then(|| Holes::new(pools));
        ReservationPlan { timeline, ..ReservationPlan::default() }
    }

    /// Updates the expected ends in a plan that contains only the running jobs.
    pub(super) fn refresh_plan(&mut self, now: SimTime, mut plan: ReservationPlan) -> ReservationPlan {
        let (pools, site) = (&self.pools, self.site.as_deref());
        self.running.for_each(|run| {
            let end = run.expected_release(now, pools, site);
            if end != run.reserved_until {
                plan.timeline.release(pools, run.occupancy(now));
                run.reserved_until = end;
                plan.timeline.allocate(pools, run.occupancy(now));
            }
        });
        plan
    }

    /// Moves the assumed ends of the jobs that have exceeded their estimates to one second from now.
    fn extend_overruns(&mut self, now: SimTime, overdue: usize, plan: &mut ReservationPlan) {
        let pools = &self.pools;
        self.running.for_first(overdue, |run| {
            let from = run.reserved_until.max(now);
            run.reserved_until = run.expected_release(now, pools, None);
            plan.timeline.allocate(pools, run.occupancy(from));
            if let Some(base) = &mut plan.base {
                base.allocate(pools, run.occupancy(from));
            }
        });
    }
}
