//! Packing tasks onto nodes, and sharing the nodes' CPU among them.
//!
//! * [`mcb`]: vector packing inside a search for the largest yield, the task mapping of the MCB policies.
//! * [`shares`]: the yields of a given mapping.

pub mod mcb;
pub mod shares;
