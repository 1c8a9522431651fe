//! Fair Tree (<https://slurm.schedmd.com/fair_tree.html>): users in the order of a walk through the tree.

use super::account::{Account, Entry};
use super::{ONE, fraction};
use std::collections::BTreeMap;

/// The fair share of each user: how many are not before it, of all.
pub(super) fn ranks(
    accounts: &BTreeMap<Account, Entry>,
    usage: &BTreeMap<&Account, u128>,
    shares: &BTreeMap<Option<&Account>, u128>,
) -> BTreeMap<Account, u128> {
    let used = |parent: Option<&Account>| {
        let siblings = accounts.iter().filter(|(_, entry)| entry.parent.as_ref() == parent);
        siblings.map(|(account, _)| usage[account]).sum::<u128>()
    };
    let level = |account: &Account| {
        let Entry { parent, shares: own, .. } = &accounts[account];
        let part = fraction(usage[account], used(parent.as_ref()));
        let share = fraction((*own).into(), shares[&parent.as_ref()]);
        (share * ONE).checked_div(part).unwrap_or(u128::MAX)
    };
    // Groups of users of the same rank, the first ones first.
    let mut groups: Vec<Vec<&Account>> = Vec::new();
    walk(accounts, &level, &[None], false, &mut groups);
    let all: usize = groups.iter().map(Vec::len).sum();
    let mut before = 0;
    let mut found = BTreeMap::new();
    for group in groups {
        for &user in &group {
            found.insert(user.clone(), fraction((all - before) as u128, all as u128));
        }
        before += group.len();
    }
    found
}

/// Visits what is below some accounts of the same level; whether the first user below has the rank of the last one before.
fn walk<'a>(
    accounts: &'a BTreeMap<Account, Entry>,
    level: &impl Fn(&Account) -> u128,
    above: &[Option<&Account>],
    joins: bool,
    groups: &mut Vec<Vec<&'a Account>>,
) {
    let is_below = |entry: &Entry| above.contains(&entry.parent.as_ref());
    let below: Vec<&Account> =
        accounts.iter().filter(|(_, entry)| is_below(entry)).map(|(account, _)| account).collect();
    let mut levels: Vec<u128> = below.iter().map(|account| level(account)).collect();
    levels.sort_unstable();
    levels.dedup();
    for (place, of) in levels.into_iter().rev().enumerate() {
        let joins = joins && place == 0;
        let alike = || below.iter().copied().filter(|account| level(account) == of);
        let (users, others): (Vec<&Account>, Vec<&Account>) =
            alike().partition(|account| matches!(account, Account::User(..)));
        let is_led_by_users = !users.is_empty();
        match groups.last_mut().filter(|_| joins) {
            Some(last) => last.extend(users),
            None if is_led_by_users => groups.push(users),
            None => {}
        }
        if !others.is_empty() {
            let others: Vec<Option<&Account>> = others.into_iter().map(Some).collect();
            walk(accounts, level, &others, joins || is_led_by_users, groups);
        }
    }
}
