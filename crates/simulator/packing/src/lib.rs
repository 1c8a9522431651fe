//! Packing tasks onto nodes, and sharing the nodes' CPU among them.
//!
//! * [`mcb`]: vector packing inside a search for the largest yield, the task mapping of the MCB
//!   policies.
//! * [`filling`]: filling nodes with items from lists, which MCB and the off-line algorithms share.
//! * [`relabelled`]: the naming of identical nodes under which going over to a mapping moves the least.
//! * [`shares`]: the yields of a given mapping.
//!
//! Nodes are identical, with CPU and memory, or differ in any number of dimensions ([`Capacities`]). Each
//! device of a node is a capacity of its own ([`bind_in_order`]).
//!
//! ```
//! use dfrsim_model::{Share, Yield};
//! use dfrsim_packing::mcb::{Mcb, McbOptions, PackJob};
//! use dfrsim_packing::shares::{SharedJob, Shares};
//!
//! // Three tasks that could each use a node, on two nodes, by decreasing priority: the memory of the first fills most of
//! // a node, the others share the second one at half speed.
//! let job = |tenths, sequence| PackJob {
//!     tasks: 1,
//!     need: Share::ONE,
//!     memory: Share::from_ratio(tenths, 10),
//!     sequence,
//!     pinned: None,
//!     size: None,
//! };
//! let jobs = [job(8, 0), job(3, 1), job(3, 2)];
//! let mut mcb = Mcb::new(2, McbOptions::default());
//! let mapping = mcb.map(&jobs);
//! let shared: Vec<SharedJob> =
//!     jobs.iter().enumerate().map(|(at, job)| SharedJob { need: job.need, placement: mapping.placement(at), size: None }).collect();
//! let mut yields = Vec::new();
//! Shares::new(2).max_min(&shared, &mut yields);
//! assert_eq!(yields, [Yield::ONE, Yield::from_ratio(1, 2), Yield::from_ratio(1, 2)]);
//! ```
//!
//! Sources: the dissertation that introduced DFRS (Stillwell, 2010), sections 4.2.5, 4.4.4 and 5.2;
//! RR-6692, section 3.4.

mod capacities;
mod devices;
pub mod filling;
mod relabel;
pub mod yield_search;

pub mod mcb;
pub mod shares;

pub use capacities::{Capacities, TaskSize, UNLIMITED};
pub use devices::{DeviceTasks, bind_in_order, take_devices};
pub use relabel::relabelled;
