//! Fair Tree (<https://slurm.schedmd.com/fair_tree.html>): users ranked by a depth-first traversal
//! of the tree.

use super::account::{Account, Entry};
use super::{ONE, fraction};
use dfrsim_model::SortedMap;

/// Computes the fair share of each user: the number of users that do not precede it / the number of
/// all users.
pub(super) fn ranks<'a>(
    accounts: &'a SortedMap<Account, Entry>,
    usage: &SortedMap<&'a Account, u128>,
    shares: &SortedMap<Option<&'a Account>, u128>,
) -> SortedMap<Account, u128> {
    let mut used: SortedMap<Option<&Account>, u128> = SortedMap::default();
    for (account, entry) in accounts {
        *used.or_default(entry.parent.as_ref()) += usage[&account];
    }
    let level = |(account, entry): (&'a Account, &'a Entry)| {
        let parent = entry.parent.as_ref();
        let share = fraction(entry.shares.into(), shares[&parent]);
        let part = fraction(usage[&account], used[&parent]);
        let of_unused = if share == 0 { 0 } else { u128::MAX };
        (account, (share * ONE).checked_div(part).unwrap_or(of_unused))
    };
    let levels: SortedMap<&Account, u128> = accounts.iter().map(level).collect();
    // Groups of users of equal rank, in order.
    let mut groups: Vec<Vec<&Account>> = Vec::new();
    walk(accounts, &levels, &[None], false, &mut groups);
    let all: usize = groups.iter().map(Vec::len).sum();
    let mut before = 0;
    let mut found = SortedMap::default();
    for group in groups {
        for &user in &group {
            found.insert(user.clone(), fraction((all - before) as u128, all as u128));
        }
        before += group.len();
    }
    found
}

/// Visits the children of accounts of equal level. If `joins` is set, the first users found have the
/// rank of the last group.
fn walk<'a>(
    accounts: &'a SortedMap<Account, Entry>,
    levels: &SortedMap<&Account, u128>,
    above: &[Option<&Account>],
    joins: bool,
    groups: &mut Vec<Vec<&'a Account>>,
) {
    let is_below = |entry: &Entry| above.contains(&entry.parent.as_ref());
    let mut by_level: SortedMap<u128, Vec<&Account>> = SortedMap::default();
    for (account, _) in accounts.iter().filter(|(_, entry)| is_below(entry)) {
        by_level.or_default(levels[&account]).push(account);
    }
    for (place, (_, alike)) in by_level.into_iter().rev().enumerate() {
        let joins = joins && place == 0;
        let (users, others): (Vec<&Account>, Vec<&Account>) =
            alike.into_iter().partition(|account| accounts[*account].is_user);
        let is_led_by_users = !users.is_empty();
        match groups.last_mut().filter(|_| joins) {
            Some(last) => last.extend(users),
            None if is_led_by_users => groups.push(users),
            None => {}
        }
        if !others.is_empty() {
            let others: Vec<Option<&Account>> = others.into_iter().map(Some).collect();
            walk(accounts, levels, &others, joins || is_led_by_users, groups);
        }
    }
}
