//! The discovery study: CPU needs that are found while virtual machines run.
//!
//! Virtual machines share the CPU of their nodes by weights. Their CPU needs change, and policies
//! see only their actual use. The independent auditor follows every simulation. Tables have means
//! over the replications with bootstrap confidence intervals, and the two published runs.
//!
//! * An instance is a workload: a replication of a [`Testbed`](Source::Testbed), or
//!   [`Recorded`](Source::Recorded) traces.
//! * A variant is a [`Setting`] of the policies and an
//!   [`Approach`](engine::Approach).
//!
//! Source: the dissertation that introduced DFRS (Stillwell, 2010), chapter 7.

pub mod audit;
mod claims;
mod drawings;
pub mod engine;
mod published;
mod rows;
mod scenario;
mod study;
mod tables;

pub use published::Published;
pub use rows::Row;
pub use scenario::{Discovery, Recorded, Setting, Source, Testbed, Workload};
pub use study::DiscoveryStudy;

/// Registers this study. It is generic code, compiled here so that other crates are not recompiled
/// when the study changes.
#[inline(never)]
pub fn register(registry: dfrsim_lab::Registry) -> dfrsim_lab::Registry {
    registry.study::<DiscoveryStudy>()
}
