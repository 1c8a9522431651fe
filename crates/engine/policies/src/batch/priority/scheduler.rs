//! The queue by priority, and what starts.

use super::accounts::{AccountIndex, Accounts};
use super::factors::Rank;
use super::grouped::GroupedPlan;
use super::limits::{InUse, Membership};
use super::plan::{EqualPlan, Leaving, Moment, Plan, rounded};
use super::preemption::Preemption;
use crate::batch::free_nodes::FreeNodes;
use crate::batch::outages::NodeGroups;
use crate::batch::{BatchJob, OVERRUN, Place};
use dfrsim_cluster::{Decision, JobHandle, JobState, NodeRange, Scheduler, Situation, View};
use dfrsim_model::priority::{PreemptMode, Priorities};
use dfrsim_model::{SimSpan, SimTime, Yield};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Which jobs start before one that cannot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    /// None.
    Fcfs,
    /// Those that do not delay the first one.
    Easy,
    /// Those that delay none of the jobs before them.
    Conservative,
}

/// A job as the queue has it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    pub(super) job: JobHandle,
    pub(super) sequence: u64,
    submit: SimTime,
    pub(super) width: u32,
    /// Of the time from its next start to its end.
    estimate: SimSpan,
    account: AccountIndex,
    pub(super) membership: Membership,
    rank: Rank,
    priority: u64,
    /// Whether it goes on when it starts.
    is_paused: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Running {
    /// As it was when it started.
    pub(super) job: Waiting,
    pub(super) since: SimTime,
    /// The end of its estimate.
    end: SimTime,
}

/// A batch policy that orders jobs by priority.
#[derive(Debug)]
pub(crate) struct PriorityScheduler {
    settings: Arc<Priorities>,
    rule: Rule,
    count: u32,
    place: Place,
    nodes: Nodes,
    accounts: Accounts,
    in_use: InUse,
    preemption: Option<Preemption>,
    /// By decreasing priority, then submission.
    queue: Vec<Waiting>,
    /// The jobs that made room in the last decision, and wait.
    preempted: Vec<Waiting>,
    running: BTreeMap<JobHandle, Running>,
    placement: Vec<NodeRange>,
}

/// Which nodes are free.
#[derive(Debug)]
enum Nodes {
    /// They are equal, and never go down.
    Equal { free: u32, places: FreeNodes },
    /// They go down, or differ.
    Grouped(NodeGroups),
}

impl PriorityScheduler {
    /// For a cluster of this many nodes, with settings that were checked.
    pub(crate) fn new(settings: Arc<Priorities>, rule: Rule, nodes: u32, place: Place) -> PriorityScheduler {
        PriorityScheduler {
            rule,
            count: nodes,
            place,
            nodes: Nodes::Equal { free: nodes, places: FreeNodes::all(nodes, place) },
            accounts: Accounts::new(&settings),
            in_use: InUse::new(&settings),
            preemption: Preemption::new(&settings),
            queue: Vec::new(),
            preempted: Vec::new(),
            running: BTreeMap::new(),
            placement: Vec::new(),
            settings,
        }
    }

    /// Nodes that go down or differ are in groups, from the first decision on. Jobs do not preempt others there.
    fn follow(&mut self, view: View<'_>) {
        if let Nodes::Equal { .. } = self.nodes
            && (view.has_outages() || view.classes().is_some())
        {
            self.nodes = Nodes::Grouped(NodeGroups::new(self.count, self.place));
            self.preemption = None;
        }
        if let Nodes::Grouped(groups) = &mut self.nodes {
            groups.follow(view);
        }
    }

    /// A job leaves its nodes.
    fn leave(&mut self, job: JobHandle, on: &[NodeRange]) -> Option<Waiting> {
        let Running { job, .. } = self.running.remove(&job)?;
        match &mut self.nodes {
            Nodes::Equal { free, places } => {
                on.iter().for_each(|&range| places.insert(range));
                *free += job.width;
            }
            Nodes::Grouped(groups) => groups.release(on),
        }
        self.accounts.end(job.account, job.width);
        self.in_use.end(&self.settings, &job.membership, job.width);
        Some(job)
    }

    fn enqueue(&mut self, view: View<'_>, job: JobHandle, decision: &mut Decision) {
        let seen = view.job(job);
        let (width, submit) = (seen.tasks(), seen.submit());
        let estimate = seen.estimate().unwrap_or(SimSpan::MAX);
        let account = self.accounts.of_job(seen.user(), seen.origin());
        let membership = Membership::new(&self.settings, seen.user(), seen.origin());
        let nodes = match &self.nodes {
            Nodes::Equal { .. } => self.count,
            Nodes::Grouped(groups) => groups.nodes_for(view, job),
        };
        if width > nodes || !membership.admits(&self.settings, width, estimate) {
            return decision.reject(job);
        }
        let Membership { qos, partition, .. } = membership;
        let rank = Rank::new(&self.settings, self.count, width, submit, qos, partition);
        let priority = rank.at(view.now(), self.accounts.fair_share(account), &self.settings);
        let sequence = seen.sequence();
        let is_paused = false;
        self.insert(Waiting {
            job,
            sequence,
            submit,
            width,
            estimate,
            account,
            membership,
            rank,
            priority,
            is_paused,
        });
    }

    fn insert(&mut self, new: Waiting) {
        let at = self.queue.partition_point(|other| order(other) < order(&new));
        self.queue.insert(at, new);
    }

    /// Computes all priorities again, at a multiple of the period.
    fn rank(&mut self, multiple: SimTime) {
        for job in &mut self.queue {
            job.priority = job.rank.at(multiple, self.accounts.fair_share(job.account), &self.settings);
        }
        self.queue.sort_unstable_by_key(order);
    }

    /// Starts a job, or lets it go on; a split says how many nodes each group gives, where there are groups.
    fn start(&mut self, view: View<'_>, job: &Waiting, split: &[u32], decision: &mut Decision) {
        let (now, width) = (view.now(), job.width);
        let mut end = now.saturating_add(job.estimate);
        match &mut self.nodes {
            Nodes::Equal { free, places } => {
                places.take(width, &mut self.placement);
                *free -= width;
            }
            Nodes::Grouped(groups) => {
                let job = job.planned(job.estimate);
                end = groups.groups().end(now, job, split);
                self.placement = groups.place(view, &job, split);
            }
        }
        let on = self.placement.iter().copied();
        if job.is_paused {
            decision.resume(job.job, on, Yield::ONE);
        } else {
            decision.start(job.job, on, Yield::ONE);
        }
        self.accounts.start(job.account, width);
        self.in_use.start(&self.settings, &job.membership, width);
        self.running.insert(job.job, Running { job: *job, since: now, end });
    }

    /// To what backfilling rounds the ends of jobs.
    fn resolution(&self) -> SimSpan {
        SimSpan::from_secs(self.settings.backfill.resolution_s)
    }

    /// When backfilling takes a running job for ended.
    fn expected_end(&self, now: SimTime, job: &Running) -> SimTime {
        let left = if job.end <= now { OVERRUN } else { job.end.since(now) };
        now.saturating_add(rounded(now, left, self.resolution()))
    }

    /// A running job as backfilling sees it.
    fn leaving(&self, now: SimTime, job: &Running) -> Leaving {
        Leaving { end: self.expected_end(now, job), width: job.job.width }
    }

    fn backfills(&self, now: SimTime) -> bool {
        let interval = SimSpan::from_secs(self.settings.backfill.interval_s).micros();
        self.rule != Rule::Fcfs && (interval == 0 || now.micros().is_multiple_of(interval))
    }

    /// Lets running jobs make room for one that could not start; how many nodes of each group it starts on then.
    fn make_room(
        &mut self,
        view: View<'_>,
        job: &BatchJob,
        membership: &Membership,
        plan: &mut impl Plan,
        decision: &mut Decision,
    ) -> Option<Vec<u32>> {
        let now = view.now();
        let candidates = self.preemption.as_ref()?.candidates(now, membership, &self.running);
        let leaving: Vec<Leaving> = candidates.iter().map(|other| self.leaving(now, other)).collect();
        for place in plan.make_room(job, &leaving)? {
            self.preempt(view, candidates[place].job.job, decision);
        }
        plan.start(job).ok()
    }

    /// Takes a running job off its nodes.
    fn preempt(&mut self, view: View<'_>, job: JobHandle, decision: &mut Decision) {
        let Some(left) = self.leave(job, view.job(job).placement().ranges()) else { return };
        let mode = self.preemption.as_ref().map_or(PreemptMode::Off, |it| it.mode(&left.membership));
        match mode {
            PreemptMode::Off => unreachable!("it is no candidate"),
            PreemptMode::Requeue => decision.requeue(job),
            PreemptMode::Cancel => return decision.lose(job),
            PreemptMode::Suspend => decision.pause(job),
        }
        let left = self.ranked(view.now(), left);
        self.preempted.push(left);
    }

    /// A job with its priority at a moment.
    fn ranked(&self, now: SimTime, job: Waiting) -> Waiting {
        let priority = job.rank.at(now, self.accounts.fair_share(job.account), &self.settings);
        Waiting { priority, ..job }
    }

    /// Jobs that were preempted are in the queue once the decision is made.
    fn requeue(&mut self, view: View<'_>) {
        for job in std::mem::take(&mut self.preempted) {
            self.wait_again(view, job);
        }
    }

    /// A job that had started is in the queue, with what is left of its estimate.
    fn wait_again(&mut self, view: View<'_>, mut job: Waiting) {
        let seen = view.job(job.job);
        job.estimate = seen.remaining_estimate().unwrap_or(SimSpan::MAX);
        job.is_paused = seen.state() == JobState::Paused;
        self.insert(job);
    }

    /// Starts what can start.
    fn decide_starts(&mut self, view: View<'_>, decision: &mut Decision) {
        let now = view.now();
        let window = SimSpan::from_secs(self.settings.backfill.window_s);
        let horizon = if window.is_zero() { SimTime::MAX } else { now.saturating_add(window) };
        let moment = Moment { now, rule: self.rule, horizon };
        match &self.nodes {
            Nodes::Equal { free, .. } => {
                let plan = EqualPlan::new(moment, self.count, *free);
                self.pass(view, plan, decision);
            }
            Nodes::Grouped(nodes) => {
                let groups = Arc::clone(nodes.groups());
                let running = self.running.iter().map(|(&job, running)| {
                    (view.job(job).placement().ranges(), self.expected_end(now, running))
                });
                let plan = GroupedPlan::new(moment, view, &groups, running);
                self.pass(view, plan, decision);
            }
        }
    }

    /// Starts what can start by a plan.
    fn pass(&mut self, view: View<'_>, mut plan: impl Plan, decision: &mut Decision) {
        let now = view.now();
        let queue = std::mem::take(&mut self.queue);
        let backfills = self.backfills(now);
        let mut left = self.settings.backfill.max_job_test.unwrap_or(u32::MAX);
        let mut waiting = queue.iter();
        for job in waiting.by_ref() {
            if self.in_use.holds(&self.settings, &job.membership, job.width) {
                self.queue.push(*job);
                continue;
            }
            let planned = job.planned(rounded(now, job.estimate, self.resolution()));
            let started = plan.start(&planned).or_else(|later| {
                self.make_room(view, &planned, &job.membership, &mut plan, decision).ok_or(later)
            });
            match started {
                Ok(split) => self.start(view, job, &split, decision),
                Err(later) => {
                    plan.wait(&planned, later, self.running.values().map(|job| self.leaving(now, job)));
                    self.queue.push(*job);
                }
            }
            left -= u32::from(plan.has_head());
            let none_can = self.preemption.is_none() && plan.is_full();
            if plan.has_head() && (!backfills || left == 0 || none_can) {
                break;
            }
        }
        self.queue.extend(waiting);
    }

    /// When the next decision is due if no event comes before.
    fn next_decision(&self, now: SimTime) -> Option<SimTime> {
        let weights = self.settings.weights;
        let changes = weights.age > 0 || weights.fair_share > 0;
        let interval = SimSpan::from_secs(self.settings.backfill.interval_s).micros();
        let backfills = self.rule != Rule::Fcfs && interval > 0;
        let next =
            |interval: u64| SimTime::from_micros((now.micros() / interval + 1).saturating_mul(interval));
        let times = [changes.then(|| self.accounts.next_multiple()), backfills.then(|| next(interval))];
        let waiting = || self.queue.iter().chain(&self.preempted);
        let candidate = self.preemption.as_ref().and_then(|preemption| {
            preemption.next_candidate(now, waiting().map(|job| &job.membership), &self.running)
        });
        let due = times.into_iter().chain([candidate]).flatten().min();
        due.filter(|_| waiting().next().is_some())
    }
}

impl Waiting {
    /// As plans have it, for so long.
    fn planned(&self, estimate: SimSpan) -> BatchJob {
        let Waiting { job, sequence, width, submit, .. } = *self;
        BatchJob { job, sequence, submit, width, estimate }
    }
}

/// The first in the queue is the least.
fn order(job: &Waiting) -> (Reverse<u64>, u64) {
    (Reverse(job.priority), job.sequence)
}

impl Scheduler for PriorityScheduler {
    fn decide(&mut self, situation: &Situation<'_>, decision: &mut Decision) {
        let view = situation.view;
        let now = view.now();
        let multiple = self.accounts.advance(now);
        self.requeue(view);
        self.follow(view);
        for &job in situation.completed {
            self.leave(job, view.job(job).placement().ranges());
        }
        let interrupted: Vec<Option<Waiting>> =
            situation.interrupted.iter().map(|it| self.leave(it.job, &it.on)).collect();
        if let Some(multiple) = multiple {
            self.rank(multiple);
        }
        for job in interrupted.into_iter().flatten() {
            if view.job(job.job).state() == JobState::Waiting {
                self.wait_again(view, self.ranked(now, job));
            }
        }
        for &job in situation.submitted {
            self.enqueue(view, job, decision);
        }
        self.decide_starts(view, decision);
        if let Some(time) = self.next_decision(now) {
            decision.wake_at(time);
        }
    }
}
