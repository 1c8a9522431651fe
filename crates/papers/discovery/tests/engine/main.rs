//! Tests sharing and discovery against derivations by hand, and runs with the independent checker.

mod recorded;
mod sharing;
mod simulation;
