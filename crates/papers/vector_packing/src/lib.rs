//! The off-line study: jobs packed onto nodes once, for the best minimum yield, by every algorithm of two texts.
//!
//! * An instance is one of a set of the texts, or of the user's parameters
//!   ([`instances`](dfrsim_vector_packing::instances)): some jobs and nodes.
//! * A variant is an [`Algorithm`](dfrsim_vector_packing::Algorithm).
//!
//! Every packing is examined by a checker that shares no code with the packers. Rows are [wide](dfrsim_lab::Wide): eight
//! bytes a result, so that the largest scenario, 72,900 instances and 65 algorithms, takes some hundred megabytes, and every
//! number is computed from all values: quantiles and pairwise measures too.
//!
//! Sources: the dissertation that introduced DFRS (Stillwell, 2010), chapter 4; RR-6692 (Casanova, Schanzenbach, Stillwell,
//! Vivien, 2008), sections 3 to 5.

mod claims;
mod drawings;
mod parameters;
mod published;
mod results;
mod rows;
mod scenario;
mod solve;
mod study;
mod tables;

pub use rows::Row;
pub use scenario::{Grid, InstanceGroup, Packing, Packings, SecondPhase, Slow, Source};
pub use study::OfflineStudy;

/// The registry with this study. It is generic code, compiled here so that other crates need not be when the study changes.
#[must_use]
#[inline(never)]
pub fn register(registry: dfrsim_lab::Registry) -> dfrsim_lab::Registry {
    registry.study::<OfflineStudy>()
}
