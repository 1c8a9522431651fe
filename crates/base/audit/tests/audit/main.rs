//! The audit against a schedule derived by hand, against each rule broken alone, and against the simulator.

mod accepts;
mod base;
mod batch;
mod changes;
mod classes;
mod damaged;
mod explain;
mod fractional;
mod grid;
mod links;
mod outages;
mod packed;
mod places;
mod plan;
mod preemption;
mod priorities;
mod rules;
mod simulated;
mod weights;
