//! Tests the planner, the optimiser and the simulation; the independent checker verifies each plan.

mod beginnings;
mod checker;
mod common;
mod constraints;
mod damaged;
mod derived;
mod kernel;
mod moves;
mod optimiser;
mod planner;
mod random_constraints;
mod simulation;
mod soft;
