//! Permutation Pack in two dimensions with a window of two: two lists, against the imbalance.

use super::item_lists::{ItemLists, fits};
use super::pack::{FillRule, Take};
use std::ops::Range;

/// A node takes the first fitting item of the list whose leading dimension is the node's less loaded one, and
/// of the other list if there is none; with equal loads the list of dimension 0 comes first.
///
/// Permutation Pack (Leinberger, Karypis and Kumar 1999; dissertation, section 4.2.5), which is MCB8 of
/// Stillwell, Schanzenbach, Vivien and Casanova (RR-6692, section 3.4) where lists are sorted by decreasing
/// maximum. List 0 has the items that are largest in dimension 0, list 1 the others.
#[derive(Debug)]
pub(super) struct TwoLists;

impl FillRule<2> for TwoLists {
    fn fill(items: &ItemLists<2>, free: &mut [u64; 2], takes: &mut Vec<Take>) {
        let mut lists = [ListCursor::new(items.list(0)), ListCursor::new(items.list(1))];
        loop {
            let first = usize::from(free[1] > free[0]);
            if !lists[first].take_one(items, free, takes) && !lists[1 - first].take_one(items, free, takes) {
                return;
            }
        }
    }
}

/// The first item of a list that may still fit into the node that is being filled.
struct ListCursor {
    positions: Range<usize>,
    /// What the node took of the item at the cursor: its place among the takes.
    take: Option<usize>,
}

impl ListCursor {
    fn new(positions: Range<usize>) -> ListCursor {
        ListCursor { positions, take: None }
    }
    fn take_one(&mut self, items: &ItemLists<2>, free: &mut [u64; 2], takes: &mut Vec<Take>) -> bool {
        while self.positions.start < self.positions.end {
            let item = &items.items()[self.positions.start];
            if !fits(&item.least, free) {
                self.positions.start = self.positions.end;
                return false;
            }
            let taken = self.take.map_or(0, |take| takes[take].count);
            if taken < item.left && fits(&item.size, free) {
                for (free, size) in free.iter_mut().zip(item.size) {
                    *free -= size;
                }
                let take = *self.take.get_or_insert_with(|| {
                    takes.push(Take { item: self.positions.start as u32, count: 0 });
                    takes.len() - 1
                });
                takes[take].count += 1;
                return true;
            }
            self.positions.start += 1;
            self.take = None;
        }
        false
    }
}
