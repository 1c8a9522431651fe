//! The off-line study: jobs are packed onto nodes once, for the best minimum yield, by every
//! algorithm of two texts.
//!
//! * An instance is one of a set of the texts, or one with the user's parameters
//!   ([`instances`](dfrsim_vector_packing::instances)): some jobs and nodes.
//! * A variant is an [`Algorithm`].
//!
//! Every packing is verified by a checker that shares no code with the packers. Rows are
//! [wide](dfrsim_lab::Wide): eight bytes per result, so that the largest scenario, 72,900 instances
//! and 65 algorithms, takes some hundred megabytes. Every number is computed from all values,
//! including quantiles and pairwise measures.
//!
//! Sources: the dissertation that introduced DFRS (Stillwell, 2010), chapter 4; RR-6692 (Casanova,
//! Schanzenbach, Stillwell, Vivien, 2008), sections 3 to 5.

mod algorithms;
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

pub use algorithms::genetic;
pub use algorithms::{Algorithm, Diving, Dominance, PaperSettings, chekuri_pack, dive};
pub use rows::Row;
pub use scenario::{Grid, InstanceGroup, Packing, Packings, SecondPhase, Slow, Source};
pub use study::OfflineStudy;

/// Registers this study, and its algorithms for `dfrsim solve pack`. It is generic code, compiled here so that other crates are not recompiled
/// when the study changes.
#[must_use]
#[inline(never)]
pub fn register(registry: dfrsim_lab::Registry) -> dfrsim_lab::Registry {
    registry.study::<OfflineStudy>().with(algorithms::offered(genetic::GeneticParameters::default()))
}
