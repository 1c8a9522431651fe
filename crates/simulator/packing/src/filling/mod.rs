//! Filling nodes with items, one node after the other: what all vector packing by lists has in common.
//!
//! Independent of jobs and yields: [`ItemLists`] hold items of a size with counts, [`NodeRuns`] what the nodes
//! have free, a [`FillRule`](pack::FillRule) says what a node takes, and [`Packer`] goes through the nodes.

mod item_lists;
mod list_cursor;
mod node_runs;
mod one_list;
mod pack;
mod ranked_lists;

pub use item_lists::{BLOCK, CAPACITY, ItemLists, RoughBlock, excess, fits, reduce, rough, take_most};
pub use node_runs::NodeRuns;
pub use one_list::OneList;
pub use pack::{FillRule, Packer, Plan, Take, spare};
pub use ranked_lists::ListOrder;
pub use ranked_lists::{ListTable, RankedLists};
