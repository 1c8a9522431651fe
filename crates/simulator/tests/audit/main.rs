//! The audit against a schedule derived by hand, against each rule broken alone, and against the simulator.

mod accepts;
mod batch;
mod damaged;
mod explain;
mod packed;
mod places;
mod planted;
mod rules;
mod simulated;
mod written;
