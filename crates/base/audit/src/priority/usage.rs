//! Usage of accounts, and fair shares.

use super::account::{Account, Entry};
use super::series::half_to_the;
use super::{ONE, fair_tree, fraction};
use crate::job::Job;
use dfrsim_model::SortedMap;
use dfrsim_model::site::{FairShare, SiteSettings};

/// Stay of a job on nodes.
#[derive(Debug)]
struct Span {
    account: Account,
    /// Usage per microsecond, in thousandths.
    bill: u128,
    start: u64,
}

/// Tracker of the usage of all accounts.
#[derive(Debug)]
pub(crate) struct Usage {
    /// Listed users of accounts.
    users: SortedMap<(Option<Account>, u32), Account>,
    rule: FairShare,
    dampening: u128,
    accounts: SortedMap<Account, Entry>,
    period: u64,
    kept: u128,
    half_life: u64,
    /// True if usage decays within a period too.
    decays_within: bool,
    /// Last boundary of the period.
    counted: u64,
    running: SortedMap<u64, Span>,
    /// Time before which jobs are charged nothing.
    charged_from: u64,
    /// Stays that have ended since the last boundary.
    ended: Vec<(Span, u64)>,
    fair_shares: SortedMap<Account, u128>,
}

impl Usage {
    pub(crate) fn new(settings: &SiteSettings) -> Usage {
        let listed = |name: &String| Account::Listed(name.clone());
        let (mut accounts, mut users) = (SortedMap::default(), SortedMap::default());
        for account in &settings.accounts {
            let parent = account.parent.as_ref().map(listed);
            let own = account.users.iter().filter(|_| account.is_user);
            users.extend(own.map(|&user| ((parent.clone(), user), listed(&account.name))));
            let (shares, is_user) = (account.shares, account.is_user);
            // In thousandths of the amount, and microseconds.
            let usage = u128::from(account.usage_s) * 1_000 * 1_000_000;
            accounts.insert(listed(&account.name), Entry { parent, shares, is_user, usage });
        }
        let exponent = fraction(settings.calc_period_s.into(), settings.half_life_s.into());
        Usage {
            users,
            rule: settings.fair_share,
            dampening: settings.fair_share_dampening.into(),
            accounts,
            period: settings.calc_period_s.saturating_mul(1_000_000),
            kept: if settings.half_life_s == 0 { ONE } else { half_to_the(exponent) },
            half_life: settings.half_life_s.saturating_mul(1_000_000),
            decays_within: settings.decay_within_period,
            counted: 0,
            running: SortedMap::default(),
            charged_from: 0,
            ended: Vec::new(),
            fair_shares: SortedMap::default(),
        }
    }

    /// Returns the account to which a job is charged, or that of its user in it, and adds it if
    /// necessary.
    pub(crate) fn account(&mut self, account: Account, job: &Job) -> Account {
        self.add_account(&account, Entry { parent: None, shares: 1, is_user: false, usage: 0 });
        if self.rule == FairShare::Classic || self.accounts[&account].is_user {
            return account;
        }
        let listed = job.user.and_then(|user| self.users.get(&(Some(account.clone()), user)));
        let user = match listed {
            Some(listed) => listed.clone(),
            None => Account::User(Box::new(account.clone()), job.user),
        };
        let entry = Entry { parent: Some(account), shares: 1, is_user: true, usage: 0 };
        self.add_account(&user, entry);
        user
    }

    /// Adds an account, if it does not exist.
    fn add_account(&mut self, account: &Account, entry: Entry) {
        if !self.accounts.contains_key(account) {
            self.accounts.insert(account.clone(), entry);
            self.fair_shares.clear();
        }
    }

    /// Sets the time before which jobs are charged nothing: that of the first decision.
    pub(crate) fn take_over(&mut self, first_decision: u64) {
        self.charged_from = first_decision;
    }

    pub(crate) fn start(&mut self, job: u64, account: Account, bill: u128, now: u64) {
        self.running.insert(job, Span { account, bill, start: now.max(self.charged_from) });
    }

    pub(crate) fn end(&mut self, job: u64, now: u64) {
        self.ended.extend(self.running.remove(&job).map(|span| (span, now)));
    }

    /// Returns the first boundary of the period after a time.
    pub(crate) fn next_boundary(&self, now: u64) -> u64 {
        (now / self.period + 1).saturating_mul(self.period)
    }

    /// Accounts for the periods that are over by `now`; returns the end of the last one, if there is
    /// one.
    pub(crate) fn advance(&mut self, now: u64) -> Option<u64> {
        let mut last = None;
        while self.next_boundary(self.counted) <= now {
            let is_used = self.accounts.values().iter().any(|entry| entry.usage > 0);
            let next = match is_used || !self.running.is_empty() || !self.ended.is_empty() {
                true => self.next_boundary(self.counted),
                false => now - now % self.period,
            };
            self.accounts.values_mut().for_each(|entry| entry.usage = entry.usage * self.kept / ONE);
            let running = self.running.values().iter().map(|span| (span, next));
            for (span, end) in running.chain(self.ended.iter().map(|(span, end)| (span, *end))) {
                let span_us = end.min(next).saturating_sub(span.start.max(self.counted));
                let forgets = self.decays_within && self.half_life > 0;
                let kept = match forgets {
                    true => half_to_the(fraction(span_us.into(), self.half_life.into())),
                    false => ONE,
                };
                if let Some(entry) = self.accounts.get_mut(&span.account) {
                    entry.usage += u128::from(span_us) * span.bill * kept / ONE;
                }
            }
            self.ended.retain(|(_, end)| *end > next);
            (self.counted, last) = (next, Some(next));
        }
        if last.is_some() {
            self.fair_shares.clear();
        }
        last
    }

    /// Returns the fair-share factor as of the last boundary.
    pub(crate) fn fair_share(&mut self, account: &Account) -> u128 {
        if self.fair_shares.is_empty() {
            self.fair_shares = self.all_fair_shares();
        }
        self.fair_shares.get(account).copied().unwrap_or(0)
    }

    fn all_fair_shares(&self) -> SortedMap<Account, u128> {
        let mut with_below: SortedMap<&Account, u128> = SortedMap::default();
        let mut shares_below: SortedMap<Option<&Account>, u128> = SortedMap::default();
        for (account, entry) in &self.accounts {
            *shares_below.or_default(entry.parent.as_ref()) += u128::from(entry.shares);
            let mut at = Some(account);
            while let Some(account) = at {
                *with_below.or_default(account) += entry.usage;
                at = self.accounts[account].parent.as_ref();
            }
        }
        if self.rule == FairShare::FairTree {
            return fair_tree::ranks(&self.accounts, &with_below, &shares_below);
        }
        let all = self.accounts.values().iter().map(|entry| entry.usage).sum();
        let factor = |account: &Account| {
            // From the root to the account.
            let mut path = vec![account];
            while let Some(parent) = path.last().and_then(|last| self.accounts[*last].parent.as_ref()) {
                path.push(parent);
            }
            let (mut share, mut effective) = (ONE, None);
            for account in path.into_iter().rev() {
                let Entry { parent, shares, .. } = &self.accounts[account];
                let (own, siblings) = (u128::from(*shares), shares_below[&parent.as_ref()]);
                share = (share * own).checked_div(siblings).unwrap_or(0);
                let normalised = fraction(with_below[&account], all);
                effective = Some(match effective {
                    None => normalised,
                    Some(above) => {
                        let others = u128::saturating_sub(above, normalised);
                        normalised + (others * own).checked_div(siblings).unwrap_or(0)
                    }
                });
            }
            match share {
                0 => 0,
                share => half_to_the(fraction(effective.unwrap_or(0), share) / self.dampening),
            }
        };
        self.accounts.keys().iter().map(|account| (account.clone(), factor(account))).collect()
    }
}
