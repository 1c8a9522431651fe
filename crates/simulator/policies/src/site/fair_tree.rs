//! Fair Tree: the fair share as a rank among all users (<https://slurm.schedmd.com/fair_tree.html>).
//!
//! The *level* of an account is its part of the shares of all accounts below the same one, divided by its part of what these have used; it
//! is infinite for one without usage. From the root down, accounts are visited by falling levels, and what is below an account
//! before the next one: so a user of an account that has used less than its share is before all users of one that has used more. Of equal
//! levels users are before accounts and have the same rank, and accounts are one: what is below them is sorted together. Without shares the
//! level is 0.

use super::factor::ratio;
use std::cmp::Reverse;

/// A tree of accounts, by their places; 0 is the root.
#[derive(Debug)]
pub(super) struct FairTree {
    level: Vec<u128>,
    below: Vec<Vec<usize>>,
    is_user: Vec<bool>,
    users: usize,
    /// Of those that were visited: the rank from the last user on, and how many are left.
    rank: usize,
    left: usize,
    fair_shares: Vec<(usize, u64)>,
}

impl FairTree {
    /// Of all accounts but the root, each with the one above it, its part of the shares there, and what it and those below it have used;
    /// and of the places of users, below which there are no accounts.
    pub(super) fn new(
        accounts: impl Iterator<Item = (usize, u64, u128)> + Clone,
        users: impl Iterator<Item = usize>,
    ) -> FairTree {
        let count = accounts.clone().count() + 1;
        let (mut below, mut used) = (vec![Vec::new(); count], vec![0; count]);
        for (at, (parent, _, usage)) in (1..).zip(accounts.clone()) {
            below[parent].push(at);
            used[parent] += usage;
        }
        let level = accounts.map(|(parent, share, usage)| {
            let part = ratio(usage, used[parent]);
            let infinite = if share == 0 { 0 } else { u128::MAX };
            (u128::from(share) << 32).checked_div(part.into()).unwrap_or(infinite)
        });
        let mut is_user = vec![false; count];
        users.for_each(|user| is_user[user] = true);
        let users = is_user.iter().filter(|is_user| **is_user).count();
        FairTree {
            level: [0].into_iter().chain(level).collect(),
            below,
            is_user,
            users,
            rank: users,
            left: users,
            fair_shares: Vec::with_capacity(users),
        }
    }

    /// The fair share of each user: its rank from the last one on as a part of their number.
    pub(super) fn fair_shares(mut self) -> Vec<(usize, u64)> {
        let first = std::mem::take(&mut self.below[0]);
        self.visit(first, false);
        self.fair_shares
    }

    /// Visits accounts of one level of the tree. Those above them may be level with a user before them.
    fn visit(&mut self, mut siblings: Vec<usize>, is_tied_above: bool) {
        siblings.sort_by_key(|&at| (Reverse(self.level[at]), Reverse(self.is_user[at]), at));
        let mut before = None;
        let mut next = 0;
        while let Some(&at) = siblings.get(next) {
            let level = self.level[at];
            let is_tied = if next == 0 { is_tied_above } else { before == Some(level) };
            before = Some(level);
            if self.is_user[at] {
                if !is_tied {
                    self.rank = self.left;
                }
                self.fair_shares.push((at, ratio(self.rank as u128, self.users as u128)));
                self.left -= 1;
                next += 1;
            } else {
                let end = next + siblings[next..].iter().take_while(|&&it| self.level[it] == level).count();
                let merged = siblings[next..end].iter().flat_map(|&it| std::mem::take(&mut self.below[it]));
                let merged = merged.collect();
                self.visit(merged, is_tied);
                next = end;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::site::factor::ONE;

    /// Two accounts with 3 and 1 shares, of which the first has used 4/5 of everything: levels 15/16 and 5/4, so that both users of the second
    /// one are first. In an account users are by what they have used.
    #[test]
    fn accounts_come_before_users() {
        let of = |share: u64, whole: u64| ONE * share / whole;
        let accounts = [
            (0, of(3, 4), 80),
            (0, of(1, 4), 20),
            (1, of(1, 2), 60),
            (1, of(1, 2), 20),
            (2, of(1, 2), 15),
            (2, of(1, 2), 5),
        ];
        let found = FairTree::new(accounts.into_iter(), 3..7).fair_shares();
        assert_eq!(found, [(6, ONE), (5, 3 * (ONE / 4)), (4, ONE / 2), (3, ONE / 4)]);
    }

    /// Accounts of the same level are one, and users without usage have the same rank.
    #[test]
    fn ties_share_a_rank() {
        let half = ONE / 2;
        let accounts =
            [(0, half, 10), (0, half, 10), (1, half, 10), (1, half, 0), (2, half, 0), (2, half, 10)];
        let found = FairTree::new(accounts.into_iter(), 3..7).fair_shares();
        assert_eq!(found, [(4, ONE), (5, ONE), (3, half), (6, half)]);
    }
}
