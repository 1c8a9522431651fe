//! Items with counts, in the order in which a packing examines them.

use std::ops::Range;

/// What an ordinary node has in every dimension, in the unit of all sizes and loads: units of 2^-20
/// [`Share`](dfrsim_model::Share) units, the unit in which [`CpuUse`](dfrsim_model::CpuUse) is exact.
pub const CAPACITY: u64 = (dfrsim_model::Share::ONE.units() as u64) << dfrsim_model::Yield::BITS;

/// Whether an item of this size fits into what is free.
pub fn fits<const D: usize>(size: &[u64; D], free: &[u64; D]) -> bool {
    (0..D).all(|d| size[d] <= free[d])
}

/// Takes as many items of this size as fit and are left, and says how many.
pub fn take_most<const D: usize>(size: &[u64; D], left: u64, free: &mut [u64; D]) -> u64 {
    // Mostly a node takes a few, and counting them costs less than dividing.
    const FEW: u64 = 4;
    let mut count = 0;
    while count < left && count < FEW && fits(size, free) {
        reduce(free, size, 1);
        count += 1;
    }
    if count == FEW {
        let fitting = size.iter().zip(&*free).filter_map(|(&size, &free)| free.checked_div(size)).min();
        let more = fitting.unwrap_or(u64::MAX).min(left - count);
        reduce(free, size, more);
        count += more;
    }
    count
}

/// Takes items that are known to fit from what is free.
pub fn reduce<const D: usize>(free: &mut [u64; D], size: &[u64; D], count: u64) {
    for (free, size) in free.iter_mut().zip(size) {
        *free -= size * count;
    }
}

/// Items of one size, of which some are left to be placed.
#[derive(Clone, Copy, Debug)]
pub struct Item<const D: usize> {
    pub size: [u64; D],
    pub left: u64,
    /// The least size in each dimension of this item and all after it in its list: when a node has less free
    /// than that in one of them, no item from here on fits.
    pub least: [u64; D],
}

/// One list, as a part of [`ItemLists::items`].
#[derive(Clone, Debug)]
struct List {
    /// From its first item of which some are left.
    items: Range<usize>,
    /// Where it began, and so its first block.
    begin: usize,
    /// Its first block in [`ItemLists::blocks`], if it is long enough for blocks.
    blocks: Option<usize>,
}

/// An amount in units of 2^37 (ordinary nodes have some 7,200), rounded down: an item whose rough size is above what is
/// roughly free does not fit.
pub fn rough(amount: u64) -> u16 {
    const { assert!((u32::MAX as u64) << dfrsim_model::Yield::BITS >> 37 < u16::MAX as u64) };
    (amount >> 37) as u16
}

/// How many items make a block: as many as a mask has bits.
pub const BLOCK: usize = u32::BITS as usize;

/// Shorter lists are gone through item by item.
const LONG: usize = 2 * BLOCK;

/// Rough amounts of a block, dimension by dimension, so that a few instructions compare them all.
pub type RoughBlock<const D: usize> = [[u16; BLOCK]; D];

/// Neighbouring items of a long list, so that a search can pass them over together.
#[derive(Clone, Copy, Debug)]
struct Block<const D: usize> {
    /// The least size in each dimension of those that were left when this was last counted.
    least: [u64; D],
    /// The least sum of sizes of the same.
    least_sum: u64,
    /// Of which items some are left, as bits.
    left: u32,
    /// How many were left when `least` was computed.
    counted: u32,
}

/// One or more ordered lists of items, one after the other.
#[derive(Debug, Default)]
pub struct ItemLists<const D: usize> {
    items: Vec<Item<D>>,
    lists: Vec<List>,
    blocks: Vec<Block<D>>,
    /// The sizes of each block, in dimension 0 more than any node has free for an item that has run out; apart, because most
    /// blocks are passed over without them.
    rough_sizes: Vec<RoughBlock<D>>,
    /// How many single items are left to be placed.
    left: u64,
}

impl<const D: usize> ItemLists<D> {
    /// Removes all items and lists, and keeps the memory.
    pub fn clear(&mut self) {
        self.items.clear();
        self.lists.clear();
        self.blocks.clear();
        self.rough_sizes.clear();
        self.left = 0;
    }
    /// Appends items of one size to the list that is being written.
    pub fn push(&mut self, size: [u64; D], count: u64) {
        self.items.push(Item { size, left: count, least: size });
        self.left += count;
    }
    /// Ends the list that is being written.
    pub fn close_list(&mut self) {
        let start = self.lists.last().map_or(0, |list| list.items.end);
        let mut least = [u64::MAX; D];
        for item in self.items[start..].iter_mut().rev() {
            for (least, size) in least.iter_mut().zip(item.size) {
                *least = size.min(*least);
            }
            item.least = least;
        }
        let list = &self.items[start..];
        let blocks = (list.len() >= LONG).then_some(self.blocks.len());
        if blocks.is_some() {
            self.blocks.extend(list.chunks(BLOCK).map(Block::of));
            self.rough_sizes.extend(list.chunks(BLOCK).map(rough_sizes));
        }
        self.lists.push(List { items: start..self.items.len(), begin: start, blocks });
    }
    /// All items, list after list.
    pub fn items(&self) -> &[Item<D>] {
        &self.items
    }
    /// The positions of one list within [`ItemLists::items`], without what has run out at its beginning.
    pub fn list(&self, list: usize) -> Range<usize> {
        self.lists[list].items.clone()
    }
    /// The size of everything that is left.
    pub fn volume(&self) -> [u128; D] {
        let mut volume = [0; D];
        for item in &self.items {
            for (volume, size) in volume.iter_mut().zip(item.size) {
                *volume += u128::from(size) * u128::from(item.left);
            }
        }
        volume
    }
    /// Returns whether every item has been placed.
    pub fn is_empty(&self) -> bool {
        self.left == 0
    }
    /// The first item of a list, from a position on, of which some are left and one fits.
    #[inline]
    pub fn next_fitting(&self, list: usize, from: usize, free: &[u64; D]) -> Option<usize> {
        let list = &self.lists[list];
        match list.blocks {
            None => self.first_fitting(from..list.items.end, free),
            Some(blocks) => self.next_fitting_by_blocks(list, blocks, from, free),
        }
    }
    #[inline]
    fn first_fitting(&self, mut positions: Range<usize>, free: &[u64; D]) -> Option<usize> {
        for item in &self.items[positions.clone()] {
            if !fits(&item.least, free) {
                return None;
            }
            if item.left > 0 && fits(&item.size, free) {
                return Some(positions.start);
            }
            positions.start += 1;
        }
        None
    }
    fn next_fitting_by_blocks(
        &self,
        list: &List,
        blocks: usize,
        from: usize,
        free: &[u64; D],
    ) -> Option<usize> {
        if !self.items[from..list.items.end].first().is_some_and(|item| fits(&item.least, free)) {
            return None;
        }
        let free_sum = free.iter().sum();
        let rough_free = free.map(rough);
        let first = from - list.begin;
        // Of the first block only what is behind `from`.
        let mut skip = first % BLOCK;
        for number in first / BLOCK..(list.items.end - list.begin).div_ceil(BLOCK) {
            if self.blocks[blocks + number].may_fit(free, free_sum) {
                let begin = list.begin + number * BLOCK;
                let excess = excess(&self.rough_sizes[blocks + number], &rough_free, u16::saturating_sub);
                // Any at all: without a branch for each.
                if excess.iter().fold(false, |any, &excess| any | (excess == 0)) {
                    let mut candidates =
                        (begin + skip..).zip(&excess[skip..]).filter(|&(_, &excess)| excess == 0);
                    let found = candidates.find(|&(position, _)| fits(&self.items[position].size, free));
                    if let Some((position, _)) = found {
                        return Some(position);
                    }
                }
            }
            skip = 0;
        }
        None
    }
    /// Items are placed.
    pub fn take(&mut self, item: u32, count: u64) {
        let position = item as usize;
        let item = &mut self.items[position];
        item.left -= count;
        self.left -= count;
        if item.left == 0 && !self.blocks.is_empty() {
            self.ran_out(position);
        }
    }
    /// Updates the blocks when an item is used up.
    fn ran_out(&mut self, position: usize) {
        let list = self.lists.partition_point(|list| list.items.end <= position);
        let list = &self.lists[list];
        let Some(blocks) = list.blocks else { return };
        let place = position - list.begin;
        let begin = position - place % BLOCK;
        let end = (begin + BLOCK).min(list.items.end);
        let block = blocks + place / BLOCK;
        self.blocks[block].remove(place % BLOCK, &self.items[begin..end]);
        self.rough_sizes[block][0][place % BLOCK] = u16::MAX;
    }
    /// Lets the lists begin where something is left.
    pub fn skip_what_ran_out(&mut self) {
        for list in &mut self.lists {
            while list.items.start < list.items.end && self.items[list.items.start].left == 0 {
                list.items.start += 1;
            }
        }
    }
}

fn rough_sizes<const D: usize>(items: &[Item<D>]) -> RoughBlock<D> {
    let mut sizes = [[u16::MAX; BLOCK]; D];
    for (bit, item) in items.iter().enumerate().filter(|(_, item)| item.left > 0) {
        for (sizes, &size) in sizes.iter_mut().zip(&item.size) {
            sizes[bit] = rough(size);
        }
    }
    sizes
}

/// By how much, roughly, something does not fit with each of a block in some dimension; 0 if it may. `by` says so of an amount
/// of the block and the other one.
#[inline(always)]
pub fn excess<const D: usize>(
    block: &RoughBlock<D>,
    other: &[u16; D],
    by: impl Fn(u16, u16) -> u16,
) -> [u16; BLOCK] {
    let mut excess = [0; BLOCK];
    for (amounts, &other) in block.iter().zip(other) {
        for (excess, &amount) in excess.iter_mut().zip(amounts) {
            *excess |= by(amount, other);
        }
    }
    excess
}

impl<const D: usize> Block<D> {
    fn of(items: &[Item<D>]) -> Block<D> {
        let left =
            items.iter().enumerate().fold(0, |left, (bit, item)| left | u32::from(item.left > 0) << bit);
        let mut block = Block { least: [0; D], least_sum: 0, left, counted: 0 };
        block.count(items);
        block
    }
    fn count(&mut self, items: &[Item<D>]) {
        self.least = [u64::MAX; D];
        self.least_sum = u64::MAX;
        for (_, item) in items.iter().enumerate().filter(|&(bit, _)| self.left >> bit & 1 == 1) {
            for (least, size) in self.least.iter_mut().zip(item.size) {
                *least = size.min(*least);
            }
            self.least_sum = self.least_sum.min(item.size.iter().sum());
        }
        self.counted = self.left.count_ones();
    }
    #[inline]
    fn may_fit(&self, free: &[u64; D], free_sum: u64) -> bool {
        self.least_sum <= free_sum && fits(&self.least, free)
    }
    fn remove(&mut self, bit: usize, items: &[Item<D>]) {
        self.left &= !(1 << bit);
        // The fewer are left, the tighter their least sizes; counting again at each halving is cheap.
        if self.left.count_ones() * 2 <= self.counted {
            self.count(items);
        }
    }
}
