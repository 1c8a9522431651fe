//! Follows the record of a batch policy.

use super::decide::{Bound, Reservation};
use super::nodes::Nodes;
use super::queue::{Running, Waiting};
use super::site::{Rank, Site};
use super::{BatchPolicy, BatchRule, Depth};
use crate::classes::Classes;
use crate::job::Job;
use crate::platform::Platform;
use dfrsim_model::Yield;
use dfrsim_model::priority::{PreemptMode, Priorities};
use std::collections::BTreeMap;

/// A job that starts by the record, with the line that says so.
#[derive(Debug)]
pub(super) struct Started {
    pub(super) job: u64,
    pub(super) line: u64,
    pub(super) on: Vec<(u32, u32)>,
}

/// A job that makes room by the record.
#[derive(Debug)]
pub(super) struct Preempted {
    pub(super) job: u64,
    pub(super) line: u64,
    /// With what estimate it waits again; `None` if it has left.
    pub(super) waits: Option<u64>,
}

/// A fault: the job, the moment, the line if it has one.
pub(super) type Report<'a> = &'a mut dyn FnMut(u64, u64, Option<u64>, BatchRule);

/// Follows a schedule moment by moment.
#[derive(Debug, Default)]
pub(crate) struct BatchCheck {
    pub(super) policy: BatchPolicy,
    pub(super) nodes: Nodes,
    pub(super) site: Option<Site>,
    pub(super) queue: Vec<Waiting>,
    pub(super) running: BTreeMap<u64, Running>,
    pub(super) started: Vec<Started>,
    pub(super) preempted: Vec<Preempted>,
    /// Whether anything happened since the last decision.
    is_due: bool,
    /// The reservation of EASY/SPARE.
    pub(super) bound: Option<Bound>,
    /// Those of CONS, by job.
    pub(super) reserved: BTreeMap<u64, Reservation>,
    /// Whether a job left before the end of its estimate since the last decision.
    pub(super) is_freed: bool,
    /// Whether the reservations rest on a job past its estimate, or on one that did not start as expected.
    pub(super) is_stale: bool,
    /// Reservations up to this moment have been decided.
    pub(super) decided: u64,
}

impl BatchCheck {
    pub(crate) fn new(policy: BatchPolicy, nodes: u32) -> BatchCheck {
        BatchCheck { policy, nodes: Nodes::new(policy, nodes), ..BatchCheck::default() }
    }
    pub(crate) fn platform(&mut self, platform: &Platform) {
        self.nodes.change(platform);
        self.is_due = true;
    }
    pub(crate) fn priority(&mut self, settings: &Priorities) {
        self.site = Some(Site::new(settings, self.nodes.jobs.len()));
    }
    pub(crate) fn classes(&mut self, classes: &Classes) {
        self.nodes.differ(classes.kinds());
    }
    pub(crate) fn preempts(&self) -> bool {
        self.site.as_ref().is_some_and(Site::preempts)
    }

    pub(crate) fn submit(&mut self, number: u64, now: u64, job: &Job) {
        self.count(now);
        let rank = self.site.as_mut().map_or_else(Rank::default, |site| site.admit(job, &mut self.queue));
        let (submit, tasks, estimate) = (now, job.tasks.into(), job.estimate);
        let need = self.nodes.need(vec![job.need.max(1).into(), job.memory.into()]);
        let (planned, fits, most) = (estimate, Vec::new(), 0);
        self.queue.push(Waiting { number, submit, tasks, estimate, planned, need, fits, most, rank });
        self.fitting(number, Vec::new(), None);
        self.is_due = true;
    }
    /// The tasks of a job that was just submitted fit these classes, and take this of their nodes, if that is known.
    pub(crate) fn fitting(&mut self, number: u64, fits: Vec<bool>, need: Option<Vec<i64>>) {
        let Some(job) = self.queue.iter_mut().rfind(|job| job.number == number) else { return };
        job.fits = fits;
        if let Some(need) = need {
            job.need = self.nodes.need(need);
        }
        job.most = if job.rank.never { 0 } else { self.nodes.most(job) };
    }
    /// Goes on to a moment.
    pub(super) fn count(&mut self, now: u64) {
        if let Some(site) = &mut self.site {
            site.count(now, &mut self.queue);
        }
    }

    /// A job starts, or goes on; returns a fault that does not depend on the decision.
    pub(crate) fn start(
        &mut self,
        line: u64,
        job: u64,
        on: &[(u32, u32)],
        job_yield: u32,
    ) -> Option<BatchRule> {
        self.is_due = true;
        self.started.push(Started { job, line, on: on.to_vec() });
        let slow = (job_yield != Yield::ONE.units()).then_some(BatchRule::Slow(job_yield));
        slow.or((!self.nodes.are_known()).then_some(BatchRule::NoCores))
    }
    /// A job leaves its nodes.
    pub(super) fn leave(&mut self, number: u64, now: u64) -> Option<Running> {
        let running = self.running.remove(&number)?;
        running.on.iter().for_each(|&(node, _)| self.nodes.jobs[node as usize] -= 1);
        self.is_freed |= running.end > now;
        self.bound.iter_mut().for_each(|bound| bound.awaited.retain(|(job, _)| *job != number));
        self.site.iter_mut().for_each(|site| site.end(number, now));
        Some(running)
    }
    pub(crate) fn complete(&mut self, number: u64, now: u64) {
        self.is_due = true;
        self.leave(number, now);
    }
    /// A node of a job went down: it waits again with an estimate, or is lost.
    pub(crate) fn interrupt(&mut self, number: u64, now: u64, waits: Option<u64>) {
        self.is_due = true;
        self.count(now);
        let left = self.leave(number, now);
        self.wait_again(now, left.zip(waits));
    }
    /// A job that left its nodes is in the queue.
    pub(super) fn wait_again(&mut self, now: u64, left: Option<(Running, u64)>) {
        let Some((Running { mut job, .. }, estimate)) = left else { return };
        job.estimate = estimate;
        self.site.iter_mut().for_each(|site| site.rank(&mut job.rank, now));
        self.queue.push(job);
    }
    /// A job leaves its nodes to make room, and may wait again with an estimate; what is wrong with that for whichever job it is.
    pub(crate) fn preempt(
        &mut self,
        (line, job): (u64, u64),
        now: u64,
        mode: PreemptMode,
        waits: Option<u64>,
    ) -> Option<BatchRule> {
        self.is_due = true;
        self.preempted.push(Preempted { job, line, waits });
        let fault =
            self.site.as_ref().zip(self.running.get(&job)).map(|(site, it)| site.fault(now, it, mode));
        fault.unwrap_or(Some(BatchRule::NotPreemptable))
    }
    /// A job is rejected, which is right if it can never run.
    pub(crate) fn reject(&mut self, number: u64) -> Option<BatchRule> {
        let at = self.queue.iter().position(|waiting| waiting.number == number)?;
        let Waiting { tasks, most: nodes, .. } = self.queue.remove(at);
        (tasks <= nodes).then_some(BatchRule::Rejected { tasks, nodes })
    }

    /// A waiting job leaves, though the policy did not decide that: the others move up.
    pub(crate) fn withdraw(&mut self, number: u64) {
        self.queue.retain(|job| job.number != number);
        self.bound = self.bound.take().filter(|bound| bound.job != number);
        self.is_freed |= self.reserved.remove(&number).is_some();
        self.is_due = true;
    }

    /// Judges the decision at a moment of which all records are known.
    pub(crate) fn settle(&mut self, now: u64, fault: Report<'_>) {
        if std::mem::take(&mut self.is_due) {
            self.decide(now, fault);
        }
    }
    /// Judges the decisions that were due between one moment and the next for which there are records.
    pub(crate) fn pass(&mut self, mut now: u64, until: u64, fault: Report<'_>) {
        while let Some(next) = self.next_decision(now).filter(|&next| next < until) {
            now = next;
            self.decide(now, fault);
        }
    }
    fn next_decision(&self, now: u64) -> Option<u64> {
        let starts = self.reserved.values().map(|it| it.start).filter(|&start| start > self.decided);
        let of_site = self.site.as_ref().and_then(|site| {
            site.next_decision(now, self.policy.depth != Depth::Fcfs, &self.queue, &self.running)
        });
        starts.chain(of_site).chain(self.nodes.next_change(now)).min()
    }
}
