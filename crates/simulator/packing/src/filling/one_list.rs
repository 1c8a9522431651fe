//! First fit from a single list.

use super::item_lists::{ItemLists, take_most};
use super::pack::{FillRule, Take};

/// Rule that repeatedly takes the first item of the single list that fits.
///
/// This is First Fit, seen from the nodes: each item goes to the first node that can hold it once
/// all items before it in the list are placed. It is also Choose Pack (Leinberger, Karypis and Kumar
/// 1999; dissertation, section 4.2.5) with w equal to the number of dimensions: there is one list
/// for each set of w dimensions, that is one, and a node's imbalance has no influence on it.
#[derive(Clone, Copy, Debug)]
pub struct OneList;

impl<const D: usize> FillRule<D> for OneList {
    fn fill(&mut self, items: &ItemLists<D>, free: &mut [u64; D], takes: &mut Vec<Take>) {
        // Free capacity only shrinks, so an item that did not fit once need not be examined again.
        let mut from = items.list(0).start;
        while let Some(position) = items.next_fitting(0, from, free) {
            let item = &items.items()[position];
            let count = take_most(&item.size, item.left, free);
            takes.push(Take { item: position as u32, count });
            from = position + 1;
        }
    }
}
