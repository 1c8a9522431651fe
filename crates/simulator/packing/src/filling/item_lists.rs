//! Items with counts, in the order in which a packing examines them.

use std::ops::Range;

/// Capacity of an ordinary node in every dimension, in the unit of all sizes and loads: units of
/// 2^-20 [`Share`](dfrsim_model::Share) units, the unit in which [`CpuUse`](dfrsim_model::CpuUse) is
/// exact.
pub const CAPACITY: u64 = (dfrsim_model::Share::ONE.units() as u64) << dfrsim_model::Yield::BITS;

/// Returns whether an item of this size fits into the free capacity.
pub fn fits<const D: usize>(size: &[u64; D], free: &[u64; D]) -> bool {
    (0..D).all(|d| size[d] <= free[d])
}

/// Takes as many items of this size as fit, at most `left`, and returns their number.
pub fn take_most<const D: usize>(size: &[u64; D], left: u64, free: &mut [u64; D]) -> u64 {
    // A node mostly takes few items, and counting them is cheaper than dividing.
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

/// Subtracts items that are known to fit from the free capacity.
pub fn reduce<const D: usize>(free: &mut [u64; D], size: &[u64; D], count: u64) {
    for (free, size) in free.iter_mut().zip(size) {
        *free -= size * count;
    }
}

/// Items of one size, some of which are left to be placed.
#[derive(Clone, Copy, Debug)]
pub struct Item<const D: usize> {
    pub size: [u64; D],
    pub left: u64,
    /// Smallest size in each dimension among this item and all after it in its list. If a node has
    /// less free than that in one dimension, no item from here on fits.
    pub least: [u64; D],
}

/// One list, as a part of [`ItemLists::items`].
#[derive(Clone, Debug)]
struct List {
    /// Positions from its first item that is not used up.
    items: Range<usize>,
    /// Position at which the list, and so its first block, began.
    begin: usize,
    /// First block in [`ItemLists::blocks`], if the list is long enough for blocks.
    blocks: Option<usize>,
}

/// Converts an amount to coarse units of 2^37 (ordinary nodes have about 7,200), rounded down. An
/// item whose coarse size exceeds the coarse free capacity does not fit.
pub fn coarse(amount: u64) -> u16 {
    const { assert!((u32::MAX as u64) << dfrsim_model::Yield::BITS >> 37 < u16::MAX as u64) };
    (amount >> 37) as u16
}

/// Number of items in a block: the number of bits in a mask.
pub const BLOCK: usize = u32::BITS as usize;

/// Smallest length of a list with blocks; shorter lists are scanned item by item.
const MIN_LONG_LIST: usize = 2 * BLOCK;

/// Coarse amounts of a block, dimension by dimension, so that a few instructions compare them all.
pub type CoarseBlock<const D: usize> = [[u16; BLOCK]; D];

/// Consecutive items of a long list, which a search can skip together.
#[derive(Clone, Copy, Debug)]
struct Block<const D: usize> {
    /// Smallest size in each dimension, among the items that were left at the last recount.
    min_size: [u64; D],
    /// Smallest sum of sizes among the same items.
    min_sum: u64,
    /// Bit mask of the items that are not used up.
    left: u32,
    /// Number of items that were left at the last recount.
    counted_left: u32,
}

/// One or more ordered lists of items, one after the other.
#[derive(Debug, Default)]
pub struct ItemLists<const D: usize> {
    items: Vec<Item<D>>,
    lists: Vec<List>,
    blocks: Vec<Block<D>>,
    /// Coarse sizes of each block. In dimension 0 an item that is used up is larger than any free
    /// capacity. Stored apart from the blocks, because most blocks are skipped without them.
    coarse_sizes: Vec<CoarseBlock<D>>,
    /// Number of single items left to be placed.
    left: u64,
}

impl<const D: usize> ItemLists<D> {
    /// Removes all items and lists, and keeps the memory.
    pub fn clear(&mut self) {
        self.items.clear();
        self.lists.clear();
        self.blocks.clear();
        self.coarse_sizes.clear();
        self.left = 0;
    }
    /// Appends items of one size to the list under construction.
    pub fn push(&mut self, size: [u64; D], count: u64) {
        self.items.push(Item { size, left: count, least: size });
        self.left += count;
    }
    /// Ends the list under construction.
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
        let blocks = (list.len() >= MIN_LONG_LIST).then_some(self.blocks.len());
        if blocks.is_some() {
            self.blocks.extend(list.chunks(BLOCK).map(Block::of));
            self.coarse_sizes.extend(list.chunks(BLOCK).map(coarse_sizes_of));
        }
        self.lists.push(List { items: start..self.items.len(), begin: start, blocks });
    }
    /// Returns all items, list after list.
    pub fn items(&self) -> &[Item<D>] {
        &self.items
    }
    /// Returns the positions of one list within [`ItemLists::items`], without used-up items at its
    /// beginning.
    pub fn list(&self, list: usize) -> Range<usize> {
        self.lists[list].items.clone()
    }
    /// Sums the sizes of all items left.
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
    /// Finds the first item of a list, from a position on, that is not used up and fits.
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
        let rough_free = free.map(coarse);
        let first = from - list.begin;
        // The search starts in the middle of the first block.
        let mut skip = first % BLOCK;
        for number in first / BLOCK..(list.items.end - list.begin).div_ceil(BLOCK) {
            if self.blocks[blocks + number].may_fit(free, free_sum) {
                let begin = list.begin + number * BLOCK;
                let excess = excess(&self.coarse_sizes[blocks + number], &rough_free, u16::saturating_sub);
                // A fold without early exit compiles to code without a branch per item.
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
    /// Removes placed items.
    pub fn take(&mut self, item: u32, count: u64) {
        let position = item as usize;
        let item = &mut self.items[position];
        item.left -= count;
        self.left -= count;
        if item.left == 0 && !self.blocks.is_empty() {
            self.mark_used_up(position);
        }
    }
    /// Updates the blocks when an item is used up.
    fn mark_used_up(&mut self, position: usize) {
        let list = self.lists.partition_point(|list| list.items.end <= position);
        let list = &self.lists[list];
        let Some(blocks) = list.blocks else { return };
        let place = position - list.begin;
        let begin = position - place % BLOCK;
        let end = (begin + BLOCK).min(list.items.end);
        let block = blocks + place / BLOCK;
        self.blocks[block].remove(place % BLOCK, &self.items[begin..end]);
        self.coarse_sizes[block][0][place % BLOCK] = u16::MAX;
    }
    /// Moves the beginning of each list past used-up items.
    pub fn skip_used_up(&mut self) {
        for list in &mut self.lists {
            while list.items.start < list.items.end && self.items[list.items.start].left == 0 {
                list.items.start += 1;
            }
        }
    }
}

fn coarse_sizes_of<const D: usize>(items: &[Item<D>]) -> CoarseBlock<D> {
    let mut sizes = [[u16::MAX; BLOCK]; D];
    for (bit, item) in items.iter().enumerate().filter(|(_, item)| item.left > 0) {
        for (sizes, &size) in sizes.iter_mut().zip(&item.size) {
            sizes[bit] = coarse(size);
        }
    }
    sizes
}

/// Computes the coarse amount by which something does not fit with each entry of a block, combined
/// over the dimensions; 0 if it may fit. `by` compares an amount of the block with the other one.
#[inline(always)]
pub fn excess<const D: usize>(
    block: &CoarseBlock<D>,
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
        let mut block = Block { min_size: [0; D], min_sum: 0, left, counted_left: 0 };
        block.count(items);
        block
    }
    fn count(&mut self, items: &[Item<D>]) {
        self.min_size = [u64::MAX; D];
        self.min_sum = u64::MAX;
        for (_, item) in items.iter().enumerate().filter(|&(bit, _)| self.left >> bit & 1 == 1) {
            for (least, size) in self.min_size.iter_mut().zip(item.size) {
                *least = size.min(*least);
            }
            self.min_sum = self.min_sum.min(item.size.iter().sum());
        }
        self.counted_left = self.left.count_ones();
    }
    #[inline]
    fn may_fit(&self, free: &[u64; D], free_sum: u64) -> bool {
        self.min_sum <= free_sum && fits(&self.min_size, free)
    }
    fn remove(&mut self, bit: usize, items: &[Item<D>]) {
        self.left &= !(1 << bit);
        // The fewer items are left, the larger their smallest sizes may be; recounting at each
        // halving is cheap.
        if self.left.count_ones() * 2 <= self.counted_left {
            self.count(items);
        }
    }
}
