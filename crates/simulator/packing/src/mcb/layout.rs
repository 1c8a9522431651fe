//! Input and result of a packing onto identical nodes.

use super::options::{Balanced, McbOptions, Packing};
use super::pinned_nodes::PinnedNodes;
use crate::filling::{ItemLists, ListOrder, ListTable, OneList, Packer, PackingPlan, RankedLists};

/// Dimension of memory. Sizes and loads are in units of [`CAPACITY`](crate::filling::CAPACITY);
/// memory has the lower index, so it comes first in ties.
pub(super) const MEMORY: usize = 0;
pub(super) const CPU: usize = 1;

/// Items, nodes and last results of a packing; reused from call to call.
#[derive(Debug, Default)]
pub(super) struct PackingState {
    /// Tasks that can be placed freely.
    pub(super) items: ItemLists<2>,
    /// Nodes with the pinned tasks.
    pub(super) nodes: PinnedNodes,
    packer: Packer<2>,
    tried: PackingPlan,
    /// Last packing that was found.
    pub(super) found: PackingPlan,
}

impl PackingState {
    pub(super) fn new(nodes: u32) -> PackingState {
        PackingState { nodes: PinnedNodes::new(nodes), ..PackingState::default() }
    }

    /// Tries to pack all items; returns whether that succeeded, and keeps the packing.
    pub(super) fn pack(&mut self, options: McbOptions) -> bool {
        let PackingState { items, nodes, packer, tried, found } = self;
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
