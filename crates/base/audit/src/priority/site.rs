//! What the settings of a site say of its jobs: their ranks, who is held back, and who gives way to whom.

use super::account::Account;
use super::limits::{Claim, Limits};
use super::usage::Usage;
use super::{ONE, fraction};
use crate::job::Job;
use crate::nodes::Kind;
use dfrsim_model::priority::{JobClass, PreemptMode, Priorities, SizeFactor};
use dfrsim_model::{SimTime, SortedMap};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;

/// What the site knows of a job. Times in microseconds.
#[derive(Debug)]
struct Member {
    claim: Claim,
    is_admitted: bool,
    account: Account,
    /// What it uses of that, in thousandths.
    bill: u128,
    /// The weighted factors that do not change.
    fixed: u128,
    submit: u64,
    /// When it last joined the queue.
    joined: u64,
    /// Until when it is passed over after it lost its nodes.
    delayed: u64,
    /// Since when it is on nodes.
    since: Option<u64>,
    /// Which of the groups that start together it is of.
    group: Option<usize>,
    /// Up to when jobs that it warned to make room have nodes.
    awaits: Option<u64>,
}

/// Follows the jobs of a site.
#[derive(Debug)]
pub(crate) struct Site {
    pub(crate) settings: Priorities,
    /// The classes of the kind of which some preempt others.
    preempting: Range<usize>,
    limits: Limits,
    usage: Usage,
    now: u64,
    /// The last multiple of the period.
    multiple: u64,
    members: SortedMap<u64, Member>,
    /// When running jobs leave their nodes that were warned to make room.
    pub(crate) warned: SortedMap<u64, u64>,
    /// By job: the last one that warned it, until that one starts.
    warned_by: BTreeMap<u64, u64>,
}

impl Site {
    pub(crate) fn new(settings: &Priorities, kinds: &[Kind]) -> Site {
        let limits = Limits::new(settings, kinds);
        let (qos, all) = (settings.qos.len(), limits.classes.len());
        let preempts =
            |range: &Range<usize>| limits.classes[range.clone()].iter().any(|it| !it.preempt.is_empty());
        let preempting = [0..qos, qos..all].into_iter().find(preempts).unwrap_or(0..0);
        let (settings, usage) = (settings.clone(), Usage::new(settings));
        let (members, warned, warned_by) = Default::default();
        Site { settings, preempting, limits, usage, now: 0, multiple: 0, members, warned, warned_by }
    }

    /// Goes on to a moment.
    pub(crate) fn count(&mut self, now: u64) {
        self.now = now;
        self.multiple = self.usage.count(now).unwrap_or(self.multiple);
    }
    /// When priorities change next if no event comes before.
    pub(crate) fn next_ranks(&self, now: u64) -> Option<u64> {
        let weights = self.settings.weights;
        (weights.age > 0 || weights.fair_share > 0).then(|| self.usage.multiple_after(now))
    }
    /// A job arrives beside those that have not gone; whether its classes never admit it.
    pub(crate) fn admit(&mut self, number: u64, job: &Job, now: u64, gone: &[u64]) -> bool {
        self.count(now);
        let claim = self.limits.claim(job);
        let admitted = self.members.iter().filter(|(other, it)| it.is_admitted && !gone.contains(other));
        let others: Vec<&Claim> = admitted.map(|(_, other)| &other.claim).collect();
        let is_admitted =
            self.limits.never(&claim).is_none() && !self.limits.is_one_too_many(&claim, &others);
        let (account, fixed) =
            (self.usage.account(self.limits.account(&claim), job), self.fixed(&claim, job));
        let qos = self.settings.qos.len();
        let partition =
            claim.classes.iter().find(|&&at| at >= qos).map(|&at| &self.limits.classes[at].billing);
        let bill = self.limits.amounts.bill(job, &self.settings, partition);
        let (submit, joined, delayed, since) = (now, now, now, None);
        let group = self.settings.together.iter().position(|jobs| jobs.contains(&job.id));
        let member = Member {
            claim,
            is_admitted,
            account,
            bill,
            fixed,
            submit,
            joined,
            delayed,
            since,
            group,
            awaits: None,
        };
        self.members.insert(number, member);
        !is_admitted
    }
    /// A job comes to nodes, or stays there.
    pub(crate) fn start(&mut self, number: u64, now: u64) {
        self.warned_by.retain(|_, by| *by != number);
        let Some(member) = self.members.get_mut(&number).filter(|it| it.since.is_none()) else { return };
        member.since = Some(now);
        self.usage.start(number, member.account.clone(), member.bill, now);
        self.limits.take(now, number, member.claim.clone());
    }
    /// A job leaves its nodes, if it has any, and joins the queue.
    pub(crate) fn pause(&mut self, number: u64, now: u64) {
        let Some(member) = self.members.get_mut(&number).filter(|it| it.since.is_some()) else { return };
        (member.since, member.joined) = (None, now);
        self.warned.remove(&number);
        self.usage.end(number, now);
        self.limits.end(number);
    }
    /// A job lost its nodes, and waits.
    pub(crate) fn delay(&mut self, number: u64, now: u64) {
        let until = now.saturating_add(self.settings.requeue_delay_s.saturating_mul(1_000_000));
        self.members.get_mut(&number).into_iter().for_each(|member| member.delayed = until);
    }
    /// The moments behind one at which jobs are not passed over any more.
    pub(crate) fn delays(&self, now: u64) -> impl Iterator<Item = u64> {
        self.members.values().iter().map(|member| member.delayed).filter(move |&until| until > now)
    }
    pub(crate) fn leave(&mut self, number: u64, now: u64) {
        self.pause(number, now);
        self.members.remove(&number);
        self.warned_by.remove(&number);
    }

    fn fixed(&self, claim: &Claim, job: &Job) -> u128 {
        let (weights, qos, classes) = (self.settings.weights, self.settings.qos.len(), &self.limits.classes);
        let [tasks, cores] = self.limits.amounts.parts(job).map(|(own, all)| fraction(own, all).min(ONE));
        let width = match self.settings.size {
            SizeFactor::Tasks => tasks,
            SizeFactor::NodesAndCpus => (tasks + cores) / 2,
        };
        let size = if self.settings.favor_small { ONE - width } else { width };
        let factor = |of: Range<usize>| {
            let priority = |at: usize| u128::from(classes[at].priority);
            let own = claim.classes.iter().find(|at| of.contains(at)).map_or(0, |&at| priority(at));
            fraction(own, of.map(priority).max().unwrap_or(0))
        };
        // The tier of its partition is before all of it: a priority has fewer than 40 bits.
        let tier = claim.classes.iter().find(|&&at| at >= qos).map_or(1, |&at| classes[at].tier());
        (u128::from(tier) << 40) * ONE
            + u128::from(weights.size) * size
            + u128::from(weights.qos) * factor(0..qos)
            + u128::from(weights.partition) * factor(qos..classes.len())
    }
    /// The priority of a job, with its age at the last multiple of the period or when it joined the queue.
    pub(crate) fn priority(&mut self, job: u64) -> u128 {
        let Some(member) = self.members.get(&job) else { return 0 };
        let waited = self.multiple.max(member.joined).saturating_sub(member.submit);
        let most = u128::from(self.settings.max_age_s) * 1_000_000;
        let age = fraction(u128::from(waited).min(most), most);
        let weights = self.settings.weights;
        let changing = u128::from(weights.age) * age
            + u128::from(weights.fair_share) * self.usage.fair_share(&member.account);
        (member.fixed + changing) / ONE
    }

    /// The place of the partition of a job, and its user.
    pub(crate) fn partition_and_user(&self, job: u64) -> (Option<usize>, Option<u32>) {
        let (claim, qos) = (self.members.get(&job).map(|member| &member.claim), self.settings.qos.len());
        let partition = claim.and_then(|claim| claim.classes.iter().copied().find(|&at| at >= qos));
        (partition, claim.and_then(|claim| claim.user))
    }
    /// Which of the groups that start together a job is of.
    pub(crate) fn group(&self, job: u64) -> Option<usize> {
        self.members.get(&job)?.group
    }
    /// The jobs of a group start one by one from here on.
    pub(crate) fn part(&mut self, group: usize) {
        self.settings.together[group].clear();
        self.members.values_mut().filter(|it| it.group == Some(group)).for_each(|it| it.group = None);
    }
    /// Whether a limit holds one of some jobs back beside those before it.
    pub(crate) fn holds_some(&mut self, jobs: &[u64]) -> bool {
        let mut taken = Vec::new();
        let is_held = jobs.iter().any(|&job| {
            let is_held = self.holds(job);
            if let Some(member) = self.members.get(&job).filter(|_| !is_held) {
                self.limits.take(self.now, job, member.claim.clone());
                taken.push(job);
            }
            is_held
        });
        taken.into_iter().for_each(|job| self.limits.end(job));
        is_held
    }
    /// Whether a job is passed over for now: after it lost its nodes, or for one that could start on them and has not.
    pub(crate) fn is_delayed(&self, job: u64) -> bool {
        let for_other = |by: &u64| self.members.contains_key(by) && !self.holds(*by);
        let is_delayed = |member: &Member| member.delayed > self.now;
        self.members.get(&job).is_some_and(is_delayed) || self.warned_by.get(&job).is_some_and(for_other)
    }
    /// Whether a limit holds a job back beside those that run.
    pub(crate) fn holds(&self, job: u64) -> bool {
        self.members.get(&job).is_some_and(|own| self.limits.broken(self.now, &own.claim).is_some())
    }
    /// Whether a limit would hold a job back beside others.
    pub(crate) fn holds_beside(&self, job: u64, others: &[u64]) -> bool {
        let mut beside = self.limits.emptied();
        for (other, member) in others.iter().filter_map(|other| Some((*other, self.members.get(other)?))) {
            beside.take(member.since.unwrap_or(self.now), other, member.claim.clone());
        }
        self.members.get(&job).is_some_and(|own| beside.broken(self.now, &own.claim).is_some())
    }

    /// The class of a job that counts for who gives way.
    fn class(&self, member: &Member) -> Option<&JobClass> {
        let at = member.claim.classes.iter().find(|at| self.preempting.contains(at))?;
        Some(&self.limits.classes[*at])
    }
    /// Whether jobs of some classes make others leave their nodes.
    pub(crate) fn preempts_any(&self) -> bool {
        !self.preempting.is_empty()
    }
    /// Whether the class of a job preempts others.
    pub(crate) fn preempts(&self, job: u64) -> bool {
        let class = self.members.get(&job).and_then(|member| self.class(member));
        class.is_some_and(|class| !class.preempt.is_empty())
    }
    fn mode(&self, class: &JobClass) -> PreemptMode {
        class.preempt_mode.unwrap_or(self.settings.preempt_mode)
    }
    /// How long jobs of a class need not leave, in microseconds.
    fn exempt(&self, class: &JobClass) -> u64 {
        let seconds = class.preempt_exempt_time_s.unwrap_or(self.settings.preempt_exempt_time_s);
        seconds.saturating_mul(1_000_000)
    }
    /// A job is warned to make room for another one: when it leaves its nodes, if it has time for that.
    pub(crate) fn warn(&mut self, now: u64, job: u64, waiting: u64) -> Option<u64> {
        self.warned_by.insert(job, waiting);
        let class = self.class(self.members.get(&job)?)?;
        let grace = class.grace_s.filter(|&grace| grace > 0 && self.mode(class) != PreemptMode::Suspend)?;
        let until = now.saturating_add(grace.saturating_mul(1_000_000));
        let until = *self.warned.or_insert_with(job, || until);
        let awaits = &mut self.members.get_mut(&waiting)?.awaits;
        *awaits = (*awaits).max(Some(until));
        Some(until)
    }
    /// Whether a job waits for those that it warned to make room.
    pub(crate) fn awaits(&self, now: u64, job: u64) -> bool {
        self.members.get(&job).and_then(|member| member.awaits).is_some_and(|until| now <= until)
    }
    /// The place of the class of a job on nodes in the list of those that give way to another, since when it is there, and since when it may
    /// have to leave.
    fn gives_way(&self, other: u64, job: u64) -> Option<(usize, u64, u64)> {
        let (its, own) = (self.members.get(&other)?, self.members.get(&job)?);
        let class = self.class(its).filter(|class| self.mode(class) != PreemptMode::Off)?;
        let place = self.class(own)?.preempt.iter().position(|name| *name == class.name)?;
        Some((place, its.since?, its.since?.saturating_add(self.exempt(class))))
    }
    /// The jobs, of these, that give way to a job, in the order in which they do.
    pub(crate) fn candidates(&self, now: u64, job: u64, others: &[u64]) -> Vec<u64> {
        let found = others.iter().filter_map(|&other| Some((self.gives_way(other, job)?, other)));
        let may = found.filter(|((_, since, until), _)| *since < now && *until <= now);
        let mut may: Vec<((usize, u64, u64), u64)> = may.collect();
        may.sort_unstable_by_key(|&((place, since, _), other)| (place, Reverse(since), Reverse(other)));
        may.into_iter().map(|(_, other)| other).collect()
    }
    /// When the next job stops being exempt for which another waits.
    pub(crate) fn next_candidate(&self, now: u64) -> Option<u64> {
        let is_exempt = |it: &(&u64, &Member)| {
            self.class(it.1)
                .zip(it.1.since)
                .is_some_and(|(class, since)| since.saturating_add(self.exempt(class)) > now)
        };
        let waiting = || self.members.iter().filter(|it| it.1.since.is_none()).map(|it| *it.0);
        let until = |other: u64| waiting().find_map(move |job| Some(self.gives_way(other, job)?.2));
        self.members.iter().filter(is_exempt).filter_map(|it| until(*it.0)).min()
    }
    /// What is wrong with a job that gives way, apart from the job for which it does, in words.
    pub(crate) fn wrongs(&self, now: u64, job: u64, mode: PreemptMode) -> Option<String> {
        let all = &self.limits.classes[self.preempting.clone()];
        let is_named = |(class, _): &(&JobClass, u64)| all.iter().any(|it| it.preempt.contains(&class.name));
        let member = self.members.get(&job);
        let class = member.and_then(|member| Some((self.class(member)?, member.since?)));
        let Some((class, since)) = class.filter(is_named) else {
            return Some("it makes room, but its class is in no list of what others preempt".to_owned());
        };
        let expected = self.mode(class);
        if expected != mode {
            return Some(format!("it makes room by `{mode}`, its class says `{expected}`"));
        }
        let [ran, exempt] = [now - since, self.exempt(class)].map(SimTime::from_micros);
        (ran < exempt).then(|| format!("it makes room after {ran} s, and may after {exempt} s"))
    }
    /// How far the class of a job is above those that preempt no other.
    pub(crate) fn level(&self, job: u64) -> u32 {
        let class = self.members.get(&job).and_then(|member| self.class(member));
        class.map_or(0, |class| self.level_of(class, &mut Vec::new()))
    }
    /// One more than the largest of the classes that a class preempts, of which one that is on the way already does not count.
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
