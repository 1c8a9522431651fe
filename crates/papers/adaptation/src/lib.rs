//! The adaptation study: the distance of the heuristic from the best yield that a bounded amount of
//! moving allows.
//!
//! Jobs are on the nodes of a small cluster, then some needs change and some jobs are replaced by
//! new ones ([`small_change`](dfrsim_vector_packing::instances::small_change)). For each budget the
//! exact search ([`adapted_optimum`](dfrsim_optimum::adapted_optimum)) and the heuristic
//! ([`Adapter`](dfrsim_adaptation::Adapter)) search for the mapping with the largest minimum yield.
//! Every mapping is checked by code that is independent of both.
//!
//! * An instance is a change.
//! * A variant is a [`Cost`] by which moves are counted, and a budget.
//!
//! Sources: the dissertation that introduced DFRS (Stillwell, 2010), section 6.2; RR-6692, section
//! 6.1.

mod claims;
mod drawings;
mod rows;
mod scenario;
mod study;
mod tables;

pub use rows::Row;
pub use scenario::{Changes, Cost};
pub use study::AdaptationStudy;

/// Registers this study. It is generic code, compiled here so that other crates are not recompiled
/// when the study changes.
#[inline(never)]
pub fn register(registry: dfrsim_lab::Registry) -> dfrsim_lab::Registry {
    registry.study::<AdaptationStudy>()
}
