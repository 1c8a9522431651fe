//! The planner, the optimiser and the simulation, each plan under the eyes of the independent checker.

mod beginnings;
mod btrplace;
mod checker;
mod common;
mod constraints;
mod damaged;
mod derived;
mod optimiser;
mod planner;
mod random_constraints;
mod simulation;
