//! What partitions, qualities of service, accounts and users may have at once.

use super::account::Account;
use super::amounts::Amounts;
use super::has;
use crate::job::Job;
use crate::nodes::Kind;
use dfrsim_model::SortedMap;
use dfrsim_model::priority::{self, JobClass, Priorities, Tres, Unlisted};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A class, an account, an array or the site, with what limits its jobs.
#[derive(Debug)]
struct Holder {
    name: String,
    limits: priority::Limits,
    /// The longest estimate that it admits.
    longest: u64,
}

impl Holder {
    fn new(name: String, limits: priority::Limits) -> Holder {
        Holder { name, limits, longest: u64::MAX }
    }
    /// A quality of service or a partition: some of its limits have fields of their own.
    fn of_class(class: &JobClass) -> Holder {
        let mut limits = class.limits.clone();
        for (table, most) in [(&mut limits.per_job, class.max_nodes), (&mut limits.total, class.total_nodes)]
        {
            let least = most.map(u64::from).into_iter().chain(table.get("node").copied()).min();
            table.extend(least.map(|most| ("node".to_owned(), most)));
        }
        limits.jobs_per_user = limits.jobs_per_user.into_iter().chain(class.max_running_per_user).min();
        let longest = class.max_time_s.map_or(u64::MAX, |it| it.saturating_mul(1_000_000));
        Holder { longest, ..Holder::new(class.name.clone(), limits) }
    }
}

/// What limits count of a job.
#[derive(Clone, Debug)]
pub(crate) struct Claim {
    /// The places of its classes: first that of its quality of service, then that of its partition.
    pub(crate) classes: Vec<usize>,
    /// The places of all that limits it: its classes, its account and those above it, its array, and the site.
    holders: Vec<usize>,
    /// The account that pays for it: one of the list, or that of a group or user.
    payer: Result<usize, Option<u32>>,
    pub(crate) user: Option<u32>,
    /// How much it holds of each that limits are about.
    amounts: SortedMap<String, u128>,
    estimate: u64,
}

impl Claim {
    fn amount(&self, name: &String) -> u128 {
        self.amounts.get(name).copied().unwrap_or(0)
    }
}

/// Which of the jobs of a holder a limit is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    All,
    User,
    Account,
}

/// The limits, and the jobs that run under them.
#[derive(Debug)]
pub(crate) struct Limits {
    settings: Arc<Priorities>,
    pub(super) amounts: Amounts,
    /// Qualities of service, then partitions.
    pub(crate) classes: Arc<[JobClass]>,
    /// The classes, then accounts, arrays and the site.
    holders: Arc<[Holder]>,
    /// The names of what limits are about.
    names: Arc<[String]>,
    /// With the moment of the start.
    running: SortedMap<u64, (Claim, u64)>,
}

impl Limits {
    pub(crate) fn new(settings: &Priorities, kinds: &[Kind]) -> Limits {
        let classes: Arc<[JobClass]> = settings.qos.iter().chain(&settings.partitions).cloned().collect();
        let accounts = settings.accounts.iter().map(|it| Holder::new(it.name.clone(), it.limits.clone()));
        let arrays = settings.arrays.iter().enumerate().map(|(at, it)| {
            let limits = priority::Limits { jobs: Some(it.running), ..priority::Limits::default() };
            Holder::new(format!("array {at}"), limits)
        });
        let of_site = priority::Limits { jobs_per_user: settings.max_running_per_user, ..Default::default() };
        let site = Holder::new("the site".to_owned(), of_site);
        let holders: Arc<[Holder]> =
            classes.iter().map(Holder::of_class).chain(accounts).chain(arrays).chain([site]).collect();
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
    /// The same limits, without a job that runs.
    pub(super) fn emptied(&self) -> Limits {
        Limits {
            settings: Arc::clone(&self.settings),
            amounts: self.amounts.clone(),
            classes: Arc::clone(&self.classes),
            holders: Arc::clone(&self.holders),
            names: Arc::clone(&self.names),
            running: SortedMap::default(),
        }
    }

    /// What counts of a job: its classes are the first quality of service and the first partition that have it.
    pub(crate) fn claim(&self, job: &Job) -> Claim {
        let (qos, Priorities { accounts, arrays, .. }) = (self.settings.qos.len(), &*self.settings);
        let first = |from: usize, to: usize| (from..to).find(|&at| has(&self.classes[at], job));
        let classes: Vec<usize> = first(0, qos).into_iter().chain(first(qos, self.classes.len())).collect();
        let payer = self.payer(job);
        let parent = |&at: &usize| {
            let parent = accounts[at].parent.as_ref()?;
            accounts.iter().position(|account| account.name == *parent)
        };
        let above = std::iter::successors(payer.ok(), parent).map(|at| self.classes.len() + at);
        let has_it = |&(first, last): &(u64, u64)| (first..=last).contains(&job.id);
        let array = arrays.iter().position(|it| it.jobs.iter().any(has_it));
        let array = array.map(|at| self.classes.len() + accounts.len() + at);
        let site = self.holders.len() - 1;
        Claim {
            holders: classes.iter().copied().chain(above).chain(array).chain([site]).collect(),
            classes,
            payer,
            user: job.user,
            amounts: self.names.iter().map(|name| (name.clone(), self.amounts.held(job, name))).collect(),
            estimate: job.estimate,
        }
    }
    /// The account that pays for a job.
    pub(super) fn account(&self, claim: &Claim) -> Account {
        match claim.payer {
            Ok(at) => Account::Listed(self.settings.accounts[at].name.clone()),
            Err(of) => Account::Unlisted(of),
        }
    }
    fn payer(&self, job: &Job) -> Result<usize, Option<u32>> {
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

    /// The class or account by which a job can never run, by its name.
    pub(crate) fn never(&self, claim: &Claim) -> Option<String> {
        let exceeds = |most: &Tres, factor: u128, unit: u128| {
            most.iter().any(|(name, &most)| claim.amount(name) * factor > u128::from(most) * unit)
        };
        let found = claim.holders.iter().map(|&at| &self.holders[at]).find(|holder| {
            let its = &holder.limits;
            let tables = [&its.total, &its.per_user, &its.per_account, &its.per_job];
            claim.estimate > holder.longest
                || tables.into_iter().any(|it| exceeds(it, 1, 1))
                || exceeds(&its.minutes, claim.estimate.into(), 60_000_000)
        });
        found.map(|holder| holder.name.clone())
    }
    /// Whether a job is one too many of those in the system.
    pub(super) fn is_one_too_many(&self, claim: &Claim, others: &[&Claim]) -> bool {
        claim.holders.iter().any(|at| {
            let (its, of_holder) = (&self.holders[*at].limits, |other: &&&Claim| other.holders.contains(at));
            let all = others.iter().filter(of_holder).count();
            let of_user = || others.iter().filter(of_holder).filter(|it| it.user == claim.user).count();
            its.submitted.is_some_and(|most| all >= most as usize)
                || claim.user.is_some()
                    && its.submitted_per_user.is_some_and(|most| of_user() >= most as usize)
        })
    }
    /// The limit that a start breaks, in words.
    pub(crate) fn broken(&self, now: u64, claim: &Claim) -> Option<String> {
        claim.holders.iter().find_map(|&at| {
            let its = &self.holders[at].limits;
            [
                (Scope::All, its.jobs, &its.total),
                (Scope::User, its.jobs_per_user, &its.per_user),
                (Scope::Account, its.jobs_per_account, &its.per_account),
            ]
            .into_iter()
            .find_map(|(scope, jobs, most)| self.over(claim, (at, scope), jobs, most))
            .or_else(|| self.over_minutes(now, claim, at))
        })
    }
    fn beside<'a>(
        &'a self,
        claim: &'a Claim,
        (holder, scope): (usize, Scope),
    ) -> impl Iterator<Item = &'a (Claim, u64)> {
        self.running.values().iter().filter(move |(other, _)| {
            other.holders.contains(&holder)
                && match scope {
                    Scope::All => true,
                    Scope::User => other.user == claim.user,
                    Scope::Account => other.payer == claim.payer,
                }
        })
    }
    fn over(&self, claim: &Claim, of: (usize, Scope), jobs: Option<u32>, most: &Tres) -> Option<String> {
        if of.1 == Scope::User && claim.user.is_none() {
            return None;
        }
        let whose = match of.1 {
            Scope::All => "",
            Scope::User => "its user in ",
            Scope::Account => "its account in ",
        };
        let name = &self.holders[of.0].name;
        let running = self.beside(claim, of).count();
        if let Some(most) = jobs.filter(|&most| running >= most as usize) {
            return Some(format!(
                "it starts, though {running} jobs of {whose}`{name}` run, which may run {most}"
            ));
        }
        most.iter().find_map(|(what, &most)| {
            let used: u128 = self.beside(claim, of).map(|(it, _)| it.amount(what)).sum();
            let own = claim.amount(what);
            let is_over = used > 0 && own + used > most.into();
            is_over.then(|| {
                format!("it starts with {own} {what} beside {used} of {whose}`{name}`, which may have {most}")
            })
        })
    }
    fn over_minutes(&self, now: u64, claim: &Claim, holder: usize) -> Option<String> {
        let Holder { name, limits, .. } = &self.holders[holder];
        limits.minutes.iter().find_map(|(what, &most)| {
            let rest = |(it, since): &(Claim, u64)| {
                it.amount(what) * u128::from(since.saturating_add(it.estimate).saturating_sub(now))
            };
            let used: u128 = self.beside(claim, (holder, Scope::All)).map(rest).sum();
            let own = claim.amount(what) * u128::from(claim.estimate);
            (own + used > u128::from(most) * 60_000_000).then(|| {
                format!(
                    "it starts, though `{name}` would have more than {most} minutes of {what} before it then"
                )
            })
        })
    }

    /// A job starts; the limit that it breaks, in words.
    pub(crate) fn start(&mut self, now: u64, number: u64, job: &Job) -> Option<String> {
        let claim = self.claim(job);
        let too_large = |name: String| format!("it starts, though it is too wide or too long for `{name}`");
        let broken = self.never(&claim).map(too_large).or_else(|| self.broken(now, &claim));
        self.take(now, number, claim);
        broken
    }
    /// Counts a job that starts.
    pub(super) fn take(&mut self, now: u64, number: u64, claim: Claim) {
        self.running.insert(number, (claim, now));
    }
    /// A job that may run ends.
    pub(crate) fn end(&mut self, number: u64) {
        self.running.remove(&number);
    }
}
