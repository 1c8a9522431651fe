//! The limits of partitions, qualities of service, accounts and users.

use super::accounts::Payer;
use super::held::Held;
use dfrsim_cluster::JobView;
use dfrsim_model::priority::{JobClass, Limits, Priorities};
use dfrsim_model::{JobId, Origin, SimSpan, SimTime, SortedMap, UserId};

/// The classes of a job, by their places in the settings, and whose it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Membership {
    pub(super) qos: Option<usize>,
    pub(super) partition: Option<usize>,
    pub(super) user: Option<u32>,
    /// Its number in the log.
    pub(super) id: JobId,
}

impl Membership {
    pub(super) fn new(settings: &Priorities, job: JobView<'_>) -> Membership {
        let (user, origin) = (job.user(), job.origin());
        let place = |classes: &[JobClass]| {
            classes.iter().position(|class| class.has(user.map(UserId::number), origin))
        };
        let user = user.map(UserId::number);
        Membership { qos: place(&settings.qos), partition: place(&settings.partitions), user, id: job.id() }
    }
}

/// What a limit counts of each job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    /// Itself, while it runs.
    Running,
    /// Itself, while it is in the system.
    Submitted,
    /// What it holds of the resource of a place.
    Held(usize),
    /// The same times what is left of its estimate, in microseconds.
    Minutes(usize),
    /// Its estimate in microseconds.
    Time,
}

/// The jobs that a limit counts together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    Job,
    User,
    Account,
    All,
}

/// The jobs of a scope that count together with one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Whose {
    All,
    User(u32),
    Account(Payer),
}

/// What jobs may have at most.
#[derive(Clone, Copy, Debug)]
struct Limit {
    scope: Scope,
    what: What,
    most: u128,
}

impl Limit {
    fn new(scope: Scope, what: What, most: Option<impl Into<u128>>) -> Option<Limit> {
        Some(Limit { scope, what, most: most?.into() })
    }

    /// Those of settings.
    fn all(limits: &Limits, names: &[String]) -> Vec<Limit> {
        let [held, minutes]: [fn(usize) -> What; 2] = [What::Held, What::Minutes];
        let tables = [
            (Scope::All, held, 1, &limits.total),
            (Scope::User, held, 1, &limits.per_user),
            (Scope::Account, held, 1, &limits.per_account),
            (Scope::Job, held, 1, &limits.per_job),
            (Scope::All, minutes, 60_000_000, &limits.minutes),
        ];
        let amounts = tables.into_iter().flat_map(|(scope, what, unit, amounts)| {
            amounts.iter().map(move |(name, &most)| {
                let place = names.iter().position(|it| it == name).expect("all names are known");
                Limit { scope, what: what(place), most: u128::from(most) * unit }
            })
        });
        let counts = [
            Limit::new(Scope::All, What::Running, limits.jobs),
            Limit::new(Scope::User, What::Running, limits.jobs_per_user),
            Limit::new(Scope::Account, What::Running, limits.jobs_per_account),
            Limit::new(Scope::All, What::Submitted, limits.submitted),
            Limit::new(Scope::User, What::Submitted, limits.submitted_per_user),
        ];
        amounts.chain(counts.into_iter().flatten()).collect()
    }

    /// Those of a class, of which some have fields of their own.
    fn of_class(class: &JobClass, names: &[String]) -> Vec<Limit> {
        let longest = class.max_time_s.map(|most| SimSpan::from_secs(most).micros());
        let own = [
            Limit::new(Scope::Job, What::Held(0), class.max_nodes),
            Limit::new(Scope::All, What::Held(0), class.total_nodes),
            Limit::new(Scope::User, What::Running, class.max_running_per_user),
            Limit::new(Scope::Job, What::Time, longest),
        ];
        Limit::all(&class.limits, names).into_iter().chain(own.into_iter().flatten()).collect()
    }
}

/// What limits count of a job.
#[derive(Clone, Debug)]
pub(super) struct Claim {
    /// The places of those that it keeps.
    limits: Vec<usize>,
    user: Option<u32>,
    pub(super) payer: Payer,
    pub(super) held: Held,
    estimate: SimSpan,
}

impl Claim {
    /// Jobs of no known user have no limit by user.
    fn whose(&self, scope: Scope) -> Option<Whose> {
        match scope {
            Scope::Job => None,
            Scope::User => self.user.map(Whose::User),
            Scope::Account => Some(Whose::Account(self.payer)),
            Scope::All => Some(Whose::All),
        }
    }

    /// Those of its limits that can hold it back beside others that run, with the jobs that count with it.
    fn shared<'a>(&'a self, limits: &'a [Limit]) -> impl Iterator<Item = (usize, Limit, Whose)> + 'a {
        let limits = self.limits.iter().map(|&at| (at, limits[at]));
        let limits = limits.filter(|(_, limit)| limit.what != What::Submitted);
        limits.filter_map(|(at, limit)| Some((at, limit, self.whose(limit.scope)?)))
    }

    /// How much it has before it starts.
    fn amount(&self, what: What) -> u128 {
        match what {
            What::Running | What::Submitted => 1,
            What::Held(place) => self.held.get(place).into(),
            What::Minutes(place) => self.held.times(place, self.estimate),
            What::Time => self.estimate.micros().into(),
        }
    }
}

/// What limits depend on: who runs what. Where there are none, jobs are not counted.
#[derive(Debug, Default)]
pub(super) struct InUse {
    limits: Vec<Limit>,
    /// The places of those of each quality of service, partition, account (with those of accounts above it) and array, and of the site.
    rules: Vec<Vec<usize>>,
    /// By the first job of a range of an array: the last one, and the place of its rule.
    arrays: SortedMap<JobId, (JobId, usize)>,
    used: SortedMap<(usize, Whose), u128>,
    /// By limit of minutes: until when running jobs hold what they do, and that.
    ends: SortedMap<usize, Vec<(SimTime, Held)>>,
}

impl InUse {
    pub(super) fn new(settings: &Priorities, names: &[String]) -> InUse {
        let mut limits = Vec::new();
        let mut places = |of: Vec<Limit>| -> Vec<usize> {
            let first = limits.len();
            limits.extend(of);
            (first..limits.len()).collect()
        };
        let Priorities { qos, partitions, accounts, arrays, .. } = settings;
        let classes = qos.iter().chain(partitions);
        let mut rules: Vec<_> = classes.map(|class| places(Limit::of_class(class, names))).collect();
        let own: Vec<_> = accounts.iter().map(|it| places(Limit::all(&it.limits, names))).collect();
        let above = |&account: &usize| {
            let parent = accounts[account].parent.as_ref()?;
            accounts.iter().position(|it| it.name == *parent)
        };
        rules.extend((0..own.len()).map(|account| {
            let with_those_above = std::iter::successors(Some(account), above);
            with_those_above.flat_map(|at| own[at].iter().copied()).collect()
        }));
        let ranges = (rules.len()..).zip(arrays).flat_map(|(at, array)| {
            array.jobs.iter().map(move |&(first, last)| (JobId(first), (JobId(last), at)))
        });
        let ranges = ranges.collect();
        let running = |scope, most| Limit::new(scope, What::Running, most).into_iter().collect();
        rules.extend(arrays.iter().map(|it| places(running(Scope::All, Some(it.running)))));
        rules.push(places(running(Scope::User, settings.max_running_per_user)));
        InUse { limits, rules, arrays: ranges, ..InUse::default() }
    }

    /// The same limits for claims that were made, without a job that runs.
    pub(super) fn emptied(&self) -> InUse {
        InUse { limits: self.limits.clone(), ..InUse::default() }
    }

    /// What counts of a job.
    pub(super) fn claim(
        &self,
        settings: &Priorities,
        job: &Membership,
        origin: Origin,
        held: Held,
        estimate: SimSpan,
    ) -> Claim {
        let payer = Payer::of(settings, job.user, origin);
        let partition = job.partition.map(|at| settings.qos.len() + at);
        let first = settings.qos.len() + settings.partitions.len();
        let account = if let Payer::Listed(at) = payer { Some(first + at) } else { None };
        let array = self.arrays.keys().partition_point(|first| *first <= job.id).checked_sub(1);
        let array = array.map(|place| self.arrays.values()[place]).filter(|(last, _)| job.id <= *last);
        let rules = [job.qos, partition, account, array.map(|(_, at)| at), Some(self.rules.len() - 1)];
        let limits = rules.into_iter().flatten().flat_map(|at| &self.rules[at]).copied().collect();
        Claim { limits, user: job.user, payer, held, estimate }
    }

    /// Whether a job could ever run, and is not one too many of those in the system.
    pub(super) fn admits<'a>(&self, job: &Claim, others: &(impl Iterator<Item = &'a Claim> + Clone)) -> bool {
        job.limits.iter().all(|at| {
            let Limit { scope, what, most } = self.limits[*at];
            match (what, job.whose(scope)) {
                (What::Running, _) | (What::Submitted, None) => true,
                (What::Submitted, whose) => {
                    let counts = |other: &&Claim| other.limits.contains(at) && other.whose(scope) == whose;
                    (others.clone().filter(counts).count() as u128) < most
                }
                _ => job.amount(what) <= most,
            }
        })
    }

    /// Whether a limit may ever hold the job back.
    pub(super) fn may_hold(&self, job: &Claim) -> bool {
        job.shared(&self.limits).next().is_some()
    }

    /// Whether a limit holds the job back for now.
    pub(super) fn holds(&self, now: SimTime, job: &Claim) -> bool {
        job.shared(&self.limits).any(|(at, Limit { what, most, .. }, whose)| {
            let used = match what {
                What::Minutes(place) => {
                    let running = self.ends.get(&at).into_iter().flatten();
                    running.map(|(end, held)| held.times(place, end.saturating_since(now))).sum()
                }
                _ => self.used.get(&(at, whose)).copied().unwrap_or(0),
            };
            used + job.amount(what) > most
        })
    }

    pub(super) fn start(&mut self, now: SimTime, job: &Claim) {
        let end = now.saturating_add(job.estimate);
        for (at, Limit { what, .. }, whose) in job.shared(&self.limits) {
            match what {
                What::Minutes(_) => self.ends.or_default(at).push((end, job.held.clone())),
                _ => *self.used.or_default((at, whose)) += job.amount(what),
            }
        }
    }

    /// A job ends that started at a moment.
    pub(super) fn end(&mut self, since: SimTime, job: &Claim) {
        let end = since.saturating_add(job.estimate);
        for (at, Limit { what, .. }, whose) in job.shared(&self.limits) {
            if let What::Minutes(_) = what {
                let ends = self.ends.or_default(at);
                let place = ends.iter().position(|it| it.0 == end && it.1 == job.held);
                ends.swap_remove(place.expect("it started"));
            } else {
                *self.used.or_default((at, whose)) -= job.amount(what);
            }
        }
    }
}
