//! Permutation Pack and Choose Pack in any number of dimensions with a window of two.

use super::item_lists::ItemLists;
use super::list_cursor::ListCursor;
use super::pack::{FillRule, Take};

/// Assignment of items to lists: one list for each pair of dimensions, those in which an item is
/// largest and second largest.
///
/// Permutation Pack has a list for each ordered pair, Choose Pack one for each unordered pair
/// (Leinberger, Karypis and Kumar 1999; dissertation, section 4.2.5). In one dimension there is one
/// list.
#[derive(Clone, Debug)]
pub struct ListTable<const D: usize> {
    /// List of the items that are largest in the first index and second largest in the second.
    lists: [[u16; D]; D],
    dimensions: usize,
    ordered: bool,
    count: usize,
}

impl<const D: usize> ListTable<D> {
    /// Creates the table for the first `dimensions` dimensions.
    pub fn new(dimensions: usize, ordered: bool) -> ListTable<D> {
        let mut lists = [[0; D]; D];
        let mut count = 0;
        let pairs = (0..dimensions).flat_map(|a| (0..dimensions).map(move |b| (a, b)));
        for (a, b) in pairs.filter(|&(a, b)| a < b || ordered && a != b) {
            lists[a][b] = count;
            if !ordered {
                lists[b][a] = count;
            }
            count += 1;
        }
        ListTable { lists, dimensions, ordered, count: usize::from(count.max(1)) }
    }
    /// Returns the number of lists; at least one.
    pub fn count(&self) -> usize {
        self.count
    }
    /// Returns the list of an item; of equal sizes, the one in the lower dimension counts as larger.
    pub fn list_of(&self, size: &[u64; D]) -> usize {
        let [first, second] = two_largest(size, self.dimensions);
        usize::from(self.lists[first][second])
    }
}

/// Returns the dimensions of the two largest amounts, the lower of equal ones first; with one
/// dimension, that one twice.
fn two_largest<const D: usize>(amounts: &[u64; D], dimensions: usize) -> [usize; 2] {
    let (mut first, mut second) = (0, dimensions.min(2) - 1);
    if amounts[second] > amounts[first] {
        (first, second) = (second, first);
    }
    for d in 2..dimensions {
        if amounts[d] > amounts[first] {
            (first, second) = (d, first);
        } else if amounts[d] > amounts[second] {
            second = d;
        }
    }
    [first, second]
}

/// Order in which a node scans the lists of `VP_PP` and `VP_CP`, once it has ranked its dimensions
/// by ascending load.
///
/// The dissertation (section 4.2.5) names the first two lists, (1st, 2nd) and (1st, 3rd), and leaves
/// the others to an "etc." The figures it prints come from another order: that of the authors'
/// simulator (flexsched, first commit of its public repository, `MCB_pick_vector`), whose
/// Permutation Pack does not use the load within a pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ListOrder {
    /// Order that the text begins: the lexicographic order of ranks, (1st, 2nd), (1st, 3rd) up to
    /// the last, (2nd, 1st) and so on; Choose Pack skips pairs that it has already used.
    ByRank,
    /// Order of the authors' simulator: pairs by the rank of their more loaded dimension, then of
    /// the other: (1st, 2nd), (1st, 3rd), (2nd, 3rd), (1st, 4th) and so on. Of a pair's two lists,
    /// Permutation Pack first scans that of the items which are largest in the lower-numbered
    /// dimension, regardless of its load.
    #[default]
    ByPair,
}

/// Rule that ranks the dimensions of a node by free capacity, most first and the lower of equal ones
/// first, and takes the first fitting item of the first list that has one. On identical nodes this
/// is the order of ascending load.
///
/// In two dimensions Permutation Pack by rank is MCB8 of Stillwell, Schanzenbach, Vivien and
/// Casanova (RR-6692, section 3.4) if the lists are sorted by decreasing maximum.
#[derive(Debug)]
pub struct RankedLists<const D: usize> {
    /// Lists by the ranking of an item's dimensions.
    pub table: ListTable<D>,
    order: ListOrder,
    /// True if the higher of equal dimensions is first.
    pub higher_first: bool,
    cursors: Vec<ListCursor>,
}

impl<const D: usize> RankedLists<D> {
    /// Creates lists of which the lower of two equal dimensions is first.
    pub fn new(table: ListTable<D>, order: ListOrder) -> RankedLists<D> {
        RankedLists { table, order, higher_first: false, cursors: Vec::new() }
    }

    /// Takes one item; returns false if none fits.
    fn take_one(&mut self, items: &ItemLists<D>, free: &mut [u64; D], takes: &mut Vec<Take>) -> bool {
        let dimensions = self.table.dimensions;
        if dimensions == 1 {
            return self.cursors[0].take_one(items, free, takes);
        }
        let mut ranked: [usize; D] = std::array::from_fn(|d| d);
        let ranked = &mut ranked[..dimensions];
        if self.higher_first {
            ranked.reverse();
        }
        // A stable insertion sort: there are few dimensions, and mostly one has moved since the last
        // item.
        for sorted in 1..dimensions {
            let mut place = sorted;
            while place > 0 && free[ranked[place]] > free[ranked[place - 1]] {
                ranked.swap(place - 1, place);
                place -= 1;
            }
        }
        let (cursors, table) = (&mut self.cursors, &self.table);
        let mut take_from = |first: usize, second: usize| {
            let cursor = &mut cursors[usize::from(table.lists[first][second])];
            !cursor.is_exhausted() && cursor.take_one(items, free, takes)
        };
        match self.order {
            ListOrder::ByRank => ranked.iter().enumerate().any(|(rank, &first)| {
                // For unordered pairs each pair is used once, with its lower rank first.
                let seconds = if table.ordered { &ranked[..] } else { &ranked[rank + 1..] };
                seconds.iter().any(|&second| second != first && take_from(first, second))
            }),
            ListOrder::ByPair => ranked.iter().enumerate().any(|(rank, &one)| {
                ranked[..rank].iter().any(|&other| {
                    let (lower, higher) = (one.min(other), one.max(other));
                    take_from(lower, higher) || table.ordered && take_from(higher, lower)
                })
            }),
        }
    }
}

impl<const D: usize> FillRule<D> for RankedLists<D> {
    fn fill(&mut self, items: &ItemLists<D>, free: &mut [u64; D], takes: &mut Vec<Take>) {
        self.cursors.clear();
        self.cursors.extend((0..self.table.count()).map(|list| ListCursor::new(items, list)));
        while self.take_one(items, free, takes) {}
    }
}
