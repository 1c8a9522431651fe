//! What partitions, qualities of service, accounts and users may have at once.

use super::account::Account;
use super::amounts::Amounts;
use super::has;
use crate::job::Job;
use crate::nodes::Kind;
use dfrsim_model::SortedMap;
use dfrsim_model::priority::{JobClass, Priorities, Tres, Unlisted};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Who limits jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holder {
    /// A quality of service or a partition.
    Class(usize),
    Account(usize),
    Array(usize),
    Site,
}

/// What limits count of a job.
#[derive(Clone, Debug)]
pub(crate) struct Claim {
    /// The places of its classes: first that of its quality of service, then that of its partition.
    pub(crate) classes: Vec<usize>,
    /// Those of its account and of the ones above it.
    accounts: Vec<usize>,
    /// The place of its array, if that has a limit.
    array: Option<usize>,
    /// The account that pays for it: one of the list, or that of a group or user.
    payer: Result<usize, Option<u32>>,
    pub(crate) user: Option<u32>,
    pub(crate) tasks: u32,
    /// What limits are about, and how much of each it holds.
    names: Arc<[String]>,
    amounts: Vec<u128>,
    estimate: u64,
}

impl Claim {
    fn holders(&self) -> impl Iterator<Item = Holder> {
        let classes = self.classes.iter().copied().map(Holder::Class);
        let accounts = self.accounts.iter().copied().map(Holder::Account);
        classes.chain(accounts).chain(self.array.map(Holder::Array)).chain([Holder::Site])
    }
    fn counts_for(&self, holder: Holder) -> bool {
        self.holders().any(|own| own == holder)
    }
    fn amount(&self, name: &str) -> u128 {
        match name {
            "node" => self.tasks.into(),
            _ => self.names.iter().position(|known| known == name).map_or(0, |at| self.amounts[at]),
        }
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
    /// The names of what limits are about.
    names: Arc<[String]>,
    /// With the moment of the start.
    running: SortedMap<u64, (Claim, u64)>,
}

impl Limits {
    pub(crate) fn new(settings: &Priorities, kinds: &[Kind]) -> Limits {
        let classes: Arc<[JobClass]> = settings.qos.iter().chain(&settings.partitions).cloned().collect();
        let all = classes.iter().map(|it| &it.limits).chain(settings.accounts.iter().map(|it| &it.limits));
        let tables = all.flat_map(|it| [&it.total, &it.per_user, &it.per_account, &it.per_job, &it.minutes]);
        let names: BTreeSet<&String> = tables.flat_map(|table| table.keys()).collect();
        Limits {
            names: names.into_iter().cloned().collect(),
            settings: Arc::new(settings.clone()),
            amounts: Amounts::new(kinds),
            classes,
            running: SortedMap::default(),
        }
    }
    /// The same limits, without a job that runs.
    pub(super) fn emptied(&self) -> Limits {
        Limits {
            settings: Arc::clone(&self.settings),
            amounts: self.amounts.clone(),
            classes: Arc::clone(&self.classes),
            names: Arc::clone(&self.names),
            running: SortedMap::default(),
        }
    }

    /// What counts of a job: its classes are the first quality of service and the first partition that have it.
    pub(crate) fn claim(&self, job: &Job) -> Claim {
        let qos = self.settings.qos.len();
        let first = |from: usize, to: usize| (from..to).find(|&at| has(&self.classes[at], job));
        let payer = self.payer(job);
        let mut accounts: Vec<usize> = payer.into_iter().collect();
        while let Some(&last) = accounts.last() {
            let parent = self.settings.accounts[last].parent.as_ref();
            let Some(parent) = parent else { break };
            accounts.extend(self.settings.accounts.iter().position(|account| account.name == *parent));
        }
        Claim {
            classes: first(0, qos).into_iter().chain(first(qos, self.classes.len())).collect(),
            accounts,
            array: self
                .settings
                .arrays
                .iter()
                .position(|it| it.jobs.iter().any(|&(a, z)| (a..=z).contains(&job.id))),
            payer,
            user: job.user,
            tasks: job.tasks,
            amounts: self.names.iter().map(|name| self.amounts.held(job, name)).collect(),
            names: Arc::clone(&self.names),
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

    fn limits(&self, holder: Holder) -> dfrsim_model::priority::Limits {
        match holder {
            Holder::Class(at) => self.classes[at].limits.clone(),
            Holder::Account(at) => self.settings.accounts[at].limits.clone(),
            Holder::Array(at) => dfrsim_model::priority::Limits {
                jobs: Some(self.settings.arrays[at].running),
                ..Default::default()
            },
            Holder::Site => dfrsim_model::priority::Limits::default(),
        }
    }
    fn name(&self, holder: Holder) -> String {
        match holder {
            Holder::Class(at) => self.classes[at].name.clone(),
            Holder::Account(at) => self.settings.accounts[at].name.clone(),
            Holder::Array(at) => format!("array {at}"),
            Holder::Site => "the site".to_owned(),
        }
    }

    /// The class or account by which a job can never run, by its name.
    pub(crate) fn never(&self, claim: &Claim) -> Option<String> {
        let exceeds = |most: &Tres, factor: u128, unit: u128| {
            most.iter().any(|(name, &most)| claim.amount(name) * factor > u128::from(most) * unit)
        };
        let found = claim.holders().find(|&holder| {
            let its = self.limits(holder);
            let of_class = if let Holder::Class(at) = holder { Some(&self.classes[at]) } else { None };
            let is_wide = |class: &JobClass| {
                [class.max_nodes, class.total_nodes].into_iter().flatten().any(|it| claim.tasks > it)
            };
            let is_long = |class: &JobClass| {
                class.max_time_s.is_some_and(|it| claim.estimate > it.saturating_mul(1_000_000))
            };
            of_class.is_some_and(|class| is_wide(class) || is_long(class))
                || [its.total, its.per_user, its.per_account, its.per_job].iter().any(|it| exceeds(it, 1, 1))
                || exceeds(&its.minutes, claim.estimate.into(), 60_000_000)
        });
        found.map(|holder| self.name(holder))
    }
    /// Whether a job is one too many of those in the system.
    pub(super) fn is_one_too_many(&self, claim: &Claim, others: &[&Claim]) -> bool {
        claim.holders().any(|holder| {
            let (its, of_holder) = (self.limits(holder), |other: &&&Claim| other.counts_for(holder));
            let all = others.iter().filter(of_holder).count();
            let of_user = || others.iter().filter(of_holder).filter(|it| it.user == claim.user).count();
            its.submitted.is_some_and(|most| all >= most as usize)
                || claim.user.is_some()
                    && its.submitted_per_user.is_some_and(|most| of_user() >= most as usize)
        })
    }
    /// The limit that a start breaks, in words.
    pub(crate) fn broken(&self, now: u64, claim: &Claim) -> Option<String> {
        claim.holders().find_map(|holder| {
            let its = self.limits(holder);
            let (mut total, mut per_user) = (its.total, its.jobs_per_user);
            match holder {
                Holder::Class(at) => {
                    let class = &self.classes[at];
                    let nodes = class.total_nodes.map(u64::from);
                    let nodes = nodes.into_iter().chain(total.get("node").copied()).min();
                    total.extend(nodes.map(|nodes| ("node".to_owned(), nodes)));
                    per_user = per_user.into_iter().chain(class.max_running_per_user).min();
                }
                Holder::Site => per_user = self.settings.max_running_per_user,
                Holder::Account(_) | Holder::Array(_) => {}
            }
            [
                (Scope::All, its.jobs, total),
                (Scope::User, per_user, its.per_user),
                (Scope::Account, its.jobs_per_account, its.per_account),
            ]
            .into_iter()
            .find_map(|(scope, jobs, most)| self.over(claim, (holder, scope), jobs, &most))
            .or_else(|| self.over_minutes(now, claim, holder, &its.minutes))
        })
    }
    fn beside<'a>(
        &'a self,
        claim: &'a Claim,
        (holder, scope): (Holder, Scope),
    ) -> impl Iterator<Item = &'a (Claim, u64)> {
        self.running.values().iter().filter(move |(other, _)| {
            other.counts_for(holder)
                && match scope {
                    Scope::All => true,
                    Scope::User => other.user == claim.user,
                    Scope::Account => other.payer == claim.payer,
                }
        })
    }
    fn over(&self, claim: &Claim, of: (Holder, Scope), jobs: Option<u32>, most: &Tres) -> Option<String> {
        if of.1 == Scope::User && claim.user.is_none() {
            return None;
        }
        let whose = match of.1 {
            Scope::All => "",
            Scope::User => "its user in ",
            Scope::Account => "its account in ",
        };
        let name = self.name(of.0);
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
    fn over_minutes(&self, now: u64, claim: &Claim, holder: Holder, most: &Tres) -> Option<String> {
        most.iter().find_map(|(what, &most)| {
            let rest = |(it, since): &(Claim, u64)| {
                it.amount(what) * u128::from(since.saturating_add(it.estimate).saturating_sub(now))
            };
            let used: u128 = self.beside(claim, (holder, Scope::All)).map(rest).sum();
            let own = claim.amount(what) * u128::from(claim.estimate);
            (own + used > u128::from(most) * 60_000_000).then(|| {
                let name = self.name(holder);
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
