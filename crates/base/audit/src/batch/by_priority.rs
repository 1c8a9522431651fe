//! The queue in the order of priorities, and how far backfilling goes in it.

use super::BatchRule;
use super::backfilling::Backfilling;
use super::check::{Cluster, Decision, Discipline, Verdict};
use super::outages::{NodeByNode, Starting};
use super::placing::Placing;
use super::preemption::{Candidate, Preempted, Preemption};
use super::queue::Waiting;
use crate::job::Job;
use crate::priority::{Limits, ONE, Usage, fraction};
use crate::profile::Profile;
use dfrsim_model::SimTime;
use dfrsim_model::priority::{JobClass, PreemptMode, Priorities};
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

/// What is known of a job.
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

/// A decision that is judged.
struct Moment {
    now: u64,
    rule: RuleOfOrder,
    starting: Vec<u64>,
    preempted: Vec<Preempted>,
    verdicts: Vec<Verdict>,
}

/// The jobs of a decision that no limit holds back, with rounded estimates.
struct Eligible {
    jobs: Vec<Waiting>,
    /// Those that start though a limit holds them back.
    held: Vec<Waiting>,
    /// All that start, as they are.
    started: Vec<Waiting>,
}

/// Follows priorities and limits.
#[derive(Debug)]
pub(super) struct ByPriority {
    settings: Priorities,
    nodes: u32,
    usage: Usage,
    limits: Limits,
    known: BTreeMap<u64, Known>,
    /// The running jobs, with the moments at which they started.
    running: BTreeMap<u64, (Known, u64)>,
    preemption: Option<Preemption>,
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
            running: BTreeMap::new(),
            preemption: Preemption::new(settings),
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
        self.running.remove(&number);
    }

    /// A node of a running job went down: it waits again from this moment on, or is lost.
    pub(super) fn interrupt(&mut self, number: u64, now: u64, is_lost: bool) {
        let known = self.running.remove(&number);
        self.end(number, now);
        if let Some((known, _)) = known.filter(|_| !is_lost) {
            self.known.insert(number, known);
            self.arrived.push(number);
        }
    }

    /// Whether jobs may have to make room for others.
    pub(super) fn preempts(&self) -> bool {
        self.preemption.is_some()
    }

    /// What is wrong with a job that makes room, apart from the job for which it does.
    pub(super) fn preempted(&self, number: u64, now: u64, mode: PreemptMode) -> Option<BatchRule> {
        let (Some(preemption), Some((known, since))) = (&self.preemption, self.running.get(&number)) else {
            return Some(BatchRule::NotPreemptable);
        };
        preemption.fault(preemption.class(&known.classes), *since, now, mode)
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
        let candidate = self.preemption.as_ref().and_then(|preemption| {
            let class = |job: &Waiting| preemption.class(&self.known.get(&job.job)?.classes);
            let waiting: Vec<usize> = queue.iter().filter_map(class).collect();
            let running = self
                .running
                .values()
                .filter_map(|(it, since)| Some((preemption.class(&it.classes)?, *since)));
            preemption.next(now, &waiting, running)
        });
        ranked.into_iter().chain(backfilled).chain(candidate).min()
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
        preempted: Vec<Preempted>,
    ) -> Vec<Verdict> {
        let (mut verdicts, limited) = self.begin(now, queue, &mut starting);
        limited.iter().for_each(|job| cluster.start(job, now));
        let rule = self.rule_of(now, rule);
        if self.preempts() {
            let moment = Moment { now, rule, starting, preempted, verdicts };
            return self.decide_with_preemption(moment, cluster, queue);
        }
        // Backfilling plans with rounded ends.
        let mut planned = cluster.clone();
        for running in planned.running.values_mut() {
            running.end = self.rounded(running.expected_end(now));
        }
        let Eligible { jobs, held, started } = self.eligible(now, rule, queue, &mut starting);
        held.iter().for_each(|job| planned.start(job, now));
        let decision =
            &mut Decision { now, cluster: &mut planned, starting: &mut starting, verdicts: &mut verdicts };
        match rule {
            RuleOfOrder::Fcfs => Backfilling::None.decide(&jobs, decision),
            RuleOfOrder::Easy => Backfilling::AroundHead.decide(&jobs, decision),
            RuleOfOrder::Conservative => self.decide_by_plan(&jobs, decision),
        }
        verdicts.extend(starting.into_iter().map(|job| (job, self.too_deep())));
        for job in started {
            cluster.start(&job, now);
            self.take(&job, now);
        }
        queue.retain(|job| !cluster.running.contains_key(&job.job));
        verdicts
    }

    /// The same where nodes go down or differ. Of CONS it is checked that it tries no more jobs than it may and that none reaches into
    /// a window.
    pub(super) fn decide_by_node(
        &mut self,
        now: u64,
        (rule, placing): (RuleOfOrder, Placing),
        by_node: &mut NodeByNode,
        queue: &mut Vec<Waiting>,
        starting: &[Starting<'_>],
    ) -> Vec<Verdict> {
        let mut numbers: Vec<u64> = starting.iter().map(|start| start.job).collect();
        let (mut verdicts, limited) = self.begin(now, queue, &mut numbers);
        let rule = self.rule_of(now, rule);
        let Eligible { jobs, held, started } = self.eligible(now, rule, queue, &mut numbers);
        let mut planned = by_node.rounded(now, |moment| self.rounded(moment));
        let nodes_of =
            |job: &Waiting| starting.iter().find(|it| it.job == job.job).map_or(&[][..], |it| it.nodes);
        for job in limited.iter().chain(&held) {
            planned.start(now, job, nodes_of(job));
        }
        let is_tried = |job: &u64| jobs.iter().any(|tried| tried.job == *job);
        verdicts.extend(numbers.iter().filter(|job| !is_tried(job)).map(|&job| (job, self.too_deep())));
        let tried: Vec<Starting<'_>> = starting.iter().copied().filter(|it| is_tried(&it.job)).collect();
        match rule {
            RuleOfOrder::Conservative => planned.take(now, &jobs, &tried, &mut verdicts),
            _ => planned.decide(now, &jobs, (rule == RuleOfOrder::Easy, placing), &tried, &mut verdicts),
        }
        for job in limited.iter().chain(&started) {
            by_node.start(now, job, nodes_of(job));
            self.take(job, now);
        }
        queue.retain(|job| !by_node.is_running(job.job));
        verdicts
    }

    /// Goes on to a moment, and orders its queue. The faults of jobs that can never run, which leave the queue, and those of them that start
    /// all the same.
    fn begin(
        &mut self,
        now: u64,
        queue: &mut Vec<Waiting>,
        starting: &mut Vec<u64>,
    ) -> (Vec<Verdict>, Vec<Waiting>) {
        self.count(now);
        for job in std::mem::take(&mut self.arrived) {
            self.rank(job, now);
        }
        let (mut verdicts, mut limited) = (Vec::new(), Vec::new());
        queue.retain(|job| {
            let is_limited = self.known.get(&job.job).is_some_and(|known| known.can_never_run);
            if is_limited {
                match starting.iter().position(|&it| it == job.job) {
                    Some(at) => {
                        starting.remove(at);
                        limited.push(*job);
                    }
                    None => verdicts.push((job.job, BatchRule::LimitIgnored)),
                }
                self.known.remove(&job.job);
            }
            !is_limited
        });
        queue.sort_by_key(|job| (Reverse(self.known.get(&job.job).map_or(0, |it| it.priority)), job.job));
        (verdicts, limited)
    }

    /// Between the multiples of its interval no job is backfilled.
    fn rule_of(&self, now: u64, rule: RuleOfOrder) -> RuleOfOrder {
        let interval = self.settings.backfill.interval_s.saturating_mul(1_000_000);
        if interval == 0 || now.is_multiple_of(interval) { rule } else { RuleOfOrder::Fcfs }
    }

    fn too_deep(&self) -> BatchRule {
        BatchRule::TooDeep { most: self.settings.backfill.max_job_test.unwrap_or(u32::MAX) }
    }

    /// The jobs that are tried, as no limit holds them back; of those that start, the ones that a limit holds back are taken away.
    fn eligible(
        &mut self,
        now: u64,
        rule: RuleOfOrder,
        queue: &[Waiting],
        starting: &mut Vec<u64>,
    ) -> Eligible {
        let (mut jobs, mut held, mut started) = (Vec::with_capacity(queue.len()), Vec::new(), Vec::new());
        for job in queue {
            let Some(known) = self.known.get(&job.job) else { continue };
            let is_held = self.limits.broken(&known.classes, known.user, job.width).is_some();
            let starts = starting.contains(&job.job);
            let end = self.rounded(now.saturating_add(job.estimate));
            let rounded = Waiting { estimate: end - now, ..*job };
            if starts {
                started.push(*job);
                self.limits.take(job.job, known.classes.clone(), known.user, job.width);
                if is_held {
                    held.push(rounded);
                    starting.retain(|&it| it != job.job);
                }
            }
            if !is_held {
                jobs.push(rounded);
            }
        }
        let head = jobs.iter().position(|job| !starting.contains(&job.job));
        let most = self.settings.backfill.max_job_test.unwrap_or(u32::MAX);
        if let Some(head) = head.filter(|_| rule != RuleOfOrder::Fcfs) {
            jobs.truncate(head.saturating_add(most as usize));
        }
        Eligible { jobs, held, started }
    }

    /// A job uses its nodes from now on; its limits are counted already.
    fn take(&mut self, job: &Waiting, now: u64) {
        if let Some(known) = self.known.remove(&job.job) {
            self.usage.start(job.job, known.account.clone(), job.width, now);
            self.running.insert(job.job, (known, now));
        }
    }

    /// Judges a decision in which jobs may make room for others, job by job in the order of the queue, on a plan of all running ones:
    /// EASY keeps the nodes of the first job that waits from the moment on at which it can start, CONS those of all.
    fn decide_with_preemption(
        &mut self,
        moment: Moment,
        cluster: &mut Cluster,
        queue: &mut Vec<Waiting>,
    ) -> Vec<Verdict> {
        let Moment { now, rule, mut starting, mut preempted, mut verdicts } = moment;
        let Some(preemption) = self.preemption.take() else { return verdicts };
        let end_of = |by: &ByPriority, job: &super::check::Running| by.rounded(job.expected_end(now));
        let mut profile = Profile::new(cluster.nodes, now);
        for running in cluster.running.values() {
            profile.take(now, end_of(self, running), running.width);
        }
        let window = self.settings.backfill.window_s.saturating_mul(1_000_000);
        let most = self.settings.backfill.max_job_test.unwrap_or(u32::MAX);
        let (mut left, mut head) = (most, None);
        let mut waiting_again = Vec::new();
        for job in queue.clone() {
            let Some(known) = self.known.get(&job.job) else { continue };
            let class = preemption.class(&known.classes);
            let is_held = self.limits.broken(&known.classes, known.user, job.width).is_some();
            let starts =
                starting.iter().position(|&it| it == job.job).map(|at| starting.remove(at)).is_some();
            let planned = Waiting { estimate: self.rounded(now.saturating_add(job.estimate)) - now, ..job };
            let reserved = profile.earliest(job.width, planned.estimate);
            if !is_held {
                let running = cluster.running.iter().filter_map(|(&number, running)| {
                    let (known, since) = self.running.get(&number)?;
                    let class = preemption.class(&known.classes)?;
                    let (end, width) = (end_of(self, running), running.width);
                    Some(Candidate { job: number, class, since: *since, end, width })
                });
                let making_room = match (rule, head) {
                    (RuleOfOrder::Fcfs, Some(_)) => None,
                    _ if reserved == now => Some(Vec::new()),
                    _ => preemption.expected(now, class, &planned, running, &profile),
                };
                let (free, width) = (cluster.free(), job.width);
                let verdict = match (&making_room, starts, head) {
                    (Some(_), true, _) | (None, false, _) => None,
                    (None, true, Some(head)) if rule == RuleOfOrder::Fcfs => {
                        Some(BatchRule::OutOfTurn { head })
                    }
                    (None, true, _) if width > free => Some(BatchRule::NoRoom { width, free }),
                    (None, true, _) => {
                        Some(BatchRule::DelaysOthers { earliest: SimTime::from_micros(reserved) })
                    }
                    (Some(others), false, _) if !others.is_empty() => {
                        Some(BatchRule::CouldPreempt { first: others[0].job, others: others.len() - 1 })
                    }
                    (Some(_), false, None) => Some(BatchRule::HeadWaits { free, width }),
                    (Some(_), false, Some(head)) => Some(BatchRule::NotBackfilled { free, width, head }),
                };
                verdicts.extend(verdict.map(|rule| (job.job, rule)));
                for other in making_room.filter(|_| starts).into_iter().flatten() {
                    let Some(at) = preempted.iter().position(|it| it.job == other.job) else {
                        verdicts.push((other.job, BatchRule::NotPreempted { by: job.job }));
                        continue;
                    };
                    profile.give_back(now, other.end, other.width);
                    waiting_again.extend(self.leave(preempted.remove(at), now, cluster));
                }
            }
            if starts {
                profile.take(now, now.saturating_add(planned.estimate), job.width);
                self.start(&job, now, cluster);
            } else if !is_held {
                let is_first = head.is_none();
                head.get_or_insert(job.job);
                let start = profile.earliest(job.width, planned.estimate);
                let is_planned = window == 0 || start <= now.saturating_add(window);
                match rule {
                    RuleOfOrder::Easy if is_first => {
                        let shadow = profile.earliest(job.width, u64::MAX);
                        profile.take(shadow, u64::MAX, job.width);
                    }
                    RuleOfOrder::Conservative if is_planned && start < u64::MAX => {
                        profile.take(start, start.saturating_add(planned.estimate), job.width);
                    }
                    _ => {}
                }
            }
            left -= u32::from(head.is_some() && !is_held);
            if left == 0 {
                break;
            }
        }
        // Those behind the jobs that are tried.
        for job in starting {
            verdicts.push((job, BatchRule::TooDeep { most }));
            if let Some(job) = queue.iter().find(|it| it.job == job) {
                self.start(job, now, cluster);
            }
        }
        for other in preempted {
            verdicts.push((other.job, BatchRule::PreemptedForNone));
            waiting_again.extend(self.leave(other, now, cluster));
        }
        queue.retain(|job| !cluster.running.contains_key(&job.job));
        queue.extend(waiting_again);
        self.preemption = Some(preemption);
        verdicts
    }

    /// Takes in a start.
    fn start(&mut self, job: &Waiting, now: u64, cluster: &mut Cluster) {
        cluster.start(job, now);
        if let Some(known) = self.known.get(&job.job) {
            self.limits.take(job.job, known.classes.clone(), known.user, job.width);
        }
        self.take(job, now);
    }

    /// Takes a job off its nodes that makes room; as what it waits again.
    fn leave(&mut self, preempted: Preempted, now: u64, cluster: &mut Cluster) -> Option<Waiting> {
        let number = preempted.job;
        cluster.end(number);
        self.usage.end(number, now);
        self.limits.end(number);
        let (known, _) = self.running.remove(&number)?;
        let waits = preempted.waits?;
        self.known.insert(number, known);
        self.rank(number, now);
        Some(waits)
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
