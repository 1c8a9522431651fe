//! The co-allocation study: collective requests compared with simple ones.
//!
//! An instance is a grid in use: one replication of its nodes at a level of use, built once for all
//! of its variants. A variant is a repeated search for a test case by one kind of request, with the
//! parameters of the scenario or with one of them varied; the optimum of a test case; or a stream of
//! requests of one kind. An independent checker verifies the first solution of every search and all
//! reservations of a stream. Confidence intervals are over the replications.
//!
//! Source: M. Cankar, M. Artac, M. Sterk, U. Lotric, B. Slivnik, *Co-Allocation with Collective
//! Requests in Grid Systems*, section 4.

mod claims;
mod drawings;
mod files;
mod grid;
mod pairs;
mod published;
mod rows;
mod scenario;
mod search;
mod setting;
mod study;
mod tables;

pub use rows::{OptimumRow, Row, SearchRow, StreamRow};
pub use scenario::{CoallocationFields, ParameterFields, Sample, StreamFields, VariationFields};
pub use setting::Setting;
pub use study::{CoallocationStudy, Instance, Variant};

/// Registers this study. It is generic code, compiled here so that other crates are not recompiled
/// when the study changes.
#[inline(never)]
pub fn register(registry: dfrsim_lab::Registry) -> dfrsim_lab::Registry {
    registry.study::<CoallocationStudy>()
}

use dfrsim_coallocation::planetlab::Kind;

/// Both kinds of requests, in the order of rows.
const KINDS: [Kind; 2] = [Kind::Simple, Kind::Collective];
const SIMPLE: &str = "simple";
const COLLECTIVE: &str = "collective";

/// Returns the name of a kind in rows and tables.
fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Simple => SIMPLE,
        Kind::Collective => COLLECTIVE,
    }
}
