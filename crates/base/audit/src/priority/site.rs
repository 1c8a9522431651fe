//! Effects of a site's settings on its jobs: priorities, limits and preemption.

use super::account::Account;
use super::limits::{LimitUsage, Limits};
use super::usage::Usage;
use super::{ONE, fraction};
use crate::job::Job;
use crate::nodes::Kind;
use dfrsim_model::site::{JobClass, PreemptMode, SiteSettings, SizeFactor, VictimOrder};
use dfrsim_model::{SimTime, SortedMap};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;

/// State of a job. Times are in microseconds.
#[derive(Debug)]
struct TrackedJob {
    claim: LimitUsage,
    is_admitted: bool,
    account: Account,
    /// Usage charged per microsecond, in thousandths.
    bill: u128,
    /// Sum of the weighted factors that do not change.
    fixed: u128,
    tasks: u128,
    submit: u64,
    /// Time at which it last joined the queue.
    queued_at: u64,
    /// Time from which on it is eligible again after it lost its nodes.
    eligible_at: u64,
    /// Start of its current stay on nodes.
    since: Option<u64>,
    /// Index of the heterogeneous job of which it is a component.
    group: Option<usize>,
    /// End of the grace periods of the jobs that are preempted for it.
    grace_end: Option<u64>,
}

/// Priority system of a site: it follows its jobs.
#[derive(Debug)]
pub(crate) struct PrioritySystem {
    pub(crate) settings: SiteSettings,
    /// Range of the classes of the kind that defines preemption.
    preempting: Range<usize>,
    limits: Limits,
    usage: Usage,
    now: u64,
    /// Last boundary of the calculation period.
    last_boundary: u64,
    members: SortedMap<u64, TrackedJob>,
    /// Ends of the grace periods of running jobs that are being preempted.
    pub(crate) grace_ends: SortedMap<u64, u64>,
    /// Last preemptor of each job, until the preemptor starts.
    preemptors: BTreeMap<u64, u64>,
}

impl PrioritySystem {
    pub(crate) fn new(settings: &SiteSettings, kinds: &[Kind]) -> PrioritySystem {
        let limits = Limits::new(settings, kinds);
        let (qos, all) = (settings.qos.len(), limits.classes.len());
        let preempts =
            |range: &Range<usize>| limits.classes[range.clone()].iter().any(|it| !it.preempt.is_empty());
        let preempting = [0..qos, qos..all].into_iter().find(preempts).unwrap_or(0..0);
        let (settings, usage) = (settings.clone(), Usage::new(settings));
        let (members, grace_ends, preemptors) = Default::default();
        PrioritySystem {
            settings,
            preempting,
            limits,
            usage,
            now: 0,
            last_boundary: 0,
            members,
            grace_ends,
            preemptors,
        }
    }

    /// Advances usage and priorities to a time.
    pub(crate) fn advance(&mut self, now: u64) {
        self.now = now;
        self.last_boundary = self.usage.advance(now).unwrap_or(self.last_boundary);
    }
    /// Returns the time of the next change of priorities if no event comes before.
    pub(crate) fn next_ranks(&self, now: u64) -> Option<u64> {
        let weights = self.settings.weights;
        (weights.age > 0 || weights.fair_share > 0).then(|| self.usage.next_boundary(now))
    }
    /// Adds an arriving job; `gone` are jobs that have just left. Returns whether no class ever
    /// admits it.
    pub(crate) fn admit(&mut self, number: u64, job: &Job, now: u64, gone: &[u64]) -> bool {
        self.advance(now);
        let claim = self.limits.usage_of(job);
        let admitted = self.members.iter().filter(|(other, it)| it.is_admitted && !gone.contains(other));
        let others: Vec<&LimitUsage> = admitted.map(|(_, other)| &other.claim).collect();
        let is_admitted = self.limits.excluding_group(&claim).is_none()
            && !self.limits.exceeds_submit_limit(&claim, &others);
        let (account, fixed) =
            (self.usage.account(self.limits.account(&claim), job), self.fixed(&claim, job));
        let qos = self.settings.qos.len();
        let partition =
            claim.classes.iter().find(|&&at| at >= qos).map(|&at| &self.limits.classes[at].billing);
        let bill = self.limits.amounts.bill(job, &self.settings, partition);
        let (submit, joined, delayed, since) = (now, now, now, None);
        let group = self.settings.together.iter().position(|jobs| jobs.contains(&job.id));
        let member = TrackedJob {
            claim,
            is_admitted,
            account,
            bill,
            fixed,
            tasks: job.tasks.into(),
            submit,
            queued_at: joined,
            eligible_at: delayed,
            since,
            group,
            grace_end: None,
        };
        self.members.insert(number, member);
        !is_admitted
    }
    /// Sets the time of the first decision, before which jobs are charged nothing.
    pub(crate) fn take_over(&mut self, first_decision: u64) {
        self.usage.take_over(first_decision);
    }
    /// Records that a job starts, or stays on nodes.
    pub(crate) fn start(&mut self, number: u64, now: u64) {
        self.preemptors.retain(|_, by| *by != number);
        let Some(member) = self.members.get_mut(&number).filter(|it| it.since.is_none()) else { return };
        member.since = Some(now);
        self.usage.start(number, member.account.clone(), member.bill, now);
        self.limits.add(now, number, member.claim.clone());
    }
    /// Records that a job leaves its nodes, if it has any, and joins the queue.
    pub(crate) fn pause(&mut self, number: u64, now: u64) {
        let Some(member) = self.members.get_mut(&number).filter(|it| it.since.is_some()) else { return };
        (member.since, member.queued_at) = (None, now);
        self.grace_ends.remove(&number);
        self.usage.end(number, now);
        self.limits.end(number);
    }
    /// Starts the hold-off of a job that lost its nodes and waits.
    pub(crate) fn hold_off(&mut self, number: u64, now: u64) {
        let until = now.saturating_add(self.settings.requeue_delay_s.saturating_mul(1_000_000));
        self.members.get_mut(&number).into_iter().for_each(|member| member.eligible_at = until);
    }
    /// Iterates over the ends of hold-offs after `now`.
    pub(crate) fn hold_off_ends(&self, now: u64) -> impl Iterator<Item = u64> {
        self.members.values().iter().map(|member| member.eligible_at).filter(move |&until| until > now)
    }
    pub(crate) fn leave(&mut self, number: u64, now: u64) {
        self.pause(number, now);
        self.members.remove(&number);
        self.preemptors.remove(&number);
    }

    fn fixed(&self, claim: &LimitUsage, job: &Job) -> u128 {
        let (weights, qos, classes) = (self.settings.weights, self.settings.qos.len(), &self.limits.classes);
        let amounts = &self.limits.amounts;
        let part = |(own, all): (u128, u128)| fraction(own, all).min(ONE);
        let width = match self.settings.size {
            SizeFactor::Tasks => part(amounts.fraction_of_nodes(job)),
            SizeFactor::NodesAndCpus => amounts.requested_fractions(job).map(part).iter().sum::<u128>() / 2,
        };
        let size = if self.settings.favor_small { ONE - width } else { width };
        let factor = |of: Range<usize>| {
            let priority = |at: usize| u128::from(classes[at].priority);
            let own = claim.classes.iter().find(|at| of.contains(at)).map_or(0, |&at| priority(at));
            fraction(own, of.map(priority).max().unwrap_or(0))
        };
        // The tier dominates: all other terms together have fewer than 40 bits.
        let tier = claim.classes.iter().find(|&&at| at >= qos).map_or(1, |&at| classes[at].tier());
        (u128::from(tier) << 40) * ONE
            + u128::from(weights.size) * size
            + u128::from(weights.qos) * factor(0..qos)
            + u128::from(weights.partition) * factor(qos..classes.len())
            + self.tres(claim, job)
    }
    /// Computes the sum of the weighted fractions of its partition's resources that a job requests.
    fn tres(&self, claim: &LimitUsage, job: &Job) -> u128 {
        let qos = self.settings.qos.len();
        let partition =
            claim.classes.iter().find(|&&at| at >= qos).map(|&at| self.limits.classes[at].name.as_str());
        let of_one = |(name, weight): (&String, &u64)| {
            let (own, all) = self.limits.amounts.fraction_of_partition(job, name, partition);
            u128::from(*weight) * fraction(own, all).min(ONE)
        };
        self.settings.tres_weights.iter().map(of_one).sum()
    }
    /// Computes the priority of a job. Its age is that at the last boundary of the period or when it
    /// joined the queue.
    pub(crate) fn priority(&mut self, job: u64) -> u128 {
        let Some(member) = self.members.get(&job) else { return 0 };
        let waited = self.last_boundary.max(member.queued_at).saturating_sub(member.submit);
        let most = u128::from(self.settings.max_age_s) * 1_000_000;
        let age = fraction(u128::from(waited).min(most), most);
        let weights = self.settings.weights;
        let changing = u128::from(weights.age) * age
            + u128::from(weights.fair_share) * self.usage.fair_share(&member.account);
        (member.fixed + changing) / ONE
    }

    /// Returns the name of the job's partition.
    pub(crate) fn partition_name(&self, job: u64) -> Option<&str> {
        let partition = self.partition_and_user(job).0?;
        Some(&self.limits.classes[partition].name)
    }
    /// Returns the index of the job's partition, and its user.
    pub(crate) fn partition_and_user(&self, job: u64) -> (Option<usize>, Option<u32>) {
        let (claim, qos) = (self.members.get(&job).map(|member| &member.claim), self.settings.qos.len());
        let partition = claim.and_then(|claim| claim.classes.iter().copied().find(|&at| at >= qos));
        (partition, claim.and_then(|claim| claim.user))
    }
    /// Returns whether the job's partition allocates whole nodes.
    pub(crate) fn has_whole_nodes(&self, job: u64) -> bool {
        self.partition_and_user(job).0.is_some_and(|at| self.limits.classes[at].whole_nodes)
    }
    /// Returns the heterogeneous job of which a job is a component.
    pub(crate) fn group(&self, job: u64) -> Option<usize> {
        self.members.get(&job)?.group
    }
    /// Dissolves a heterogeneous job: its components start individually from now on.
    pub(crate) fn dissolve_group(&mut self, group: usize) {
        self.settings.together[group].clear();
        self.members.values_mut().filter(|it| it.group == Some(group)).for_each(|it| it.group = None);
    }
    /// Returns whether a limit blocks one of some jobs if those before it run.
    pub(crate) fn exceeds_limit_together(&mut self, jobs: &[u64]) -> bool {
        let mut taken = Vec::new();
        let is_held = jobs.iter().any(|&job| {
            let is_held = self.exceeds_limit(job);
            if let Some(member) = self.members.get(&job).filter(|_| !is_held) {
                self.limits.add(self.now, job, member.claim.clone());
                taken.push(job);
            }
            is_held
        });
        taken.into_iter().for_each(|job| self.limits.end(job));
        is_held
    }
    /// Returns whether a job is ineligible: after it lost its nodes, or because its preemptor is
    /// eligible and has not started.
    pub(crate) fn is_ineligible(&self, job: u64) -> bool {
        let for_other = |by: &u64| self.members.contains_key(by) && !self.exceeds_limit(*by);
        let is_delayed = |member: &TrackedJob| member.eligible_at > self.now;
        self.members.get(&job).is_some_and(is_delayed) || self.preemptors.get(&job).is_some_and(for_other)
    }
    /// Returns the reason for which a job must not start now, as a message.
    pub(crate) fn hold(&self, job: u64) -> Option<String> {
        let own = self.members.get(&job)?;
        if own.eligible_at > self.now {
            let until = SimTime::from_micros(own.eligible_at);
            return Some(format!("it starts, although it is held until {until} s after it lost its nodes"));
        }
        let preemptor = self.preemptors.get(&job).filter(|_| self.is_ineligible(job));
        let awaits = |by: &u64| format!("it starts before job {by}, for which it was preempted");
        preemptor.map(awaits).or_else(|| self.limits.exceeded_limit(self.now, &own.claim))
    }
    /// Returns whether a limit blocks a job, given the running jobs.
    pub(crate) fn exceeds_limit(&self, job: u64) -> bool {
        self.members.get(&job).is_some_and(|own| self.limits.exceeded_limit(self.now, &own.claim).is_some())
    }
    /// Returns whether a limit would block a job if others ran.
    pub(crate) fn exceeds_limit_with(&self, job: u64, others: &[u64]) -> bool {
        let mut beside = self.limits.without_jobs();
        for (other, member) in others.iter().filter_map(|other| Some((*other, self.members.get(other)?))) {
            beside.add(member.since.unwrap_or(self.now), other, member.claim.clone());
        }
        self.members.get(&job).is_some_and(|own| beside.exceeded_limit(self.now, &own.claim).is_some())
    }

    /// Returns the class of a job that is relevant for preemption.
    fn class(&self, member: &TrackedJob) -> Option<&JobClass> {
        let at = member.claim.classes.iter().find(|at| self.preempting.contains(at))?;
        Some(&self.limits.classes[*at])
    }
    /// Returns whether jobs of some classes can preempt others.
    pub(crate) fn preempts_any(&self) -> bool {
        !self.preempting.is_empty()
    }
    /// Returns whether the class of a job can preempt others.
    pub(crate) fn preempts(&self, job: u64) -> bool {
        let class = self.members.get(&job).and_then(|member| self.class(member));
        class.is_some_and(|class| !class.preempt.is_empty())
    }
    fn mode(&self, class: &JobClass) -> PreemptMode {
        class.preempt_mode.unwrap_or(self.settings.preempt_mode)
    }
    /// Returns the time for which jobs of a class are exempt from preemption, in microseconds.
    fn exempt(&self, class: &JobClass) -> u64 {
        let seconds = class.preempt_exempt_time_s.unwrap_or(self.settings.preempt_exempt_time_s);
        seconds.saturating_mul(1_000_000)
    }
    /// Starts the preemption of a job for another one; returns the end of its grace period, if it
    /// has one.
    pub(crate) fn start_grace_period(&mut self, now: u64, job: u64, waiting: u64) -> Option<u64> {
        self.preemptors.insert(job, waiting);
        let class = self.class(self.members.get(&job)?)?;
        let grace = class.grace_s.filter(|&grace| grace > 0 && self.mode(class) != PreemptMode::Suspend)?;
        let until = now.saturating_add(grace.saturating_mul(1_000_000));
        let until = *self.grace_ends.or_insert_with(job, || until);
        let awaits = &mut self.members.get_mut(&waiting)?.grace_end;
        *awaits = (*awaits).max(Some(until));
        Some(until)
    }
    /// Returns whether a job waits for the grace periods of the jobs that it preempts.
    pub(crate) fn waits_for_preemption(&self, now: u64, job: u64) -> bool {
        self.members.get(&job).and_then(|member| member.grace_end).is_some_and(|until| now <= until)
    }
    /// Returns whether a job can preempt another one that runs: the index of the other's class in
    /// the list of classes to preempt, the start of the other's stay on nodes, and the end of its
    /// exemption.
    fn preemption_rank(&self, other: u64, job: u64) -> Option<(usize, u64, u64)> {
        let (its, own) = (self.members.get(&other)?, self.members.get(&job)?);
        let class = self.class(its).filter(|class| self.mode(class) != PreemptMode::Off)?;
        let place = self.class(own)?.preempt.iter().position(|name| *name == class.name)?;
        Some((place, its.since?, its.since?.saturating_add(self.exempt(class))))
    }
    /// Returns the jobs that can be preempted for a job, in the order of preemption.
    pub(crate) fn candidates(&self, now: u64, job: u64, others: &[u64]) -> Vec<u64> {
        let found = others.iter().filter_map(|&other| Some((self.preemption_rank(other, job)?, other)));
        let may = found.filter(|((_, since, until), _)| *since < now && *until <= now);
        let mut may: Vec<((usize, u64, u64), u64)> = may.collect();
        match self.settings.victims {
            VictimOrder::Youngest => {
                may.sort_unstable_by_key(|&((place, since, _), other)| {
                    (place, Reverse(since), Reverse(other))
                });
            }
            VictimOrder::Smallest => {
                may.sort_unstable_by_key(|&(_, other)| (self.rank_as_victim(other), other));
            }
            VictimOrder::SlurmYoungest => {
                may.sort_unstable_by_key(|&((_, since, _), other)| (Reverse(since), other));
            }
        }
        may.into_iter().map(|(_, other)| other).collect()
    }
    /// Returns the tier of a running job's partition, or the priority of its QOS, and the number of its
    /// nodes, each with 16 bits.
    fn rank_as_victim(&self, job: u64) -> (u32, u128) {
        const MOST: u32 = 65_535;
        let Some(member) = self.members.get(&job) else { return (0, 0) };
        let is_by_qos = self.preempting.start == 0 && self.preempting.end == self.settings.qos.len();
        let of_class = |class: &JobClass| if is_by_qos { class.priority.min(MOST) } else { class.tier() };
        (self.class(member).map_or(0, of_class), member.tasks.min(MOST.into()))
    }
    /// Returns the end of the next exemption of a job that a waiting job could preempt.
    pub(crate) fn next_candidate(&self, now: u64) -> Option<u64> {
        let is_exempt = |it: &(&u64, &TrackedJob)| {
            self.class(it.1)
                .zip(it.1.since)
                .is_some_and(|(class, since)| since.saturating_add(self.exempt(class)) > now)
        };
        let waiting = || self.members.iter().filter(|it| it.1.since.is_none()).map(|it| *it.0);
        let until = |other: u64| waiting().find_map(move |job| Some(self.preemption_rank(other, job)?.2));
        self.members.iter().filter(is_exempt).filter_map(|it| until(*it.0)).min()
    }
    /// Checks the preemption of a job, irrespective of its preemptor; returns the violation as a
    /// message.
    pub(crate) fn check_preemption(&self, now: u64, job: u64, mode: PreemptMode) -> Option<String> {
        let all = &self.limits.classes[self.preempting.clone()];
        let is_named = |(class, _): &(&JobClass, u64)| all.iter().any(|it| it.preempt.contains(&class.name));
        let member = self.members.get(&job);
        let class = member.and_then(|member| Some((self.class(member)?, member.since?)));
        let Some((class, since)) = class.filter(is_named) else {
            return Some("it is preempted, but no class may preempt its class".to_owned());
        };
        let expected = self.mode(class);
        if expected != mode {
            return Some(format!("it is preempted by `{mode}`, but its class says `{expected}`"));
        }
        let [ran, exempt] = [now - since, self.exempt(class)].map(SimTime::from_micros);
        (ran < exempt).then(|| format!("it is preempted after {ran} s, but is exempt for {exempt} s"))
    }
    /// Returns the level of a job's class above the classes that preempt no other.
    pub(crate) fn level(&self, job: u64) -> u32 {
        let class = self.members.get(&job).and_then(|member| self.class(member));
        class.map_or(0, |class| self.level_of(class, &mut Vec::new()))
    }
    /// Computes one more than the maximum level of the classes that a class preempts, ignoring
    /// cycles.
    fn level_of<'a>(&'a self, class: &'a JobClass, path: &mut Vec<&'a str>) -> u32 {
        path.push(&class.name);
        let mut level = 0;
        for name in &class.preempt {
            let other = self.limits.classes[self.preempting.clone()].iter().find(|it| it.name == *name);
            let Some(other) = other.filter(|other| !path.contains(&other.name.as_str())) else { continue };
            level = level.max(self.level_of(other, path));
        }
        path.pop();
        if class.preempt.is_empty() { 0 } else { level + 1 }
    }
}
