//! Checks of the records under a batch policy.

use super::nodes::BatchNodes;
use super::queue::Waiting;
use super::state::{BatchCheck, Preempted, Started};
use super::timers::micros;
use crate::check::{Change, Check, Jobs, ReportViolation};
use crate::devices::Triples;
use crate::job::Job;
use crate::nodes::Kind;
use crate::platform::Platform;
use crate::priority::PrioritySystem;
use dfrsim_model::Yield;
use dfrsim_model::batch::{Backfilling, BatchPolicy, NodeUse, QueueOrder};
use dfrsim_model::event::ResourceOfCluster;
use dfrsim_model::site::{PreemptMode, SiteSettings};
use std::sync::Arc;

impl BatchCheck {
    pub(crate) fn new(policy: BatchPolicy, kinds: &Arc<Vec<Kind>>) -> BatchCheck {
        let mut check = BatchCheck { policy, nodes: BatchNodes::new(policy, kinds), ..BatchCheck::default() };
        check.set_default_site(kinds);
        check
    }
    /// Sets the default settings of SLURM, for files without a `priority` record.
    fn set_default_site(&mut self, kinds: &[Kind]) {
        let is_slurm = self.policy.backfilling == Backfilling::Slurm;
        self.site = is_slurm.then(|| PrioritySystem::new(&SiteSettings::default().as_slurm(), kinds));
    }
    /// Handles the start of a job, or its resumption after a preemption.
    fn start(&mut self, change: Change<'_>) -> Option<String> {
        let Change { line, job, on, job_yield, level, .. } = change;
        self.started.push(Started { job, line, on: on.to_vec(), devices: Vec::new(), level });
        if job_yield != Yield::ONE.units() {
            return Some(format!("a yield of {job_yield} units, expected a yield of 1 under a batch policy"));
        }
        let unknown = "the number of cores of nodes is unknown; expected `classes` with `cores`";
        (!self.nodes.is_capacity_known()).then(|| unknown.to_owned())
    }
    /// Handles the rejection of a job, which is correct if the job can never run.
    fn reject(&mut self, number: u64) -> Option<String> {
        let list =
            if self.policy.backfilling == Backfilling::Slurm { &mut self.arriving } else { &mut self.queue };
        let at = list.iter().position(|waiting| waiting.number == number)?;
        let Waiting { tasks, most, .. } = list.remove(at);
        self.site.iter_mut().for_each(|site| site.leave(number, 0));
        (tasks <= most).then(|| format!("it is rejected, although its {tasks} tasks fit on {most} nodes"))
    }
    /// Reports changes at a time at which the policy does not decide.
    fn report_unprompted(&self, now: u64, report: ReportViolation<'_>) {
        let started = self.started.iter().filter(|it| !self.late.contains(&it.job));
        let changes = started.map(|it| (it.job, it.line, "starts"));
        let changes = changes.chain(self.preempted.iter().map(|it| (it.job, it.line, "is preempted")));
        for (job, line, what) in changes {
            let rule = format!("it {what} at a time at which {} has no reason to decide", self.policy);
            report(job, now, Some(line), rule);
        }
    }
    fn next_decision(&self, now: u64) -> Option<u64> {
        let starts = self.reserved.values().iter().map(|it| it.start).filter(|&start| start > self.decided);
        let site = self.site.as_ref().filter(|_| !self.queue.is_empty());
        let bounds = site.iter().flat_map(|_| self.nodes.bounds()).filter(|&bound| bound > now);
        if self.policy.backfilling == Backfilling::Slurm {
            let look =
                site.and_then(|site| if self.is_soon { Some(now + 1) } else { self.next_cycle(now, site) });
            let over = self
                .site
                .iter()
                .flat_map(|site| site.grace_ends.values().iter().copied().filter(|&until| until > now));
            let rises = self.nodes.next_rise(now).filter(|_| !self.queue.is_empty());
            let of_nodes = self.nodes.next_change(now).into_iter().chain(rises);
            return look.into_iter().chain(over).chain(bounds).chain(of_nodes).min();
        }
        let of_site = site.into_iter().flat_map(|site| {
            let interval = micros(site.settings.backfill.interval_s);
            let backfills = self.policy.backfilling != Backfilling::Fcfs && interval > 0;
            let backfilled = backfills.then(|| (now / interval + 1).saturating_mul(interval));
            let of_site = [site.next_candidate(now), site.next_ranks(now), backfilled];
            of_site.into_iter().flatten().chain(site.hold_off_ends(now))
        });
        let rises = self.nodes.next_rise(now).filter(|_| !self.queue.is_empty());
        starts.chain(of_site).chain(bounds).chain(rises).chain(self.nodes.next_change(now)).min()
    }
}

impl Check for BatchCheck {
    fn classes(&mut self, kinds: &Arc<Vec<Kind>>) {
        self.nodes.set_kinds(kinds);
        self.set_default_site(kinds);
    }
    fn common(&mut self, resources: &[ResourceOfCluster]) {
        self.nodes.set_common(resources);
    }
    fn awake(&mut self, awake: Vec<bool>) {
        self.nodes.awake = Arc::new(awake);
    }
    fn priority(&mut self, settings: &SiteSettings, kinds: &[Kind]) {
        let is_slurm = self.policy.backfilling == Backfilling::Slurm;
        let is_first_come = (self.policy.order, self.policy.fill) == (QueueOrder::Arrival, None);
        let is_by_arrival = !is_slurm && is_first_come && settings.is_arrival_order();
        let settings = if is_slurm { settings.as_slurm() } else { settings.clone() };
        self.nodes.set_site(&settings);
        self.site = (!is_by_arrival).then(|| PrioritySystem::new(&settings, kinds));
    }
    fn platform(&mut self, platform: &Platform) {
        self.nodes.change(platform);
        // No decision is due at the beginning of the file.
        self.is_due |= platform.changed;
    }

    fn submit(&mut self, number: u64, now: u64, job: &Job) {
        let is_admitted =
            !self.site.as_mut().is_some_and(|site| site.admit(number, job, now, &self.completing));
        let common_by_level = Arc::new(self.nodes.common_by_level(job));
        let mut job = Waiting {
            number,
            submit: now,
            tasks: job.tasks.into(),
            estimate: job.estimate,
            planned: job.estimate,
            need: self.nodes.task_pieces(job),
            devices: job.size.devices.filter(|_| self.policy.nodes != NodeUse::Whole),
            fits: job.size.allowed.clone(),
            closed: self.nodes.blocked_intervals(&job.size.features),
            needs_distinct_nodes: job.needs_distinct_nodes && self.policy.nodes != NodeUse::Whole,
            common: common_by_level[0].clone(),
            common_by_level,
            level: 0,
            power: self.nodes.power_of(job),
            used_power: self.nodes.kinds_with_used_power(),
            most: 0,
            is_admitted,
            priority: 0,
        };
        let margin = self.site.as_ref().map_or(0, |site| micros(site.settings.backfill.resolution_s));
        let may_run = is_admitted && self.nodes.has_lastingly(&job, margin);
        job.most = if may_run { self.nodes.max_tasks(&job) } else { 0 };
        self.arriving.push(job);
        (self.is_due, self.timers.is_changed) = (true, true);
        if self.policy.backfilling != Backfilling::Slurm {
            self.apply_events(now);
        }
    }
    fn change(&mut self, change: Change<'_>) -> Option<String> {
        match change.record {
            "start" => self.start(change),
            "resume" if self.site.as_ref().is_some_and(PrioritySystem::preempts_any) => self.start(change),
            "reject" => self.reject(change.job),
            record => Some(format!(
                "`{record}` under a batch policy, where a job keeps its nodes and its yield until it ends"
            )),
        }
    }
    fn bind(&mut self, job: u64, devices: &Triples) {
        if let Some(started) = self.started.last_mut().filter(|started| started.job == job) {
            started.devices = devices.to_vec();
        }
    }
    fn preempt(
        &mut self,
        line: u64,
        job: u64,
        now: u64,
        mode: PreemptMode,
        waits: Option<u64>,
    ) -> Option<String> {
        self.preempted.push(Preempted { job, line, waits });
        if mode == PreemptMode::Requeue {
            self.site.iter_mut().for_each(|site| site.hold_off(job, now));
        }
        self.site.as_ref().and_then(|site| site.check_preemption(now, job, mode))
    }
    fn interrupt(&mut self, number: u64, now: u64, waits: Option<u64>) {
        self.is_due = true;
        self.timers.is_changed = true;
        self.leave(number, now, waits);
        if let Some(site) = &mut self.site {
            site.advance(now);
            site.hold_off(number, now);
        }
        self.queue.append(&mut self.requeued);
    }
    fn complete(&mut self, number: u64, now: u64, _: &Job) {
        (self.is_due, self.timers.is_changed) = (true, true);
        self.completing.push(number);
        if self.policy.backfilling != Backfilling::Slurm {
            self.apply_events(now);
        }
    }
    fn withdraw(&mut self, number: u64, now: u64) {
        (self.is_due, self.timers.is_changed) = (true, true);
        self.late.remove(&number);
        self.queue.retain(|job| job.number != number);
        self.arriving.retain(|job| job.number != number);
        self.site.iter_mut().for_each(|site| site.leave(number, now));
        self.is_freed |= self.reserved.remove(&number).is_some();
    }

    fn settle(&mut self, now: u64, _: &Jobs, fault: ReportViolation<'_>) {
        let is_asked = self.wake.take() == Some(now);
        if self.unrecorded.are_incomplete() {
            // Timers and plans depend on the decisions that were left out.
            self.is_due = false;
            return self.decide(now, &mut |_, _, _, _| ());
        }
        if std::mem::take(&mut self.is_due) || is_asked {
            self.last_decision = Some(now);
            self.decide(now, fault);
        } else if !self.started.is_empty() || !self.preempted.is_empty() {
            // A cluster of a grid decides several times at one time. When its SLURM has cycles depends on
            // what the meta-scheduler asked it, which is in no record.
            let is_unknown = self.is_in_grid && self.policy.backfilling == Backfilling::Slurm;
            if is_unknown {
                return self.decide(now, &mut |_, _, _, _| ());
            }
            if self.last_decision == Some(now) {
                return self.decide(now, fault);
            }
            self.report_unprompted(now, fault);
            self.decide(now, &mut |_, _, _, _| ());
        }
    }
    fn take_over(&mut self, first_decision: u64) {
        self.site.iter_mut().for_each(|site| site.take_over(first_decision));
    }
    fn adopt(&mut self, now: u64, _: &Jobs) {
        self.nodes.update_pools(now);
        self.apply_events(now);
        for found in std::mem::take(&mut self.started) {
            if let Some(place) = self.queue.iter().position(|job| job.number == found.job) {
                let job = self.queue.remove(place);
                self.put_on_nodes(now, &job, found);
            }
        }
    }
    fn begin(&mut self) {
        (self.is_due, self.timers.is_changed) = (true, true);
        // A SLURM policy sees the waiting jobs as if they arrived now.
        if self.policy.backfilling == Backfilling::Slurm {
            self.arriving.append(&mut self.queue);
        }
    }
    fn pass(&mut self, mut now: u64, until: u64, _: &Jobs, fault: ReportViolation<'_>) {
        if self.unrecorded.are_incomplete() {
            return;
        }
        self.unrecorded.begin_interval();
        self.wake = self.next_decision(now);
        while let Some(next) = self.wake.filter(|&next| next < until) {
            if !self.unrecorded.may_check() {
                return;
            }
            now = next;
            self.decide(now, fault);
            self.wake = self.next_decision(now);
        }
    }
    fn join_grid(&mut self) {
        self.is_in_grid = true;
    }
    fn not_judged(&self) -> Option<String> {
        let is_all = !self.unrecorded.are_incomplete();
        (!is_all)
            .then(|| format!("the later decisions of {}: too many were made without a record", self.policy))
    }
}
