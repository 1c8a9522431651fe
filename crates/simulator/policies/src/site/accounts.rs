//! Account tree: charged accounts, usage, and fair share.

use super::factor::{self, ONE, power_of_half, ratio};
use super::fair_tree::FairTree;
use super::multiples::{last_multiple, next_multiple};
use dfrsim_model::site::{Account, FairShare, SiteSettings, Unlisted};
use dfrsim_model::{Origin, SimSpan, SimTime, SortedMap};
use std::sync::Arc;

/// Index of an account in the tree.
pub(super) type AccountIndex = usize;

const ROOT: AccountIndex = 0;

/// One second of usage in microseconds of thousandths of the charged amount.
const USAGE_SECOND: u128 = 1_000_000_000;

/// Account charged for a job: a listed one, by its index in the settings, or one of an unlisted
/// group or user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ChargedAccount {
    Listed(usize),
    Other(Option<u32>),
}

impl ChargedAccount {
    pub(super) fn of(settings: &SiteSettings, user: Option<u32>, origin: Origin) -> ChargedAccount {
        let place = |pays: &dyn Fn(&Account) -> bool| settings.accounts.iter().position(pays);
        let of_user = user.and_then(|user| place(&|account| account.pays_for(user)));
        let of_group = || origin.group().and_then(|group| place(&|account| account.groups.contains(&group)));
        let other = match settings.unlisted {
            Unlisted::Group => origin.group(),
            Unlisted::User => user,
            Unlisted::Together => None,
        };
        of_user.or_else(of_group).map_or(ChargedAccount::Other(other), ChargedAccount::Listed)
    }
}

#[derive(Clone, Debug)]
struct AccountNode {
    /// Parent account, at a lower index, except for the root itself.
    parent: AccountIndex,
    shares: u64,
    is_user: bool,
    /// Amount that its running jobs use.
    in_use: u64,
    /// Amount * microseconds used since the last boundary of the calculation period.
    recent: u128,
    /// Decayed amount * microseconds used before that boundary.
    usage: u128,
    fair_share: u64,
}

impl AccountNode {
    fn new(parent: AccountIndex, shares: u32, is_user: bool) -> AccountNode {
        AccountNode {
            parent,
            shares: shares.into(),
            is_user,
            in_use: 0,
            recent: 0,
            usage: 0,
            fair_share: ONE,
        }
    }
}

/// Accounts and their usage.
#[derive(Clone, Debug)]
pub(super) struct Accounts {
    settings: Arc<SiteSettings>,
    tree: Vec<AccountNode>,
    /// Indices of the accounts in the settings.
    listed: Vec<AccountIndex>,
    /// Unlisted accounts by group or user.
    unlisted: SortedMap<Option<u32>, AccountIndex>,
    /// User nodes by account and user, where users have shares of their own.
    users: SortedMap<(AccountIndex, Option<u32>), AccountIndex>,
    period: SimSpan,
    /// Decay factor of usage per calculation period.
    decay: u64,
    /// Present if usage decays within a period: by job, the account, the amount, and the start of
    /// its use in this period.
    running: Option<SortedMap<usize, (AccountIndex, u64, SimTime)>>,
    now: SimTime,
    /// Version of the fair-share factors, which increases with each computation.
    pub(super) version: u64,
}

impl Accounts {
    /// Builds the account tree. The settings must have been checked.
    pub(super) fn new(settings: Arc<SiteSettings>) -> Accounts {
        let mut tree = vec![AccountNode::new(ROOT, 1, false)];
        let mut leaves = SortedMap::default();
        let mut places: SortedMap<Option<&String>, AccountIndex> = SortedMap::from_iter([(None, ROOT)]);
        // Parents are inserted before their children.
        while places.len() <= settings.accounts.len() {
            for account in &settings.accounts {
                let parent = places.get(&account.parent.as_ref()).copied();
                let Some(parent) = parent.filter(|_| !places.contains_key(&Some(&account.name))) else {
                    continue;
                };
                places.insert(Some(&account.name), tree.len());
                let own = account.users.iter().filter(|_| account.is_user);
                leaves.extend(own.map(|&user| ((parent, Some(user)), tree.len())));
                let node = AccountNode::new(parent, account.shares, account.is_user);
                tree.push(AccountNode { usage: u128::from(account.usage_s) * USAGE_SECOND, ..node });
            }
        }
        let period = SimSpan::from_secs(settings.calc_period_s);
        let mut accounts = Accounts {
            tree,
            listed: settings.accounts.iter().map(|account| places[&Some(&account.name)]).collect(),
            unlisted: SortedMap::default(),
            users: leaves,
            period,
            decay: decay(period, &settings),
            running: settings.decay_within_period.then(SortedMap::default),
            now: SimTime::ZERO,
            version: 0,
            settings,
        };
        accounts.compute();
        accounts
    }

    /// Returns the fair-share factor that a job would have on arrival.
    pub(super) fn fair_share_of(&self, user: Option<u32>, payer: ChargedAccount) -> u64 {
        let mut then = self.clone();
        let account = then.account_of(user, payer);
        then.fair_share(account)
    }

    /// Returns the account of an arriving job, or its user's node below that account; creates it if
    /// necessary.
    pub(super) fn account_of(&mut self, user: Option<u32>, payer: ChargedAccount) -> AccountIndex {
        let account = match payer {
            ChargedAccount::Listed(place) => self.listed[place],
            ChargedAccount::Other(key) => self.unlisted.get(&key).copied().unwrap_or_else(|| {
                let new = self.add(ROOT, false);
                self.unlisted.insert(key, new);
                new
            }),
        };
        if self.settings.fair_share == FairShare::Classic || self.tree[account].is_user {
            return account;
        }
        if let Some(&known) = self.users.get(&(account, user)) {
            return known;
        }
        let new = self.tree.len();
        self.users.insert((account, user), new);
        self.add(account, true)
    }

    /// Adds an account with one share, or a user, below another account.
    fn add(&mut self, parent: AccountIndex, is_user: bool) -> AccountIndex {
        self.tree.push(AccountNode::new(parent, 1, is_user));
        self.compute();
        self.tree.len() - 1
    }

    /// Returns the fair-share factor, computed from the usage at the last period boundary.
    pub(super) fn fair_share(&self, account: AccountIndex) -> u64 {
        self.tree[account].fair_share
    }

    /// Starts charging a job that uses `amount`.
    pub(super) fn start(&mut self, job: usize, account: AccountIndex, amount: u64) {
        self.tree[account].in_use += amount;
        if let Some(runs) = &mut self.running {
            runs.insert(job, (account, amount, self.now));
        }
    }

    /// Ends charging a job that uses `amount`.
    pub(super) fn end(&mut self, job: usize, account: AccountIndex, amount: u64) {
        self.tree[account].in_use -= amount;
        if let Some((account, amount, since)) = self.running.as_mut().and_then(|runs| runs.remove(&job)) {
            self.tree[account].recent += self.decayed(amount, self.now.since(since));
        }
    }

    /// Computes the decayed usage, at the end of a span within a period, of a job that uses `amount`
    /// during it.
    fn decayed(&self, amount: u64, span: SimSpan) -> u128 {
        let kept = if span == self.period { self.decay } else { decay(span, &self.settings) };
        (u128::from(amount) * u128::from(span.micros()) * u128::from(kept)) >> 32
    }

    /// Begins at a time, at which the usage is that of the settings.
    pub(super) fn begin_at(&mut self, at: SimTime) {
        self.now = at;
    }

    /// Returns the accounts with their usage up to a time, without running jobs.
    pub(super) fn without_running(&self, at: SimTime) -> Accounts {
        let mut accounts = self.clone();
        accounts.advance(at);
        accounts.tree.iter_mut().for_each(|node| node.in_use = 0);
        accounts.running = accounts.running.map(|_| SortedMap::default());
        accounts
    }

    /// Returns the time since which the usage of a running job is not charged yet, if it is charged at
    /// once at the end of a period.
    pub(super) fn uncharged_since(&self, job: usize) -> Option<SimTime> {
        Some(self.running.as_ref()?.get(&job)?.2)
    }

    /// Sets the time since which the usage of a running job is not charged yet.
    pub(super) fn charge_since(&mut self, job: usize, since: SimTime) {
        self.running.iter_mut().filter_map(|runs| runs.get_mut(&job)).for_each(|run| run.2 = since);
    }

    /// Advances to a time up to which usage is constant; returns the last period boundary on the
    /// way, if any.
    pub(super) fn advance(&mut self, to: SimTime) -> Option<SimTime> {
        let mut last = None;
        while let next = next_multiple(self.now, self.period)
            && next <= to
        {
            let is_idle = self.tree.iter().all(|it| it.in_use == 0 && it.recent == 0 && it.usage == 0);
            let next = if is_idle { last_multiple(to, self.period) } else { next };
            self.accrue_until(next);
            let runs = self.running.take();
            for &(account, amount, since) in runs.iter().flat_map(SortedMap::values) {
                self.tree[account].recent += self.decayed(amount, next.since(since));
            }
            self.running = runs;
            self.running.iter_mut().flat_map(SortedMap::values_mut).for_each(|run| run.2 = next);
            for node in &mut self.tree {
                let kept = (node.usage * u128::from(self.decay)) >> 32;
                node.usage = kept + std::mem::take(&mut node.recent);
            }
            last = Some(next);
        }
        self.accrue_until(to);
        if last.is_some() {
            self.compute();
        }
        last
    }

    fn accrue_until(&mut self, to: SimTime) {
        let span = u128::from(to.since(self.now).micros());
        for node in self.tree.iter_mut().filter(|node| node.in_use > 0 && self.running.is_none()) {
            node.recent += u128::from(node.in_use) * span;
        }
        self.now = to;
    }

    /// Computes the fair-share factors of all accounts.
    fn compute(&mut self) {
        self.version += 1;
        let mut usage: Vec<u128> = self.tree.iter().map(|node| node.usage).collect();
        // By account: the sum of the shares of its children.
        let mut below = vec![0_u64; self.tree.len()];
        for at in (1..self.tree.len()).rev() {
            let AccountNode { parent, shares, .. } = self.tree[at];
            usage[parent] += usage[at];
            below[parent] += shares;
        }
        match self.settings.fair_share {
            FairShare::Classic | FairShare::ClassicOfUsers => self.compute_classic(&usage, &below),
            FairShare::FairTree => {
                let accounts = (1..self.tree.len()).map(|at| {
                    let AccountNode { parent, shares, .. } = self.tree[at];
                    (parent, ratio(shares.into(), below[parent].into()), usage[at])
                });
                let users = (1..self.tree.len()).filter(|&at| self.tree[at].is_user);
                for (user, fair_share) in FairTree::new(accounts, users).fair_shares() {
                    self.tree[user].fair_share = fair_share;
                }
            }
        }
    }

    fn compute_classic(&mut self, usage: &[u128], below: &[u64]) {
        let mut share = vec![ONE; self.tree.len()];
        let mut effective = vec![0_u64; self.tree.len()];
        for at in 1..self.tree.len() {
            let AccountNode { parent, shares, .. } = self.tree[at];
            let part = |of: u64| match below[parent] {
                0 => 0,
                all => (u128::from(of) * u128::from(shares) / u128::from(all)) as u64,
            };
            let normalised = ratio(usage[at], usage[ROOT]);
            share[at] = part(share[parent]);
            effective[at] = match parent {
                ROOT => normalised,
                _ => normalised + part(effective[parent].saturating_sub(normalised)),
            };
            self.tree[at].fair_share = match share[at] {
                0 => 0,
                share => power_of_half(
                    ratio(effective[at].into(), share.into()) / u64::from(self.settings.fair_share_dampening),
                ),
            };
        }
    }
}

/// Returns the factor by which usage decays over a span.
fn decay(span: SimSpan, settings: &SiteSettings) -> u64 {
    factor::decay(span.micros(), SimSpan::from_secs(settings.half_life_s).micros())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn account(name: &str, parent: Option<&str>, shares: u32, groups: &[u32]) -> Account {
        let parent = parent.map(str::to_owned);
        let (name, groups) = (name.to_owned(), groups.to_vec());
        Account { groups, parent, is_user: false, ..Account::user(&name, None, shares) }
    }

    fn of_job(accounts: &mut Accounts, user: Option<u32>, origin: Origin) -> AccountIndex {
        let payer = ChargedAccount::of(&accounts.settings, user, origin);
        accounts.account_of(user, payer)
    }

    fn group(accounts: &mut Accounts, number: u32) -> AccountIndex {
        of_job(accounts, None, Origin::new(Some(number), None, None))
    }

    /// Two accounts have 3 and 1 shares. In a period of 100 s, each uses one of two nodes: e = 1/2
    /// for both, so the factors are 2^(-(1/2) / (3/4)) and 2^(-(1/2) / (1/4)) = 1/4.
    #[test]
    fn shares_and_usage_make_the_factor() {
        let accounts = vec![account("a", None, 3, &[1]), account("b", None, 1, &[2])];
        let settings = SiteSettings { accounts, calc_period_s: 100, ..SiteSettings::default() };
        let mut accounts = Accounts::new(Arc::new(settings));
        let (a, b) = (group(&mut accounts, 1), group(&mut accounts, 2));
        assert_eq!((accounts.fair_share(a), accounts.fair_share(b)), (ONE, ONE));
        accounts.start(a, a, 1);
        accounts.start(b, b, 1);
        assert_eq!(accounts.advance(SimTime::from_secs(99)), None);
        assert_eq!(accounts.fair_share(b), ONE);
        assert_eq!(accounts.advance(SimTime::from_secs(150)), Some(SimTime::from_secs(100)));
        assert_eq!(accounts.fair_share(b), ONE / 4);
        let expected = 2_f64.powf(-2.0 / 3.0) * ONE as f64;
        assert!((accounts.fair_share(a) as f64 - expected).abs() < 4.0);
    }

    /// An account below another one inherits part of the usage of its siblings: e = 0 + (1 - 0) / 2
    /// with a share of 1/2.
    #[test]
    fn usage_of_siblings_counts() {
        let accounts =
            vec![account("below", Some("above"), 1, &[1]), account("beside", Some("above"), 1, &[2])];
        let above = account("above", None, 1, &[]);
        let accounts = [accounts, vec![above]].concat();
        let settings = SiteSettings { accounts, calc_period_s: 100, ..SiteSettings::default() };
        let mut accounts = Accounts::new(Arc::new(settings));
        let (below, beside) = (group(&mut accounts, 1), group(&mut accounts, 2));
        accounts.start(beside, beside, 5);
        accounts.advance(SimTime::from_secs(100));
        assert_eq!((accounts.fair_share(below), accounts.fair_share(beside)), (ONE / 2, ONE / 4));
    }

    /// Two users of an account have 1 and 3 of its shares and 3/4 and 1/4 of all usage. A user
    /// without jobs has as many shares as the account, and is first in the tree.
    /// A fourth of all usage before the beginning is that of an account with half of the shares, and
    /// half of it is left after a half-life.
    #[test]
    fn usage_before_the_beginning_counts_and_decays() {
        let used = |name: &str, usage_s| Account { usage_s, ..account(name, None, 1, &[]) };
        let accounts = vec![used("a", 300), used("b", 100)];
        let (calc_period_s, half_life_s) = (100, 100);
        let settings = SiteSettings { accounts, calc_period_s, half_life_s, ..SiteSettings::default() };
        let mut accounts = Accounts::new(Arc::new(settings));
        assert_eq!(accounts.fair_share(2), power_of_half(ONE / 2));
        accounts.advance(SimTime::from_secs(100));
        assert_eq!(accounts.tree[1].usage, 150 * USAGE_SECOND);
    }

    #[test]
    fn users_have_shares_in_their_account() {
        let user = |name, above, shares, users| Account { users, ..Account::user(name, above, shares) };
        let accounts = vec![
            account("a", None, 1, &[1]),
            user("a/x", Some("a"), 1, vec![7]),
            user("a/y", Some("a"), 3, vec![8]),
            user("root", None, 1, vec![]),
        ];
        let fair_shares = |fair_share| {
            let accounts = accounts.clone();
            let mut accounts = Accounts::new(Arc::new(SiteSettings {
                accounts,
                fair_share,
                calc_period_s: 100,
                ..SiteSettings::default()
            }));
            let origin = Origin::new(Some(1), None, None);
            let [x, y] = [7, 8].map(|user| of_job(&mut accounts, Some(user), origin));
            accounts.start(0, x, 3);
            accounts.start(1, y, 1);
            accounts.advance(SimTime::from_secs(100));
            [accounts.fair_share(x), accounts.fair_share(y)]
        };
        // The account has the effective usage 1: for x it is 3/4 + 1/4 * 1/4 = 13/16, for y 1/4 +
        // 3/4 * 3/4 = 13/16.
        let expected = [(13.0 / 16.0) / (1.0 / 8.0), (13.0 / 16.0) / (3.0 / 8.0)];
        for (found, exponent) in fair_shares(FairShare::ClassicOfUsers).into_iter().zip(expected) {
            let expected = 2_f64.powf(-exponent) * ONE as f64;
            assert!((found as f64 - expected).abs() < 4.0, "{found} {expected}");
        }
        assert_eq!(fair_shares(FairShare::FairTree), [ratio(1, 3), ratio(2, 3)]);
        assert_eq!(fair_shares(FairShare::Classic)[0], fair_shares(FairShare::Classic)[1]);
    }

    /// Usage of 800 node-seconds with a half-life of one period decays to 400 after one more period
    /// and to 200 after two, when the other account has used 200.
    #[test]
    fn usage_is_forgotten() {
        let settings = SiteSettings { calc_period_s: 100, half_life_s: 100, ..SiteSettings::default() };
        let mut accounts = Accounts::new(Arc::new(settings));
        let (a, b) = (group(&mut accounts, 1), group(&mut accounts, 2));
        accounts.start(a, a, 8);
        accounts.advance(SimTime::from_secs(100));
        assert_eq!((accounts.fair_share(a), accounts.fair_share(b)), (ONE / 4, ONE));
        accounts.end(a, a, 8);
        accounts.advance(SimTime::from_secs(200));
        assert_eq!((accounts.fair_share(a), accounts.fair_share(b)), (ONE / 4, ONE));
        accounts.start(b, b, 2);
        accounts.advance(SimTime::from_secs(300));
        assert_eq!((accounts.fair_share(a), accounts.fair_share(b)), (ONE / 2, ONE / 2));
    }

    /// Accounts of the log are created when their first job arrives.
    #[test]
    fn unlisted_accounts_come_with_their_jobs() {
        let listed = vec![account("a", None, 1, &[1])];
        let mut accounts =
            Accounts::new(Arc::new(SiteSettings { accounts: listed, ..SiteSettings::default() }));
        let a = group(&mut accounts, 1);
        let unknown = of_job(&mut accounts, None, Origin::UNKNOWN);
        assert_eq!([group(&mut accounts, 7), group(&mut accounts, 7)], [3, 3]);
        assert_eq!((a, unknown, of_job(&mut accounts, Some(4), Origin::UNKNOWN)), (1, 2, 2));
        let by_user = SiteSettings { unlisted: Unlisted::User, ..SiteSettings::default() };
        let mut accounts = Accounts::new(Arc::new(by_user));
        let origin = Origin::new(Some(1), None, None);
        assert_ne!(of_job(&mut accounts, Some(1), origin), of_job(&mut accounts, Some(2), origin));
        let together = SiteSettings { unlisted: Unlisted::Together, ..SiteSettings::default() };
        let mut accounts = Accounts::new(Arc::new(together));
        assert_eq!(of_job(&mut accounts, Some(1), origin), of_job(&mut accounts, None, Origin::UNKNOWN));
    }
}
