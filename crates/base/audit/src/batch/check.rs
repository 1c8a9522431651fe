//! Follows the starts of a batch policy.

use super::backfilling::Backfilling;
use super::by_priority::{ByPriority, RuleOfOrder};
use super::conservative::Reservations;
use super::outages::{NodeByNode, Starting};
use super::packed::Packed;
use super::placing::{OnNodes, Packing};
use super::preemption::Preempted;
use super::queue::{Order, Waiting};
use super::spare::SpareNodes;
use super::{BatchPolicy, BatchRule};
use crate::classes::Classes;
use crate::job::Job;
use crate::platform::Platform;
use crate::priority::PriorityRule;
use dfrsim_model::Yield;
use dfrsim_model::priority::{PreemptMode, Priorities};
use std::collections::BTreeMap;

/// How long a job past its estimate is expected to go on: a second, in microseconds.
pub(super) const OVERRUN: u64 = 1_000_000;

/// A job on its nodes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Running {
    pub(super) width: u32,
    /// The end of its estimate, in microseconds.
    pub(super) end: u64,
}

impl Running {
    /// When it is expected to end.
    pub(super) fn expected_end(&self, now: u64) -> u64 {
        if self.end <= now { now.saturating_add(OVERRUN) } else { self.end }
    }
}

/// The cluster at the moment of a decision: the starts of before, and those of this moment as they are judged.
#[derive(Clone, Debug)]
pub(super) struct Cluster {
    pub(super) nodes: u32,
    /// Negative where a schedule takes more than there is.
    free: i64,
    pub(super) running: BTreeMap<u64, Running>,
}

impl Cluster {
    /// The free nodes.
    pub(super) fn free(&self) -> u32 {
        u32::try_from(self.free.max(0)).unwrap_or(self.nodes)
    }

    /// When jobs are expected to end and their widths, the first end first.
    pub(super) fn ends(&self, now: u64) -> Vec<(u64, u32)> {
        let mut ends: Vec<(u64, u32)> =
            self.running.values().map(|job| (job.expected_end(now), job.width)).collect();
        ends.sort_unstable();
        ends
    }

    pub(super) fn start(&mut self, job: &Waiting, now: u64) {
        self.free -= i64::from(job.width);
        let end = now.saturating_add(job.estimate);
        self.running.insert(job.job, Running { width: job.width, end });
    }

    /// A job leaves its nodes, if it has any.
    pub(super) fn end(&mut self, job: u64) -> Option<Running> {
        let ended = self.running.remove(&job)?;
        self.free += i64::from(ended.width);
        Some(ended)
    }
}

/// A fault in the start of a job, or in its waiting.
pub(super) type Verdict = (u64, BatchRule);

/// One decision of a policy as it was taken.
pub(super) struct Decision<'a> {
    pub(super) now: u64,
    pub(super) cluster: &'a mut Cluster,
    /// The jobs that start and have not been judged yet.
    pub(super) starting: &'a mut Vec<u64>,
    pub(super) verdicts: &'a mut Vec<Verdict>,
}

impl Decision<'_> {
    /// Judges a job: what the policy wants, and why the contrary is a fault. Returns whether it starts.
    pub(super) fn judge(&mut self, job: &Waiting, expected: bool, rule: impl FnOnce() -> BatchRule) -> bool {
        let at = self.starting.iter().position(|&starting| starting == job.job);
        if at.is_some() != expected {
            self.verdicts.push((job.job, rule()));
        }
        if let Some(at) = at {
            self.starting.remove(at);
            self.cluster.start(job, self.now);
        }
        at.is_some()
    }
}

#[derive(Debug)]
pub(super) enum Discipline {
    Backfilling(Backfilling),
    Spare(SpareNodes),
    Conservative(Reservations),
}

/// Follows a schedule moment by moment.
#[derive(Debug)]
pub(crate) struct BatchCheck {
    order: Order,
    on_nodes: OnNodes,
    discipline: Discipline,
    cluster: Cluster,
    queue: Vec<Waiting>,
    /// The jobs that start in this moment, with the lines that say so.
    started: Vec<(u64, u64)>,
    /// Those that make room for others.
    preempted: Vec<Preempted>,
    /// The job on each node, up to the highest in use.
    holders: Vec<Option<u64>>,
    /// The nodes on which jobs start in this moment, where nodes go down.
    placements: Vec<(u64, Vec<u32>)>,
    /// What is known where nodes go down.
    by_node: Option<NodeByNode>,
    /// What is known where nodes have several tasks.
    packed: Option<Box<Packed>>,
    /// The tasks on each node of the jobs that start in this moment, there.
    packings: Vec<(u64, Vec<(u32, u32)>)>,
    /// The order and the limits of jobs with priorities.
    by_priority: Option<Box<ByPriority>>,
    /// Whether anything happened since the last decision.
    is_due: bool,
}

impl BatchCheck {
    pub(crate) fn new(policy: BatchPolicy, on_nodes: OnNodes, nodes: u32) -> BatchCheck {
        let discipline = match policy {
            BatchPolicy::EasySpare => Discipline::Spare(SpareNodes::default()),
            BatchPolicy::Conservative => Discipline::Conservative(Reservations::new(false)),
            BatchPolicy::ConservativeReplan => Discipline::Conservative(Reservations::new(true)),
            BatchPolicy::Fcfs
            | BatchPolicy::FcfsSjf
            | BatchPolicy::FcfsLjf
            | BatchPolicy::FcfsSaf
            | BatchPolicy::FcfsWfp3 => Discipline::Backfilling(Backfilling::None),
            BatchPolicy::Easy
            | BatchPolicy::EasySjf
            | BatchPolicy::EasyLjf
            | BatchPolicy::EasySaf
            | BatchPolicy::EasyWfp3 => Discipline::Backfilling(Backfilling::AroundHead),
        };
        BatchCheck {
            order: policy.order(),
            on_nodes,
            discipline,
            cluster: Cluster { nodes, free: i64::from(nodes), running: BTreeMap::new() },
            queue: Vec::new(),
            started: Vec::new(),
            preempted: Vec::new(),
            holders: Vec::new(),
            placements: Vec::new(),
            by_node: None,
            packed: None,
            packings: Vec::new(),
            by_priority: None,
            is_due: false,
        }
    }

    pub(crate) fn platform(&mut self, platform: &Platform) {
        self.by_node.get_or_insert_default().follow(platform);
        self.is_due = true;
    }

    /// The policy orders jobs by priority.
    pub(crate) fn priority(&mut self, settings: &Priorities) -> Option<PriorityRule> {
        if self.order != Order::Submission
            || self.is_packed()
            || matches!(self.discipline, Discipline::Spare(_))
        {
            return Some(PriorityRule::Policy);
        }
        self.by_priority = Some(Box::new(ByPriority::new(settings, self.cluster.nodes)));
        None
    }

    /// What the priority and the limits of a job depend on.
    pub(crate) fn rank(&mut self, number: u64, job: &Job) {
        if let Some(by_priority) = &mut self.by_priority {
            by_priority.submit(number, job);
        }
    }

    pub(crate) fn classes(&mut self, classes: &Classes) {
        if self.is_packed() {
            self.packed = Packed::new(self.on_nodes.packing, classes).map(Box::new);
        } else {
            self.by_node.get_or_insert_default().differ(classes);
        }
    }

    fn is_packed(&self) -> bool {
        self.on_nodes.packing != Packing::Whole
    }

    pub(crate) fn fitting(&mut self, job: u64, fitting: Vec<bool>, task: Option<Vec<u64>>) {
        if let (Some(packed), Some(task)) = (&mut self.packed, task) {
            packed.submit(job, task, fitting);
        } else if let Some(by_node) = &mut self.by_node {
            by_node.fitting(job, fitting);
        }
    }

    /// How many nodes there are for the tasks of a job; where nodes have several tasks, for how many there is room.
    fn nodes_for(&self, job: u64) -> u32 {
        if let Some(most) = self.packed.as_ref().and_then(|packed| packed.most(job)) {
            return most;
        }
        let fitting = self.by_node.as_ref().and_then(|by_node| by_node.nodes_for(job));
        fitting.unwrap_or(self.cluster.nodes)
    }

    pub(crate) fn submit(&mut self, job: u64, submit: u64, width: u32, estimate: u64) {
        self.queue.push(Waiting { job, submit, width, estimate });
        self.is_due = true;
    }

    /// A job starts on these nodes; the faults that do not depend on the other jobs.
    pub(crate) fn start(
        &mut self,
        line: u64,
        job: u64,
        on: &[(u32, u32)],
        job_yield: u32,
    ) -> Option<BatchRule> {
        self.started.push((job, line));
        if self.by_node.is_some() {
            self.placements.push((job, on.iter().map(|&(node, _)| node).collect()));
        }
        self.is_due = true;
        let slow = (job_yield != Yield::ONE.units()).then_some(BatchRule::Slow(job_yield));
        if self.is_packed() {
            self.packings.push((job, on.to_vec()));
            return slow.or(self.packed.is_none().then_some(BatchRule::NoCores));
        }
        let other = self.other_nodes(on);
        let mut shared = None;
        for &(node, tasks) in on {
            let place = node as usize;
            if place >= self.holders.len() {
                self.holders.resize(place + 1, None);
            }
            if tasks > 1 || self.holders[place].is_some() {
                shared.get_or_insert(node);
            }
            self.holders[place] = Some(job);
        }
        slow.or(shared.map(|node| BatchRule::Shared { node })).or(other)
    }

    /// Whether a job should have had other nodes; where they go down or differ, that is judged with the decision.
    fn other_nodes(&self, on: &[(u32, u32)]) -> Option<BatchRule> {
        if self.by_node.is_some() {
            return None;
        }
        let is_free = |node: &u32| self.holders.get(*node as usize).is_none_or(Option::is_none);
        let expected = self.on_nodes.placing.nodes((0..self.cluster.nodes).filter(is_free), on.len());
        self.on_nodes.placing.fault(on.iter().map(|&(node, _)| node), &expected)
    }

    pub(crate) fn complete(&mut self, job: u64, now: u64, on: &[(u32, u32)]) {
        self.is_due = true;
        self.leave_nodes(job, on);
        if let Some(by_priority) = &mut self.by_priority {
            by_priority.end(job, now);
        }
        if let Some(packed) = &mut self.packed {
            return packed.leave(job);
        }
        if let Some(by_node) = &mut self.by_node {
            return by_node.leave(job);
        }
        if let Some(ended) = self.cluster.end(job) {
            match &mut self.discipline {
                Discipline::Backfilling(_) => {}
                Discipline::Spare(spare) => spare.ended(job),
                Discipline::Conservative(reservations) => reservations.ended(now, &ended),
            }
        }
    }

    /// A node of a job went down: it waits again, by its submission, width and estimate, or has left.
    pub(crate) fn interrupt(
        &mut self,
        job: u64,
        now: u64,
        on: &[(u32, u32)],
        waits: Option<(u64, u32, u64)>,
    ) {
        if let Some(by_priority) = &mut self.by_priority {
            by_priority.interrupt(job, now, waits.is_none());
        }
        self.complete(job, now, on);
        if let Some((submit, width, estimate)) = waits {
            self.submit(job, submit, width, estimate);
        }
    }

    fn leave_nodes(&mut self, job: u64, on: &[(u32, u32)]) {
        for &(node, _) in on {
            let holder = self.holders.get_mut(node as usize).filter(|holder| **holder == Some(job));
            holder.map(Option::take);
        }
    }

    /// Whether jobs may have to make room for others.
    pub(crate) fn preempts(&self) -> bool {
        self.by_priority.as_ref().is_some_and(|it| it.preempts())
    }

    /// A job leaves its nodes to make room, and waits by its submission, width and estimate, if it waits; the fault that does not depend on
    /// other jobs.
    pub(crate) fn preempt(
        &mut self,
        (line, job): (u64, u64),
        now: u64,
        on: &[(u32, u32)],
        mode: PreemptMode,
        waits: Option<(u64, u32, u64)>,
    ) -> Option<BatchRule> {
        self.is_due = true;
        self.leave_nodes(job, on);
        let waits = waits.map(|(submit, width, estimate)| Waiting { job, submit, width, estimate });
        self.preempted.push(Preempted { job, line, waits });
        self.by_priority.as_ref()?.preempted(job, now, mode)
    }

    /// A job is rejected, which is right if it can never run.
    pub(crate) fn reject(&mut self, job: u64) -> Option<BatchRule> {
        let at = self.queue.iter().position(|waiting| waiting.job == job)?;
        let width = self.queue.remove(at).width;
        let nodes = self.nodes_for(job);
        let is_limited = self.by_priority.as_mut().is_some_and(|it| it.reject(job));
        (width <= nodes && !is_limited).then_some(BatchRule::Rejected { width, nodes })
    }

    /// Checks the decision at one time once all of its records are known, and the decisions that the policy should have
    /// taken since the last one. A fault is reported with its job, its time and the line of its start, if it has one.
    pub(crate) fn settle(&mut self, now: u64, mut fault: impl FnMut(u64, u64, Option<u64>, BatchRule)) {
        if !std::mem::take(&mut self.is_due) {
            return;
        }
        let mut queue = std::mem::take(&mut self.queue);
        queue.retain(|job| {
            let nodes = self.nodes_for(job.job);
            let fits = job.width <= nodes;
            if !fits {
                fault(job.job, now, None, BatchRule::NotRejected { width: job.width, nodes });
            }
            fits
        });
        self.queue = queue;
        let started = std::mem::take(&mut self.started);
        if let Some(by_priority) = &mut self.by_priority {
            let rule = RuleOfOrder::of(&self.discipline);
            let preempted = std::mem::take(&mut self.preempted);
            let lines: Vec<(u64, u64)> = preempted.iter().map(|it| (it.job, it.line)).collect();
            let verdicts = if let Some(by_node) = &mut self.by_node {
                let placements = std::mem::take(&mut self.placements);
                let starting: Vec<Starting<'_>> =
                    placements.iter().map(|(job, nodes)| Starting { job: *job, nodes }).collect();
                by_priority.decide_by_node(
                    now,
                    (rule, self.on_nodes.placing),
                    by_node,
                    &mut self.queue,
                    &starting,
                )
            } else {
                let starting = started.iter().map(|&(job, _)| job).collect();
                by_priority.decide(now, rule, &mut self.cluster, &mut self.queue, starting, preempted)
            };
            for (job, rule) in verdicts {
                let mut records = started.iter().chain(&lines);
                let line = records.find(|(changed, _)| *changed == job).map(|&(_, line)| line);
                fault(job, now, line, rule);
            }
            return;
        }
        self.order.sort(&mut self.queue, now);
        if self.is_packed() {
            let starting = std::mem::take(&mut self.packings);
            let mut verdicts = Vec::new();
            if let Some(packed) = &mut self.packed {
                let backfills = matches!(self.discipline, Discipline::Backfilling(Backfilling::AroundHead));
                packed.decide(now, &self.queue, backfills, &starting, &mut verdicts);
                self.queue.retain(|job| !packed.is_running(job.job));
            }
            for (job, rule) in verdicts {
                let line = started.iter().find(|(starting, _)| *starting == job).map(|&(_, line)| line);
                fault(job, now, line, rule);
            }
            return;
        }
        if let Some(by_node) = &mut self.by_node {
            let placements = std::mem::take(&mut self.placements);
            let starting: Vec<Starting<'_>> =
                placements.iter().map(|(job, nodes)| Starting { job: *job, nodes }).collect();
            let mut verdicts = Vec::new();
            match &self.discipline {
                Discipline::Backfilling(rule) => {
                    let backfills = *rule == Backfilling::AroundHead;
                    by_node.decide(
                        now,
                        &self.queue,
                        (backfills, self.on_nodes.placing),
                        &starting,
                        &mut verdicts,
                    );
                }
                Discipline::Spare(_) | Discipline::Conservative(_) => {
                    by_node.take(now, &self.queue, &starting, &mut verdicts);
                }
            }
            self.queue.retain(|job| !by_node.is_running(job.job));
            for (job, rule) in verdicts {
                let line = started.iter().find(|(starting, _)| *starting == job).map(|&(_, line)| line);
                fault(job, now, line, rule);
            }
            return;
        }
        let mut starting = started.iter().map(|&(job, _)| job).collect();
        let mut verdicts = Vec::new();
        let mut decision =
            Decision { now, cluster: &mut self.cluster, starting: &mut starting, verdicts: &mut verdicts };
        match &mut self.discipline {
            Discipline::Backfilling(backfilling) => backfilling.decide(&self.queue, &mut decision),
            Discipline::Spare(spare) => spare.decide(&self.queue, &mut decision),
            Discipline::Conservative(reservations) => reservations.decide(&self.queue, &mut decision),
        }
        if !started.is_empty() {
            let running = &self.cluster.running;
            self.queue.retain(|job| !running.contains_key(&job.job));
        }
        for (job, rule) in verdicts {
            let line = started.iter().find(|(starting, _)| *starting == job).map(|&(_, line)| line);
            fault(job, now, line, rule);
        }
    }

    /// Checks the decisions that the policy should have taken between the last time and the next one, for which the
    /// file has no records.
    pub(crate) fn pass(&mut self, now: u64, until: u64, mut fault: impl FnMut(u64, u64, BatchRule)) {
        if self.by_node.is_some() {
            return;
        }
        if let Some(by_priority) = &mut self.by_priority {
            let (rule, mut now) = (RuleOfOrder::of(&self.discipline), now);
            while let Some(next) =
                by_priority.next_decision(now, rule, &self.queue).filter(|&next| next < until)
            {
                now = next;
                let (cluster, queue) = (&mut self.cluster, &mut self.queue);
                let verdicts = by_priority.decide(now, rule, cluster, queue, Vec::new(), Vec::new());
                verdicts.into_iter().for_each(|(job, rule)| fault(job, now, rule));
            }
            return;
        }
        let Discipline::Conservative(reservations) = &mut self.discipline else { return };
        while let Some(now) = reservations.next_start().filter(|&start| start < until) {
            let (mut starting, mut verdicts) = (Vec::new(), Vec::new());
            let mut decision = Decision {
                now,
                cluster: &mut self.cluster,
                starting: &mut starting,
                verdicts: &mut verdicts,
            };
            reservations.decide(&self.queue, &mut decision);
            verdicts.into_iter().for_each(|(job, rule)| fault(job, now, rule));
        }
    }
}
