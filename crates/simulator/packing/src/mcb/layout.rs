//! What a packing onto nodes that are alike starts from, and what it finds.

use super::options::{Balanced, McbOptions, Packing};
use super::pinned_nodes::PinnedNodes;
use crate::filling::{ItemLists, ListOrder, ListTable, OneList, Packer, Plan, RankedLists};

/// Dimension 0 is memory and dimension 1 is CPU, both in units of
/// [`CAPACITY`](crate::filling::CAPACITY): where all else is equal, memory comes first.
pub(super) const MEMORY: usize = 0;
pub(super) const CPU: usize = 1;

/// What a packing starts from, and the last ones; used again from call to call.
#[derive(Debug, Default)]
pub(super) struct Layout {
    /// The tasks that can be placed freely.
    pub(super) items: ItemLists<2>,
    /// The nodes with the tasks that cannot.
    pub(super) nodes: PinnedNodes,
    packer: Packer<2>,
    tried: Plan,
    /// The last packing that was found.
    pub(super) found: Plan,
}

impl Layout {
    pub(super) fn new(nodes: u32) -> Layout {
        Layout { nodes: PinnedNodes::new(nodes), ..Layout::default() }
    }

    /// Whether all items can be packed; remembers the packing.
    pub(super) fn pack(&mut self, options: McbOptions) -> bool {
        let Layout { items, nodes, packer, tried, found } = self;
        let packed = match (options.packing, options.balanced) {
            (Packing::ChoosePack, _) => packer.pack(&mut OneList, items, nodes.runs(), tried),
            (Packing::TwoLists, balanced) => {
                let mut rule = RankedLists::new(ListTable::new(2, true), ListOrder::ByRank);
                rule.higher_first = balanced == Balanced::Cpu;
                packer.pack(&mut rule, items, nodes.runs(), tried)
            }
        };
        if packed {
            std::mem::swap(tried, found);
        }
        packed
    }
}
