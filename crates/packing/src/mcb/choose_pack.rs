//! Choose Pack in two dimensions with a window of two: first fit from a single list.

use super::item_lists::{Item, ItemLists, fits};
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
        for position in items.list(0) {
            let item = &items.items()[position];
            if !fits(&item.least, free) {
                return;
            }
            if item.left > 0 && fits(&item.size, free) {
                let count = take_most(item, free);
                takes.push(Take { item: position as u32, count });
            }
        }
    }
}

/// Takes as many of an item, of which one fits, as fit and are left.
fn take_most<const D: usize>(item: &Item<D>, free: &mut [u64; D]) -> u64 {
    // Mostly a node takes a few, and counting them costs less than dividing.
    const FEW: u64 = 4;
    let mut count = 0;
    while count < item.left && count < FEW && fits(&item.size, free) {
        take(item, 1, free);
        count += 1;
    }
    if count == FEW {
        let fitting = item.size.iter().zip(&*free).filter_map(|(&size, &free)| free.checked_div(size)).min();
        let more = fitting.unwrap_or(u64::MAX).min(item.left - count);
        take(item, more, free);
        count += more;
    }
    count
}

fn take<const D: usize>(item: &Item<D>, count: u64, free: &mut [u64; D]) {
    for (free, size) in free.iter_mut().zip(item.size) {
        *free -= size * count;
    }
}
