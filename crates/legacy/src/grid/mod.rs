//! The grid study: moving waiting jobs between clusters.
//!
//! A cell is a scenario with one seed, homogeneous or heterogeneous, with one local policy: one simulation without
//! reallocation and one for each algorithm and heuristic, on the same jobs. Each is followed by the independent checker.
//!
//! Source: RR-7226 (Caniou, Charrier, Desprez, 2010), sections 3 and 4.

mod cell;
mod figures;
mod file;
mod findings;
mod input;
mod published;
mod recording;
mod resolve;
mod row;
mod scenario;
mod tables;

pub(crate) use scenario::Scenario;
