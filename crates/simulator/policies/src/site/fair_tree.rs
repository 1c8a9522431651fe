//! Fair Tree: fair share as a rank among all users (<https://slurm.schedmd.com/fair_tree.html>).
//!
//! The *level* of an account is its fraction of the shares of its siblings, divided by its fraction
//! of their usage; it is infinite for an account without usage. From the root down, accounts are
//! visited by descending level, and the children of an account before the next account: a user of an
//! account that has used less than its share is therefore before all users of one that has used
//! more. At equal levels, users are before accounts and have the same rank, and accounts are merged:
//! their children are sorted together. Without shares the level is 0.

use super::factor::ratio;
use std::cmp::Reverse;

/// Tree of accounts by index; 0 is the root.
#[derive(Debug)]
pub(super) struct FairTree {
    level: Vec<u128>,
    children: Vec<Vec<usize>>,
    is_user: Vec<bool>,
    users: usize,
    /// Rank of the last user visited, and the number of users still to visit.
    rank: usize,
    remaining: usize,
    fair_shares: Vec<(usize, u64)>,
}

impl FairTree {
    /// Builds the tree from all accounts except the root, each with its parent, its fraction of the
    /// shares of its siblings, and the usage of its subtree; and from the indices of users, which
    /// have no children.
    pub(super) fn new(
        accounts: impl Iterator<Item = (usize, u64, u128)> + Clone,
        users: impl Iterator<Item = usize>,
    ) -> FairTree {
        let count = accounts.clone().count() + 1;
        let (mut children, mut used) = (vec![Vec::new(); count], vec![0; count]);
        for (at, (parent, _, usage)) in (1..).zip(accounts.clone()) {
            children[parent].push(at);
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
            children,
            is_user,
            users,
            rank: users,
            remaining: users,
            fair_shares: Vec::with_capacity(users),
        }
    }

    /// Computes the fair share of each user: its rank, counted from the last user, divided by the
    /// number of users.
    pub(super) fn fair_shares(mut self) -> Vec<(usize, u64)> {
        let first = std::mem::take(&mut self.children[0]);
        self.visit(first, false);
        self.fair_shares
    }

    /// Visits sibling accounts. `is_tied_above`: their parent is tied with the user before it.
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
                    self.rank = self.remaining;
                }
                self.fair_shares.push((at, ratio(self.rank as u128, self.users as u128)));
                self.remaining -= 1;
                next += 1;
            } else {
                let end = next + siblings[next..].iter().take_while(|&&it| self.level[it] == level).count();
                let merged =
                    siblings[next..end].iter().flat_map(|&it| std::mem::take(&mut self.children[it]));
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

    /// Two accounts have 3 and 1 shares, and the first has 4/5 of all usage: the levels are 15/16
    /// and 5/4, so both users of the second account are first. Within an account, users are ordered
    /// by usage.
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

    /// Accounts of the same level are merged, and users without usage have the same rank.
    #[test]
    fn ties_share_a_rank() {
        let half = ONE / 2;
        let accounts =
            [(0, half, 10), (0, half, 10), (1, half, 10), (1, half, 0), (2, half, 0), (2, half, 10)];
        let found = FairTree::new(accounts.into_iter(), 3..7).fair_shares();
        assert_eq!(found, [(4, ONE), (5, ONE), (3, half), (6, half)]);
    }
}
