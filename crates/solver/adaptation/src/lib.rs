//! The adaptation problem: a better yield for a bounded amount of moving.
//!
//! Jobs are on nodes, then needs change and jobs come and go. An [`Adaptation`](dfrsim_model::offline::Adaptation) asks for the mapping with the largest
//! minimum yield that moves no more than a budget allows; placing new jobs costs nothing. It is NP-complete in the
//! strong sense (dissertation, section 6.2.1), and both texts leave heuristics to future work.
//!
//! * [`Adapter`]: the heuristic, by repairs with chains of ejections; polynomial, and never worse with a larger budget.
//! * [`Aim`]: few or cheap nodes, a low peak, or room for the tasks of any node that fails, beside a yield that is kept.
//! * [`relabelled`]: the names of identical nodes given out again so that the least is moved; exact.
//!
//! The exact solutions, to which the heuristic is compared, are those of `dfrsim_optimum::adapted_optimum`; instances are made by
//! `dfrsim_vector_packing::instances::changed`.
//!
//! ```
//! use dfrsim_adaptation::Adapter;
//! use dfrsim_model::offline::{Adaptation, Instance, OfflineJob};
//! use dfrsim_model::{NodeId, NodeTasks, Yield};
//!
//! // Three jobs that need 6, 6 and 4 of 10 share the first of two nodes; a new one needs 10.
//! let job = |need| OfflineJob { tasks: 1, demand: [1, need].into(), least_yield: Yield::ZERO };
//! let jobs = vec![job(6), job(6), job(4), job(10)];
//! let instance = Instance { fixed: 1, fluid: 1, nodes: vec![[10, 10].into(); 2], jobs };
//! let first = vec![NodeTasks { node: NodeId(0), tasks: 1 }];
//! let current = vec![first.clone(), first.clone(), first, vec![]];
//! let problem = Adaptation { instance, current, cost: vec![5, 5, 2, 0] };
//!
//! let mut adapter = Adapter::new();
//! let mut yield_within = |budget| adapter.adapt(&problem, budget).unwrap().minimum_yield;
//! assert_eq!(yield_within(0), Yield::from_ratio(10, 16)); // 16 and 10
//! assert_eq!(yield_within(2), Yield::from_ratio(10, 14)); // 12 and 14
//! ```
//!
//! Sources: the dissertation that introduced DFRS (Stillwell, 2010), chapter 6; RR-6692, section 6.

mod adapter;
mod aims;
mod annealing;
pub mod check;
mod effort;
mod partition;
mod placement;
mod repair;
mod tasks;

pub use adapter::{Adapted, Adapter};
pub use aims::{Aim, Headroom};
