//! Sizes of random tests: all of their cases with `DFRSIM_TESTS=full`, as `.ci/run` has it, and a quarter without; and the switch
//! between [mutants](mutant) of the program.

pub mod mutant;

/// Returns whether the environment asks for all cases.
///
/// # Panics
/// If `DFRSIM_TESTS` has a value other than `full`.
pub fn is_full() -> bool {
    match std::env::var("DFRSIM_TESTS") {
        Ok(value) => {
            assert_eq!(value, "full", "DFRSIM_TESTS is `{value}`; expected `full`, or no such variable");
            true
        }
        Err(_) => false,
    }
}

/// Returns the number of cases to try, given that of a full run: a quarter of it, rounded up, unless the run [is full](is_full).
pub fn cases<N: Into<u64> + TryFrom<u64>>(full: N) -> N {
    let full: u64 = full.into();
    let count = if is_full() { full } else { full.div_ceil(4) };
    N::try_from(count).unwrap_or_else(|_| unreachable!("it is at most the full number"))
}
