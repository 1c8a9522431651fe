//! Tests optima, bounds and heuristics based on linear programs against slow and simple reference
//! implementations and values derived by hand.

mod arbitrary;
mod average;
mod bounds;
mod by_hand;
mod exact;
mod heuristics;
mod instances;
mod nodes_off;
mod programs;
