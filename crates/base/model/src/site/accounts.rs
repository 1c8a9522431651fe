//! Accounts and their fair shares.

use super::check::{check, check_ranges, check_unique};
use super::{Limits, SettingError};
use crate::named;
use crate::numbers::is_default;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum depth of the tree of accounts.
const MAX_LEVELS: usize = 100;

/// Account in the tree of accounts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Account {
    /// Name of the account.
    pub name: String,
    /// Parent account; the root if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// Shares, relative to those of its siblings.
    #[serde(default = "one")]
    pub shares: u32,
    /// Groups of the log whose jobs are charged to it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<u32>,
    /// Users of the log whose jobs are charged to it, whatever their group. If the account is itself
    /// a user, only the jobs charged to its parent account.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub users: Vec<u32>,
    /// True if it is a user of its parent account, with or without jobs. This includes Slurm's own
    /// user `root`, which has no parent.
    #[serde(default, skip_serializing_if = "is_default")]
    pub is_user: bool,
    /// Usage before the first submission of the log, without that of the accounts below it, in
    /// seconds of the charged amount (Slurm's `RawUsage`); at most [`LARGEST_USAGE_S`].
    #[serde(default, skip_serializing_if = "is_default")]
    pub usage_s: u64,
    /// Limits of its jobs and of those of the accounts below it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub limits: Limits,
}

/// Largest usage of an account before the first submission.
pub const LARGEST_USAGE_S: u64 = 1_000_000_000_000_000;

fn one() -> u32 {
    1
}

impl Account {
    /// Creates a user of an account without known jobs.
    pub fn user(name: &str, parent: Option<&str>, shares: u32) -> Account {
        let (name, parent) = (name.to_owned(), parent.map(str::to_owned));
        let (groups, users, limits) = Default::default();
        Account { name, parent, shares, groups, users, is_user: true, usage_s: 0, limits }
    }

    /// Returns whether all jobs of the user are charged to the account.
    pub fn pays_for(&self, user: u32) -> bool {
        !self.is_user && self.users.contains(&user)
    }
}

named! {
    /// Account of jobs that are not assigned to any listed account. Such accounts are below the
    /// root, have one share, and exist from the first submission of one of their jobs on.
    #[derive(Default, JsonSchema)]
    #[schemars(rename_all = "snake_case")]
    pub enum Unlisted as "rule for unlisted accounts" {
        /// One account per group of the log, and one for jobs without a group.
        #[default]
        Group = "group",
        /// One account per user, and one for jobs without a user.
        User = "user",
        /// One account for all of these jobs.
        Together = "together",
    }
}

named! {
    /// Algorithm for the fair-share factor.
    #[derive(Default, JsonSchema)]
    #[schemars(rename_all = "snake_case")]
    pub enum FairShare as "fair-share formula" {
        /// Classic factor of the account: 2^(-effective usage / share).
        #[default]
        Classic = "classic",
        /// Classic factor of the user in the account, as in Slurm with `PriorityFlags=NO_FAIR_TREE`.
        ClassicOfUsers = "classic_of_users",
        /// Rank of the user among all users, as in Slurm since version 19.05. It orders the accounts
        /// below the root first, then those below each of them
        /// (<https://slurm.schedmd.com/fair_tree.html>). A user without an own entry has a share in
        /// each account to which one of the user's jobs is charged.
        FairTree = "fair_tree",
    }
}

/// Checks the tree of accounts, and that no group or user is assigned twice.
pub(super) fn check_accounts(accounts: &[Account]) -> Result<(), SettingError> {
    check_unique("accounts", accounts.iter().map(|account| account.name.as_str()))?;
    let by_name: BTreeMap<&str, &Account> = accounts.iter().map(|it| (it.name.as_str(), it)).collect();
    let parent = |of: &Account| by_name.get(of.parent.as_deref()?).copied();
    let (mut groups, mut users) = (BTreeSet::new(), BTreeSet::new());
    // A user may have entries in several accounts.
    let mut users_of = BTreeMap::<Option<&str>, BTreeSet<u32>>::new();
    for account in accounts {
        let place = format!("accounts.{}", account.name);
        check_ranges(&account.limits, &format!("{place}.limits"))?;
        check(account.usage_s <= LARGEST_USAGE_S, &format!("{place}.usage_s"), || {
            format!("expected at most {LARGEST_USAGE_S}")
        })?;
        if let Some(name) = &account.parent {
            check(parent(account).is_some(), &place, || {
                format!("unknown parent `{name}`; expected the name of an account")
            })?;
        }
        check(!parent(account).is_some_and(|parent| parent.is_user), &place, || {
            "parent is a user; expected an account".to_owned()
        })?;
        // A longer path to the root than there are accounts contains a cycle.
        let mut steps = 0;
        let mut at = parent(account);
        while let Some(next) = at {
            steps += 1;
            check(steps <= accounts.len(), &place, || "account is its own ancestor".to_owned())?;
            check(steps <= MAX_LEVELS, &place, || format!("nested below more than {MAX_LEVELS} accounts"))?;
            at = parent(next);
        }
        let below = users_of.entry(account.parent.as_deref()).or_default();
        let users = if account.is_user { below } else { &mut users };
        for (what, of, seen) in [("group", &account.groups, &mut groups), ("user", &account.users, users)] {
            for &number in of {
                check(seen.insert(number), &place, || {
                    format!("{what} {number} is assigned to an account twice")
                })?;
            }
        }
    }
    Ok(())
}
