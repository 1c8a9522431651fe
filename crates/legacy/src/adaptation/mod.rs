//! The adaptation study: how near the heuristic comes to the best yield that a bounded amount of moving allows.
//!
//! Jobs stand on the nodes of a small cluster, then some needs change and some jobs are replaced by new ones
//! ([`small_change`](dfrsim_offline::instances::small_change)). For each budget the exact search
//! ([`adapted_optimum`](dfrsim_optimum::adapted_optimum)) and the heuristic ([`Adapter`](dfrsim_adaptation::Adapter)) look for the
//! mapping with the largest minimum yield. Every mapping is checked by code that shares nothing with either.
//!
//! Sources: the dissertation, section 6.2; RR-6692, section 6.1.

mod experiment;
mod file;
mod scenario;
mod tables;

pub use scenario::{Cost, Scenario};
