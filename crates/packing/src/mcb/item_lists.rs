//! Items with counts, in the order in which a packing looks at them.

use std::ops::Range;

/// The capacity of a node in every dimension, and so the unit of all sizes and loads: a node's memory in
/// units of 2^-20 [`Share`](dfrsim_model::Share) units, the unit in which [`CpuUse`](dfrsim_model::CpuUse)
/// is exact.
pub(super) const CAPACITY: u64 = (dfrsim_model::Share::ONE.units() as u64) << dfrsim_model::Yield::BITS;

/// Whether an item of this size fits into what is free.
pub(super) fn fits<const D: usize>(size: &[u64; D], free: &[u64; D]) -> bool {
    (0..D).all(|d| size[d] <= free[d])
}

/// Items of one size, of which some are left to be placed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item<const D: usize> {
    pub(super) size: [u64; D],
    pub(super) left: u64,
    /// The least size in each dimension of this item and all after it in its list: when a node has less free
    /// than that in one of them, nothing from here on fits.
    pub(super) least: [u64; D],
}

/// One or more ordered lists of items, one after the other.
#[derive(Debug)]
pub(super) struct ItemLists<const D: usize> {
    items: Vec<Item<D>>,
    /// Each list, from its first item of which some are left.
    lists: Vec<Range<usize>>,
    /// The size of everything in the lists when they were closed.
    volume: [u128; D],
    /// How many single items are left to be placed.
    left: u64,
}

impl<const D: usize> ItemLists<D> {
    pub(super) fn new() -> ItemLists<D> {
        ItemLists { items: Vec::new(), lists: Vec::new(), volume: [0; D], left: 0 }
    }
    pub(super) fn clear(&mut self) {
        self.items.clear();
        self.lists.clear();
        self.volume = [0; D];
        self.left = 0;
    }
    /// Appends items of one size to the list that is being written.
    pub(super) fn push(&mut self, size: [u64; D], count: u64) {
        self.items.push(Item { size, left: count, least: size });
        self.left += count;
        for (volume, size) in self.volume.iter_mut().zip(size) {
            *volume += u128::from(size) * u128::from(count);
        }
    }
    /// Ends the list that is being written.
    pub(super) fn close_list(&mut self) {
        let start = self.lists.last().map_or(0, |list| list.end);
        self.lists.push(start..self.items.len());
        let mut least = [u64::MAX; D];
        for item in self.items[start..].iter_mut().rev() {
            for (least, size) in least.iter_mut().zip(item.size) {
                *least = size.min(*least);
            }
            item.least = least;
        }
    }
    /// All items, list after list.
    pub(super) fn items(&self) -> &[Item<D>] {
        &self.items
    }
    /// The positions of one list within [`ItemLists::items`], without what has run out at its beginning.
    pub(super) fn list(&self, list: usize) -> Range<usize> {
        self.lists[list].clone()
    }
    pub(super) fn volume(&self) -> [u128; D] {
        self.volume
    }
    pub(super) fn is_empty(&self) -> bool {
        self.left == 0
    }
    /// Items are placed.
    pub(super) fn take(&mut self, item: u32, count: u64) {
        self.items[item as usize].left -= count;
        self.left -= count;
    }
    /// Lets the lists begin where something is left.
    pub(super) fn skip_what_ran_out(&mut self) {
        for list in &mut self.lists {
            while list.start < list.end && self.items[list.start].left == 0 {
                list.start += 1;
            }
        }
    }
}
