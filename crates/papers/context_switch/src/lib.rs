//! The context-switch study: plans for virtualised jobs (vjobs), their cost, and their benefit.
//!
//! * An instance is a random configuration of a large cluster (figure 10), or a replication of a
//!   small cluster over time (figures 11 to 13): vjobs with phases of computing.
//! * A variant is a [`Policy`]. On samples these are the plan of first-fit decreasing and the
//!   cheapest one found, with a lower bound. Over time they are static allocation and the sample
//!   decision module in three forms.
//!
//! The independent checker verifies every plan before it counts.
//!
//! Source: RR-6929 (Hermenier, Lèbre and Menaud, 2009).

mod claims;
mod drawings;
mod durations;
mod instance;
mod model;
mod rows;
mod scenario;
mod study;
mod tables;

pub use durations::Times;
pub use rows::{LoadRow, Row, SampleRow, SimulationRow, StayRow, SwitchRow};
pub use scenario::{Configurations, ContextSwitches, Policy, Simulations};
pub use study::ContextSwitchStudy;

/// Registers this study. It is generic code, compiled here so that other crates are not recompiled
/// when the study changes.
#[inline(never)]
pub fn register(registry: dfrsim_lab::Registry) -> dfrsim_lab::Registry {
    registry.study::<ContextSwitchStudy>()
}
