//! The limits of partitions, qualities of service, accounts and users.

use super::accounts::unlisted;
use super::held::Held;
use dfrsim_cluster::JobView;
use dfrsim_model::priority::{Account, JobClass, Limits, Priorities, Tres};
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

/// Who pays for a job: the account of a place in the settings, or one of the group or user that is not listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Payer {
    Listed(usize),
    Other(Option<u32>),
}

/// What limits count of a job.
#[derive(Clone, Debug)]
pub(super) struct Claim {
    /// The places of the rules that it keeps.
    rules: Vec<usize>,
    user: Option<u32>,
    payer: Payer,
    pub(super) held: Held,
    estimate: SimSpan,
}

/// Limits with the places of what jobs hold.
#[derive(Clone, Debug, Default, PartialEq)]
struct Rule {
    total: Vec<(usize, u64)>,
    per_user: Vec<(usize, u64)>,
    per_account: Vec<(usize, u64)>,
    per_job: Vec<(usize, u64)>,
    minutes: Vec<(usize, u64)>,
    jobs: Option<u32>,
    jobs_per_user: Option<u32>,
    jobs_per_account: Option<u32>,
    submitted: Option<u32>,
    submitted_per_user: Option<u32>,
    longest: Option<SimSpan>,
}

impl Rule {
    fn new(limits: &Limits, names: &[String]) -> Rule {
        let places = |amounts: &Tres| {
            let place = |name: &String| names.iter().position(|it| it == name).expect("all names are known");
            amounts.iter().map(|(name, &most)| (place(name), most)).collect()
        };
        Rule {
            total: places(&limits.total),
            per_user: places(&limits.per_user),
            per_account: places(&limits.per_account),
            per_job: places(&limits.per_job),
            minutes: places(&limits.minutes),
            jobs: limits.jobs,
            jobs_per_user: limits.jobs_per_user,
            jobs_per_account: limits.jobs_per_account,
            submitted: limits.submitted,
            submitted_per_user: limits.submitted_per_user,
            longest: None,
        }
    }

    fn of_class(class: &JobClass, names: &[String]) -> Rule {
        let nodes = |most: Option<u32>| most.map(|most| (0, u64::from(most)));
        let mut rule = Rule::new(&class.limits, names);
        rule.per_job.extend(nodes(class.max_nodes));
        rule.total.extend(nodes(class.total_nodes));
        rule.jobs_per_user = rule.jobs_per_user.into_iter().chain(class.max_running_per_user).min();
        rule.longest = class.max_time_s.map(SimSpan::from_secs);
        rule
    }

    fn holds_back(&self) -> bool {
        let Rule { total, per_user, per_account, minutes, jobs, jobs_per_user, jobs_per_account, .. } = self;
        [total, per_user, per_account, minutes].iter().any(|it| !it.is_empty())
            || [jobs, jobs_per_user, jobs_per_account].iter().any(|it| it.is_some())
    }

    fn counts_jobs(&self) -> bool {
        self.submitted.is_some() || self.submitted_per_user.is_some()
    }
}

/// The jobs of which a limit counts some.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Whose {
    All,
    User(u32),
    Account(Payer),
}

/// What some jobs use.
#[derive(Debug, Default)]
struct Used {
    jobs: u32,
    held: Held,
}

/// What limits depend on: who runs what. Where there are none, jobs are not counted.
#[derive(Debug, Default)]
pub(super) struct InUse {
    has_limits: bool,
    /// Of qualities of service, of partitions, of accounts, of arrays, and of the site.
    rules: Vec<Rule>,
    /// By the first job of a range of an array: the last one, and the place of its rule.
    arrays: SortedMap<JobId, (JobId, usize)>,
    used: SortedMap<(usize, Whose), Used>,
    /// By rule with a limit of minutes: what jobs hold, and until when they do.
    ends: SortedMap<usize, Vec<(SimTime, Held)>>,
}

impl InUse {
    pub(super) fn new(settings: &Priorities, names: &[String]) -> InUse {
        let classes =
            settings.qos.iter().chain(&settings.partitions).map(|class| Rule::of_class(class, names));
        let accounts = settings.accounts.iter().map(|account| Rule::new(&account.limits, names));
        let of_arrays = settings.arrays.iter().map(|it| Rule { jobs: Some(it.running), ..Rule::default() });
        let site = Rule { jobs_per_user: settings.max_running_per_user, ..Rule::default() };
        let first = settings.qos.len() + settings.partitions.len() + settings.accounts.len();
        let ranges = (first..).zip(&settings.arrays).flat_map(|(at, array)| {
            array.jobs.iter().map(move |&(first, last)| (JobId(first), (JobId(last), at)))
        });
        InUse {
            has_limits: settings.have_limits(),
            rules: classes.chain(accounts).chain(of_arrays).chain([site]).collect(),
            arrays: ranges.collect(),
            ..InUse::default()
        }
    }

    /// The same limits for claims that were made, without a job that runs.
    pub(super) fn emptied(&self) -> InUse {
        InUse { rules: self.rules.clone(), ..InUse::default() }
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
        let (user, payer) = (job.user, payer(settings, job.user, origin));
        if !self.has_limits {
            return Claim { rules: Vec::new(), user, payer, held, estimate };
        }
        let qos = job.qos.into_iter();
        let partition = job.partition.into_iter().map(|at| settings.qos.len() + at);
        let mut rules: Vec<usize> = qos.chain(partition).collect();
        let first = settings.qos.len() + settings.partitions.len();
        let mut at = if let Payer::Listed(account) = payer { Some(account) } else { None };
        while let Some(account) = at {
            rules.push(first + account);
            let parent = settings.accounts[account].parent.as_ref();
            at = parent.and_then(|name| settings.accounts.iter().position(|it| it.name == *name));
        }
        let array = self.arrays.keys().partition_point(|first| *first <= job.id).checked_sub(1);
        let array = array.map(|place| self.arrays.values()[place]);
        rules.extend(array.filter(|(last, _)| job.id <= *last).map(|(_, at)| at));
        rules.push(self.rules.len() - 1);
        rules.retain(|&at| self.rules[at] != Rule::default());
        Claim { rules, user, payer, held, estimate }
    }

    /// Whether a job could ever run, and is not one too many of those in the system.
    pub(super) fn admits<'a>(&self, job: &Claim, others: impl Iterator<Item = &'a Claim>) -> bool {
        let within = |limits: &[(usize, u64)]| limits.iter().all(|&(at, most)| job.held.get(at) <= most);
        let in_minutes = |limits: &[(usize, u64)]| {
            limits.iter().all(|&(at, most)| job.held.times(at, job.estimate) <= micros(most))
        };
        let fits = job.rules.iter().map(|&at| &self.rules[at]).all(|rule| {
            [&rule.total, &rule.per_user, &rule.per_account, &rule.per_job].into_iter().all(|it| within(it))
                && in_minutes(&rule.minutes)
                && rule.longest.is_none_or(|longest| job.estimate <= longest)
        });
        let counting: Vec<usize> =
            job.rules.iter().copied().filter(|&at| self.rules[at].counts_jobs()).collect();
        if !fits || counting.is_empty() {
            return fits;
        }
        let others: Vec<&Claim> = others.collect();
        counting.into_iter().all(|at| {
            let below = |most: Option<u32>, counts: &dyn Fn(&Claim) -> bool| {
                let count =
                    || others.iter().filter(|other| other.rules.contains(&at) && counts(other)).count();
                most.is_none_or(|most| count() < most as usize)
            };
            below(self.rules[at].submitted, &|_| true)
                && (job.user.is_none()
                    || below(self.rules[at].submitted_per_user, &|other| other.user == job.user))
        })
    }

    /// Whether a limit may ever hold the job back.
    pub(super) fn may_hold(&self, job: &Claim) -> bool {
        job.rules.iter().any(|&at| self.rules[at].holds_back())
    }

    /// Whether a limit holds the job back for now. Jobs of no known user have no limit by user.
    pub(super) fn holds(&self, now: SimTime, job: &Claim) -> bool {
        job.rules.iter().any(|&at| {
            let rule = &self.rules[at];
            let exceeds = |whose: Whose, jobs: Option<u32>, limits: &[(usize, u64)]| {
                if jobs.is_none() && limits.is_empty() {
                    return false;
                }
                let Some(used) = self.used.get(&(at, whose)) else { return jobs == Some(0) };
                let over = |&(place, most): &(usize, u64)| used.held.get(place) + job.held.get(place) > most;
                jobs.is_some_and(|most| used.jobs >= most) || limits.iter().any(over)
            };
            exceeds(Whose::All, rule.jobs, &rule.total)
                || job.user.is_some_and(|user| exceeds(Whose::User(user), rule.jobs_per_user, &rule.per_user))
                || exceeds(Whose::Account(job.payer), rule.jobs_per_account, &rule.per_account)
                || rule.minutes.iter().any(|&(place, most)| {
                    let running = self.ends.get(&at).into_iter().flatten();
                    let left = running.map(|(end, held)| held.times(place, end.saturating_since(now)));
                    left.sum::<u128>() + job.held.times(place, job.estimate) > micros(most)
                })
        })
    }

    pub(super) fn start(&mut self, now: SimTime, job: &Claim) {
        self.each(job, |used| {
            used.jobs += 1;
            used.held.add(&job.held);
        });
        for &at in job.rules.iter().filter(|&&at| !self.rules[at].minutes.is_empty()) {
            let end = now.saturating_add(job.estimate);
            self.ends.or_default(at).push((end, job.held.clone()));
        }
    }

    /// A job ends that started at a moment.
    pub(super) fn end(&mut self, since: SimTime, job: &Claim) {
        self.each(job, |used| {
            used.jobs -= 1;
            used.held.subtract(&job.held);
        });
        for at in &job.rules {
            let Some(ends) = self.ends.get_mut(at) else { continue };
            let end = since.saturating_add(job.estimate);
            if let Some(place) = ends.iter().position(|it| it.0 == end && it.1 == job.held) {
                ends.swap_remove(place);
            }
        }
    }

    fn each(&mut self, job: &Claim, change: impl Fn(&mut Used)) {
        for &at in &job.rules {
            let whose = [Some(Whose::All), job.user.map(Whose::User), Some(Whose::Account(job.payer))];
            whose.into_iter().flatten().for_each(|it| change(self.used.or_default((at, it))));
        }
    }
}

/// A limit of minutes in microseconds.
fn micros(minutes: u64) -> u128 {
    u128::from(minutes) * 60_000_000
}

fn payer(settings: &Priorities, user: Option<u32>, origin: Origin) -> Payer {
    let place = |pays: &dyn Fn(&Account) -> bool| settings.accounts.iter().position(pays);
    let of_user = user.and_then(|user| place(&|account| account.pays_for(user)));
    let of_group = || origin.group().and_then(|group| place(&|account| account.groups.contains(&group)));
    let listed = of_user.or_else(of_group).map(Payer::Listed);
    listed.unwrap_or_else(|| Payer::Other(unlisted(settings, user, origin)))
}
