//! The queue by priority, and what starts.

use super::accounts::{AccountIndex, Accounts};
use super::factors::Rank;
use super::limits::{InUse, Membership};
use super::plan::{Leaving, Plan, Planned};
use super::preemption::{Preemption, needed};
use crate::batch::OVERRUN;
use crate::batch::free_nodes::FreeNodes;
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
    nodes: u32,
    places: FreeNodes,
    free: u32,
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

impl PriorityScheduler {
    /// For a cluster of this many nodes, with settings that were checked.
    pub(crate) fn new(settings: Arc<Priorities>, rule: Rule, nodes: u32) -> PriorityScheduler {
        PriorityScheduler {
            rule,
            nodes,
            places: FreeNodes::all(nodes),
            free: nodes,
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

    fn leave(&mut self, view: View<'_>, job: JobHandle) {
        let Some(Running { job: Waiting { width, account, membership, .. }, .. }) = self.running.remove(&job)
        else {
            return;
        };
        view.job(job).placement().ranges().iter().for_each(|&range| self.places.insert(range));
        self.free += width;
        self.accounts.end(account, width);
        self.in_use.end(&self.settings, &membership, width);
    }

    fn enqueue(&mut self, view: View<'_>, job: JobHandle, decision: &mut Decision) {
        let seen = view.job(job);
        let (width, submit) = (seen.tasks(), seen.submit());
        let estimate = seen.estimate().unwrap_or(SimSpan::MAX);
        let account = self.accounts.of_job(seen.user(), seen.origin());
        let membership = Membership::new(&self.settings, seen.user(), seen.origin());
        if width > self.nodes || !membership.admits(&self.settings, width, estimate) {
            return decision.reject(job);
        }
        let Membership { qos, partition, .. } = membership;
        let rank = Rank::new(&self.settings, self.nodes, width, submit, qos, partition);
        let priority = rank.at(view.now(), self.accounts.fair_share(account), &self.settings);
        let sequence = seen.sequence();
        let is_paused = false;
        self.insert(Waiting {
            job,
            sequence,
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

    fn start(&mut self, now: SimTime, job: &Waiting, decision: &mut Decision) {
        let Waiting { width, account, membership, .. } = *job;
        self.places.take_lowest(width, &mut self.placement);
        let on = self.placement.iter().copied();
        if job.is_paused {
            decision.resume(job.job, on, Yield::ONE);
        } else {
            decision.start(job.job, on, Yield::ONE);
        }
        self.free -= width;
        self.accounts.start(account, width);
        self.in_use.start(&self.settings, &membership, width);
        let end = now.saturating_add(job.estimate);
        self.running.insert(job.job, Running { job: *job, since: now, end });
    }

    /// A running job as backfilling sees it.
    fn leaving(&self, now: SimTime, job: &Running) -> Leaving {
        let end = if job.end <= now { now + OVERRUN } else { job.end };
        Leaving { end: SimTime::from_micros(self.rounded(end.micros())), width: job.job.width }
    }

    /// For how long backfilling plans a job: so that it would end at a rounded moment if it began now.
    fn planned(&self, now: SimTime, estimate: SimSpan) -> SimSpan {
        SimTime::from_micros(self.rounded(now.saturating_add(estimate).micros())).since(now)
    }

    fn rounded(&self, micros: u64) -> u64 {
        match SimSpan::from_secs(self.settings.backfill.resolution_s).micros() {
            0 => micros,
            step => micros.div_ceil(step).saturating_mul(step),
        }
    }

    fn backfills(&self, now: SimTime) -> bool {
        let interval = SimSpan::from_secs(self.settings.backfill.interval_s).micros();
        self.rule != Rule::Fcfs && (interval == 0 || now.micros().is_multiple_of(interval))
    }

    /// The plan when the first job does not start.
    fn plan(&self, now: SimTime, head: &Waiting) -> Plan {
        let running = self.running.values().map(|job| self.leaving(now, job));
        match self.rule {
            Rule::Conservative => Plan::of_all(now, self.nodes, running),
            Rule::Fcfs | Rule::Easy => Plan::of_head(now, self.free, head.width, running),
        }
    }

    /// Lets running jobs make room for one that could not start; whether it can now.
    fn make_room(
        &mut self,
        view: View<'_>,
        job: &Waiting,
        planned: Planned,
        plan: &mut Option<Plan>,
        decision: &mut Decision,
    ) -> bool {
        let now = view.now();
        let Some(preemption) = &self.preemption else { return false };
        let candidates = preemption.candidates(now, &job.membership, &self.running);
        let suffices = |leaving: &[Running]| {
            let free = self.free + leaving.iter().map(|other| other.job.width).sum::<u32>();
            let Some(plan) = plan.as_ref() else { return job.width <= free };
            let mut without = plan.clone();
            leaving.iter().for_each(|other| without.leave(now, self.leaving(now, other)));
            without.earliest(now, free, planned) == now
        };
        let Some(leaving) = needed(&candidates, suffices) else { return false };
        for other in leaving {
            if let Some(plan) = plan {
                plan.leave(now, self.leaving(now, &other));
            }
            self.preempt(view, other.job, decision);
        }
        true
    }

    /// Takes a running job off its nodes.
    fn preempt(&mut self, view: View<'_>, mut job: Waiting, decision: &mut Decision) {
        let mode = self.preemption.as_ref().map_or(PreemptMode::Off, |it| it.mode(&job.membership));
        match mode {
            PreemptMode::Off => return,
            PreemptMode::Requeue => decision.requeue(job.job),
            PreemptMode::Cancel => decision.lose(job.job),
            PreemptMode::Suspend => decision.pause(job.job),
        }
        self.leave(view, job.job);
        if mode != PreemptMode::Cancel {
            let fair_share = self.accounts.fair_share(job.account);
            job.priority = job.rank.at(view.now(), fair_share, &self.settings);
            self.preempted.push(job);
        }
    }

    /// Jobs that were preempted are in the queue once the decision is made.
    fn requeue(&mut self, view: View<'_>) {
        for mut job in std::mem::take(&mut self.preempted) {
            let seen = view.job(job.job);
            job.estimate = seen.remaining_estimate().unwrap_or(SimSpan::MAX);
            job.is_paused = seen.state() == JobState::Paused;
            self.insert(job);
        }
    }

    /// Starts what can start.
    fn pass(&mut self, view: View<'_>, decision: &mut Decision) {
        let now = view.now();
        let queue = std::mem::take(&mut self.queue);
        let backfills = self.backfills(now);
        let window = SimSpan::from_secs(self.settings.backfill.window_s);
        let horizon = if window.is_zero() { SimTime::MAX } else { now.saturating_add(window) };
        let mut left = self.settings.backfill.max_job_test.unwrap_or(u32::MAX);
        let mut plan: Option<Plan> = None;
        let mut waiting = queue.iter();
        for job in waiting.by_ref() {
            if self.in_use.holds(&self.settings, &job.membership, job.width) {
                self.queue.push(*job);
                continue;
            }
            let planned = Planned { width: job.width, span: self.planned(now, job.estimate) };
            let earliest = match &plan {
                None if job.width <= self.free => now,
                None => SimTime::MAX,
                Some(plan) => plan.earliest(now, self.free, planned),
            };
            if earliest == now || self.make_room(view, job, planned, &mut plan, decision) {
                if let Some(plan) = &mut plan {
                    plan.start(now, planned);
                }
                self.start(now, job, decision);
            } else {
                let earliest = match &plan {
                    Some(_) => earliest,
                    None => plan.insert(self.plan(now, job)).earliest(now, self.free, planned),
                };
                if let Some(plan) = plan.as_mut().filter(|_| earliest <= horizon) {
                    plan.reserve(earliest, planned);
                }
                self.queue.push(*job);
            }
            left -= u32::from(plan.is_some());
            let none_can = self.free == 0 && self.preemption.is_none();
            if plan.is_some() && (!backfills || left == 0 || none_can) {
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
        for &job in situation.completed {
            self.leave(view, job);
        }
        if let Some(multiple) = multiple {
            self.rank(multiple);
        }
        for &job in situation.submitted {
            self.enqueue(view, job, decision);
        }
        self.pass(view, decision);
        if let Some(time) = self.next_decision(now) {
            decision.wake_at(time);
        }
    }
}
