//! The context-switch study: plans for virtualised jobs, their cost, and what they are good for.
//!
//! * Samples: random configurations of a large cluster; the plan of first-fit decreasing beside the cheapest one found, and
//!   a bound (figure 10).
//! * A small cluster over time: vjobs with phases of computing, under static allocation and under the sample decision module
//!   (figures 11 to 13).
//!
//! Every plan is followed by the independent checker before it counts.
//!
//! Source: RR-6929 (Hermenier, Lebre and Menaud, 2009).

mod experiment;
mod file;
mod findings;
mod row;
mod scenario;
mod tables;

pub use scenario::{ClusterPart, PolicyName, SamplePart, Scenario, StateName, UnknownPolicy, UnknownState};
