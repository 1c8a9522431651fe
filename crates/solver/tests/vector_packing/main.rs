//! Tests the off-line algorithms against slow and simple reference implementations, and on golden
//! cases derived by hand.

mod file;
mod greedy;
mod strategy;
