//! Limits of partitions, qualities of service, accounts and users.

use super::account::Account;
use super::amounts::Amounts;
use super::matches;
use crate::job::Job;
use crate::nodes::Kind;
use dfrsim_model::SortedMap;
use dfrsim_model::site::{self, JobClass, SiteSettings, Tres, Unlisted};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Class, account, array or site with limits on its jobs.
#[derive(Debug)]
struct LimitedGroup {
    name: String,
    limits: site::Limits,
    /// Maximum estimate of its jobs, in microseconds.
    longest: u64,
}

impl LimitedGroup {
    fn new(name: String, limits: site::Limits) -> LimitedGroup {
        LimitedGroup { name, limits, longest: u64::MAX }
    }
    /// Creates the limits of a QOS or partition, including those with fields of their own.
    fn of_class(class: &JobClass) -> LimitedGroup {
        let mut limits = class.limits.clone();
        for (table, most) in [(&mut limits.per_job, class.max_nodes), (&mut limits.total, class.total_nodes)]
        {
            let least = most.map(u64::from).into_iter().chain(table.get("node").copied()).min();
            table.extend(least.map(|most| ("node".to_owned(), most)));
        }
        limits.jobs_per_user = limits.jobs_per_user.into_iter().chain(class.max_running_per_user).min();
        let longest = class.max_time_s.map_or(u64::MAX, |it| it.saturating_mul(1_000_000));
        LimitedGroup { longest, ..LimitedGroup::new(class.name.clone(), limits) }
    }
}

/// Properties of a job that limits apply to.
#[derive(Clone, Debug)]
pub(crate) struct LimitUsage {
    /// Indices of its classes: first the QOS, then the partition.
    pub(crate) classes: Vec<usize>,
    /// Indices of all limits that apply to it: its classes, its account and those above it, its
    /// array, and the site.
    holders: Vec<usize>,
    /// Account to which it is charged: an index into the list, or the group or user of an unlisted
    /// account.
    charged_to: Result<usize, Option<u32>>,
    pub(crate) user: Option<u32>,
    /// Amounts of each limited resource that the job holds.
    amounts: SortedMap<String, u128>,
    estimate: u64,
    /// Licences by kind.
    licences: SortedMap<usize, u64>,
}

impl LimitUsage {
    fn amount(&self, name: &String) -> u128 {
        self.amounts.get(name).copied().unwrap_or(0)
    }
}

/// Jobs to which a limit applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    All,
    User,
    Account,
}

/// Limits, and the jobs that run under them.
#[derive(Debug)]
pub(crate) struct Limits {
    settings: Arc<SiteSettings>,
    pub(super) amounts: Amounts,
    /// Qualities of service, then partitions.
    pub(crate) classes: Arc<[JobClass]>,
    /// Limits of the classes, then of accounts, arrays and the site.
    holders: Arc<[LimitedGroup]>,
    /// Names of the limited resources.
    names: Arc<[String]>,
    /// Running jobs with their start times.
    running: SortedMap<u64, (LimitUsage, u64)>,
}

impl Limits {
    pub(crate) fn new(settings: &SiteSettings, kinds: &[Kind]) -> Limits {
        let classes: Arc<[JobClass]> = settings.qos.iter().chain(&settings.partitions).cloned().collect();
        let accounts =
            settings.accounts.iter().map(|it| LimitedGroup::new(it.name.clone(), it.limits.clone()));
        let arrays = settings.arrays.iter().enumerate().map(|(at, it)| {
            let limits = site::Limits { jobs: Some(it.running), ..site::Limits::default() };
            LimitedGroup::new(format!("array {at}"), limits)
        });
        let of_site = site::Limits { jobs_per_user: settings.max_running_per_user, ..Default::default() };
        let site = LimitedGroup::new("the site".to_owned(), of_site);
        let holders: Arc<[LimitedGroup]> =
            classes.iter().map(LimitedGroup::of_class).chain(accounts).chain(arrays).chain([site]).collect();
        let tables = holders.iter().map(|it| &it.limits);
        let tables =
            tables.flat_map(|it| [&it.total, &it.per_user, &it.per_account, &it.per_job, &it.minutes]);
        let names: BTreeSet<&String> = tables.flat_map(|table| table.keys()).collect();
        Limits {
            names: names.into_iter().cloned().collect(),
            settings: Arc::new(settings.clone()),
            amounts: Amounts::new(kinds),
            classes,
            holders,
            running: SortedMap::default(),
        }
    }
    /// Returns the limits without any running job.
    pub(super) fn without_jobs(&self) -> Limits {
        Limits {
            settings: Arc::clone(&self.settings),
            amounts: self.amounts.clone(),
            classes: Arc::clone(&self.classes),
            holders: Arc::clone(&self.holders),
            names: Arc::clone(&self.names),
            running: SortedMap::default(),
        }
    }

    /// Collects the properties of a job that limits apply to. Its classes are the first QOS and the
    /// first partition that match it.
    pub(crate) fn usage_of(&self, job: &Job) -> LimitUsage {
        let (qos, SiteSettings { accounts, arrays, .. }) = (self.settings.qos.len(), &*self.settings);
        let first = |from: usize, to: usize| (from..to).find(|&at| matches(&self.classes[at], job));
        let classes: Vec<usize> = first(0, qos).into_iter().chain(first(qos, self.classes.len())).collect();
        let payer = self.charged_account(job);
        let parent = |&at: &usize| {
            let parent = accounts[at].parent.as_ref()?;
            accounts.iter().position(|account| account.name == *parent)
        };
        let is_of_user = |at: &usize| {
            let user =
                accounts[*at].is_user && job.user.is_some_and(|user| accounts[*at].users.contains(&user));
            user && parent(at) == payer.ok()
        };
        let lowest = (0..accounts.len()).find(is_of_user).or(payer.ok());
        let above = std::iter::successors(lowest, parent).map(|at| self.classes.len() + at);
        let has_it = |&(first, last): &(u64, u64)| (first..=last).contains(&job.id);
        let array = arrays.iter().position(|it| it.jobs.iter().any(has_it));
        let array = array.map(|at| self.classes.len() + accounts.len() + at);
        let site = self.holders.len() - 1;
        let licences = self.settings.licences.iter().enumerate().filter_map(|(at, it)| {
            let own = it.jobs.iter().find(|(number, _)| *number == job.id)?;
            Some((at, u64::from(own.1)))
        });
        LimitUsage {
            holders: classes.iter().copied().chain(above).chain(array).chain([site]).collect(),
            licences: licences.collect(),
            classes,
            charged_to: payer,
            user: job.user,
            amounts: self.names.iter().map(|name| (name.clone(), self.amounts.held(job, name))).collect(),
            estimate: job.estimate,
        }
    }
    /// Returns the account to which a job is charged.
    pub(super) fn account(&self, claim: &LimitUsage) -> Account {
        match claim.charged_to {
            Ok(at) => Account::Listed(self.settings.accounts[at].name.clone()),
            Err(of) => Account::Unlisted(of),
        }
    }
    fn charged_account(&self, job: &Job) -> Result<usize, Option<u32>> {
        let accounts = &self.settings.accounts;
        let of_user = job.user.and_then(|user| accounts.iter().position(|it| it.pays_for(user)));
        let of_group =
            || job.group.and_then(|group| accounts.iter().position(|it| it.groups.contains(&group)));
        of_user.or_else(of_group).ok_or(match self.settings.unlisted {
            Unlisted::Group => job.group,
            Unlisted::User => job.user,
            Unlisted::Together => None,
        })
    }

    /// Returns the rank of a holder, lowest first, if limits of a lower rank replace its own.
    fn rank(&self, holder: usize) -> Option<u8> {
        let (qos, classes) = (self.settings.qos.len(), self.classes.len());
        let accounts = classes + self.settings.accounts.len();
        match holder {
            at if at < qos => Some(1),
            at if at < classes => Some(0),
            at if at < accounts && self.settings.accounts[at - classes].is_user => Some(2),
            at if at < accounts => Some(3),
            _ => None,
        }
    }
    /// Returns whether no limit of another holder of the same job replaces a limit of this one. `sets`
    /// tells whether a holder has the equal limit. Users of accounts replace only limits per user or
    /// per job (`is_personal`).
    fn applies(
        &self,
        claim: &LimitUsage,
        holder: usize,
        is_personal: bool,
        sets: impl Fn(&site::Limits) -> bool,
    ) -> bool {
        let Some(rank) = self.rank(holder).filter(|_| self.settings.limits_replace) else { return true };
        let replaces = |other: &usize| {
            let is_lower = self.rank(*other).is_some_and(|its| its < rank);
            is_lower
                && match self.classes.get(*other) {
                    Some(class) => {
                        let jobs_per_user = class.limits.jobs_per_user.or(class.max_running_per_user);
                        sets(&site::Limits { jobs_per_user, ..class.limits.clone() })
                    }
                    None => is_personal && sets(&self.holders[*other].limits),
                }
        };
        !claim.holders.iter().any(replaces)
    }

    /// Returns the name of a class or account whose limits the job exceeds by itself, so that it can
    /// never run.
    pub(crate) fn excluding_group(&self, claim: &LimitUsage) -> Option<String> {
        type Table = fn(&site::Limits) -> &Tres;
        let exceeds = |at: usize, (table, is_personal): (Table, bool), factor: u128, unit: u128| {
            table(&self.holders[at].limits).iter().any(|(name, &most)| {
                claim.amount(name) * factor > u128::from(most) * unit
                    && self.applies(claim, at, is_personal, |its| table(its).contains_key(name))
            })
        };
        let tables: [(Table, bool); 4] = [
            (|it| &it.total, false),
            (|it| &it.per_user, true),
            (|it| &it.per_account, false),
            (|it| &it.per_job, true),
        ];
        let found = claim.holders.iter().find(|&&at| {
            claim.estimate > self.holders[at].longest
                || tables.into_iter().any(|it| exceeds(at, it, 1, 1))
                || exceeds(at, (|it| &it.minutes, false), claim.estimate.into(), 60_000_000)
        });
        let licence =
            claim.licences.iter().find(|(at, count)| **count > self.settings.licences[**at].total.into());
        let licence = licence.map(|(at, _)| format!("licence {}", self.settings.licences[*at].name));
        found.map(|&at| self.holders[at].name.clone()).or(licence)
    }
    /// Returns whether the job exceeds a limit on the number of jobs in the system.
    pub(super) fn exceeds_submit_limit(&self, claim: &LimitUsage, others: &[&LimitUsage]) -> bool {
        claim.holders.iter().any(|at| {
            let (its, of_holder) =
                (&self.holders[*at].limits, |other: &&&LimitUsage| other.holders.contains(at));
            let all = others.iter().filter(of_holder).count();
            let of_user = || others.iter().filter(of_holder).filter(|it| it.user == claim.user).count();
            let is_over = its.submitted.is_some_and(|most| all >= most as usize);
            let is_over_of_user =
                claim.user.is_some() && its.submitted_per_user.is_some_and(|most| of_user() >= most as usize);
            is_over && self.applies(claim, *at, false, |its| its.submitted.is_some())
                || is_over_of_user && self.applies(claim, *at, true, |its| its.submitted_per_user.is_some())
        })
    }
    /// Returns the limit that the start of a job exceeds, as a message.
    pub(crate) fn exceeded_limit(&self, now: u64, claim: &LimitUsage) -> Option<String> {
        claim
            .holders
            .iter()
            .find_map(|&at| {
                let its = &self.holders[at].limits;
                [
                    (Scope::All, its.jobs, &its.total),
                    (Scope::User, its.jobs_per_user, &its.per_user),
                    (Scope::Account, its.jobs_per_account, &its.per_account),
                ]
                .into_iter()
                .find_map(|(scope, jobs, most)| self.exceeded_amount(claim, (at, scope), jobs, most))
                .or_else(|| self.exceeded_minutes(now, claim, at))
            })
            .or_else(|| self.missing_licence(claim))
    }
    /// Returns the licence of which too few are left for a job, as a message.
    fn missing_licence(&self, claim: &LimitUsage) -> Option<String> {
        claim.licences.iter().find_map(|(kind, &own)| {
            let licence = &self.settings.licences[*kind];
            let of_other = |(it, _): &(LimitUsage, u64)| it.licences.get(kind).copied().unwrap_or(0);
            let used: u64 = self.running.values().iter().map(of_other).sum();
            let (name, total) = (&licence.name, licence.total);
            (used + own > total.into()).then(|| {
                format!("it starts with {own} licences of `{name}` in addition to {used}, of {total}")
            })
        })
    }
    fn running_in<'a>(
        &'a self,
        claim: &'a LimitUsage,
        (holder, scope): (usize, Scope),
    ) -> impl Iterator<Item = &'a (LimitUsage, u64)> {
        self.running.values().iter().filter(move |(other, _)| {
            other.holders.contains(&holder)
                && match scope {
                    Scope::All => true,
                    Scope::User => other.user == claim.user,
                    Scope::Account => other.charged_to == claim.charged_to,
                }
        })
    }
    fn exceeded_amount(
        &self,
        claim: &LimitUsage,
        of: (usize, Scope),
        jobs: Option<u32>,
        most: &Tres,
    ) -> Option<String> {
        if of.1 == Scope::User && claim.user.is_none() {
            return None;
        }
        let whose = match of.1 {
            Scope::All => "",
            Scope::User => "its user in ",
            Scope::Account => "its account in ",
        };
        let name = &self.holders[of.0].name;
        let running = self.running_in(claim, of).count();
        let has_equal = |its: &site::Limits| match of.1 {
            Scope::All => its.jobs.is_some(),
            Scope::User => its.jobs_per_user.is_some(),
            Scope::Account => its.jobs_per_account.is_some(),
        };
        let is_personal = of.1 == Scope::User;
        let jobs = jobs.filter(|_| self.applies(claim, of.0, is_personal, has_equal));
        if let Some(most) = jobs.filter(|&most| running >= most as usize) {
            return Some(format!(
                "it starts, although {running} jobs of {whose}`{name}` run, of at most {most}"
            ));
        }
        most.iter().find_map(|(what, &most)| {
            let used: u128 = self.running_in(claim, of).map(|(it, _)| it.amount(what)).sum();
            let own = claim.amount(what);
            let table = |its: &site::Limits| match of.1 {
                Scope::All => its.total.contains_key(what),
                Scope::User => its.per_user.contains_key(what),
                Scope::Account => its.per_account.contains_key(what),
            };
            let is_over =
                used > 0 && own + used > most.into() && self.applies(claim, of.0, is_personal, table);
            is_over.then(|| {
                format!(
                    "it starts with {own} {what} in addition to {used} of {whose}`{name}`, of at most {most}"
                )
            })
        })
    }
    fn exceeded_minutes(&self, now: u64, claim: &LimitUsage, holder: usize) -> Option<String> {
        let LimitedGroup { name, limits, .. } = &self.holders[holder];
        limits.minutes.iter().find_map(|(what, &most)| {
            let rest = |(it, since): &(LimitUsage, u64)| {
                it.amount(what) * u128::from(since.saturating_add(it.estimate).saturating_sub(now))
            };
            let used: u128 = self.running_in(claim, (holder, Scope::All)).map(rest).sum();
            let own = claim.amount(what) * u128::from(claim.estimate);
            let is_over = own + used > u128::from(most) * 60_000_000;
            (is_over && self.applies(claim, holder, false, |its| its.minutes.contains_key(what))).then(|| {
                format!("it starts, although `{name}` then exceeds its limit of {most} minutes of {what}")
            })
        })
    }

    /// Records the start of a job; returns the limit that it exceeds, as a message.
    pub(crate) fn start(&mut self, now: u64, number: u64, job: &Job) -> Option<String> {
        let claim = self.usage_of(job);
        let too_large = |name: String| {
            format!("it starts, although its size or its time limit exceeds a limit of `{name}`")
        };
        let broken = self.excluding_group(&claim).map(too_large).or_else(|| self.exceeded_limit(now, &claim));
        self.add(now, number, claim);
        broken
    }
    /// Adds a running job.
    pub(super) fn add(&mut self, now: u64, number: u64, claim: LimitUsage) {
        self.running.insert(number, (claim, now));
    }
    /// Removes a job, if it runs.
    pub(crate) fn end(&mut self, number: u64) {
        self.running.remove(&number);
    }
}
