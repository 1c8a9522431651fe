//! Choose Pack in two dimensions with a window of two: first fit from a single list.

use super::item_lists::{ItemLists, fits};
use super::pack::{FillRule, Take};

/// A node takes the first item of the one list that fits, again and again.
///
/// Choose Pack (Leinberger, Karypis and Kumar 1999; dissertation, section 4.2.5) has a list for each set of
/// w dimensions; with w equal to the number of dimensions there is one list, and a node's imbalance says
/// nothing about it.
#[derive(Debug)]
pub(super) struct ChoosePack;

impl<const D: usize> FillRule<D> for ChoosePack {
    fn fill(items: &ItemLists<D>, free: &mut [u64; D], takes: &mut Vec<Take>) {
        // Free capacity only shrinks: an item that does not fit once need not be looked at again.
        for (position, item) in items.items().iter().enumerate() {
            if !fits(&item.least, free) {
                return;
            }
            if item.left > 0 && fits(&item.size, free) {
                let count = most(&item.size, free).min(item.left);
                for (free, size) in free.iter_mut().zip(item.size) {
                    *free -= size * count;
                }
                takes.push(Take { item: position as u32, count });
            }
        }
    }
}

/// How many items of this size fit.
fn most<const D: usize>(size: &[u64; D], free: &[u64; D]) -> u64 {
    size.iter()
        .zip(free)
        .map(|(&size, &free)| free.checked_div(size).unwrap_or(u64::MAX))
        .min()
        .unwrap_or(u64::MAX)
}
