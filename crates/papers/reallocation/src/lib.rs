//! The grid study: the benefit of moving waiting jobs between clusters.
//!
//! An instance is a workload with one replication of everything that is random, on homogeneous or
//! heterogeneous clusters with one local policy, together with its reference run: the simulation
//! without reallocation. A variant is that reference (`algorithm = none`), or a reallocation
//! algorithm with a heuristic. An independent checker follows every simulation.
//!
//! Source: Y. Caniou, G. Charrier, F. Desprez, *Analysis of Tasks Reallocation in a Dedicated Grid
//! Environment*, INRIA research report RR-7226, 2010, sections 3 and 4.

pub mod audit;
mod claims;
mod conditions;
mod drawings;
pub mod engine;
mod jobs;
mod metrics;
mod outages;
mod published;
mod recording;
mod rows;
mod scenario;
mod study;
mod tables;
mod users;
mod windows;

pub use metrics::Metric;
pub use published::Published;
pub use rows::Simulation;
pub use scenario::{
    ClusterFields, FailureFields, GridFields, JobFields, LogReading, MetaFields, NodeOutageFields,
    OutageFields, SiteFields, WorkloadFields,
};
pub use study::{GridStudy, Instance, Variant};

/// Registers this study. It is generic code, compiled here so that other crates are not recompiled
/// when the study changes.
#[inline(never)]
pub fn register(registry: dfrsim_lab::Registry) -> dfrsim_lab::Registry {
    registry.study::<GridStudy>().with(dfrsim_audit::GridAudit(|records| audit::audit(records)))
}

/// Names of the two kinds of platforms in rows.
const PLATFORMS: [&str; 2] = [HOMOGENEOUS, HETEROGENEOUS];
const HOMOGENEOUS: &str = "homogeneous";
const HETEROGENEOUS: &str = "heterogeneous";
