//! Tests the heuristic and the relabelling against enumeration, the optimum and an independent
//! check.

mod exact;
mod gap;
mod heuristic;
mod problems;
mod relabelling;
mod rules;
