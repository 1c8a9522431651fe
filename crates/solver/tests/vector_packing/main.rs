//! Slow, obvious twins of the off-line algorithms, and golden cases that can be derived by hand.

mod file;
mod genetic;
mod greedy;
mod strategy;
