//! Filling nodes with items, one node after the other: the common part of all vector packing by
//! lists.
//!
//! Independent of jobs and yields: [`ItemLists`] contain items of a size with counts, [`NodeRuns`]
//! the free capacities of the nodes, a [`FillRule`] selects the items for a node,
//! and [`Packer`] iterates over the nodes.

mod item_lists;
mod list_cursor;
mod node_runs;
mod one_list;
mod pack;
mod ranked_lists;

pub use item_lists::{BLOCK, CAPACITY, CoarseBlock, ItemLists, coarse, excess, fits, reduce, take_most};
pub use node_runs::NodeRuns;
pub use one_list::OneList;
pub use pack::{FillRule, Packer, PackingPlan, Take, slack};
pub use ranked_lists::ListOrder;
pub use ranked_lists::{ListTable, RankedLists};
