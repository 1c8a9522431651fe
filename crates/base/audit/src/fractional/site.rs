//! What the settings of a site mean for fractional policies: ranks, limits, and who is paused for whom.

use crate::job::Job;
use crate::priority::{Account, Limits, Ranks, Usage};
use dfrsim_model::priority::{JobClass, Priorities};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// What the site knows of a job.
#[derive(Debug)]
struct Member {
    classes: Vec<usize>,
    user: Option<u32>,
    account: Account,
    tasks: u32,
    /// The weighted factors that do not change.
    fixed: u128,
    submit: u64,
    /// When it last joined the queue.
    joined: u64,
    /// Since when it is on nodes.
    since: Option<u64>,
}

/// Follows who uses what.
#[derive(Debug)]
pub(super) struct Site {
    ranks: Ranks,
    usage: Usage,
    limits: Limits,
    members: BTreeMap<u64, Member>,
    /// The last multiple of the period.
    multiple: u64,
}

impl Site {
    pub(super) fn new(settings: &Priorities, nodes: u32) -> Site {
        Site {
            ranks: Ranks::new(settings, nodes),
            usage: Usage::new(settings),
            limits: Limits::new(settings),
            members: BTreeMap::new(),
            multiple: 0,
        }
    }

    /// Goes on to a moment.
    pub(super) fn count(&mut self, now: u64) {
        self.multiple = self.usage.count(now).unwrap_or(self.multiple);
    }
    /// The priority of a job, with its age at the last multiple of the period or when it joined the queue.
    fn priority(&mut self, job: u64) -> u128 {
        let Some(member) = self.members.get(&job) else { return 0 };
        let waited = self.multiple.max(member.joined).saturating_sub(member.submit);
        self.ranks.priority(member.fixed, waited, self.usage.fair_share(&member.account))
    }

    /// A job arrives; whether its classes never admit it.
    pub(super) fn admit(&mut self, number: u64, job: &Job, now: u64) -> bool {
        self.count(now);
        let classes = self.limits.classes_of(job);
        let fixed = self.ranks.fixed(&classes, job.tasks);
        let is_never_admitted = self.limits.never(&classes, job).is_some();
        let (account, user, tasks) = (self.usage.account(job), job.user, job.tasks);
        let member = Member { classes, user, account, tasks, fixed, submit: now, joined: now, since: None };
        self.members.insert(number, member);
        is_never_admitted
    }
    /// A job comes to nodes, or stays there.
    pub(super) fn start(&mut self, number: u64, now: u64) {
        let Some(member) = self.members.get_mut(&number).filter(|it| it.since.is_none()) else { return };
        member.since = Some(now);
        self.usage.start(number, member.account.clone(), member.tasks, now);
    }
    /// A job leaves its nodes, if it has any, and joins the queue.
    pub(super) fn pause(&mut self, number: u64, now: u64) {
        let Some(member) = self.members.get_mut(&number).filter(|it| it.since.is_some()) else { return };
        (member.since, member.joined) = (None, now);
        self.usage.end(number, now);
    }
    pub(super) fn leave(&mut self, number: u64, now: u64) {
        self.usage.end(number, now);
        self.members.remove(&number);
    }

    /// Level and priority.
    pub(super) fn place(&mut self, job: u64) -> (u32, u128) {
        let priority = self.priority(job);
        let class = self.members.get(&job).and_then(|member| self.class(member));
        (class.map_or(0, |class| self.level(class, &mut Vec::new())), priority)
    }
    /// One more than the largest of the classes that a class preempts, of which one that is on the way already does not count.
    fn level<'a>(&'a self, class: &'a JobClass, path: &mut Vec<&'a str>) -> u32 {
        path.push(&class.name);
        let mut level = 0;
        for name in &class.preempt {
            let other = self.ranks.classes[self.ranks.preempting.clone()].iter().find(|it| it.name == *name);
            let Some(other) = other.filter(|other| !path.contains(&other.name.as_str())) else { continue };
            level = level.max(self.level(other, path));
        }
        path.pop();
        if class.preempt.is_empty() { 0 } else { level + 1 }
    }

    /// Whether a limit holds a job back beside others.
    pub(super) fn holds<'a>(&self, job: u64, others: impl Iterator<Item = &'a u64>) -> bool {
        let Some(own) = self.members.get(&job) else { return false };
        let others: Vec<&Member> = others.filter_map(|other| self.members.get(other)).collect();
        let of_class = |at: usize| others.iter().filter(move |other| other.classes.contains(&at));
        let of_user = |other: &&&Member| own.user.is_some() && other.user == own.user;
        let is_full =
            |count: usize, most: Option<u32>| most.is_some_and(|most| count as u64 >= u64::from(most));
        let by_class = own.classes.iter().any(|&at| {
            let nodes = of_class(at).map(|other| u64::from(other.tasks)).sum::<u64>() + u64::from(own.tasks);
            let class = &self.ranks.classes[at];
            class.total_nodes.is_some_and(|total| nodes > total.into())
                || own.user.is_some()
                    && is_full(of_class(at).filter(of_user).count(), class.max_running_per_user)
        });
        let running = others.iter().filter(of_user).count();
        by_class || own.user.is_some() && is_full(running, self.ranks.settings.max_running_per_user)
    }

    fn class(&self, member: &Member) -> Option<&JobClass> {
        self.ranks.class(&member.classes)
    }
    /// Whether jobs may be paused for others of some class.
    pub(super) fn preempts_any(&self) -> bool {
        self.ranks.preempts()
    }
    /// Whether the class of a job preempts others.
    pub(super) fn preempts(&self, job: u64) -> bool {
        let class = self.members.get(&job).and_then(|member| self.class(member));
        class.is_some_and(|class| !class.preempt.is_empty())
    }
    /// The place of the class of a job on nodes in the list of those that give way to another, and since when it may.
    fn gives_way(&self, other: u64, job: u64) -> Option<(usize, u64, u64)> {
        let (its, own) = (self.members.get(&other)?, self.members.get(&job)?);
        let place = self.ranks.place(&own.classes, &its.classes)?;
        let exempt = self.class(its).map_or(0, |class| self.ranks.exempt(class));
        Some((place, its.since?, its.since?.saturating_add(exempt)))
    }
    /// The jobs, of these, that give way to a job, in the order in which they do.
    pub(super) fn candidates<'a>(
        &self,
        now: u64,
        job: u64,
        others: impl Iterator<Item = &'a u64>,
    ) -> Vec<u64> {
        let found = others.filter_map(|&other| Some((self.gives_way(other, job)?, other)));
        let may = found.filter(|((_, since, until), _)| *since < now && *until <= now);
        let mut may: Vec<((usize, u64, u64), u64)> = may.collect();
        may.sort_by_key(|&((place, since, _), other)| (place, Reverse(since), Reverse(other)));
        may.into_iter().map(|(_, other)| other).collect()
    }
    /// When the next job stops being exempt for which another waits.
    pub(super) fn next_candidate(&self, now: u64) -> Option<u64> {
        let waiting = || self.members.iter().filter(|it| it.1.since.is_none()).map(|it| *it.0);
        let until = |&other: &u64| waiting().filter_map(move |job| Some(self.gives_way(other, job)?.2)).min();
        self.members.keys().filter_map(until).filter(|&until| until > now).min()
    }
}
