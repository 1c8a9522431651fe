//! Permutation Pack in two dimensions with a window of two: two lists, against the imbalance.

use super::item_lists::ItemLists;
use super::list_cursor::ListCursor;
use super::pack::{FillRule, Take};
use std::cmp::Ordering;

/// A node takes the first fitting item of the list whose leading dimension is the node's less loaded one, and
/// of the other list if there is none.
///
/// Permutation Pack (Leinberger, Karypis and Kumar 1999; dissertation, section 4.2.5), which is MCB8 of
/// Stillwell, Schanzenbach, Vivien and Casanova (RR-6692, section 3.4) where lists are sorted by decreasing
/// maximum. List 0 has the items that are largest in dimension 0, list 1 the others. [`RankedLists`] does the
/// same in any number of dimensions.
///
/// [`RankedLists`]: super::RankedLists
#[derive(Clone, Copy, Debug)]
pub(crate) struct TwoLists {
    /// The list that comes first where the loads are equal.
    pub(crate) balanced: usize,
}

impl<const D: usize> FillRule<D> for TwoLists {
    fn fill(&mut self, items: &ItemLists<D>, free: &mut [u64; D], takes: &mut Vec<Take>) {
        let mut lists = [ListCursor::new(items, 0), ListCursor::new(items, 1)];
        loop {
            let first = match free[1].cmp(&free[0]) {
                Ordering::Less => 0,
                Ordering::Equal => self.balanced,
                Ordering::Greater => 1,
            };
            if !lists[first].take_one(items, free, takes) && !lists[1 - first].take_one(items, free, takes) {
                return;
            }
        }
    }
}
