//! CONS: conservative backfilling.

use super::openings::Openings;
use super::plan::Plan;
use super::queue::Waiting;
use super::scheduler::BatchScheduler;
use dfrsim_cluster::{Decision, View};
use dfrsim_model::SimTime;
use dfrsim_model::batch::{Compression, Discipline, NodeUse};

impl BatchScheduler {
    /// Gives every job a reservation, in the earliest hole that delays no other job (Mu'alem and Feitelson 2001, section 2), and starts
    /// those whose reservations begin now.
    ///
    /// A running job past its estimate counts as ending one second from now; since that breaks promises, the queue is planned again
    /// then, and so it is when nodes go down or come up or a window is announced, and, where a site orders jobs, in each pass in
    /// which anything but an arrival at the end of the queue can have changed the plan.
    pub(super) fn follow_plan(
        &mut self,
        view: View<'_>,
        compression: Compression,
        has_new_order: bool,
        decision: &mut Decision,
    ) {
        let now = view.now();
        let is_kept = self.site.as_ref().is_none_or(|site| site.keeps_plans());
        let (mut plan, is_new) = match self.plan.take().filter(|_| is_kept) {
            Some(plan) => (plan, false),
            None => (self.new_plan(now), true),
        };
        plan.timeline.advance(now);
        let overdue = self.running.overdue(now);
        let was_overdue = std::mem::replace(&mut plan.overdue, overdue > 0);
        let (freed, late) = (std::mem::take(&mut plan.freed), std::mem::take(&mut plan.late));
        if is_new {
            self.queue.jobs.iter_mut().for_each(Waiting::withdraw);
        } else if overdue > 0
            || was_overdue
            || freed && compression == Compression::Replan
            || self.site.is_some() && (has_new_order || freed || late)
        {
            plan.clear(now, &mut self.queue.jobs, || self.running.timeline(&self.pools, now));
            self.extend(now, overdue, &mut plan);
        }
        let moves_up = freed && !is_new;
        if self.site.as_ref().is_none_or(|site| site.keeps_plans()) {
            self.start_planned(view, &mut plan, moves_up, decision);
            self.plan = Some(plan);
            return;
        }
        self.plan_in_turn(view, &mut plan, decision);
    }

    /// Starts the jobs whose reservations begin now, once all jobs have one and have moved up, if they do.
    fn start_planned(&mut self, view: View<'_>, plan: &mut Plan, moves_up: bool, decision: &mut Decision) {
        let now = view.now();
        let (pools, jobs) = (&self.pools, self.queue.jobs.make_contiguous());
        let (mut arrived, has_place) = (Vec::new(), |job: &Waiting| job.start < SimTime::MAX);
        for (at, job) in jobs.iter_mut().enumerate() {
            match (has_place(job), moves_up) {
                (true, true) => plan.move_up(pools, now, job),
                (true, false) => {}
                (false, _) => arrived.push(at),
            }
        }
        arrived.into_iter().for_each(|at| plan.reserve_earliest(pools, now, &mut jobs[at]));
        let mut at = 0;
        while let Some(next) = self.queue.jobs.range(at..).position(|job| job.start == now) {
            at += next;
            let mut job = self.queue.take(at);
            plan.start(&self.pools, &job);
            let room = (std::mem::take(&mut job.split), job.end);
            self.start(view, &job.job, job.need, room, decision);
        }
    }

    /// Makes a plan of what runs alone.
    pub(super) fn new_plan(&mut self, now: SimTime) -> Plan {
        let (pools, site) = (&self.pools, self.site.as_deref());
        self.running.for_each(|run| run.reserved_to = run.release(now, pools, site));
        let promises_pools =
            self.policy.discipline == Discipline::Slurm && self.policy.nodes != NodeUse::Whole;
        let mut timeline = self.running.timeline(pools, now);
        timeline.openings = promises_pools.then(|| Openings::new(pools));
        Plan { timeline, ..Plan::default() }
    }

    /// Brings a plan of what runs alone up to now.
    pub(super) fn renew_plan(&mut self, now: SimTime, mut plan: Plan) -> Plan {
        let (pools, site) = (&self.pools, self.site.as_deref());
        self.running.for_each(|run| {
            let end = run.release(now, pools, site);
            if end != run.reserved_to {
                plan.timeline.give_back(pools, run.stay(now));
                run.reserved_to = end;
                plan.timeline.take(pools, run.stay(now));
            }
        });
        plan
    }

    /// Plans jobs past their estimates to end a second from now.
    fn extend(&mut self, now: SimTime, overdue: usize, plan: &mut Plan) {
        let pools = &self.pools;
        self.running.for_first(overdue, |run| {
            let from = run.reserved_to.max(now);
            run.reserved_to = run.release(now, pools, None);
            plan.timeline.take(pools, run.stay(from));
            if let Some(base) = &mut plan.base {
                base.take(pools, run.stay(from));
            }
        });
    }
}
