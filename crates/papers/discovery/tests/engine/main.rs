//! Sharing and discovery against derivations by hand, and runs under the eyes of the independent checker.

mod recorded;
mod sharing;
mod simulation;
