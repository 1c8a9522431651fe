//! Position of a node in a list.

use super::item_lists::{ItemLists, fits, reduce};
use super::pack::Take;

/// First item of a list that may still fit into the node that is being filled. Free capacity only
/// shrinks, so an item that did not fit once need not be examined again.
#[derive(Clone, Copy, Debug)]
pub(super) struct ListCursor {
    list: usize,
    position: usize,
    end: usize,
    /// Index of the take of the item at the cursor, if the node has taken any of it.
    take: Option<usize>,
}

impl ListCursor {
    pub(super) fn new<const D: usize>(items: &ItemLists<D>, list: usize) -> ListCursor {
        let positions = items.list(list);
        ListCursor { list, position: positions.start, end: positions.end, take: None }
    }
    /// Returns whether no item of the list fits any more.
    pub(super) fn is_exhausted(&self) -> bool {
        self.position == self.end
    }
    /// Takes one of the first item that fits; returns false if none does.
    pub(super) fn take_one<const D: usize>(
        &mut self,
        items: &ItemLists<D>,
        free: &mut [u64; D],
        takes: &mut Vec<Take>,
    ) -> bool {
        if let Some(take) = self.take {
            let item = &items.items()[self.position];
            if takes[take].count < item.left && fits(&item.size, free) {
                reduce(free, &item.size, 1);
                takes[take].count += 1;
                return true;
            }
            self.position += 1;
            self.take = None;
        }
        match items.next_fitting(self.list, self.position, free) {
            Some(position) => {
                reduce(free, &items.items()[position].size, 1);
                self.position = position;
                self.take = Some(takes.len());
                takes.push(Take { item: position as u32, count: 1 });
                true
            }
            None => {
                self.position = self.end;
                false
            }
        }
    }
}
