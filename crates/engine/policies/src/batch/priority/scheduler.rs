//! The queue by priority, and what starts.

use super::accounts::{AccountIndex, Accounts};
use super::factors::Rank;
use super::limits::{InUse, Membership};
use crate::batch::free_nodes::FreeNodes;
use crate::batch::{OVERRUN, Place, Profile};
use dfrsim_cluster::{Decision, JobHandle, NodeRange, Scheduler, Situation, View};
use dfrsim_model::priority::Priorities;
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

#[derive(Clone, Copy, Debug)]
struct Waiting {
    job: JobHandle,
    sequence: u64,
    width: u32,
    estimate: SimSpan,
    account: AccountIndex,
    membership: Membership,
    rank: Rank,
    priority: u64,
}

#[derive(Clone, Copy, Debug)]
struct Running {
    /// The end of its estimate.
    end: SimTime,
    width: u32,
    account: AccountIndex,
    membership: Membership,
}

/// What a job that is backfilled must not delay.
enum Plan {
    /// The first job that does not start can do so at `shadow`, and leaves this many nodes then.
    Head { shadow: SimTime, spare: u32 },
    /// All that run, and all that were planned.
    All(Profile),
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
    /// By decreasing priority, then submission.
    queue: Vec<Waiting>,
    running: BTreeMap<JobHandle, Running>,
    placement: Vec<NodeRange>,
}

impl PriorityScheduler {
    /// For a cluster of this many nodes, with settings that were checked.
    pub(crate) fn new(settings: Arc<Priorities>, rule: Rule, nodes: u32, place: Place) -> PriorityScheduler {
        PriorityScheduler {
            rule,
            nodes,
            places: FreeNodes::all(nodes, place),
            free: nodes,
            accounts: Accounts::new(&settings),
            in_use: InUse::new(&settings),
            queue: Vec::new(),
            running: BTreeMap::new(),
            placement: Vec::new(),
            settings,
        }
    }

    fn leave(&mut self, view: View<'_>, job: JobHandle) {
        let Some(Running { width, account, membership, .. }) = self.running.remove(&job) else { return };
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
        let new = Waiting { job, sequence, width, estimate, account, membership, rank, priority };
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
        self.places.take(width, &mut self.placement);
        decision.start(job.job, self.placement.iter().copied(), Yield::ONE);
        self.free -= width;
        self.accounts.start(account, width);
        self.in_use.start(&self.settings, &membership, width);
        let end = now.saturating_add(job.estimate);
        self.running.insert(job.job, Running { end, width, account, membership });
    }

    /// When backfilling takes a running job for ended.
    fn expected_end(&self, now: SimTime, job: &Running) -> SimTime {
        let end = if job.end <= now { now + OVERRUN } else { job.end };
        SimTime::from_micros(self.rounded(end.micros()))
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
        let ends = self.running.values().map(|job| (self.expected_end(now, job), job.width));
        if self.rule == Rule::Conservative {
            let mut profile = Profile::new(self.nodes);
            profile.clear(now);
            ends.for_each(|(end, width)| profile.reserve(now, end, width));
            return Plan::All(profile);
        }
        let mut ends: Vec<_> = ends.collect();
        ends.sort_unstable();
        let (mut shadow, mut free) = (now, self.free);
        for (end, width) in ends {
            // All that end in the same moment are free then.
            if free >= head.width && end > shadow {
                break;
            }
            free += width;
            shadow = end;
        }
        Plan::Head { shadow, spare: free.saturating_sub(head.width) }
    }

    /// Whether a job may start beside what is planned; if not, it is planned too, where the rule says so.
    fn fits(&self, now: SimTime, job: &Waiting, plan: &mut Plan) -> bool {
        let span = self.planned(now, job.estimate);
        let end = now.saturating_add(span);
        match plan {
            Plan::Head { shadow, spare } => {
                let in_time = end <= *shadow;
                let fits = job.width <= self.free && (in_time || job.width <= *spare);
                if fits && !in_time {
                    *spare -= job.width;
                }
                fits
            }
            Plan::All(profile) => {
                let start = profile.earliest(now, job.width, span);
                let window = SimSpan::from_secs(self.settings.backfill.window_s);
                let is_seen = window.is_zero() || start <= now.saturating_add(window);
                if is_seen && start < SimTime::MAX {
                    profile.reserve(start, start.saturating_add(span), job.width);
                }
                start == now
            }
        }
    }

    /// Starts what can start.
    fn pass(&mut self, now: SimTime, decision: &mut Decision) {
        let queue = std::mem::take(&mut self.queue);
        let backfills = self.backfills(now);
        let mut left = self.settings.backfill.max_job_test.unwrap_or(u32::MAX);
        let mut plan: Option<Plan> = None;
        let mut waiting = queue.iter();
        for job in waiting.by_ref() {
            if self.in_use.holds(&self.settings, &job.membership, job.width) {
                self.queue.push(*job);
                continue;
            }
            let starts = match &mut plan {
                None if job.width <= self.free => true,
                None => {
                    let mut made = self.plan(now, job);
                    if let Plan::All(_) = made {
                        self.fits(now, job, &mut made);
                    }
                    plan = Some(made);
                    false
                }
                Some(plan) => self.fits(now, job, plan),
            };
            if starts {
                self.start(now, job, decision);
            } else {
                self.queue.push(*job);
            }
            left -= u32::from(plan.is_some());
            if plan.is_some() && (!backfills || left == 0 || self.free == 0) {
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
        times.into_iter().flatten().min().filter(|_| !self.queue.is_empty())
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
        for &job in situation.completed {
            self.leave(view, job);
        }
        if let Some(multiple) = multiple {
            self.rank(multiple);
        }
        for &job in situation.submitted {
            self.enqueue(view, job, decision);
        }
        self.pass(now, decision);
        if let Some(time) = self.next_decision(now) {
            decision.wake_at(time);
        }
    }
}
