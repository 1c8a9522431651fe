//! The queue in the order of priorities, and how far backfilling goes in it.

use super::BatchRule;
use super::backfilling::Backfilling;
use super::check::{Cluster, Decision, Discipline, Verdict};
use super::queue::Waiting;
use crate::job::Job;
use crate::priority::{Limits, ONE, Usage, fraction};
use crate::profile::Profile;
use dfrsim_model::SimTime;
use dfrsim_model::priority::{JobClass, Priorities};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Which jobs may overtake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RuleOfOrder {
    Fcfs,
    Easy,
    Conservative,
}

impl RuleOfOrder {
    pub(super) fn of(discipline: &Discipline) -> RuleOfOrder {
        match discipline {
            Discipline::Backfilling(Backfilling::None) => RuleOfOrder::Fcfs,
            Discipline::Backfilling(Backfilling::AroundHead) | Discipline::Spare(_) => RuleOfOrder::Easy,
            Discipline::Conservative(_) => RuleOfOrder::Conservative,
        }
    }
}

/// What is known of a waiting job.
#[derive(Debug)]
struct Known {
    account: crate::priority::Account,
    classes: Vec<usize>,
    user: Option<u32>,
    /// The weighted factors that do not change.
    fixed: u128,
    submit: u64,
    priority: u128,
    can_never_run: bool,
}

/// Follows priorities and limits.
#[derive(Debug)]
pub(super) struct ByPriority {
    settings: Priorities,
    nodes: u32,
    usage: Usage,
    limits: Limits,
    known: BTreeMap<u64, Known>,
    /// Jobs that have no priority yet.
    arrived: Vec<u64>,
}

impl ByPriority {
    pub(super) fn new(settings: &Priorities, nodes: u32) -> ByPriority {
        ByPriority {
            settings: settings.clone(),
            nodes,
            usage: Usage::new(settings),
            limits: Limits::new(settings),
            known: BTreeMap::new(),
            arrived: Vec::new(),
        }
    }

    pub(super) fn submit(&mut self, number: u64, job: &Job) {
        // Periods that are over by now are counted without the account that comes with the job.
        self.count(job.submit);
        let account = self.usage.account(job);
        let classes = self.limits.classes_of(job);
        let can_never_run = self.limits.never(&classes, job).is_some();
        let weights = self.settings.weights;
        let width = fraction(job.tasks.into(), self.nodes.into()).min(ONE);
        let size = if self.settings.favor_small { ONE - width } else { width };
        let is_qos = |at: &&usize| **at < self.settings.qos.len();
        let qos = classes.iter().find(is_qos).copied();
        let partition = classes.iter().find(|at| !is_qos(at)).map(|&at| at - self.settings.qos.len());
        let fixed = u128::from(weights.size) * size
            + u128::from(weights.qos) * factor(&self.settings.qos, qos)
            + u128::from(weights.partition) * factor(&self.settings.partitions, partition);
        let (user, submit) = (job.user, job.submit);
        let known = Known { account, classes, user, fixed, submit, priority: 0, can_never_run };
        self.known.insert(number, known);
        self.arrived.push(number);
    }

    /// A job was rejected; whether a limit is the reason.
    pub(super) fn reject(&mut self, number: u64) -> bool {
        self.known.remove(&number).is_some_and(|known| known.can_never_run)
    }

    pub(super) fn end(&mut self, number: u64, now: u64) {
        self.usage.end(number, now);
        self.limits.end(number);
    }

    /// Computes the priority of a job at a moment.
    fn rank(&mut self, number: u64, at: u64) {
        let Some(known) = self.known.get_mut(&number) else { return };
        let most = u128::from(self.settings.max_age_s) * 1_000_000;
        let age = fraction(u128::from(at.saturating_sub(known.submit)).min(most), most);
        let weights = self.settings.weights;
        let fair_share = self.usage.fair_share(&known.account);
        let changing = u128::from(weights.age) * age + u128::from(weights.fair_share) * fair_share;
        known.priority = (known.fixed + changing) / ONE;
    }

    /// Goes on to a moment before its jobs come.
    fn count(&mut self, now: u64) {
        if let Some(multiple) = self.usage.count(now) {
            let waiting: Vec<u64> = self.known.keys().copied().collect();
            waiting.into_iter().for_each(|job| self.rank(job, multiple));
        }
    }

    /// When the policy decides next if no event comes before.
    pub(super) fn next_decision(&self, now: u64, rule: RuleOfOrder, queue: &[Waiting]) -> Option<u64> {
        if queue.is_empty() {
            return None;
        }
        let weights = self.settings.weights;
        let interval = self.settings.backfill.interval_s.saturating_mul(1_000_000);
        let ranked = (weights.age > 0 || weights.fair_share > 0).then(|| self.usage.multiple_after(now));
        let backfilled = (rule != RuleOfOrder::Fcfs && interval > 0)
            .then(|| (now / interval + 1).saturating_mul(interval));
        ranked.into_iter().chain(backfilled).min()
    }

    fn rounded(&self, moment: u64) -> u64 {
        match self.settings.backfill.resolution_s.saturating_mul(1_000_000) {
            0 => moment,
            step => moment.div_ceil(step).saturating_mul(step),
        }
    }

    /// Judges a decision, and takes it in.
    pub(super) fn decide(
        &mut self,
        now: u64,
        rule: RuleOfOrder,
        cluster: &mut Cluster,
        queue: &mut Vec<Waiting>,
        mut starting: Vec<u64>,
    ) -> Vec<Verdict> {
        self.count(now);
        for job in std::mem::take(&mut self.arrived) {
            self.rank(job, now);
        }
        let mut verdicts = Vec::new();
        queue.retain(|job| {
            let is_limited = self.known.get(&job.job).is_some_and(|known| known.can_never_run);
            if is_limited {
                match starting.iter().position(|&it| it == job.job) {
                    Some(at) => {
                        starting.remove(at);
                        cluster.start(job, now);
                    }
                    None => verdicts.push((job.job, BatchRule::LimitIgnored)),
                }
                self.known.remove(&job.job);
            }
            !is_limited
        });
        queue.sort_by_key(|job| (Reverse(self.known.get(&job.job).map_or(0, |it| it.priority)), job.job));
        // Backfilling plans with rounded ends.
        let mut planned = cluster.clone();
        for running in planned.running.values_mut() {
            running.end = self.rounded(running.expected_end(now));
        }
        let mut eligible = Vec::with_capacity(queue.len());
        let mut started = Vec::new();
        for job in queue.iter() {
            let Some(known) = self.known.get(&job.job) else { continue };
            let is_held = self.limits.broken(&known.classes, known.user, job.width).is_some();
            let starts = starting.contains(&job.job);
            let end = self.rounded(now.saturating_add(job.estimate));
            let rounded = Waiting { estimate: end - now, ..*job };
            if starts {
                started.push(*job);
                self.limits.take(job.job, known.classes.clone(), known.user, job.width);
                if is_held {
                    planned.start(&rounded, now);
                    starting.retain(|&it| it != job.job);
                }
            }
            if !is_held {
                eligible.push(rounded);
            }
        }
        let interval = self.settings.backfill.interval_s.saturating_mul(1_000_000);
        let is_due = interval == 0 || now.is_multiple_of(interval);
        let rule = if is_due { rule } else { RuleOfOrder::Fcfs };
        let head = eligible.iter().position(|job| !starting.contains(&job.job));
        let most = self.settings.backfill.max_job_test.unwrap_or(u32::MAX);
        if let Some(head) = head.filter(|_| rule != RuleOfOrder::Fcfs) {
            eligible.truncate(head.saturating_add(most as usize));
        }
        let decision =
            &mut Decision { now, cluster: &mut planned, starting: &mut starting, verdicts: &mut verdicts };
        match rule {
            RuleOfOrder::Fcfs => Backfilling::None.decide(&eligible, decision),
            RuleOfOrder::Easy => Backfilling::AroundHead.decide(&eligible, decision),
            RuleOfOrder::Conservative => self.decide_by_plan(&eligible, decision),
        }
        verdicts.extend(starting.into_iter().map(|job| (job, BatchRule::TooDeep { most })));
        for job in started {
            cluster.start(&job, now);
            if let Some(known) = self.known.remove(&job.job) {
                self.usage.start(job.job, known.account, job.width, now);
            }
        }
        queue.retain(|job| !cluster.running.contains_key(&job.job));
        verdicts
    }

    /// Judges a decision of CONS: each job starts when the jobs before it leave it room.
    fn decide_by_plan(&self, queue: &[Waiting], decision: &mut Decision<'_>) {
        let now = decision.now;
        let mut profile = Profile::of_running(decision.cluster.nodes, now, &decision.cluster.ends(now));
        let window = self.settings.backfill.window_s.saturating_mul(1_000_000);
        for job in queue {
            let reserved = profile.earliest(job.width, job.estimate);
            let expected = reserved == now;
            let starts = decision.judge(job, expected, || match expected {
                true => BatchRule::ReservationMissed,
                false => BatchRule::BeforeReservation { reserved: SimTime::from_micros(reserved) },
            });
            let start = if starts { now } else { reserved };
            let is_planned = window == 0 || start <= now.saturating_add(window);
            if is_planned && start < u64::MAX {
                profile.take(start, start.saturating_add(job.estimate), job.width);
            }
        }
    }
}

/// The priority of a class as a part of the largest one.
fn factor(classes: &[JobClass], of: Option<usize>) -> u128 {
    let most = classes.iter().map(|class| class.priority).max().unwrap_or(0);
    of.map_or(0, |of| fraction(classes[of].priority.into(), most.into()))
}
