//! Switch between the mutants of a program that `scripts/bench/mutants` builds.
//!
//! The program itself never asks: only a patched copy of the sources calls [`is_on`].

use std::cell::Cell;

thread_local! {
    static NUMBER: Cell<u32> = const { Cell::new(0) };
    static EVALUATIONS: Cell<u64> = const { Cell::new(0) };
}

/// Number of evaluations of mutated expressions after which a run is taken for endless.
const MAX_EVALUATIONS: u64 = 3_000_000;

/// Selects a mutant for this thread, from 1; 0 is the program without a change.
pub fn select(number: u32) {
    NUMBER.set(number);
    EVALUATIONS.set(0);
}

/// Returns whether this mutant is selected.
///
/// # Panics
/// If a run does not come to its end: a mutated loop may be endless.
pub fn is_on(number: u32) -> bool {
    let evaluations = EVALUATIONS.get() + 1;
    assert!(evaluations < MAX_EVALUATIONS, "the run does not come to its end");
    EVALUATIONS.set(evaluations);
    NUMBER.get() == number
}
