//! Limits of partitions, QOS, accounts and users.

use super::accounts::ChargedAccount;
use super::allocated_tres::AllocatedTres;
use dfrsim_cluster::JobView;
use dfrsim_model::site::{Account, JobClass, Limits, SiteSettings};
use dfrsim_model::{JobId, Origin, SimSpan, SimTime, SortedMap, UserId};

/// QOS and partition of a job, by their indices in the settings, and its user.
#[derive(Clone, Copy, Debug)]
pub(super) struct Membership {
    pub(super) qos: Option<usize>,
    pub(super) partition: Option<usize>,
    pub(super) user: Option<u32>,
    /// Number of the job in the log.
    pub(super) id: JobId,
}

impl Membership {
    pub(super) fn new(settings: &SiteSettings, job: JobView<'_>) -> Membership {
        let (user, origin) = (job.user(), job.origin());
        let place = |classes: &[JobClass]| {
            classes.iter().position(|class| class.matches(user.map(UserId::number), origin))
        };
        let user = user.map(UserId::number);
        Membership { qos: place(&settings.qos), partition: place(&settings.partitions), user, id: job.id() }
    }
}

/// Quantity of each job that a limit adds up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quantity {
    /// One for each running job.
    Running,
    /// One for each job in the system.
    Submitted,
    /// Allocated amount of the resource with this index.
    Allocated(usize),
    /// Allocated amount * remaining estimate, in microseconds, of the resource with this index.
    TresMinutes(usize),
    /// Time limit (estimate) in microseconds.
    TimeLimit,
    /// Licences of the kind with this index.
    Licences(usize),
}

/// Jobs over which a limit adds up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    Job,
    User,
    Account,
    All,
}

/// Sum to which a job contributes: that of all jobs, of its user, or of its account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum UsageKey {
    All,
    User(u32),
    Account(ChargedAccount),
}

/// Upper limit on a quantity.
#[derive(Clone, Copy, Debug)]
struct Limit {
    scope: Scope,
    quantity: Quantity,
    maximum: u128,
    /// Rank of the holder, lowest first: limits of a lower rank replace equal ones.
    rank: Rank,
    /// True if it replaces equal limits of a higher rank.
    replaces: bool,
}

/// Kind of holder of a limit, as limits of one can replace those of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Partition,
    Qos,
    /// User of an account, whose limits per user and per job replace those of the account.
    User,
    Account,
    /// Array, licence or site, whose limits always apply.
    Other,
}

impl Limit {
    fn new(scope: Scope, what: Quantity, most: Option<impl Into<u128>>) -> Option<Limit> {
        Some(Limit { scope, quantity: what, maximum: most?.into(), rank: Rank::Other, replaces: true })
    }

    /// Returns whether another limit of the same job replaces this one.
    fn is_replaced_by(&self, other: &Limit) -> bool {
        let is_equal = (self.scope, self.quantity) == (other.scope, other.quantity);
        let may = other.rank != Rank::User || matches!(self.scope, Scope::User | Scope::Job);
        is_equal && may && other.replaces && other.rank < self.rank && self.rank != Rank::Other
    }

    /// Collects the limits in the settings.
    fn all(limits: &Limits, names: &[String], rank: Rank) -> Vec<Limit> {
        let [held, minutes]: [fn(usize) -> Quantity; 2] = [Quantity::Allocated, Quantity::TresMinutes];
        let tables = [
            (Scope::All, held, 1, &limits.total),
            (Scope::User, held, 1, &limits.per_user),
            (Scope::Account, held, 1, &limits.per_account),
            (Scope::Job, held, 1, &limits.per_job),
            (Scope::All, minutes, 60_000_000, &limits.minutes),
        ];
        let amounts = tables.into_iter().flat_map(|(scope, what, unit, amounts)| {
            amounts.iter().map(move |(name, &most)| {
                let place = names
                    .iter()
                    .position(|it| it == name)
                    .expect("the resource names must include those of all limits");
                let maximum = u128::from(most) * unit;
                Limit { scope, quantity: what(place), maximum, rank, replaces: true }
            })
        });
        let counts = [
            Limit::new(Scope::All, Quantity::Running, limits.jobs),
            Limit::new(Scope::User, Quantity::Running, limits.jobs_per_user),
            Limit::new(Scope::Account, Quantity::Running, limits.jobs_per_account),
            Limit::new(Scope::All, Quantity::Submitted, limits.submitted),
            Limit::new(Scope::User, Quantity::Submitted, limits.submitted_per_user),
        ];
        let counts = counts.into_iter().flatten().map(|limit| Limit { rank, ..limit });
        amounts.chain(counts).collect()
    }

    /// Collects the limits of a class, including those in fields of the class itself.
    fn of_class(class: &JobClass, names: &[String], rank: Rank) -> Vec<Limit> {
        let longest = class.max_time_s.map(|most| SimSpan::from_secs(most).micros());
        let sizes = [
            Limit::new(Scope::Job, Quantity::Allocated(0), class.max_nodes),
            Limit::new(Scope::All, Quantity::Allocated(0), class.total_nodes),
        ];
        let sizes = sizes.into_iter().flatten().map(|limit| Limit { rank, replaces: false, ..limit });
        let jobs = Limit::new(Scope::User, Quantity::Running, class.max_running_per_user);
        let jobs = jobs.map(|limit| Limit { rank, ..limit });
        let time = Limit::new(Scope::Job, Quantity::TimeLimit, longest);
        Limit::all(&class.limits, names, rank).into_iter().chain(sizes).chain(jobs).chain(time).collect()
    }
}

/// Resource usage of a job, as counted by limits.
#[derive(Clone, Debug)]
pub(super) struct LimitUsage {
    /// Indices of the limits that count the job.
    limits: Vec<usize>,
    /// Indices of those that apply to the job: the ones that no other limit replaces.
    applicable: Vec<usize>,
    user: Option<u32>,
    pub(super) account: ChargedAccount,
    pub(super) allocated: AllocatedTres,
    estimate: SimSpan,
    /// Licences by kind.
    licences: Vec<(usize, u32)>,
}

impl LimitUsage {
    /// Returns the sum for a scope; `None` for the user scope of a job without a known user.
    fn usage_key(&self, scope: Scope) -> Option<UsageKey> {
        match scope {
            Scope::Job => None,
            Scope::User => self.user.map(UsageKey::User),
            Scope::Account => Some(UsageKey::Account(self.account)),
            Scope::All => Some(UsageKey::All),
        }
    }

    /// Iterates over the limits among `places` that can block jobs because of other running jobs, with
    /// the sum that each of them checks.
    fn blocking_limits<'a>(
        &'a self,
        places: &'a [usize],
        limits: &'a [Limit],
    ) -> impl Iterator<Item = (usize, Limit, UsageKey)> + 'a {
        let limits = places.iter().map(|&at| (at, limits[at]));
        let limits = limits.filter(|(_, limit)| limit.quantity != Quantity::Submitted);
        limits.filter_map(|(at, limit)| Some((at, limit, self.usage_key(limit.scope)?)))
    }

    /// Returns the quantity of the job before it starts.
    fn amount(&self, what: Quantity) -> u128 {
        match what {
            Quantity::Running | Quantity::Submitted => 1,
            Quantity::Allocated(place) => self.allocated.get(place).into(),
            Quantity::TresMinutes(place) => self.allocated.amount_time(place, self.estimate),
            Quantity::TimeLimit => self.estimate.micros().into(),
            Quantity::Licences(kind) => {
                self.licences.iter().find(|(own, _)| *own == kind).map_or(0, |(_, count)| (*count).into())
            }
        }
    }
}

/// Returns the index of the parent of an account in the settings.
fn parent_of(accounts: &[Account], account: usize) -> Option<usize> {
    let parent = accounts[account].parent.as_ref()?;
    accounts.iter().position(|it| it.name == *parent)
}

/// Current usage by limit. Jobs to which no limit applies are not counted.
#[derive(Debug, Default)]
pub(super) struct CurrentUsage {
    limits: Vec<Limit>,
    /// Indices of the limits of each QOS, partition, account (including those of its ancestors),
    /// array, and licence, and of the site.
    rules: Vec<Vec<usize>>,
    /// Rules of the users of accounts: account, user, and the index of the rule.
    users: SortedMap<(Option<usize>, u32), usize>,
    /// Licences of jobs: kind and number; and the index of the rule of the first kind.
    licences: SortedMap<JobId, Vec<(usize, u32)>>,
    first_licence: usize,
    /// Ranges of arrays, by their first job: the last job of the range, and the index of its rule.
    arrays: SortedMap<JobId, (JobId, usize)>,
    used: SortedMap<(usize, UsageKey), u128>,
    /// Estimated ends and allocated amounts of running jobs, per limit on minutes.
    ends: SortedMap<usize, Vec<(SimTime, AllocatedTres)>>,
    /// True if limits of partitions and QOS replace equal ones of a higher rank.
    is_replacing: bool,
}

impl CurrentUsage {
    pub(super) fn new(settings: &SiteSettings, names: &[String]) -> CurrentUsage {
        let mut limits = Vec::new();
        let mut places = |of: Vec<Limit>| -> Vec<usize> {
            let first = limits.len();
            limits.extend(of);
            (first..limits.len()).collect()
        };
        let SiteSettings { qos, partitions, accounts, arrays, licences, .. } = settings;
        let classes = qos.iter().map(|class| (class, Rank::Qos));
        let classes = classes.chain(partitions.iter().map(|class| (class, Rank::Partition)));
        let mut rules: Vec<_> =
            classes.map(|(class, rank)| places(Limit::of_class(class, names, rank))).collect();
        let of_account =
            |it: &Account| Limit::all(&it.limits, names, if it.is_user { Rank::User } else { Rank::Account });
        let own: Vec<_> = accounts.iter().map(|it| places(of_account(it))).collect();
        let above = |&account: &usize| parent_of(accounts, account);
        let first_account = rules.len();
        rules.extend((0..own.len()).map(|account| {
            let with_those_above = std::iter::successors(Some(account), above);
            with_those_above.flat_map(|at| own[at].iter().copied()).collect()
        }));
        let users = accounts.iter().enumerate().filter(|(_, it)| it.is_user);
        let users = users.flat_map(|(at, it)| {
            let parent = parent_of(accounts, at);
            it.users.iter().map(move |&user| ((parent, user), first_account + at))
        });
        let users = users.collect();
        let ranges = (rules.len()..).zip(arrays).flat_map(|(at, array)| {
            array.jobs.iter().map(move |&(first, last)| (JobId(first), (JobId(last), at)))
        });
        let ranges = ranges.collect();
        let running = |scope, most| Limit::new(scope, Quantity::Running, most).into_iter().collect();
        rules.extend(arrays.iter().map(|it| places(running(Scope::All, Some(it.running)))));
        let first_licence = rules.len();
        let mut held = SortedMap::<JobId, Vec<(usize, u32)>>::default();
        for (kind, licence) in licences.iter().enumerate() {
            rules.push(places(
                Limit::new(Scope::All, Quantity::Licences(kind), Some(licence.total)).into_iter().collect(),
            ));
            licence.jobs.iter().for_each(|&(job, count)| held.or_default(JobId(job)).push((kind, count)));
        }
        rules.push(places(running(Scope::User, settings.max_running_per_user)));
        let is_replacing = settings.limits_replace;
        CurrentUsage {
            limits,
            rules,
            users,
            licences: held,
            first_licence,
            arrays: ranges,
            is_replacing,
            ..CurrentUsage::default()
        }
    }

    /// Returns the same limits without running jobs. Existing usage records of jobs remain valid.
    pub(super) fn without_running(&self) -> CurrentUsage {
        let (limits, is_replacing) = (self.limits.clone(), self.is_replacing);
        CurrentUsage { limits, is_replacing, ..CurrentUsage::default() }
    }

    /// Builds the usage record of a job.
    pub(super) fn usage_of(
        &self,
        settings: &SiteSettings,
        job: &Membership,
        origin: Origin,
        held: AllocatedTres,
        estimate: SimSpan,
    ) -> LimitUsage {
        let payer = ChargedAccount::of(settings, job.user, origin);
        let partition = job.partition.map(|at| settings.qos.len() + at);
        let first = settings.qos.len() + settings.partitions.len();
        let listed = if let ChargedAccount::Listed(at) = payer { Some(at) } else { None };
        let user = job.user.and_then(|user| self.users.get(&(listed, user)).copied());
        let account = user.or(listed.map(|at| first + at));
        let licences = self.licences.get(&job.id).cloned().unwrap_or_default();
        let array = self.arrays.keys().partition_point(|first| *first <= job.id).checked_sub(1);
        let array = array.map(|place| self.arrays.values()[place]).filter(|(last, _)| job.id <= *last);
        let rules = [job.qos, partition, account, array.map(|(_, at)| at), Some(self.rules.len() - 1)];
        let rules =
            rules.into_iter().flatten().chain(licences.iter().map(|(kind, _)| self.first_licence + kind));
        let limits: Vec<usize> = rules.flat_map(|at| &self.rules[at]).copied().collect();
        let is_replaced = |at: &usize| {
            let by = |other: &usize| self.limits[*at].is_replaced_by(&self.limits[*other]);
            self.is_replacing && limits.iter().any(by)
        };
        let applicable = limits.iter().copied().filter(|at| !is_replaced(at)).collect();
        LimitUsage { limits, applicable, user: job.user, account: payer, allocated: held, estimate, licences }
    }

    /// Returns whether the job can ever run, and does not exceed a limit on the number of jobs in
    /// the system.
    pub(super) fn admits<'a>(
        &self,
        job: &LimitUsage,
        others: &(impl Iterator<Item = &'a LimitUsage> + Clone),
    ) -> bool {
        job.applicable.iter().all(|at| {
            let Limit { scope, quantity: what, maximum: most, .. } = self.limits[*at];
            match (what, job.usage_key(scope)) {
                (Quantity::Running, _) | (Quantity::Submitted, None) => true,
                (Quantity::Submitted, whose) => {
                    let counts =
                        |other: &&LimitUsage| other.limits.contains(at) && other.usage_key(scope) == whose;
                    (others.clone().filter(counts).count() as u128) < most
                }
                _ => job.amount(what) <= most,
            }
        })
    }

    /// Returns whether a limit may ever block the job.
    pub(super) fn can_block(&self, job: &LimitUsage) -> bool {
        job.blocking_limits(&job.applicable, &self.limits).next().is_some()
    }

    /// Returns whether starting the job now would exceed a limit.
    pub(super) fn exceeds_limit(&self, now: SimTime, job: &LimitUsage) -> bool {
        let applicable = job.blocking_limits(&job.applicable, &self.limits);
        { applicable }.any(|(at, Limit { quantity: what, maximum: most, .. }, whose)| {
            let used = match what {
                Quantity::TresMinutes(place) => {
                    let running = self.ends.get(&at).into_iter().flatten();
                    running.map(|(end, held)| held.amount_time(place, end.saturating_since(now))).sum()
                }
                _ => self.used.get(&(at, whose)).copied().unwrap_or(0),
            };
            used + job.amount(what) > most
        })
    }

    pub(super) fn start(&mut self, now: SimTime, job: &LimitUsage) {
        let end = now.saturating_add(job.estimate);
        for (at, Limit { quantity: what, .. }, whose) in job.blocking_limits(&job.limits, &self.limits) {
            match what {
                Quantity::TresMinutes(_) => self.ends.or_default(at).push((end, job.allocated.clone())),
                _ => *self.used.or_default((at, whose)) += job.amount(what),
            }
        }
    }

    /// Removes the usage of a job that started at `since` and has ended.
    pub(super) fn end(&mut self, since: SimTime, job: &LimitUsage) {
        let end = since.saturating_add(job.estimate);
        for (at, Limit { quantity: what, .. }, whose) in job.blocking_limits(&job.limits, &self.limits) {
            if let Quantity::TresMinutes(_) = what {
                let ends = self.ends.or_default(at);
                let place = ends.iter().position(|it| it.0 == end && it.1 == job.allocated);
                ends.swap_remove(place.expect("it started"));
            } else {
                *self.used.or_default((at, whose)) -= job.amount(what);
            }
        }
    }
}
