//! Tests the audit against a schedule derived by hand, against violations of single rules, and
//! against the simulator.

mod accepts;
mod batch;
mod damaged;
mod explain;
mod packed;
mod places;
mod planted;
mod repeated;
mod rules;
mod simulated;
mod written;
